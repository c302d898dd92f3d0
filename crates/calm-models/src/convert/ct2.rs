//! Reads a CTranslate2 `model.bin` (format 6, Whisper) without copying its tensors.
//!
//! Layout, little-endian: version u32, name of the specification, revision u32, then a count and the tensors (name, rank
//! u8, dimensions u32, type u8, length u32, bytes), then a count of aliases (alias, name). A string is a u16 length
//! that counts its closing NUL, and the bytes.

use std::collections::BTreeMap;
use std::ops::Range;

use half::f16;

use super::ConvertError;

const FORMAT: u32 = 6;
const SPECIFICATION: &str = "WhisperSpec";
const MAX_RANK: u8 = 4;

/// How the numbers of a tensor are stored. Whisper's published weights use these two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    F32,
    F16,
    /// Anything else is kept, so that the file can be listed, but its numbers are not read.
    Other(u8),
}

impl Storage {
    fn from_code(code: u8) -> Self {
        match code {
            0 => Self::F32,
            4 => Self::F16,
            other => Self::Other(other),
        }
    }

    fn width(self) -> Option<usize> {
        match self {
            Self::F32 => Some(4),
            Self::F16 => Some(2),
            Self::Other(_) => None,
        }
    }
}

/// One tensor, row-major, its bytes borrowed from the file.
#[derive(Debug, Clone)]
pub struct Tensor<'a> {
    name: &'a str,
    shape: Vec<usize>,
    storage: Storage,
    bytes: &'a [u8],
}

impl Tensor<'_> {
    /// Sizes from the slowest dimension to the fastest.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Length of the first dimension; 1 for a scalar.
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// How many numbers one row holds.
    pub fn row_len(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// All numbers, row by row.
    pub fn numbers(&self) -> Result<Vec<f32>, ConvertError> {
        self.numbers_of(0..self.rows())
    }

    /// The numbers of some rows. An error when the rows are not there or the storage is not f32 or f16.
    pub fn numbers_of(&self, rows: Range<usize>) -> Result<Vec<f32>, ConvertError> {
        let unexpected = |what| ConvertError::Unexpected { name: self.name.to_owned(), what };
        let width = self.storage.width().ok_or_else(|| unexpected("storage type"))?;
        let row = self.row_len() * width;
        let bytes = self.bytes.get(rows.start * row..rows.end * row).ok_or_else(|| unexpected("number of rows"))?;
        Ok(match self.storage {
            Storage::F32 => bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            _ => bytes.as_chunks::<2>().0.iter().map(|b| f16::from_le_bytes(*b).to_f32()).collect(),
        })
    }
}

/// The tensors of a model by name.
#[derive(Debug)]
pub struct Weights<'a> {
    tensors: BTreeMap<&'a str, Tensor<'a>>,
}

impl<'a> Weights<'a> {
    /// Reads the index of the file; tensors stay where they are.
    pub fn read(file: &'a [u8]) -> Result<Self, ConvertError> {
        let mut cursor = Cursor { rest: file };
        if cursor.u32()? != FORMAT {
            return Err(ConvertError::Malformed("another version of the format"));
        }
        if cursor.string()? != SPECIFICATION {
            return Err(ConvertError::Malformed("not a Whisper model"));
        }
        cursor.u32()?;
        let mut tensors = BTreeMap::new();
        for _ in 0..cursor.u32()? {
            let tensor = cursor.tensor()?;
            tensors.insert(tensor.name, tensor);
        }
        for _ in 0..cursor.u32()? {
            let (alias, name) = (cursor.string()?, cursor.string()?);
            let target = tensors.get(name).ok_or(ConvertError::Malformed("an alias without its tensor"))?;
            tensors.insert(alias, target.clone());
        }
        if cursor.rest.is_empty() { Ok(Self { tensors }) } else { Err(ConvertError::Malformed("bytes after its end")) }
    }

