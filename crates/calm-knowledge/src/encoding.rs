//! Bytes of a text file to characters: UTF-8, UTF-16, and the old Cyrillic and Western code pages.

use crate::DocumentError;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// One unreadable place in so many characters, and one more, is damage in a text; more is no text.
const CHARACTERS_A_FAULT: usize = 200;

/// # Errors
/// When these are not the bytes of a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<String, DocumentError> {
    if bytes.is_empty() {
        return Err(DocumentError::Empty);
    }
    let (text, _) = encoding_of(bytes).decode_with_bom_removal(bytes);
    let faults = text.chars().filter(|&c| is_fault(c)).count();
    if faults.saturating_sub(1) * CHARACTERS_A_FAULT > text.chars().count() {
        return Err(DocumentError::file("it is not a text, or its encoding is not known; save it as UTF-8"));
    }
    Ok(text.into_owned())
}

fn encoding_of(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return encoding;
    }
    if is_utf8(bytes) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    // Where the statistics leave a doubt, our readers write Russian.
    detector.guess(Some(b"ru"), Utf8Detection::Deny)
}

/// A damaged or cut-off UTF-8 file is still one: a code page would turn all of it into nonsense.
fn is_utf8(bytes: &[u8]) -> bool {
    let (mut long, mut faults) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        long += chunk.valid().chars().filter(|c| c.len_utf8() > 1).count();
        faults += usize::from(!chunk.invalid().is_empty());
    }
    faults * 10 <= long
}

/// UTF-16 without its mark shows by the zeros (in Latin text) or fours (in Cyrillic) in every second byte.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(4096) & !1];
    let high = |offset: usize| {
        sample.iter().skip(offset).step_by(2).filter(|&&b| b == 0 || b == 4).count() * 10 > sample.len() / 2 * 9
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

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{IBM866, KOI8_R, WINDOWS_1251, WINDOWS_1252};
    use rstest::rstest;

    const RUSSIAN: &str = "Правило первое: после двух убытков подряд закрываю терминал. Объём — вдвое меньше.";

    #[rstest]
    #[case(WINDOWS_1251)]
    #[case(KOI8_R)]
    #[case(IBM866)]
    fn old_russian_files_are_read(#[case] encoding: &'static Encoding) {
        let text = RUSSIAN.replace('—', "-");
        assert_eq!(decode(&encoding.encode(&text).0).unwrap(), text);
    }

    #[test]
    fn russian_typography_of_windows_survives() {
        assert_eq!(decode(&WINDOWS_1251.encode(RUSSIAN).0).unwrap(), RUSSIAN);
    }

    #[test]
    fn a_short_russian_line_is_not_taken_for_western() {
        let (bytes, _, _) = WINDOWS_1251.encode("Не спеши.");
        assert_eq!(decode(&bytes).unwrap(), "Не спеши.");
    }

    #[test]
    fn typographic_quotes_of_a_western_file_survive() {
        let (bytes, _, _) = WINDOWS_1252.encode("He said “wait” — and waited for the next day’s open.");
        assert_eq!(decode(&bytes).unwrap(), "He said “wait” — and waited for the next day’s open.");
    }

    #[rstest]
    #[case::little(&[0xFF, 0xFE], false)]
    #[case::big(&[0xFE, 0xFF], true)]
    #[case::little_unmarked(&[], false)]
    #[case::big_unmarked(&[], true)]
    fn utf_16(#[case] mark: &[u8], #[case] big: bool) {
        let units = RUSSIAN.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() });
        let bytes: Vec<u8> = mark.iter().copied().chain(units).collect();
        assert_eq!(decode(&bytes).unwrap(), RUSSIAN);
    }

    #[test]
    fn a_cut_off_utf8_file_keeps_its_letters() {
        let bytes = &RUSSIAN.as_bytes()[..RUSSIAN.len() - 2];
        assert!(decode(&[b"\xEF\xBB\xBF", bytes].concat()).unwrap().starts_with("Правило первое"));
        assert!(decode(bytes).unwrap().starts_with("Правило первое"));
    }

    #[test]
    fn a_program_is_no_text() {
        let bytes: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(decode(&bytes).is_err());
    }
}
