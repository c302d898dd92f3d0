//! Arrays out of a `.npz`: a zip of `.npy` files, as numpy writes them.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>. Of everything that it allows, only
//! what the weights use is read: little-endian `f4` and `u1`, in C order.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::EncoderError;

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// numpy's own are 118 bytes long.
const MAX_HEADER: usize = 1024;

pub struct Npz<'a>(ZipArchive<Cursor<&'a [u8]>>);

/// A type of element; how it stands in a header, and how many bytes it takes.
#[derive(Clone, Copy)]
enum Kind {
    F4,
    U1,
}

impl<'a> Npz<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, EncoderError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| EncoderError::weights("archive", "no zip"))?;
        Ok(Self(archive))
    }

    /// Finite numbers in an array of exactly this shape.
    pub fn floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EncoderError> {
        let wanted: usize = shape.iter().product();
        let (found, bytes) = self.read(name, Kind::F4, wanted)?;
        if found != shape {
            return Err(EncoderError::weights(name, "another shape"));
        }
        let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err(EncoderError::weights(name, "a number that is none")),
        }
    }

    /// Rows of `width` bytes, at most `most` of them.
    pub fn rows(&mut self, name: &str, width: usize, most: usize) -> Result<Vec<u8>, EncoderError> {
        let (found, bytes) = self.read(name, Kind::U1, most * width)?;
        match found.as_slice() {
            [_, columns] if *columns == width => Ok(bytes),
            _ => Err(EncoderError::weights(name, "another shape")),
        }
    }

    /// The shape of an array and its elements' bytes, which are as many as the shape says.
    fn read(&mut self, name: &str, kind: Kind, most: usize) -> Result<(Vec<usize>, Vec<u8>), EncoderError> {
        let fault = |what| EncoderError::weights(name, what);
        let file = self.0.by_name(&format!("{name}.npy")).map_err(|_| fault("missing"))?;
        let width = match kind {
            Kind::F4 => 4,
            Kind::U1 => 1,
        };
        let limit = MAGIC.len() + 2 + MAX_HEADER + most * width;
        // What the zip says about sizes is not believed: the limit is ours, and memory grows as bytes arrive.
        let mut bytes = Vec::new();
        file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(|_| fault("damaged"))?;
        let (shape, start) = header(&bytes, kind).ok_or_else(|| fault("another type of array"))?;
        let elements = shape.iter().try_fold(1_usize, |product, &side| product.checked_mul(side));
        let body = bytes.split_off(start);
        match elements.and_then(|elements| elements.checked_mul(width)) {
            Some(expected) if expected == body.len() && expected <= most * width => Ok((shape, body)),
            _ => Err(fault("another size")),
        }
    }
}

/// The shape, and where the elements begin. The header is a Python literal; numpy always writes it in this order.
fn header(bytes: &[u8], kind: Kind) -> Option<(Vec<usize>, usize)> {
    let (length, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<2>()?;
    let length = usize::from(u16::from_le_bytes(*length));
    let text = std::str::from_utf8(rest.get(..length)?).ok()?;
    let kind = match kind {
        Kind::F4 => "<f4",
        Kind::U1 => "|u1",
    };
    let shape = text
        .strip_prefix("{'descr': '")?
        .strip_prefix(kind)?
        .strip_prefix("', 'fortran_order': False, 'shape': (")?
        .split_once(')')?
        .0;
    let sides = shape.split(',').map(str::trim).filter(|side| !side.is_empty());
    let sides: Vec<usize> = sides.map(str::parse).collect::<Result<_, _>>().ok()?;
    (sides.len() <= 2).then_some((sides, MAGIC.len() + 2 + length))
}
