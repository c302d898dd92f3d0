//! Questions and answers in a text: `Q:` and `A:`, `В:` and `О:`, or the words written out.

use crate::markdown::Line;
use crate::{DocumentError, LONGEST_QUESTION, clean};

const QUESTION: [&str; 4] = ["Question", "Q", "Вопрос", "В"];
const ANSWER: [&str; 4] = ["Answer", "A", "Ответ", "О"];

const NO_ANSWER: &str = "the question has no answer";
const LONG_QUESTION: &str = "the question is longer than 600 characters";

pub(crate) enum Piece {
    Text(String),
    Pair { question: String, answer: String },
}

/// Counts over a whole document. A question without an answer is a mistake in a document of pairs, and an ordinary line
/// in any other.
#[derive(Default)]
pub(crate) struct Tally {
    pairs: usize,
    unanswered: Option<usize>,
}

impl Tally {
    pub(crate) fn check(&self) -> Result<(), DocumentError> {
        match self.unanswered {
            Some(line) if self.pairs > 0 => Err(DocumentError::line(line, NO_ANSWER)),
            _ => Ok(()),
        }
    }
}

/// The rest of a line that opens a question.
pub(crate) fn question_in(line: &str) -> Option<&str> {
    after(line, &QUESTION)
}

/// The rest of the line after one of the words, its number and its colon: `**Вопрос 3:** …`, `- Q: …`, `### A: …`.
fn after<'a>(line: &'a str, words: &[&str]) -> Option<&'a str> {
    let bare = line.trim_start().trim_start_matches('#').trim_start();
    let bare = bare.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' ')).unwrap_or(bare).trim_start();
    let open = bare.trim_start_matches(['*', '_']);
    let rest = words.iter().find_map(|word| {
        let start = open.get(..word.len())?;
        // A single small letter and a colon is anything but a question.
        let same = if word.chars().count() == 1 { start == *word } else { start.to_lowercase() == word.to_lowercase() };
        same.then(|| &open[word.len()..])
    })?;
    let rest = rest.trim_start_matches([' ', '№', '#']).trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.trim_start_matches(['*', '_', ' ']).strip_prefix(':')?;
    Some(if open.len() == bare.len() { rest.trim() } else { rest.trim_start_matches(['*', '_']).trim() })
}

/// # Errors
/// When a question is too long.
pub(crate) fn pieces(lines: &[Line<'_>], tally: &mut Tally) -> Result<Vec<Piece>, DocumentError> {
    let mut cutter = Cutter { pieces: Vec::new(), state: State::Outside(Vec::new()), tally };
    for line in lines {
        let question = if line.code { None } else { question_in(line.raw) };
        let answer = if line.code { None } else { after(line.raw, &ANSWER) };
        match (&mut cutter.state, question, answer) {
            (_, Some(question), _) => {
                let raw = vec![line.raw];
                cutter.turn(State::Question { line: line.number, words: vec![question], raw })?;
            }
            (State::Question { words, line, .. }, None, Some(answer)) => {
                let asked = (*line, clean::line(&words.join(" "), usize::MAX));
                cutter.state = State::Answer { asked, words: vec![answer] };
            }
            (State::Question { words, raw, .. }, None, None) => {
                words.push(line.raw);
                raw.push(line.raw);
            }
            (State::Answer { words, .. } | State::Outside(words), None, _) => words.push(line.raw),
        }
    }
    cutter.turn(State::Outside(Vec::new()))?;
    Ok(cutter.pieces)
}

enum State<'a> {
    Outside(Vec<&'a str>),
    Question { line: usize, words: Vec<&'a str>, raw: Vec<&'a str> },
    Answer { asked: (usize, String), words: Vec<&'a str> },
}

struct Cutter<'a, 't> {
    pieces: Vec<Piece>,
    state: State<'a>,
    tally: &'t mut Tally,
}

impl<'a> Cutter<'a, '_> {
    fn turn(&mut self, next: State<'a>) -> Result<(), DocumentError> {
        match std::mem::replace(&mut self.state, next) {
            State::Outside(lines) => self.text(&lines),
            State::Question { line, raw, .. } => {
                self.tally.unanswered.get_or_insert(line);
                self.text(&raw);
            }
            State::Answer { asked: (line, question), words } => {
                let answer = joined(&words);
                if question.is_empty() || answer.is_empty() {
                    self.tally.unanswered.get_or_insert(line);
                }
                if question.chars().count() > LONGEST_QUESTION {
                    return Err(DocumentError::line(line, LONG_QUESTION));
                }
                self.tally.pairs += usize::from(!answer.is_empty());
                // Half a pair is an ordinary text: no word of it is lost.
                if question.is_empty() || answer.is_empty() {
                    self.text(&[&question, &answer]);
                } else {
                    self.pieces.push(Piece::Pair { question, answer });
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, lines: &[&str]) {
        let text = joined(lines);
        if !text.is_empty() {
            self.pieces.push(Piece::Text(text));
        }
    }
}

/// Blank lines around a text go; the spaces before its first word stay, they may be code.
fn joined(lines: &[&str]) -> String {
    let text = lines.join("\n");
    let end = text.trim_end().len();
    let start = text.find(|c: char| !c.is_whitespace()).map_or(end, |at| text[..at].rfind('\n').map_or(0, |nl| nl + 1));
    text[start.min(end)..end].to_owned()
}
