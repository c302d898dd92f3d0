//! The network: from numbered pieces to a direction.
//!
//! Three convolutions over neighbouring pieces (two, three and five of them), their sum over the text, and two layers
//! on top. Yang et al., 2019, "Multilingual Universal Sentence Encoder for Semantic Retrieval", arXiv:1907.04307.

use super::EncoderError;
use super::dense::{Dense, Rows};
use super::npz::Npz;
use crate::{DIMENSIONS, Embedding};

/// The table of pieces lies in 17 parts: piece `i` is row `i / 17` of part `i % 17`. Each part has its own scale.
const PARTS: usize = 17;
/// 7,530 in the weights that we know.
const MAX_ROWS_OF_PART: usize = 16_384;
const CHANNELS: usize = 256;
const BRANCHES: usize = 3;
const FEATURES: usize = DIMENSIONS + BRANCHES * CHANNELS;
const HIDDEN: usize = 320;
const EPSILON: f32 = 1e-12;

/// How many neighbours a convolution sees, itself included, and how many of them come before it.
struct Window {
    width: usize,
    before: usize,
}

const WINDOWS: [Window; BRANCHES] =
    [Window { width: 2, before: 0 }, Window { width: 3, before: 1 }, Window { width: 5, before: 2 }];

pub struct Network {
    pieces: Pieces,
    projection: Biased,
    projection_norm: Norm,
    branches: Vec<[Biased; 2]>,
    norm: Norm,
    sum: Biased,
    top: Top,
}

/// What each piece means by itself, in steps of its part's scale.
struct Pieces {
    rows: Vec<[u8; DIMENSIONS]>,
    scale: Vec<f32>,
    lowest: Vec<f32>,
}

struct Biased {
    matrix: Dense,
    bias: Vec<f32>,
}

/// Layer normalisation, arXiv:1607.06450.
struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

/// Two layers, each with a way around it.
struct Top {
    first: Dense,
    second: Dense,
    around_both: Dense,
    third: Dense,
    last: Dense,
    around_third: Dense,
}

impl Network {
    pub fn read(npz: &[u8]) -> Result<Self, EncoderError> {
        let npz = &mut Npz::open(npz)?;
        let each = |npz: &mut Npz<'_>, name: &str, shape: &[usize]| -> Result<Vec<Vec<f32>>, EncoderError> {
            WINDOWS.iter().map(|window| npz.floats(&format!("{name}{}", window.width), shape)).collect()
        };
        let branch = |npz: &mut Npz<'_>, window: &Window| {
            let mut layer = |number| -> Result<Biased, EncoderError> {
                let inputs = window.width * CHANNELS;
                let matrix = dense(npz, &format!("w{number}_{}", window.width), inputs, CHANNELS)?;
                let bias = npz.floats(&format!("b{number}_{}", window.width), &[CHANNELS])?;
                Ok(Biased { matrix, bias })
            };
            Ok([layer(1)?, layer(2)?])
        };
        Ok(Self {
            projection: Biased {
                matrix: Dense::beside(DIMENSIONS, CHANNELS, &each(npz, "proj", &[DIMENSIONS, CHANNELS])?),
                bias: each(npz, "proj_b", &[CHANNELS])?.concat(),
            },
            projection_norm: Norm {
                gain: each(npz, "ln_g", &[CHANNELS])?.concat(),
                bias: each(npz, "ln_b", &[CHANNELS])?.concat(),
            },
            branches: WINDOWS.iter().map(|window| branch(npz, window)).collect::<Result<_, EncoderError>>()?,
            norm: Norm { gain: npz.floats("ln_g", &[FEATURES])?, bias: npz.floats("ln_b", &[FEATURES])? },
            sum: Biased {
                matrix: dense(npz, "cnn_W", FEATURES, DIMENSIONS)?,
                bias: npz.floats("cnn_b", &[DIMENSIONS])?,
            },
            top: Top {
                first: dense(npz, "d0", DIMENSIONS, HIDDEN)?,
                second: dense(npz, "d1", HIDDEN, HIDDEN)?,
                around_both: dense(npz, "p1", DIMENSIONS, HIDDEN)?,
                third: dense(npz, "d2", HIDDEN, DIMENSIONS)?,
                last: dense(npz, "d3", DIMENSIONS, DIMENSIONS)?,
                around_third: dense(npz, "p3", HIDDEN, DIMENSIONS)?,
            },
            pieces: Pieces::read(npz)?,
        })
    }

    /// How many pieces have a meaning here.
    pub fn pieces(&self) -> usize {
        self.pieces.rows.len()
    }

    /// Where a text of these pieces lies. Unknown numbers count as piece 0.
    pub fn embed(&self, pieces: &[u32]) -> Embedding {
        let count = pieces.len();
        let mut features = vec![0.0; count * FEATURES];
        for (feature, &piece) in features.chunks_exact_mut(FEATURES).zip(pieces) {
            self.pieces.write(piece, &mut feature[..DIMENSIONS]);
        }
        let words = Rows { values: &features, step: FEATURES, count };
        let mut projected = self.projection.of(words);
        self.projection_norm.apply(&mut projected);
        for (index, (window, layers)) in WINDOWS.iter().zip(&self.branches).enumerate() {
            let convolved = convolve(window, layers, &projected, index * CHANNELS, count);
            let places = features.chunks_exact_mut(FEATURES);
            for (feature, channels) in places.zip(convolved.chunks_exact(CHANNELS)) {
                feature[DIMENSIONS + index * CHANNELS..][..CHANNELS].copy_from_slice(channels);
            }
        }
        self.norm.apply(&mut features);
        self.top.of(&self.summed(&features, count))
    }

    /// The sum over the text, divided by the root of its length. It is taken before the matrix, which is linear.
    fn summed(&self, features: &[f32], count: usize) -> Vec<f32> {
        let mut sum = vec![0.0; FEATURES];
        for feature in features.chunks_exact(FEATURES) {
            add(&mut sum, feature);
        }
        let length = count as f32;
        let mut mixed = self.sum.matrix.of_one(&sum);
        for (value, bias) in mixed.iter_mut().zip(&self.sum.bias) {
            *value = (*value + bias * length) / length.sqrt();
        }
        mixed
    }
}

