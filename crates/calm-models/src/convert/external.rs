//! Fills the external data of an ONNX graph from published weights, after a table.
//!
//! The graph is ours and lies in the repository; its large tensors are not, and are made here. A line of the table has
//! a kind, an offset and a length in bytes, and the tensor it is made from:
//!
//! | kind | what |
//! |---|---|
//! | `size` | length of the whole file (only a number follows) |
//! | `f32` | the tensor as it is |
//! | `s7t` | the matrix in 7 bits and a sign, one scale a row, transposed |
//! | `s7scale` | those scales |
//! | `u8blocks` | the matrix in 8 bits around 128, one scale for every 128 numbers of a row |
//! | `u8blockscale` | those scales |
//! | `dft`, `mel` | the tables of Whisper's front end |

use super::ConvertError;
use super::ct2::{Tensor, Weights};
use super::signal::{fourier_basis, mel_filters};

/// Two products of an unsigned byte and a weight of up to 63 fit into 16 bits; with 127 they saturate on CPUs without VNNI.
const LARGEST: f32 = 63.0;
/// Blocks are multiplied by another kernel, which does not saturate.
const LARGEST_IN_BLOCK: f32 = 127.0;
const BLOCK: usize = 128;
const BLOCK_ZERO: f32 = 128.0;
/// A row of zeros still needs a scale.
const SMALLEST_PEAK: f32 = 1e-12;
/// The tables come with the program; this only bounds a damaged one.
const MAX_SIZE: usize = 1 << 30;
const MEL_BANDS: usize = 80;

/// Follows `table` and returns the bytes of the external file.
pub fn fill(table: &str, weights: &Weights<'_>) -> Result<Vec<u8>, ConvertError> {
    let mut out = Vec::new();
    for (index, line) in table.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let broken = || ConvertError::Table { line: index + 1 };
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["size", size] => {
                let size: usize = size.parse().map_err(|_| broken())?;
                if size > MAX_SIZE {
                    return Err(broken());
                }
                out.resize(size, 0);
            }
            [kind, offset, length, source] => {
                let offset: usize = offset.parse().map_err(|_| broken())?;
                let length: usize = length.parse().map_err(|_| broken())?;
                let bytes = tensor_bytes(kind, source, weights)?.ok_or_else(broken)?;
                let end = offset.checked_add(length).ok_or_else(broken)?;
                let place = out.get_mut(offset..end).filter(|place| place.len() == bytes.len()).ok_or_else(broken)?;
                place.copy_from_slice(&bytes);
            }
            _ => return Err(broken()),
        }
    }
    Ok(out)
}

/// `None` for a kind that is not known.
fn tensor_bytes(kind: &str, source: &str, weights: &Weights<'_>) -> Result<Option<Vec<u8>>, ConvertError> {
    Ok(Some(match kind {
        "dft" => little_endian(&fourier_basis()),
        "mel" => little_endian(&mel_filters(MEL_BANDS)),
        "f32" => little_endian(&weights.get(source)?.numbers()?),
        "s7t" => transposed_7_bit(weights.get(source)?)?,
        "s7scale" => little_endian(&row_scales(weights.get(source)?)?),
        "u8blocks" => blocks_8_bit(weights.get(source)?)?,
        "u8blockscale" => little_endian(&block_scales(weights.get(source)?)?),
        _ => return Ok(None),
    }))
}

