//! Weights as they lie in a file: a head of numbers, then one byte each weight.

use super::features::{BUCKETS, Feature};

/// Tells one model's file from another's.
pub type Magic = [u8; 8];

/// Bytes of the head: the magic, a bias each language and kind, and what a unit of weight is for each kind.
const fn head(kinds: usize) -> usize {
    size_of::<Magic>() + 4 * 3 * kinds
}

/// A model of `K` kinds, each of which may be likelier than none of them.
pub struct Weights<'b, const K: usize> {
    /// Russian, then English.
    biases: [[f32; K]; 2],
    units: [f32; K],
    weights: &'b [u8],
}

impl<'b, const K: usize> Weights<'b, K> {
    /// `None` where the bytes are no such weights.
    pub fn read(bytes: &'b [u8], magic: &Magic) -> Option<Weights<'b, K>> {
        if bytes.len() != head(K) + BUCKETS * K || !bytes.starts_with(magic) {
            return None;
        }
        let (head, weights) = bytes.split_at_checked(head(K))?;
        let mut figures = head.get(magic.len()..)?.chunks_exact(4).map(|four| {
            let figure = f32::from_le_bytes(four.try_into().ok()?);
            figure.is_finite().then_some(figure)
        });
        let mut row = || -> Option<[f32; K]> {
            let mut row = [0.0; K];
            for figure in &mut row {
                *figure = figures.next()??;
            }
            Some(row)
        };
        let biases = [row()?, row()?];
        Some(Weights { biases, units: row()?, weights })
    }

    /// How much likelier each kind is than none.
    pub fn logits(&self, features: &[Feature], is_cyrillic: bool) -> [f32; K] {
        let mut sums = [0.0; K];
        for (bucket, value) in features {
            let at = *bucket as usize * K;
            let weights = self.weights.get(at..at + K).unwrap_or(&[]);
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += value * f32::from(weight.cast_signed());
            }
        }
        let bias = self.biases[usize::from(!is_cyrillic)];
        std::array::from_fn(|k| bias[k] + self.units[k] * sums[k])
    }
}

/// Any kind against none, in logits.
pub fn score(logits: &[f32]) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    most + logits.iter().map(|l| (l - most).exp()).sum::<f32>().ln()
}

/// The kind with the highest logit.
pub fn likeliest(logits: &[f32]) -> usize {
    let best = logits.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(0, |(kind, _)| kind)
}

/// The bytes that [`Weights::read`] reads; `weights` are by bucket, then kind.
pub fn write<const K: usize>(magic: &Magic, biases: &[[f32; K]; 2], weights: &[[f32; K]]) -> Vec<u8> {
    let unit = |k: usize| weights.iter().map(|w| w[k].abs()).fold(f32::MIN_POSITIVE, f32::max) / 127.0;
    let units: [f32; K] = std::array::from_fn(unit);
    let mut bytes = magic.to_vec();
    for figure in biases.iter().flatten().chain(&units) {
        bytes.extend(figure.to_le_bytes());
    }
    for weight in weights {
        // Within ±127 by the choice of the unit.
        bytes.extend((0..K).map(|k| ((weight[k] / units[k]).round() as i8).cast_unsigned()));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: &[u8; 8] = b"testtest";

    fn read(bytes: &[u8]) -> Option<Weights<'_, 3>> {
        Weights::read(bytes, MAGIC)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut weights = vec![[0.0; 3]; BUCKETS];
        weights[7] = [1.27, -2.54, 0.5];
        let bytes = write(MAGIC, &[[0.1, 0.2, 0.3], [-1.0, -2.0, -3.0]], &weights);
        let model = read(&bytes).expect("the format is the reader's own");
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.02);
        assert!(near(model.logits(&[(7, 1.0)], true), [1.37, -2.34, 0.8]));
        assert!(near(model.logits(&[(8, 1.0)], false), [-1.0, -2.0, -3.0]));
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        let bytes = write(MAGIC, &[[0.0; 3]; 2], &vec![[0.0; 3]; BUCKETS]);
        assert!(read(&bytes[..bytes.len() - 1]).is_none());
        assert!(read(&[]).is_none());
        let mut other = bytes.clone();
        other[0] = b'x';
        assert!(read(&other).is_none());
        let mut not_a_number = bytes;
        not_a_number[8..12].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(read(&not_a_number).is_none());
    }

    #[test]
    fn any_kind_counts_against_none() {
        assert!((score(&[0.0, 0.0, 0.0]) - 3_f32.ln()).abs() < 1e-6);
        assert_eq!(likeliest(&[-1.0, 2.0, 0.0]), 1);
    }
}