    pub fn get(&self, name: &str) -> Result<&Tensor<'a>, ConvertError> {
        self.tensors.get(name).ok_or_else(|| ConvertError::Absent(name.to_owned()))
    }

    /// How many layers the `encoder` or `decoder` has.
    pub fn layers(&self, side: &str) -> usize {
        (0..)
            .take_while(|layer| self.tensors.contains_key(format!("{side}/layer_{layer}/ffn/linear_0/weight").as_str()))
            .count()
    }
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], ConvertError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ConvertError::Malformed("it ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ConvertError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(ConvertError::Malformed("it ends too early"))?;
        self.rest = rest;
        Ok(*taken)
    }

    fn u8(&mut self) -> Result<u8, ConvertError> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Result<u32, ConvertError> {
        self.array().map(u32::from_le_bytes)
    }

    fn size(&mut self) -> Result<usize, ConvertError> {
        usize::try_from(self.u32()?).map_err(|_| ConvertError::Malformed("a size beyond this machine"))
    }

    fn string(&mut self) -> Result<&'a str, ConvertError> {
        let length = self.array().map(u16::from_le_bytes)?;
        let bytes = self.take(usize::from(length))?;
        let text = bytes.strip_suffix(b"\0").ok_or(ConvertError::Malformed("a name without its end"))?;
        std::str::from_utf8(text).map_err(|_| ConvertError::Malformed("a name that is not text"))
    }

    fn tensor(&mut self) -> Result<Tensor<'a>, ConvertError> {
        let name = self.string()?;
        let unexpected = |what| ConvertError::Unexpected { name: name.to_owned(), what };
        let rank = self.u8()?;
        if rank > MAX_RANK {
            return Err(unexpected("rank"));
        }
        let shape = (0..rank).map(|_| self.size()).collect::<Result<Vec<_>, _>>()?;
        let storage = Storage::from_code(self.u8()?);
        let length = self.size()?;
        let bytes = self.take(length)?;
        let count = shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
        let expected = storage.width().map(|width| count.and_then(|count| count.checked_mul(width)));
        match expected {
            Some(bytes) if bytes != Some(length) => Err(unexpected("length")),
            _ => Ok(Tensor { name, shape, storage, bytes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::synthetic;
    use super::*;

    #[test]
    fn reads_back_what_the_format_says() {
        let file =
            synthetic::model_bin(&[("a/weight", &[2, 3], &[1.0, -2.0, 0.5, 4.0, 8.0, -0.25])], &[("b", "a/weight")]);
        let weights = Weights::read(&file).expect("a sound file");
        let tensor = weights.get("b").expect("the alias");
        assert_eq!(tensor.shape(), [2, 3]);
        assert_eq!(tensor.numbers_of(1..2).expect("second row"), [4.0, 8.0, -0.25]);
        assert!(tensor.numbers_of(1..3).is_err(), "rows beyond the end");
        assert!(weights.get("c").is_err());
    }

    #[test]
    fn every_truncation_is_an_error() {
        let file = synthetic::model_bin(&[("a", &[4], &[1.0; 4])], &[("b", "a")]);
        for length in 0..file.len() {
            assert!(Weights::read(&file[..length]).is_err(), "cut to {length} of {} bytes", file.len());
        }
    }

    #[test]
    fn a_shape_that_overflows_is_an_error() {
        let mut file = synthetic::model_bin(&[("a", &[1, 1, 1], &[1.0])], &[]);
        let at = file.windows(12).position(|w| w == [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]).expect("the shape");
        file[at..at + 12].fill(0xff);
        assert!(Weights::read(&file).is_err());
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            prop_assert!(Weights::read(&bytes).is_err());
        }

        #[test]
        fn a_damaged_file_never_panics(at in 0usize..400, value in any::<u8>()) {
            let mut file = synthetic::model_bin(&[("a/weight", &[3, 5], &[0.5; 15]), ("b", &[2], &[1.0; 2])], &[("c", "b")]);
            let at = at % file.len();
            file[at] = value;
            if let Ok(weights) = Weights::read(&file) {
                for tensor in weights.tensors.values() {
                    if let Ok(numbers) = tensor.numbers() {
                        prop_assert_eq!(numbers.len(), tensor.rows() * tensor.row_len());
                    }
                }
            }
        }
    }
}
