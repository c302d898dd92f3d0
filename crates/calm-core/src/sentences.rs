//! Sentences out of a text that is still being written.
//!
//! A reply is judged sentence by sentence while it streams, so a sentence is handed out only when its end
//! is certain. Whether it may be shown is the guard's business.

/// Nobody waits longer than this for a full stop, in bytes.
const LONGEST: usize = 600;

/// Letters that end a sentence when white space or a closing mark follows.
const ENDS: [char; 4] = ['.', '!', '?', '…'];

/// Marks that still belong to the sentence before them.
const CLOSING: [char; 6] = ['"', '»', '”', ')', '\'', '’'];

/// Not the end, although a full stop and a space follow.
const ABBREVIATIONS: [&str; 16] = [
    "т.е.",
    "т.к.",
    "т.д.",
    "т.п.",
    "др.",
    "напр.",
    "мин.",
    "сек.",
    "руб.",
    "тыс.",
    "e.g.",
    "i.e.",
    "vs.",
    "mr.",
    "approx.",
    "min.",
];

/// Takes pieces of any size; gives whole sentences with the white space that follows them cut off.
#[derive(Debug, Clone, Default)]
pub struct Sentences {
    waiting: String,
}

impl Sentences {
    /// The sentences that `piece` completes, in order.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        self.waiting.push_str(piece);
        let mut whole = Vec::new();
        while let Some(end) = end_of_first(&self.waiting) {
            let rest = self.waiting.split_off(end);
            let sentence = std::mem::replace(&mut self.waiting, rest);
            whole.extend(kept(&sentence));
        }
        whole
    }

    /// What is left when nothing more comes.
    pub fn finish(&mut self) -> Option<String> {
        kept(&std::mem::take(&mut self.waiting))
    }
}

/// All sentences of a text that is complete.
pub fn of(text: &str) -> Vec<String> {
    let mut sentences = Sentences::default();
    let mut all = sentences.push(text);
    all.extend(sentences.finish());
    all
}

fn kept(sentence: &str) -> Option<String> {
    let sentence = sentence.trim();
    (!sentence.is_empty()).then(|| sentence.to_owned())
}

/// One past the first sentence, if something follows that makes its end certain.
fn end_of_first(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\n' && !text[..at].trim().is_empty() {
            return Some(at);
        }
        if ENDS.contains(&c) {
            let mut end = at + c.len_utf8();
            while let Some((next, mark)) = chars.peek().copied() {
                if !ENDS.contains(&mark) && !CLOSING.contains(&mark) {
                    break;
                }
                end = next + mark.len_utf8();
                chars.next();
            }
            let followed = chars.peek().is_some_and(|(_, next)| next.is_whitespace());
            if followed && !is_abbreviation(&text[..end]) {
                return Some(end);
            }
        }
    }
    if text.len() <= LONGEST {
        return None;
    }
    let limit = (0..=LONGEST).rev().find(|i| text.is_char_boundary(*i))?;
    let cut = text[..limit].rfind(char::is_whitespace).filter(|cut| *cut > 0);
    Some(cut.unwrap_or(limit))
}

fn is_abbreviation(sentence: &str) -> bool {
    let Some(last) = sentence.split_whitespace().next_back() else { return false };
    let number = last.strip_suffix('.').is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
    // "1. Подыши": the head of a list, not a sentence.
    let first = sentence.split_whitespace().count() == 1;
    number && first || ABBREVIATIONS.contains(&last.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::two("Слышу тебя. Как спалось?", &["Слышу тебя.", "Как спалось?"])]
    #[case::figure("Минус 2.5 R, и это день.", &["Минус 2.5 R, и это день."])]
    #[case::abbreviation("Пауза, т.е. тишина. Хочешь?", &["Пауза, т.е. тишина.", "Хочешь?"])]
    #[case::quotation("«Хватит.» Хорошо.", &["«Хватит.»", "Хорошо."])]
    #[case::dots("Бывает... Что дальше?!", &["Бывает...", "Что дальше?!"])]
    #[case::lines("Одно\nДругое", &["Одно", "Другое"])]
    #[case::list("1. Подыши. 2. Встань.", &["1. Подыши.", "2. Встань."])]
    #[case::nothing("  \n ", &[])]
    fn sentences_of(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(of(text), expected);
    }

    #[test]
    fn a_sentence_waits_until_its_end_is_certain() {
        let mut sentences = Sentences::default();
        assert!(sentences.push("Минус 2").is_empty());
        assert!(sentences.push(".").is_empty(), "it may go on as 2.5");
        assert!(sentences.push("5 R").is_empty());
        assert_eq!(sentences.push(". Да"), ["Минус 2.5 R."]);
        assert_eq!(sentences.finish().as_deref(), Some("Да"));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_however_it_is_cut(text in "[а-яa-z .!?…\n»0-9]{0,900}", size in 1_usize..9) {
            let mut sentences = Sentences::default();
            let chars: Vec<char> = text.chars().collect();
            let mut found = Vec::new();
            for piece in chars.chunks(size) {
                found.extend(sentences.push(&piece.iter().collect::<String>()));
            }
            found.extend(sentences.finish());
            prop_assert_eq!(&found, &of(&text));
            let letters = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&found.concat()), letters(&text));
        }
    }
}
