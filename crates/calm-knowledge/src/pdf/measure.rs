//! How large a packed stream is, without unpacking it into memory.

use flate2::{Decompress, FlushDecompress, Status};

/// Filters of one stream; more than two have no purpose.
pub(super) const MOST_FILTERS: usize = 8;

/// Deflate makes at most so many bytes of one.
const DEFLATE_AT_MOST: usize = 1032;

/// The filters of a stream: what spells bytes as letters, and what packs them.
#[derive(Default)]
pub(super) struct Packing {
    spelling: Vec<Spelling>,
    packer: Option<Packer>,
}

/// Bytes of a stream when unpacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) sure: usize,
    /// What may still come after a fault. The parser is lenient and reads on where this stops.
    pub(super) possible: usize,
}

#[derive(Clone, Copy)]
enum Spelling {
    Hex,
    Ascii85,
}

#[derive(Clone, Copy)]
enum Packer {
    Deflate,
    Lzw,
    RunLength,
}

impl Packing {
    /// `None` for filters of pictures, and for packing what is packed, which no honest program does.
    pub(super) fn add(&mut self, name: &[u8]) -> Option<()> {
        let (spelling, packer) = match name {
            b"ASCIIHexDecode" | b"AHx" => (Some(Spelling::Hex), None),
            b"ASCII85Decode" | b"A85" => (Some(Spelling::Ascii85), None),
            b"FlateDecode" | b"Fl" => (None, Some(Packer::Deflate)),
            b"LZWDecode" | b"LZW" => (None, Some(Packer::Lzw)),
            b"RunLengthDecode" | b"RL" => (None, Some(Packer::RunLength)),
            b"Crypt" => (None, None),
            _ => return None,
        };
        if self.packer.is_some() && (spelling.is_some() || packer.is_some()) {
            return None;
        }
        self.spelling.extend(spelling);
        self.packer = packer.or(self.packer);
        (self.spelling.len() < MOST_FILTERS).then_some(())
    }

    /// The size when unpacked, or `None` where it is surely more than `limit`. `data` may go on after the stream, which is `length`
    /// long; the dictionaries that begin in the stream are added to `dictionaries`.
    pub(super) fn unpacked(&self, data: &[u8], length: usize, limit: usize, dictionaries: &mut usize) -> Option<Size> {
        let stream = &data[..length.min(data.len())];
        let spelt = self.spelling.iter().fold(None, |spelt: Option<Vec<u8>>, spelling| {
            let letters = spelt.as_deref().unwrap_or(stream);
            Some(match spelling {
                Spelling::Hex => hex(letters),
                Spelling::Ascii85 => ascii85(letters),
            })
        });
        let spelt = spelt.as_deref();
        let size = match self.packer {
            Some(Packer::Deflate) => {
                let (data, length) = spelt.map_or((data, stream.len()), |spelt| (spelt, spelt.len()));
                deflate(data, length, limit, dictionaries)?
            }
            Some(Packer::Lzw) => Size { sure: lzw(spelt.unwrap_or(stream), limit), possible: 0 },
            Some(Packer::RunLength) => Size { sure: spelt.unwrap_or(stream).len() * 64, possible: 0 },
            None => Size { sure: spelt.unwrap_or(stream).len(), possible: 0 },
        };
        (size.sure <= limit).then_some(size)
    }
}

fn deflate(data: &[u8], length: usize, limit: usize, dictionaries: &mut usize) -> Option<Size> {
    let zlib = matches!(data, [cmf, flg, ..]
        if cmf & 0x0F == 8 && (u16::from(*cmf) << 8 | u16::from(*flg)).is_multiple_of(31) && flg & 0x20 == 0);
    // Headers are skipped, so that a wrong checksum at the end is no fault: it is none to the parser.
    let data = if zlib { &data[2..] } else { data };
    let mut inflate = Decompress::new(false);
    let mut block = vec![0; 32 << 10];
    loop {
        let (read, written) = (inflate.total_in() as usize, inflate.total_out() as usize);
        if written > limit {
            return None;
        }
        let status = inflate.decompress(&data[read..], &mut block, FlushDecompress::None);
        let (read_now, written_now) = (inflate.total_in() as usize, inflate.total_out() as usize);
        *dictionaries += memchr::memmem::find_iter(&block[..written_now - written], b"<<").count();
        match status {
            Ok(Status::StreamEnd) => return Some(Size { sure: written_now, possible: 0 }),
            Ok(_) if (read_now, written_now) != (read, written) => {}
            _ => {
                let possible = length.saturating_sub(read_now).saturating_mul(DEFLATE_AT_MOST);
                return Some(Size { sure: written_now, possible });
            }
        }
    }
}

