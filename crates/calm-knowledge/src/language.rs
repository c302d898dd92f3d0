//! Which language a document is in, as far as its letters and smallest words tell.

use crate::Part;

/// Characters looked at; the beginning of a document tells.
const SAMPLE: usize = 20_000;
/// Fewer letters than this tell nothing.
const FEWEST_LETTERS: usize = 20;

const ENGLISH: [&str; 16] =
    ["the", "and", "of", "to", "is", "in", "that", "it", "for", "you", "with", "are", "not", "this", "before", "after"];

/// `"ru"`, `"en"`, or `None` for anything else and for texts too short to tell.
pub(crate) fn of(parts: &[Part]) -> Option<&'static str> {
    let sample = parts.iter().flat_map(|part| part.question.iter().chain([&part.text]));
    let text: String = sample.flat_map(|text| text.chars().chain([' '])).take(SAMPLE).collect();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if letters < FEWEST_LETTERS {
        return None;
    }
    let cyrillic = text.chars().filter(|c| matches!(c, 'А'..='я' | 'ё' | 'Ё')).count();
    let neighbours = text.chars().filter(|c| ('\u{400}'..='\u{45F}').contains(c)).count() - cyrillic;
    if cyrillic * 2 > letters {
        // і, ї, ў, ђ and the like: another language that shares the script.
        return (neighbours * 100 < letters).then_some("ru");
    }
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let english = words.iter().filter(|word| ENGLISH.iter().any(|small| word.eq_ignore_ascii_case(small))).count();
    (english * 12 >= words.len()).then_some("en")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("После двух убытков закрываю terminal и иду гулять.", Some("ru"))]
    #[case("After two losses in a row I close the terminal and go for a walk.", Some("en"))]
    #[case("Після двох збитків поспіль закриваю термінал і йду гуляти.", None)]
    #[case("Después de dos pérdidas cierro la terminal y salgo a caminar.", None)]
    #[case("OK", None)]
    fn languages(#[case] text: &str, #[case] language: Option<&str>) {
        assert_eq!(of(&[Part { place: None, question: None, text: text.to_owned() }]), language);
    }
}
