//! Protocol Buffers as they lie in a file: just enough to read a SentencePiece model.
//!
//! Format: <https://protobuf.dev/programming-guides/encoding/>.

/// What a field holds. Varints and doubles are passed over: nothing here needs them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    Bytes(&'a [u8]),
    Fixed32([u8; 4]),
    Other,
}

/// The fields of one message, in the order of the file; the last one is `Err` if the bytes end in the middle.
pub struct Fields<'a>(&'a [u8]);

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Malformed;

impl<'a> Fields<'a> {
    pub fn of(message: &'a [u8]) -> Self {
        Self(message)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take::<1>()?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn field(&mut self) -> Option<(u64, Value<'a>)> {
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => self.varint().map(|_| Value::Other)?,
            1 => self.take::<8>().map(|_| Value::Other)?,
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (taken, rest) = self.0.split_at_checked(length)?;
                self.0 = rest;
                Value::Bytes(taken)
            }
            5 => Value::Fixed32(self.take()?),
            _ => return None,
        };
        Some((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or(Malformed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_field_is_read_or_passed_over() {
        let message = b"\x08\x96\x01\x12\x02hi\x1d\x01\x02\x03\x04\x21\0\0\0\0\0\0\0\0";
        let fields: Vec<_> = Fields::of(message).collect::<Result<_, _>>().expect("sound");
        let expected =
            [(1, Value::Other), (2, Value::Bytes(b"hi")), (3, Value::Fixed32([1, 2, 3, 4])), (4, Value::Other)];
        assert_eq!(fields, expected);
    }

    #[test]
    fn bytes_that_end_in_the_middle_are_an_error_and_the_end() {
        for message in [&b"\x12\x05hi"[..], b"\x08\xff", b"\x0b", b"\x1d\x01"] {
            let mut fields = Fields::of(message);
            assert_eq!(fields.next(), Some(Err(Malformed)), "{message:?}");
            assert_eq!(fields.next(), None, "{message:?}");
        }
    }
}
