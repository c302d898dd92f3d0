//! The letters behind the names of glyphs, and behind the codes of the classic encodings.

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};
use unicode_normalization::UnicodeNormalization;

/// Names of the PDF Latin character set (ISO 32000-1, annex D) that are not a letter, and not a letter with an accent.
const SIGNS: &str = "space  |exclam !|quotedbl \"|numbersign #|dollar $|percent %|ampersand &|quotesingle '|parenleft (|\
    parenright )|asterisk *|plus +|comma ,|hyphen -|period .|slash /|zero 0|one 1|two 2|three 3|four 4|five 5|six 6|\
    seven 7|eight 8|nine 9|colon :|semicolon ;|less <|equal =|greater >|question ?|at @|bracketleft [|backslash \\|\
    bracketright ]|asciicircum ^|underscore _|grave `|braceleft {|bar ||braceright }|asciitilde ~|exclamdown ¡|cent ¢|\
    sterling £|currency ¤|yen ¥|brokenbar ¦|section §|dieresis ¨|copyright ©|ordfeminine ª|guillemotleft «|\
    logicalnot ¬|sfthyphen \u{AD}|softhyphen \u{AD}|registered ®|macron ¯|degree °|plusminus ±|twosuperior ²|\
    threesuperior ³|acute ´|mu µ|paragraph ¶|periodcentered ·|middot ·|cedilla ¸|onesuperior ¹|ordmasculine º|\
    guillemotright »|onequarter ¼|onehalf ½|threequarters ¾|questiondown ¿|AE Æ|ae æ|Oslash Ø|oslash ø|OE Œ|oe œ|\
    germandbls ß|Eth Ð|eth ð|Thorn Þ|thorn þ|multiply ×|divide ÷|dotlessi ı|Lslash Ł|lslash ł|Dcroat Đ|dcroat đ|\
    florin ƒ|circumflex ˆ|caron ˇ|breve ˘|dotaccent ˙|ring ˚|ogonek ˛|tilde ˜|hungarumlaut ˝|endash –|emdash —|\
    quoteleft ‘|quoteright ’|quotesinglbase ‚|quotedblleft “|quotedblright ”|quotedblbase „|dagger †|daggerdbl ‡|\
    bullet •|ellipsis …|perthousand ‰|guilsinglleft ‹|guilsinglright ›|fraction ⁄|Euro €|euro €|trademark ™|minus −|\
    fi fi|fl fl|ff ff|ffi ffi|ffl ffl|f_i fi|f_l fl|f_f ff|nbspace  |nonbreakingspace  |uni00A0  |numero №|lozenge ◊|\
    infinity ∞|notequal ≠|lessequal ≤|greaterequal ≥|approxequal ≈|summation ∑|product ∏|radical √|integral ∫|\
    partialdiff ∂|Delta ∆|Omega Ω|pi π|arrowright →|arrowleft ←|arrowup ↑|arrowdown ↓";

const ACCENTS: [(&str, char); 12] = [
    ("grave", '\u{300}'),
    ("acute", '\u{301}'),
    ("circumflex", '\u{302}'),
    ("tilde", '\u{303}'),
    ("macron", '\u{304}'),
    ("breve", '\u{306}'),
    ("dotaccent", '\u{307}'),
    ("dieresis", '\u{308}'),
    ("ring", '\u{30A}'),
    ("caron", '\u{30C}'),
    ("cedilla", '\u{327}'),
    ("ogonek", '\u{328}'),
];

/// The text of a glyph's name: `A`, `eacute`, `afii10017`, `uni0416`, `f_f_i`, `one.oldstyle`.
pub(super) fn text_of(name: &str) -> Option<String> {
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    if name.is_empty() || name.len() > 64 {
        return None;
    }
    if let Some(text) = simple(name) {
        return Some(text);
    }
    let parts = name.contains('_').then(|| name.split('_').map(simple).collect::<Option<String>>());
    parts.flatten()
}

fn simple(name: &str) -> Option<String> {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => return Some(letter.into()),
        (Some(letter), Some(_)) if letter.is_ascii_alphabetic() => {
            if let Some((_, mark)) = ACCENTS.iter().find(|(accent, _)| name[1..] == **accent) {
                return Some([letter, *mark].into_iter().nfc().collect());
            }
        }
        _ => {}
    }
    let sign = SIGNS.split_terminator('|').find_map(|sign| sign.strip_prefix(name)?.strip_prefix(' '));
    // The bar is the separator of the list.
    match sign {
        Some("") if name == "bar" => return Some("|".to_owned()),
        Some("") => return Some(" ".to_owned()),
        Some(text) => return Some(text.to_owned()),
        None => {}
    }
    cyrillic(name).map(String::from).or_else(|| numbered(name))
}

