//! The weights as they lie in `hints/weights.bin`: a head of numbers, then one byte each weight.

use super::super::Distress;
use super::features::{BUCKETS, Feature};

/// In the order in which their weights are written.
pub const KINDS: [Distress; 3] = [Distress::SelfHarm, Distress::Ruin, Distress::Panic];
const MAGIC: &[u8; 8] = b"calmhnt1";
/// Of the head: the magic, a bias each language and kind, and what a unit of weight is for each kind.
const HEAD: usize = MAGIC.len() + 4 * FIGURES;
const FIGURES: usize = 3 * KINDS.len();
/// Of the whole file.
pub const BYTES: usize = HEAD + BUCKETS * KINDS.len();

/// How much more likely each kind is than none, in logits.
pub type Logits = [f32; 3];

pub struct Model<'b> {
    /// Russian, then English.
    biases: [Logits; 2],
    units: Logits,
    weights: &'b [u8],
}

impl<'b> Model<'b> {
    /// `None` where the bytes are no such weights.
    pub fn read(bytes: &'b [u8]) -> Option<Model<'b>> {
        if bytes.len() != BYTES || !bytes.starts_with(MAGIC) {
            return None;
        }
        let (head, weights) = bytes.split_at_checked(HEAD)?;
        let mut figures = head.get(MAGIC.len()..)?.chunks_exact(4).map(|four| {
            let figure = f32::from_le_bytes(four.try_into().ok()?);
            figure.is_finite().then_some(figure)
        });
        let mut three = || -> Option<Logits> { Some([figures.next()??, figures.next()??, figures.next()??]) };
        let biases = [three()?, three()?];
        Some(Model { biases, units: three()?, weights })
    }

    pub fn logits(&self, features: &[Feature], is_cyrillic: bool) -> Logits {
        let mut sums: Logits = [0.0; 3];
        for (bucket, value) in features {
            let at = *bucket as usize * KINDS.len();
            let weights = self.weights.get(at..at + KINDS.len()).unwrap_or(&[]);
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += value * f32::from(weight.cast_signed());
            }
        }
        let bias = self.biases[usize::from(!is_cyrillic)];
        std::array::from_fn(|k| bias[k] + self.units[k] * sums[k])
    }
}

/// Any kind against none, in logits.
pub fn score(logits: &Logits) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    most + logits.iter().map(|l| (l - most).exp()).sum::<f32>().ln()
}

pub fn likeliest(logits: &Logits) -> Distress {
    let best = KINDS.iter().zip(logits).max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(Distress::SelfHarm, |(kind, _)| *kind)
}

/// The bytes that [`Model::read`] reads; `weights` are by bucket, then kind.
pub fn write(biases: &[Logits; 2], weights: &[Logits]) -> Vec<u8> {
    let unit = |k: usize| weights.iter().map(|w| w[k].abs()).fold(f32::MIN_POSITIVE, f32::max) / 127.0;
    let units: Logits = std::array::from_fn(unit);
    let mut bytes = MAGIC.to_vec();
    for figure in biases.iter().flatten().chain(&units) {
        bytes.extend(figure.to_le_bytes());
    }
    for weight in weights {
        // Within ±127 by the choice of the unit.
        bytes.extend((0..KINDS.len()).map(|k| ((weight[k] / units[k]).round() as i8).cast_unsigned()));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut weights = vec![[0.0; 3]; BUCKETS];
        weights[7] = [1.27, -2.54, 0.5];
        let bytes = write(&[[0.1, 0.2, 0.3], [-1.0, -2.0, -3.0]], &weights);
        let model = Model::read(&bytes).expect("the format is the reader's own");
        let near = |a: Logits, b: Logits| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.02);
        assert!(near(model.logits(&[(7, 1.0)], true), [1.37, -2.34, 0.8]));
        assert!(near(model.logits(&[(8, 1.0)], false), [-1.0, -2.0, -3.0]));
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        let bytes = write(&[[0.0; 3]; 2], &vec![[0.0; 3]; BUCKETS]);
        assert!(Model::read(&bytes[..bytes.len() - 1]).is_none());
        assert!(Model::read(&[]).is_none());
        let mut other = bytes.clone();
        other[0] = b'x';
        assert!(Model::read(&other).is_none());
        let mut not_a_number = bytes;
        not_a_number[8..12].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(Model::read(&not_a_number).is_none());
    }

    #[test]
    fn any_kind_counts_against_none() {
        assert!((score(&[0.0, 0.0, 0.0]) - 3_f32.ln()).abs() < 1e-6);
        assert_eq!(likeliest(&[-1.0, 2.0, 0.0]), Distress::Ruin);
    }
}
