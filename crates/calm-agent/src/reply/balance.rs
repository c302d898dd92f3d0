//! Where a bracket closes, looked for in text that grows.

/// Remembers how far it has looked, so that a long body costs linear time however it is cut.
#[derive(Debug, Default)]
pub struct Balance {
    at: usize,
    depth: usize,
    quote: Option<u8>,
    escaped: bool,
    /// The last sign outside strings that is no white space.
    before: u8,
}

impl Balance {
    /// The byte behind the bracket that closes the first one of `text`, which is what it was before, or longer.
    pub fn end(&mut self, text: &str, at_end: bool) -> Option<usize> {
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match self.quote {
                Some(_) if std::mem::take(&mut self.escaped) => {}
                Some(_) if byte == b'\\' => self.escaped = true,
                Some(quote) if byte == quote => {
                    // An apostrophe in a word ends no string.
                    match bytes.get(self.at + 1) {
                        None if quote == b'\'' && !at_end => return None,
                        Some(next) if quote == b'\'' && (next.is_ascii_alphanumeric() || *next >= 0x80) => {}
                        _ => {
                            self.quote = None;
                            self.before = byte;
                        }
                    }
                }
                Some(_) => {}
                None => {
                    match byte {
                        b'{' | b'[' | b'(' => self.depth += 1,
                        b'}' | b']' | b')' => self.depth = self.depth.saturating_sub(1),
                        b'"' => self.quote = Some(byte),
                        b'\'' if matches!(self.before, b'{' | b'[' | b'(' | b',' | b':' | b'=') => {
                            self.quote = Some(byte);
                        }
                        _ => {}
                    }
                    if !byte.is_ascii_whitespace() {
                        self.before = byte;
                    }
                }
            }
            self.at += 1;
            if self.depth == 0 && self.quote.is_none() {
                return Some(self.at);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::flat("{} x", Some(2))]
    #[case::nested(r#"{"a": [1, {"b": 2}]} x"#, Some(20))]
    #[case::a_brace_in_a_string(r#"{"a": "}\"}"} x"#, Some(13))]
    #[case::single_quotes("{'a': 'don't }'} x", Some(16))]
    #[case::open("{\"a\": {", None)]
    #[case::call("(mood=')') x", Some(10))]
    fn the_end(#[case] text: &str, #[case] expected: Option<usize>) {
        assert_eq!(Balance::default().end(text, true), expected);
        let mut by_letters = Balance::default();
        let grown = (0..=text.len()).find_map(|length| by_letters.end(&text[..length], length == text.len()));
        assert_eq!(grown, expected);
    }
}
