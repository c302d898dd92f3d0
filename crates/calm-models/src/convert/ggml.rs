//! Writes the ggml file that whisper.cpp loads, in 16 bits or in blocks of 8 bits (q8_0).
//!
//! Which tensors are quantised follows whisper.cpp's own `quantize`: matrices are, and vectors, convolutions, their
//! biases and the positions are not.

use std::io::Write;

use half::f16;

use super::ConvertError;
use super::ct2::Weights;
use super::signal::{BINS, mel_filters};
use super::vocabulary::text_tokens;
use super::whisper::{Placed, Shape, Sizes, layout};

const MAGIC: i32 = 0x6767_6d6c;
/// Numbers in a block of q8_0, which share one scale.
const BLOCK: usize = 32;
/// Width of one attention head in every Whisper model.
const HEAD: usize = 64;

/// How matrices are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    F16,
    /// Half the size of `F16`; what whisper.cpp calls q8_0, version 2.
    Q8,
}

impl Precision {
    /// The file's own type number; a quantised file adds the version of the format in thousands.
    fn file_type(self) -> i32 {
        match self {
            Self::F16 => 1,
            Self::Q8 => 2_007,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TensorType {
    F32 = 0,
    F16 = 1,
    Q8 = 8,
}

/// Writes a whole Whisper model. `tokenizer` is the `tokenizer.json` that belongs to the weights.
pub fn write_whisper(
    weights: &Weights<'_>,
    tokenizer: &[u8],
    precision: Precision,
    out: &mut impl Write,
) -> Result<(), ConvertError> {
    let sizes = Sizes::of(weights)?;
    let tokens = text_tokens(tokenizer, sizes.vocabulary)?;
    write_head(&sizes, precision, out)?;
    write_numbers(out, [sizes.mel_bands, BINS])?;
    write_f32(out, &mel_filters(sizes.mel_bands))?;
    write_numbers(out, [tokens.len()])?;
    for token in &tokens {
        write_numbers(out, [token.len()])?;
        out.write_all(token)?;
    }
    for placed in layout(&sizes) {
        write_tensor(weights, &placed, precision, out)?;
    }
    Ok(())
}

fn write_head(sizes: &Sizes, precision: Precision, out: &mut impl Write) -> Result<(), ConvertError> {
    let heads = sizes.width / HEAD;
    out.write_all(&MAGIC.to_le_bytes())?;
    write_numbers(out, [sizes.vocabulary, sizes.audio_positions, sizes.width, heads, sizes.encoder_layers])?;
    write_numbers(out, [sizes.text_positions, sizes.width, heads, sizes.decoder_layers, sizes.mel_bands])?;
    out.write_all(&precision.file_type().to_le_bytes())?;
    Ok(())
}

fn write_tensor(
    weights: &Weights<'_>,
    placed: &Placed,
    precision: Precision,
    out: &mut impl Write,
) -> Result<(), ConvertError> {
    let tensor = weights.get(&placed.source)?;
    let rows = placed.rows.clone().unwrap_or(0..tensor.rows());
    let numbers = tensor.numbers_of(rows.clone())?;
    let mut shape = tensor.shape().to_vec();
    match placed.shape {
        Shape::Column => shape.push(1),
        Shape::AsIs => {
            if let Some(first) = shape.first_mut() {
                *first = rows.len();
            }
        }
    }
    let kind = type_of(&placed.name, &shape, precision);
    write_numbers(out, [shape.len(), placed.name.len()])?;
    out.write_all(&(kind as i32).to_le_bytes())?;
    write_numbers(out, shape.iter().rev().copied())?;
    out.write_all(placed.name.as_bytes())?;
    match kind {
        TensorType::F32 => write_f32(out, &numbers),
        TensorType::F16 => write_f16(out, &numbers),
        TensorType::Q8 => write_q8(out, &numbers),
    }
}

fn type_of(name: &str, shape: &[usize], precision: Precision) -> TensorType {
    let kept_whole = name.ends_with("positional_embedding") || (name.contains(".conv") && name.ends_with(".bias"));
    let whole_blocks = shape.last().is_some_and(|row| row % BLOCK == 0);
    match (shape.len(), precision) {
        (0 | 1, _) => TensorType::F32,
        _ if kept_whole => TensorType::F32,
        (2, Precision::Q8) if whole_blocks => TensorType::Q8,
        _ => TensorType::F16,
    }
}

fn write_numbers(out: &mut impl Write, numbers: impl IntoIterator<Item = usize>) -> Result<(), ConvertError> {
    for number in numbers {
        let number = i32::try_from(number).map_err(|_| ConvertError::Malformed("a size that ggml cannot write"))?;
        out.write_all(&number.to_le_bytes())?;
    }
    Ok(())
}

fn write_f32(out: &mut impl Write, numbers: &[f32]) -> Result<(), ConvertError> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Ok(out.write_all(&bytes)?)
}

fn write_f16(out: &mut impl Write, numbers: &[f32]) -> Result<(), ConvertError> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| f16::from_f32(*number).to_le_bytes()).collect();
    Ok(out.write_all(&bytes)?)
}

/// A block is a 16-bit scale and 32 signed bytes. Rounded with the scale as it was before it lost bits, like ggml.
fn write_q8(out: &mut impl Write, numbers: &[f32]) -> Result<(), ConvertError> {
    let mut bytes = Vec::with_capacity(numbers.len() / BLOCK * (BLOCK + 2));
    for block in numbers.chunks(BLOCK) {
        let scale = block.iter().fold(0.0f32, |most, number| most.max(number.abs())) / 127.0;
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        bytes.extend(f16::from_f32(scale).to_le_bytes());
        bytes.extend(block.iter().map(|number| ((number * inverse).round() as i8).cast_unsigned()));
    }
    Ok(out.write_all(&bytes)?)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::matrix("encoder.blocks.0.attn.query.weight", &[64, 64], TensorType::Q8)]
    #[case::embedding("decoder.token_embedding.weight", &[51_865, 512], TensorType::Q8)]
    #[case::vector("encoder.blocks.0.attn_ln.weight", &[64], TensorType::F32)]
    #[case::convolution("encoder.conv1.weight", &[64, 80, 3], TensorType::F16)]
    #[case::its_bias("encoder.conv1.bias", &[64, 1], TensorType::F32)]
    #[case::positions("decoder.positional_embedding", &[448, 64], TensorType::F32)]
    fn whisper_cpp_finds_the_types_that_it_expects(
        #[case] name: &str,
        #[case] shape: &[usize],
        #[case] kind: TensorType,
    ) {
        assert_eq!(type_of(name, shape, Precision::Q8), kind);
    }

    #[test]
    fn a_block_keeps_its_numbers_within_half_a_step() {
        let numbers: Vec<f32> = (0..64).map(|i| ((i * 37) % 64) as f32 / 10.0 - 3.0).collect();
        let mut out = Vec::new();
        write_q8(&mut out, &numbers).expect("memory");
        assert_eq!(out.len(), 2 * (BLOCK + 2));
        for (block, original) in out.chunks(BLOCK + 2).zip(numbers.chunks(BLOCK)) {
            let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
            for (byte, number) in block[2..].iter().zip(original) {
                let restored = f32::from(byte.cast_signed()) * scale;
                assert!((restored - number).abs() <= scale * 0.52, "{number} came back as {restored}");
            }
        }
    }

    #[test]
    fn a_block_of_zeros_stays_zero() {
        let mut out = Vec::new();
        write_q8(&mut out, &[0.0; BLOCK]).expect("memory");
        assert_eq!(out, [0; BLOCK + 2]);
    }
}
