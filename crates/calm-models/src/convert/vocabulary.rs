//! Whisper's vocabulary as bytes, from the `tokenizer.json` that ships with the weights.
//!
//! The file writes every byte of a token as a printable character (the byte-level alphabet of GPT-2); the recognisers
//! want the bytes themselves.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use super::ConvertError;

/// Whisper's multilingual and English-only models differ in one text token.
pub const MULTILINGUAL_SIZE: usize = 51_865;

/// Text tokens of a model whose embedding has `size` rows, in the order of their numbers. Special tokens are not
/// among them: whisper.cpp makes those itself.
pub fn text_tokens(tokenizer: &[u8], size: usize) -> Result<Vec<Vec<u8>>, ConvertError> {
    let file: TokenizerFile =
        serde_json::from_slice(tokenizer).map_err(|_| ConvertError::Tokenizer("it is not a tokenizer.json"))?;
    let by_number: BTreeMap<usize, &str> = file.model.vocab.iter().map(|(text, id)| (*id, text.as_str())).collect();
    let count = if size >= MULTILINGUAL_SIZE { 50_257 } else { 50_256 };
    let bytes_of = byte_alphabet();
    Ok((0..count)
        .map(|id| {
            let text = by_number.get(&id).copied().unwrap_or_default();
            let bytes: Option<Vec<u8>> = text.chars().map(|letter| bytes_of.get(&letter).copied()).collect();
            bytes.unwrap_or_else(|| text.as_bytes().to_vec())
        })
        .collect())
}

/// Writes the tokens in the order of their numbers, each as a u16 length, little-endian, and its bytes.
pub fn write(tokens: &[Vec<u8>], out: &mut impl Write) -> Result<(), ConvertError> {
    for token in tokens {
        let length = u16::try_from(token.len()).map_err(|_| ConvertError::Tokenizer("a token is too long"))?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(token)?;
    }
    Ok(())
}

#[derive(serde::Deserialize)]
struct TokenizerFile {
    model: Model,
}

#[derive(serde::Deserialize)]
struct Model {
    vocab: HashMap<String, usize>,
}

/// Printable bytes stand for themselves, the others for the characters from U+0100 on.
fn byte_alphabet() -> HashMap<char, u8> {
    let printable = |byte: u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let themselves = (0..=u8::MAX).filter(|byte| printable(*byte)).map(|byte| (char::from(byte), byte));
    let shifted = ('\u{100}'..).zip((0..=u8::MAX).filter(|byte| !printable(*byte)));
    themselves.chain(shifted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_the_bytes_that_it_stands_for() {
        let tokenizer = r#"{"model": {"vocab": {"!": 0, "ĠÐ½ÐµÑĤ": 1, "<|x|>☃": 2}}}"#.as_bytes();
        let tokens = text_tokens(tokenizer, MULTILINGUAL_SIZE).expect("a tokenizer");
        assert_eq!(tokens.len(), 50_257);
        assert_eq!(tokens[0], b"!");
        assert_eq!(tokens[1], " нет".as_bytes());
        assert_eq!(tokens[2], "<|x|>☃".as_bytes());
        assert!(tokens[3].is_empty());
        let mut file = Vec::new();
        write(&tokens[..2], &mut file).expect("memory");
        assert_eq!(file, [b"\x01\0!".as_slice(), b"\x07\0", " нет".as_bytes()].concat());
    }

    #[test]
    fn something_else_is_refused() {
        assert!(text_tokens(b"{}", 0).is_err());
        assert!(text_tokens(&[0xff, 0x00], 0).is_err());
    }
}
