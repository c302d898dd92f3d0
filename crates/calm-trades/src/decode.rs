//! Bytes of a report to characters: UTF-8, UTF-16, and the code pages that terminals still write.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::ReadError;

/// One unreadable place in so many characters is damage in a text; more is no text.
const CHARACTERS_A_FAULT: usize = 200;

/// # Errors
/// When these are not the bytes of a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<String, ReadError> {
    if bytes.starts_with(b"\xD0\xCF\x11\xE0") {
        return Err(ReadError::Spreadsheet);
    }
    let (text, _) = encoding_of(bytes).decode_with_bom_removal(bytes);
    let faults = text.chars().filter(|&c| is_fault(c)).count();
    if faults.saturating_sub(1) * CHARACTERS_A_FAULT > text.chars().count() {
        return Err(ReadError::NotText);
    }
    if text.trim().is_empty() { Err(ReadError::Empty) } else { Ok(text.into_owned()) }
}

fn encoding_of(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return encoding;
    }
    // A page may say windows-1252 and be UTF-8, seldom the other way round.
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    if let Some(encoding) = named_in_the_page(bytes) {
        return encoding;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(Some(b"ru"), Utf8Detection::Deny)
}

/// `charset=windows-1251` near the top of an HTML page.
fn named_in_the_page(bytes: &[u8]) -> Option<&'static Encoding> {
    let top = bytes[..bytes.len().min(2048)].to_ascii_lowercase();
    let at = top.windows(8).position(|window| window == b"charset=")? + 8;
    let name = top[at..].iter().skip_while(|b| matches!(b, b'"' | b'\''));
    let name: Vec<u8> = name.copied().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).collect();
    // A page that says UTF-16 here was read as single bytes: it is not.
    Encoding::for_label(&name).filter(|encoding| ![UTF_8, UTF_16LE, UTF_16BE].contains(encoding))
}

/// UTF-16 without its mark shows by the zeros (in Latin text) or fours (in Cyrillic) in every second byte.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(4096) & !1];
    let high = |offset: usize| {
        let high = sample.iter().skip(offset).step_by(2).filter(|&&b| b == 0 || b == 4).count();
        high > 0 && high * 10 > sample.len() / 2 * 9
    };
    match (high(1), high(0)) {
        (true, false) => Some(UTF_16LE),
        (false, true) => Some(UTF_16BE),
        _ => None,
    }
}

fn is_fault(c: char) -> bool {
    c == char::REPLACEMENT_CHARACTER || (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{0C}' | '\u{1A}'))
}
