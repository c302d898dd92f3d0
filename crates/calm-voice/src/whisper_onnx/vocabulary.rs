//! Whisper's tokens: the bytes that each stands for, the special ones, and those that are never speech.

use crate::asr::{AsrError, Tongue};
use std::collections::HashMap;
use std::ops::Range;

pub type Token = u32;

/// Tokens that stand for text; the special ones follow.
pub const TEXT_TOKENS: usize = 50_257;
pub const END_OF_TEXT: Token = 50_257;
pub const START: Token = 50_258;
pub const TRANSCRIBE: Token = 50_359;
/// What comes before it is text to continue, and was not said.
pub const PREVIOUS: Token = 50_361;
pub const NO_SPEECH: Token = 50_362;
pub const NO_TIMESTAMPS: Token = 50_363;

impl Tongue {
    pub(super) fn token(self) -> Token {
        match self {
            Self::En => 50_259,
            Self::Ru => 50_263,
        }
    }
}

/// Signs that are written in subtitles and never spoken: brackets, notes, markup. With and without a space before them.
const SIGNS: &str = "\" # ( ) * + / : ; < = > @ [ \\ ] ^ _ ` { | } ~ 「 」 『 』 << >> <<< >>> -- --- -( -[ (' (\" (( )) \
    ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪";
/// Only at the beginning of a word: inside one they are a hyphen and an apostrophe.
const BEFORE_A_WORD: [&[u8]; 2] = [b" -", b" '"];
/// The first two bytes of the musical signs, U+2669 to U+266F.
const MUSIC: &[u8] = &[0xe2, 0x99];

/// The bytes of every text token.
pub struct Vocabulary {
    bytes: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl Vocabulary {
    /// Reads tokens in the order of their numbers, each a u16 length, little-endian, and its bytes.
    ///
    /// # Errors
    /// The file is cut short, or holds another number of tokens.
    pub fn read(bytes: Vec<u8>) -> Result<Self, AsrError> {
        let foreign = || AsrError::Model("its vocabulary is another's".to_owned());
        let mut places = Vec::with_capacity(TEXT_TOKENS);
        let mut at = 0;
        while at < bytes.len() {
            let length = bytes.get(at..at + 2).and_then(|two| two.try_into().ok()).map(u16::from_le_bytes);
            let start = at + 2;
            at = start + usize::from(length.ok_or_else(foreign)?);
            places.push(start..at);
        }
        if at != bytes.len() || places.len() != TEXT_TOKENS {
            return Err(foreign());
        }
        Ok(Self { bytes, places })
    }

    fn token(&self, token: Token) -> &[u8] {
        self.places.get(token as usize).map_or(&[], |place| &self.bytes[place.clone()])
    }

    /// The text that tokens stand for. A letter that was cut in the middle is left out.
    pub fn text(&self, tokens: &[Token]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| self.token(*token)).copied().collect();
        String::from_utf8_lossy(&bytes).replace(char::REPLACEMENT_CHARACTER, "").trim().to_owned()
    }

    /// Writes text in tokens, the longest first. Whisper's own way may cut a rare word elsewhere; for a hint it is all
    /// the same.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        let by_bytes: HashMap<&[u8], Token> =
            (0..).zip(&self.places).map(|(token, place)| (&self.bytes[place.clone()], token)).collect();
        let mut tokens = Vec::new();
        for word in format!(" {text}").split_inclusive(' ').scan(String::new(), word_with_its_space) {
            let mut rest = word.as_bytes();
            while !rest.is_empty() {
                let longest = (1..=rest.len()).rev().find_map(|n| Some((n, *by_bytes.get(&rest[..n])?)));
                let Some((length, token)) = longest else { break };
                tokens.push(token);
                rest = &rest[length..];
            }
        }
        tokens
    }

    /// Tokens that no speech is written with.
    pub fn signs(&self) -> Vec<Token> {
        let signs: Vec<&[u8]> = SIGNS.split_whitespace().map(str::as_bytes).collect();
        let is_sign = |bytes: &[u8]| {
            let bare = bytes.strip_prefix(b" ").unwrap_or(bytes);
            signs.contains(&bare) || BEFORE_A_WORD.contains(&bytes) || bare.starts_with(MUSIC)
        };
        (0..).zip(&self.places).filter(|(_, place)| is_sign(&self.bytes[(*place).clone()])).map(|it| it.0).collect()
    }

    /// Tokens that are nothing but a space.
    pub fn blanks(&self) -> Vec<Token> {
        (0..TEXT_TOKENS as Token).filter(|token| self.token(*token) == b" ").collect()
    }
}

/// Tokens carry the space before their word, so every word takes along the space that ended the one before.
fn word_with_its_space(carried: &mut String, word: &str) -> Option<String> {
    let bare = word.strip_suffix(' ');
    let whole = std::mem::take(carried) + bare.unwrap_or(word);
    if bare.is_some() {
        carried.push(' ');
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(tokens: &[&[u8]]) -> Vec<u8> {
        let mut file = Vec::new();
        for index in 0..TEXT_TOKENS {
            let token = tokens.get(index).copied().unwrap_or(b"\0");
            file.extend(u16::try_from(token.len()).expect("short").to_le_bytes());
            file.extend(token);
        }
        file
    }

    #[test]
    fn text_becomes_tokens_and_text_again() {
        let vocabulary =
            Vocabulary::read(file(&[b"s", b" s", b"to", b" stop", b"p", b",", b"\xd0", b" \xd0", b"\xbd"]))
                .expect("whole");
        let tokens = vocabulary.tokens("stop, stops");
        assert_eq!(tokens, [3, 5, 3, 0]);
        assert_eq!(vocabulary.text(&tokens), "stop, stops");
        assert_eq!(vocabulary.text(&[7, 8]), "н");
        assert_eq!(vocabulary.text(&[3, 6]), "stop", "half a letter is left out");
    }

    #[test]
    fn subtitles_have_signs_that_speech_has_not() {
        let vocabulary =
            Vocabulary::read(file(&[b"(", b" [", b" -", b"-", b"'", " ♪".as_bytes(), b"%", b" (("])).expect("whole");
        assert_eq!(vocabulary.signs(), [0, 1, 2, 5, 7]);
    }

    proptest! {
        #[test]
        fn foreign_bytes_are_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
            prop_assert!(Vocabulary::read(bytes).is_err());
        }

        #[test]
        fn a_cut_file_is_an_error(cut in 1usize..100_000) {
            let mut whole = file(&[b"a"]);
            whole.truncate(whole.len().saturating_sub(cut));
            prop_assert!(Vocabulary::read(whole).is_err());
        }
    }
}