/// `afii10017` and its neighbours: the Cyrillic letters of Adobe's fonts, in alphabetical order with Ё in its place.
fn cyrillic(name: &str) -> Option<char> {
    let number: u32 = name.strip_prefix("afii")?.parse().ok()?;
    let letter = |base: u32, index: u32| match index {
        0..=5 => char::from_u32(base + index),
        6 => Some(if base == 0x410 { 'Ё' } else { 'ё' }),
        _ => char::from_u32(base + index - 1),
    };
    match number {
        10017..=10049 => letter(0x410, number - 10017),
        10065..=10097 => letter(0x430, number - 10065),
        10050 => Some('Ґ'),
        10053 => Some('Є'),
        10055 => Some('І'),
        10056 => Some('Ї'),
        10062 => Some('Ў'),
        10098 => Some('ґ'),
        10101 => Some('є'),
        10103 => Some('і'),
        10104 => Some('ї'),
        10110 => Some('ў'),
        61352 => Some('№'),
        _ => None,
    }
}

/// `uni04160417` and `u1F600`.
fn numbered(name: &str) -> Option<String> {
    let hex = |digits: &str| {
        let upper = digits.bytes().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte));
        char::from_u32(u32::from_str_radix(digits, 16).ok().filter(|_| upper)?)
    };
    if let Some(digits) = name.strip_prefix("uni").filter(|digits| digits.len() >= 4 && digits.len() % 4 == 0) {
        return (0..digits.len()).step_by(4).map(|at| hex(digits.get(at..at + 4)?)).collect();
    }
    let digits = name.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len()))?;
    hex(digits).map(String::from)
}

/// A classic encoding of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Classic {
    Standard,
    WinAnsi,
    MacRoman,
}

impl Classic {
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"StandardEncoding" => Some(Self::Standard),
            b"WinAnsiEncoding" => Some(Self::WinAnsi),
            b"MacRomanEncoding" => Some(Self::MacRoman),
            _ => None,
        }
    }

    pub(super) fn text(self, code: u8) -> Option<String> {
        let through = |encoding: &'static Encoding| {
            let (text, _) = encoding.decode_without_bom_handling(std::slice::from_ref(&code));
            text.chars().next().filter(|c| !c.is_control())
        };
        let letter = match self {
            Self::WinAnsi if matches!(code, 0x7F | 0x81 | 0x8D | 0x8F | 0x90 | 0x9D) => Some('•'),
            Self::WinAnsi => through(WINDOWS_1252),
            Self::MacRoman => through(MACINTOSH),
            Self::Standard => standard(code),
        }?;
        Some(match letter {
            'ﬁ' => "fi".to_owned(),
            'ﬂ' => "fl".to_owned(),
            letter => letter.into(),
        })
    }
}

fn standard(code: u8) -> Option<char> {
    const FROM_A1: &str = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\0–†‡·\0¶•‚„”»…‰\0¿\0`´ˆ˜¯˘˙¨\0˚¸\0˝˛ˇ—";
    let letter = match code {
        0x27 => '’',
        0x60 => '‘',
        0x20..=0x7E => char::from(code),
        0xA1..=0xD0 => FROM_A1.chars().nth(usize::from(code - 0xA1))?,
        0xE1 => 'Æ',
        0xE3 => 'ª',
        0xE8 => 'Ł',
        0xE9 => 'Ø',
        0xEA => 'Œ',
        0xEB => 'º',
        0xF1 => 'æ',
        0xF5 => 'ı',
        0xF8 => 'ł',
        0xF9 => 'ø',
        0xFA => 'œ',
        0xFB => 'ß',
        _ => return None,
    };
    (letter != '\0').then_some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("A", "A")]
    #[case("eacute", "é")]
    #[case("Scaron", "Š")]
    #[case("space", " ")]
    #[case("bar", "|")]
    #[case("quotedblleft", "“")]
    #[case("f_f_i", "ffi")]
    #[case("one.oldstyle", "1")]
    #[case("uni0416", "Ж")]
    #[case("uni04160417", "ЖЗ")]
    #[case("u1F600", "😀")]
    fn names(#[case] name: &str, #[case] text: &str) {
        assert_eq!(text_of(name).as_deref(), Some(text));
    }

    #[rstest]
    #[case(".notdef")]
    #[case("g123")]
    #[case("uniXYZW")]
    #[case("uni041")]
    #[case("Q_zz")]
    fn unknown_names(#[case] name: &str) {
        assert_eq!(text_of(name), None);
    }

    #[test]
    fn the_whole_russian_alphabet() {
        let letters = |from: u32| (from..from + 33).filter_map(|n| text_of(&format!("afii{n}"))).collect::<String>();
        assert_eq!(letters(10017), "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ");
        assert_eq!(letters(10065), "абвгдеёжзийклмнопрстуфхцчшщъыьэюя");
    }

    #[rstest]
    #[case(Classic::WinAnsi, 0x93, "“")]
    #[case(Classic::MacRoman, 0xD2, "“")]
    #[case(Classic::Standard, 0xAA, "“")]
    #[case(Classic::Standard, 0xAE, "fi")]
    #[case(Classic::Standard, 0xD0, "—")]
    #[case(Classic::Standard, 0x27, "’")]
    fn classic_encodings(#[case] encoding: Classic, #[case] code: u8, #[case] text: &str) {
        assert_eq!(encoding.text(code).as_deref(), Some(text));
    }
}
