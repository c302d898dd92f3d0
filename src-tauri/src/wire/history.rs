//! Past sessions: lists, the calendar, what was found, and one session whole.

use calm_app::days::Day;
use calm_app::searching::{Hit, Who as Said};
use serde::Serialize;
use specta::Type;

use super::{Summary, Who, WireKind, WireTurn};

#[derive(Debug, Clone, Serialize, Type)]
pub struct SessionLine {
    pub id: String,
    pub kind: WireKind,
    pub started_at: String,
    /// 1–10.
    pub readiness: Option<u8>,
    /// 1–10.
    pub stress: Option<u8>,
    pub result: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct SessionPage {
    pub line: SessionLine,
    pub turns: Vec<WireTurn>,
    pub summary: Option<Summary>,
}

/// A trading day with sessions, as a dot.
#[derive(Debug, Clone, Serialize, Type)]
pub struct DayDot {
    /// `YYYY-MM-DD`.
    pub day: String,
    pub sessions: u32,
    /// 1–10.
    pub readiness: Option<u8>,
    /// 1–10.
    pub stress: Option<u8>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct DayCalendar {
    pub days: Vec<DayDot>,
    /// `YYYY-MM-DD` of the first session that there is; empty before it.
    pub first: String,
    /// The trading day that it is now.
    pub today: String,
}

/// A turn in which the words were found.
#[derive(Debug, Clone, Serialize, Type)]
pub struct FoundTurn {
    pub session_id: String,
    /// 1 for the first turn of the session.
    pub seq: u32,
    pub kind: WireKind,
    pub at: String,
    pub who: Who,
    /// One line, cut into what was looked for and what stands between.
    pub pieces: Vec<FoundPiece>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FoundPiece {
    pub text: String,
    pub marked: bool,
}

impl From<&Day> for DayDot {
    fn from(day: &Day) -> DayDot {
        let Day { sessions, readiness, stress, .. } = *day;
        DayDot { day: day.day.to_string(), sessions, readiness, stress }
    }
}

impl From<&Hit> for FoundTurn {
    fn from(hit: &Hit) -> FoundTurn {
        FoundTurn {
            session_id: hit.session_id.to_string(),
            seq: hit.seq,
            kind: hit.session_type.into(),
            at: hit.at.to_string(),
            who: match hit.who {
                Said::User => Who::User,
                Said::Calm => Who::Calm,
            },
            pieces: pieces(&hit.snippet, &hit.marks),
        }
    }
}

/// Marks are in characters, in order, and do not overlap.
fn pieces(snippet: &str, marks: &[std::ops::Range<usize>]) -> Vec<FoundPiece> {
    let letters: Vec<char> = snippet.chars().collect();
    let mut pieces = Vec::new();
    let mut push = |from: usize, to: usize, marked: bool| {
        if let Some(text) = letters.get(from..to).filter(|text| !text.is_empty()) {
            pieces.push(FoundPiece { text: text.iter().collect(), marked });
        }
    };
    let mut at = 0;
    for mark in marks {
        push(at, mark.start, false);
        push(mark.start, mark.end, true);
        at = mark.end;
    }
    push(at, letters.len(), false);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_cut_at_its_marks_and_loses_no_letter() {
        let cut = pieces("🙂 двигал стоп", &[2..8, 9..13]);
        let words: Vec<(&str, bool)> = cut.iter().map(|piece| (piece.text.as_str(), piece.marked)).collect();
        assert_eq!(words, [("🙂 ", false), ("двигал", true), (" ", false), ("стоп", true)]);
        assert_eq!(pieces("", &[]), []);
    }
}