/// Counts what each code stands for. With or without the early change the lengths grow alike.
fn lzw(data: &[u8], limit: usize) -> usize {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut lengths: Vec<usize> = Vec::new();
    let (mut bits, mut held, mut size, mut last) = (0u32, 0u32, 0usize, None);
    for &byte in data {
        held = held << 8 | u32::from(byte);
        bits += 8;
        let width = match lengths.len() + 258 + 1 {
            2048.. => 12,
            1024.. => 11,
            512.. => 10,
            _ => 9,
        };
        if bits < width {
            continue;
        }
        bits -= width;
        let code = (held >> bits) as usize & ((1 << width) - 1);
        held &= (1 << bits) - 1;
        let length = match code {
            CLEAR => {
                lengths.clear();
                last = None;
                continue;
            }
            END => break,
            0..CLEAR => 1,
            _ => lengths.get(code - 258).copied().unwrap_or(last.unwrap_or(0) + 1),
        };
        if let Some(last) = last.filter(|_| lengths.len() + 258 < 4096) {
            lengths.push(last + 1);
        }
        last = Some(length);
        size += length;
        if size > limit {
            break;
        }
    }
    size
}

fn hex(letters: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = letters
        .iter()
        .take_while(|&&letter| letter != b'>')
        .filter_map(|&letter| (letter as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect()
}

fn ascii85(letters: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(letters.len());
    let mut group: Vec<u32> = Vec::with_capacity(5);
    let flush = |group: &mut Vec<u32>, bytes: &mut Vec<u8>| {
        let kept = group.len().saturating_sub(1);
        group.resize(5, 84);
        let word = group.iter().fold(0u32, |word, digit| word.wrapping_mul(85).wrapping_add(*digit));
        bytes.extend(&word.to_be_bytes()[..kept.min(4)]);
        group.clear();
    };
    for &letter in letters {
        match letter {
            b'~' => break,
            b'z' if group.is_empty() => bytes.extend([0; 4]),
            b'!'..=b'u' => group.push(u32::from(letter - b'!')),
            _ => {}
        }
        if group.len() == 5 {
            flush(&mut group, &mut bytes);
        }
    }
    flush(&mut group, &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn size(filters: &[&str], data: &[u8]) -> Option<usize> {
        let mut packing = Packing::default();
        for filter in filters {
            packing.add(filter.as_bytes())?;
        }
        packing.unpacked(data, data.len(), 1 << 20, &mut 0).map(|size| size.sure + size.possible)
    }

    #[test]
    fn sizes() {
        let packed = zlib(&[b'x'; 100_000]);
        assert_eq!(size(&["FlateDecode"], &packed), Some(100_000));
        assert_eq!(size(&["FlateDecode"], &packed[2..packed.len() - 4]), Some(100_000));
        let spelt: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(size(&["ASCIIHexDecode", "Fl"], spelt.as_bytes()), Some(100_000));
        assert_eq!(size(&["A85"], b"87cURD]i,\"Ebo80~>"), Some(12));
        assert_eq!(size(&["LZWDecode"], &[0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01]), Some(10));
        assert_eq!(size(&[], b"12345"), Some(5));
    }

    #[test]
    fn bombs_are_over_the_limit() {
        assert_eq!(size(&["FlateDecode"], &zlib(&vec![0; 3 << 20])), None);
        assert_eq!(size(&["FlateDecode", "FlateDecode"], &zlib(&zlib(&vec![0; 3 << 20]))), None);
        let codes = (0..1500).flat_map(|_| [0xFFu8; 3]).collect::<Vec<_>>();
        assert_eq!(size(&["LZWDecode"], &[&[0x80, 0x10][..], &codes].concat()), None);
        assert_eq!(size(&["DCTDecode"], b"x"), None);
    }

    #[test]
    fn what_follows_a_fault_is_counted_at_its_most() {
        // A block of a kind that does not exist.
        let faulty = [&[0x78, 0x9C, 0x07][..], &[0; 500]].concat();
        assert!(size(&["FlateDecode"], &faulty).is_some_and(|size| size > 500_000));
    }
}