fn little_endian(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn scale(numbers: &[f32], largest: f32) -> f32 {
    numbers.iter().fold(0.0f32, |most, number| most.max(number.abs())).max(SMALLEST_PEAK) / largest
}

fn row_scales(matrix: &Tensor<'_>) -> Result<Vec<f32>, ConvertError> {
    Ok(matrix.numbers()?.chunks(matrix.row_len().max(1)).map(|row| scale(row, LARGEST)).collect())
}

fn block_scales(matrix: &Tensor<'_>) -> Result<Vec<f32>, ConvertError> {
    Ok(matrix.numbers()?.chunks(BLOCK).map(|block| scale(block, LARGEST_IN_BLOCK)).collect())
}

fn blocks_8_bit(matrix: &Tensor<'_>) -> Result<Vec<u8>, ConvertError> {
    let numbers = matrix.numbers()?;
    let mut out = Vec::with_capacity(numbers.len());
    for block in numbers.chunks(BLOCK) {
        let scale = scale(block, LARGEST_IN_BLOCK);
        out.extend(block.iter().map(|number| ((number / scale).round_ties_even() + BLOCK_ZERO) as u8));
    }
    Ok(out)
}

fn transposed_7_bit(matrix: &Tensor<'_>) -> Result<Vec<u8>, ConvertError> {
    let (rows, columns) = (matrix.rows(), matrix.row_len());
    let mut out = vec![0; rows * columns];
    for (row, numbers) in matrix.numbers()?.chunks(columns.max(1)).enumerate() {
        let scale = scale(numbers, LARGEST);
        for (column, number) in numbers.iter().enumerate() {
            let step = (number / scale).round_ties_even().clamp(-LARGEST, LARGEST);
            out[column * rows + row] = (step as i8).cast_unsigned();
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::synthetic;
    use super::*;

    fn model() -> Vec<u8> {
        synthetic::model_bin(&[("w", &[2, 3], &[63.0, -31.0, 0.0, 0.5, 0.125, -0.5]), ("b", &[2], &[1.5, -2.0])], &[])
    }

    #[test]
    fn tensors_land_where_the_table_puts_them() {
        let file = model();
        let weights = Weights::read(&file).expect("weights");
        let table = "# comment\nsize\t40\nf32\t0\t8\tb\ns7t\t16\t6\tw\ns7scale\t24\t8\tw\n";
        let out = fill(table, &weights).expect("a sound table");
        assert_eq!(out.len(), 40);
        assert_eq!(out[..8], little_endian(&[1.5, -2.0]));
        assert_eq!(out[16..22].iter().map(|b| b.cast_signed()).collect::<Vec<_>>(), [63, 63, -31, 16, 0, -63]);
        assert_eq!(out[24..32], little_endian(&[1.0, 0.5 / 63.0]));
        assert!(out[8..16].iter().chain(&out[22..24]).chain(&out[32..]).all(|byte| *byte == 0));
    }

    #[test]
    fn a_block_has_a_scale_of_its_own() {
        let row: Vec<f32> =
            (0..256).map(|i| if i < 128 { i as f32 / 127.0 } else { -2.0 * (i - 128) as f32 }).collect();
        let file = synthetic::model_bin(&[("w", &[1, 256], &row)], &[]);
        let weights = Weights::read(&file).expect("weights");
        let out = fill("size\t264\nu8blocks\t0\t256\tw\nu8blockscale\t256\t8\tw\n", &weights).expect("a sound table");
        let expected: Vec<u8> = (128..=255).chain((1..=128).rev()).collect();
        assert_eq!(out[..256], expected);
        assert_eq!(out[256..], little_endian(&[1.0 / 127.0, 2.0]));
    }

    #[rstest]
    #[case::unknown_kind("size\t40\ns9\t0\t8\tb\n")]
    #[case::beyond_the_end("size\t4\nf32\t0\t8\tb\n")]
    #[case::no_size_first("f32\t0\t8\tb\n")]
    #[case::wrong_length("size\t40\nf32\t0\t4\tb\n")]
    #[case::not_a_number("size\t40\nf32\tx\t8\tb\n")]
    #[case::absurd_size("size\t99999999999\n")]
    #[case::overflow("size\t40\nf32\t18446744073709551615\t8\tb\n")]
    #[case::absent_tensor("size\t40\nf32\t0\t8\tmissing\n")]
    fn a_wrong_table_is_an_error(#[case] table: &str) {
        let file = model();
        assert!(fill(table, &Weights::read(&file).expect("weights")).is_err());
    }

    #[rstest]
    #[case::emotion(include_str!("../../../../models/ser/recipe.tsv"), 16_000_000)]
    #[case::encoder(include_str!("../../../../models/asr/encoder.tsv"), 29_000_000)]
    #[case::decoder(include_str!("../../../../models/asr/decoder.tsv"), 50_000_000)]
    fn a_shipped_table_never_overlaps(#[case] table: &str, #[case] most_of_it: usize) {
        let mut end = 0;
        for line in table.lines().filter(|line| line.split('\t').count() == 4) {
            let field = |i: usize| line.split('\t').nth(i).and_then(|f| f.parse::<usize>().ok());
            let (Some(offset), Some(length)) = (field(1), field(2)) else { continue };
            assert!(offset >= end, "{line}");
            end = offset + length;
        }
        assert!(end > most_of_it);
    }
}
