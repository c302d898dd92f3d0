//! Where speech begins and where it ends, from a row of probabilities.
//!
//! Pure arithmetic: one probability per frame goes in, an event comes out. The numbers are chosen so that a breath
//! inside a sentence does not end it and a click does not begin one.

use crate::millis;
use std::ops::Range;

/// Samples in one frame, 32 ms.
pub const FRAME: usize = 512;

/// Speech begins above `ENTER` and goes on until the probability has stayed below `LEAVE`.
const ENTER: f32 = 0.5;
const LEAVE: f32 = 0.35;
/// Shorter sounds are clicks and coughs.
const MIN_SPEECH: usize = millis(250);
/// A pause this long ends a stretch of speech.
const MIN_SILENCE: usize = millis(300);
/// Kept before and after, so that no consonant is cut off.
const PADDING: usize = millis(200);

/// Positions are samples since the start, padding included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VadEvent {
    /// It is now sure that somebody speaks, and that they began at `at`.
    Started { at: usize },
    /// They have stopped, at `at`.
    Ended { at: usize },
}

#[derive(Clone, Copy, Debug)]
enum State {
    Silence,
    /// Something sounds like speech, for too short a time to be sure.
    Perhaps {
        since: usize,
    },
    Speech,
    /// Speech that may be over.
    Pause {
        since: usize,
    },
}

/// The state machine behind [`crate::Vad`].
#[derive(Clone, Debug)]
pub struct Endpointer {
    state: State,
    heard: usize,
}

impl Default for Endpointer {
    fn default() -> Self {
        Self { state: State::Silence, heard: 0 }
    }
}

impl Endpointer {
    /// Takes the probability that the next [`FRAME`] samples are speech.
    pub fn step(&mut self, probability: f32) -> Option<VadEvent> {
        let begin = self.heard;
        self.heard += FRAME;
        let (enters, leaves) = (probability >= ENTER, probability < LEAVE);
        match self.state {
            State::Silence if enters => self.state = State::Perhaps { since: begin },
            State::Perhaps { .. } if leaves => self.state = State::Silence,
            State::Perhaps { since } if self.heard - since >= MIN_SPEECH => {
                self.state = State::Speech;
                return Some(VadEvent::Started { at: since.saturating_sub(PADDING) });
            }
            State::Speech if leaves => self.state = State::Pause { since: begin },
            State::Pause { .. } if enters => self.state = State::Speech,
            State::Pause { since } if self.heard - since >= MIN_SILENCE => {
                self.state = State::Silence;
                return Some(VadEvent::Ended { at: since + PADDING });
            }
            _ => {}
        }
        None
    }

    /// Ends what is still open; no more frames follow.
    pub fn finish(&mut self) -> Option<VadEvent> {
        let at = match self.state {
            State::Speech => self.heard,
            State::Pause { since } => (since + PADDING).min(self.heard),
            State::Silence | State::Perhaps { .. } => return None,
        };
        self.state = State::Silence;
        Some(VadEvent::Ended { at })
    }
}

/// Collects events into ranges, within `length` samples, in order and without overlap.
pub fn ranges(events: impl IntoIterator<Item = VadEvent>, length: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut begin = None;
    for event in events {
        match event {
            VadEvent::Started { at } => begin = Some(at),
            VadEvent::Ended { at } => {
                let Some(start) = begin.take() else { continue };
                let end = at.min(length);
                match ranges.last_mut() {
                    Some(last) if start <= last.end => last.end = last.end.max(end),
                    _ if start < end => ranges.push(start..end),
                    _ => {}
                }
            }
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    /// `s` is a frame of speech, `.` of silence, `?` of something between the thresholds.
    fn listen(frames: &str) -> Vec<Range<usize>> {
        let mut endpointer = Endpointer::default();
        let mut events = Vec::new();
        for frame in frames.chars() {
            events.extend(endpointer.step(match frame {
                's' => 0.9,
                '?' => 0.4,
                _ => 0.05,
            }));
        }
        events.extend(endpointer.finish());
        ranges(events, frames.len() * FRAME).into_iter().map(|r| r.start.div_ceil(FRAME)..r.end / FRAME).collect()
    }

    #[rstest]
    #[case::silence("....................", vec![])]
    #[case::a_click_is_not_speech("......sss...............", vec![])]
    #[case::doubt_alone_is_not_speech("......????????????????", vec![])]
    #[case::speech_with_padding("..........ssssssssss....................", vec![4..26])]
    #[case::a_breath_does_not_end_it("..........ssssssss....ssssssss....................", vec![4..36])]
    #[case::doubt_keeps_it_going("..........ssssssss????????????ssssssss....................", vec![4..44])]
    #[case::two_sentences(
        "..........ssssssss..............................ssssssss....................",
        vec![4..24, 42..62]
    )]
    #[case::padding_that_meets_is_one("ssssssss...........ssssssss", vec![0..27])]
    #[case::cut_off_at_both_ends("ssssssssssssssssssss", vec![0..20])]
    fn speech_in(#[case] frames: &str, #[case] expected: Vec<Range<usize>>) {
        assert_eq!(listen(frames), expected);
    }

    proptest! {
        #[test]
        fn ranges_are_ordered_apart_and_inside(probabilities in prop::collection::vec(0.0f32..1.0, 0..400)) {
            let mut endpointer = Endpointer::default();
            let mut events: Vec<_> = probabilities.iter().filter_map(|p| endpointer.step(*p)).collect();
            events.extend(endpointer.finish());
            let length = probabilities.len() * FRAME;
            let mut last = 0;
            for range in ranges(events, length) {
                prop_assert!(range.start >= last && range.start < range.end && range.end <= length);
                prop_assert!(range.len() >= MIN_SPEECH);
                last = range.end + 1;
            }
        }
    }
}