/// Two layers over each piece and its neighbours, each added to what it was made of. Beyond the text there is zero.
fn convolve(window: &Window, layers: &[Biased; 2], projected: &[f32], column: usize, count: usize) -> Vec<f32> {
    let mut padded = vec![0.0; (count + window.width - 1) * CHANNELS];
    let text = window.before * CHANNELS..(window.before + count) * CHANNELS;
    let places = padded[text.clone()].chunks_exact_mut(CHANNELS);
    for (place, row) in places.zip(projected.chunks_exact(BRANCHES * CHANNELS)) {
        place.copy_from_slice(&row[column..][..CHANNELS]);
    }
    for layer in layers {
        let mut out = layer.of(Rows { values: &padded, step: CHANNELS, count });
        rectify(&mut out);
        add(&mut padded[text.clone()], &out);
    }
    padded[text].to_vec()
}

impl Pieces {
    fn read(npz: &mut Npz<'_>) -> Result<Self, EncoderError> {
        let (scale, lowest) = (npz.floats("scale", &[PARTS])?, npz.floats("lo", &[PARTS])?);
        let mut rows: Vec<[u8; DIMENSIONS]> = Vec::new();
        for part in 0..PARTS {
            let name = format!("q{}", part + 1);
            let bytes = npz.rows(&name, DIMENSIONS, MAX_ROWS_OF_PART)?;
            let of_part = bytes.as_chunks().0;
            if part == 0 {
                rows = vec![[0; DIMENSIONS]; of_part.len() * PARTS];
            }
            if of_part.len() * PARTS != rows.len() {
                return Err(EncoderError::weights(&name, "another number of rows than the first part"));
            }
            for (row, from) in rows.iter_mut().skip(part).step_by(PARTS).zip(of_part) {
                *row = *from;
            }
        }
        Ok(Self { rows, scale, lowest })
    }

    fn write(&self, piece: u32, out: &mut [f32]) {
        let Some((index, row)) = self.rows.get(piece as usize).map(|row| (piece as usize, row)) else { return };
        let (scale, lowest) = (self.scale[index % PARTS], self.lowest[index % PARTS]);
        for (value, &step) in out.iter_mut().zip(row) {
            *value = f32::from(step) * scale + lowest;
        }
    }
}

impl Biased {
    fn of(&self, rows: Rows<'_>) -> Vec<f32> {
        let mut out = self.matrix.of(rows);
        for row in out.chunks_exact_mut(self.bias.len()) {
            add(row, &self.bias);
        }
        out
    }
}

impl Norm {
    fn apply(&self, rows: &mut [f32]) {
        let width = self.gain.len() as f32;
        for row in rows.chunks_exact_mut(self.gain.len()) {
            let mean = row.iter().sum::<f32>() / width;
            row.iter_mut().for_each(|value| *value -= mean);
            let variance = row.iter().map(|value| value * value).sum::<f32>() / width;
            let inverse = (variance + EPSILON).sqrt().recip();
            for ((value, gain), bias) in row.iter_mut().zip(&self.gain).zip(&self.bias) {
                *value = *value * inverse * gain + bias;
            }
        }
    }
}

impl Top {
    fn of(&self, mixed: &[f32]) -> Embedding {
        let mut first = self.first.of_one(mixed);
        rectify(&mut first);
        let mut second = self.around_both.of_one(mixed);
        add(&mut second, &self.second.of_one(&first));
        rectify(&mut second);
        let mut third = self.third.of_one(&second);
        rectify(&mut third);
        let mut last = self.around_third.of_one(&second);
        add(&mut last, &self.last.of_one(&third));
        let mut components = [0.0; DIMENSIONS];
        for (component, value) in components.iter_mut().zip(&last) {
            *component = value.tanh();
        }
        // Sound weights always point somewhere; those of a forger may not.
        Embedding::towards(&components).unwrap_or_else(Embedding::axis)
    }
}

fn dense(npz: &mut Npz<'_>, name: &str, inputs: usize, outputs: usize) -> Result<Dense, EncoderError> {
    Ok(Dense::beside(inputs, outputs, &[npz.floats(name, &[inputs, outputs])?]))
}

fn rectify(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
}

fn add(to: &mut [f32], values: &[f32]) {
    for (to, value) in to.iter_mut().zip(values) {
        *to += value;
    }
}
