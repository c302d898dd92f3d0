//! Cuts an utterance that is still going on into segments that can be written down meanwhile.
//!
//! A finished segment is final: what comes later never moves its borders. Only the newest one is open.

use crate::endpoint::{FRAME, VadEvent, ranges};
use crate::millis;
use std::ops::Range;

/// A pause of 0.7 s parts two sentences: 0.2 s of it are padding, and new speech is known 0.25 s after it began.
const SENTENCE_PAUSE: usize = millis(750);
/// After this much the next short pause is as good: the speaker waits for words.
const LONG_ENOUGH: usize = millis(10_000);
/// What the recogniser takes at once; Whisper's own window is 30 s.
pub(crate) const LONGEST: usize = millis(29_000);
/// Speech without a pause is cut in the quietest tenth of a second of this last part of a segment.
const CUT_WITHIN: usize = millis(8_000);
const CUT_STEP: usize = millis(100);

/// Follows one utterance, frame by frame.
#[derive(Default)]
pub struct Segmenter {
    heard: usize,
    /// From where the speech began to where it ended, or to now.
    open: Option<Range<usize>>,
    speaking: bool,
    events: Vec<VadEvent>,
    last_end: Option<usize>,
}

impl Segmenter {
    /// Takes what the detector said of the next frame of `samples` (all of the utterance so far), and gives the
    /// segment that is finished by it.
    pub fn step(&mut self, event: Option<VadEvent>, samples: &[f32]) -> Option<Range<usize>> {
        self.heard += FRAME;
        self.events.extend(event);
        match event {
            Some(VadEvent::Started { at }) => {
                self.speaking = true;
                // Its padding may lie in a segment that is finished.
                let from = at.max(self.last_end.unwrap_or(0));
                self.open = Some(self.open.take().map_or(from, |open| open.start)..self.heard);
            }
            Some(VadEvent::Ended { at }) => {
                self.speaking = false;
                self.last_end = Some(at);
                if let Some(open) = &mut self.open {
                    open.end = at;
                }
            }
            None => {}
        }
        let open = self.open.as_mut()?;
        if self.speaking {
            open.end = self.heard;
            if open.len() < LONGEST {
                return None;
            }
            let cut = quietest(samples, open.end - CUT_WITHIN..open.end);
            let finished = open.start..cut;
            open.start = cut;
            return Some(finished);
        }
        let pause = self.heard.saturating_sub(open.end);
        if pause >= SENTENCE_PAUSE || open.len() >= LONG_ENOUGH { self.open.take() } else { None }
    }

    /// No more frames follow: gives the segment that was still open, up to the end of `length` samples.
    pub fn finish(&mut self, length: usize) -> Option<Range<usize>> {
        let mut open = self.open.take()?;
        if self.speaking {
            self.speaking = false;
            self.events.push(VadEvent::Ended { at: length });
            open.end = length;
        }
        open.end = open.end.min(length);
        (open.start < open.end).then_some(open)
    }

    /// The segment that may still change, while somebody speaks.
    pub fn unfinished(&self) -> Option<Range<usize>> {
        self.open.clone().filter(|_| self.speaking)
    }

    /// The stretches of speech that are over, within `length` samples.
    pub fn speech(&self, length: usize) -> Vec<Range<usize>> {
        ranges(self.events.iter().copied(), length)
    }

    /// How many samples it has been quiet; `None` while somebody speaks.
    pub fn quiet(&self) -> Option<usize> {
        (!self.speaking).then(|| self.heard.saturating_sub(self.last_end.unwrap_or(0)))
    }

    /// Whether anybody has spoken at all.
    pub fn has_speech(&self) -> bool {
        self.speaking || self.last_end.is_some()
    }

    /// Samples followed so far.
    pub fn heard(&self) -> usize {
        self.heard
    }
}

/// The middle of the quietest tenth of a second.
pub(crate) fn quietest(samples: &[f32], within: Range<usize>) -> usize {
    let energy = |start: usize| samples[start..start + CUT_STEP].iter().map(|s| s * s).sum::<f32>();
    within
        .clone()
        .step_by(CUT_STEP)
        .filter(|start| start + CUT_STEP <= within.end)
        .min_by(|a, b| energy(*a).total_cmp(&energy(*b)))
        .map_or(within.end, |start| start + CUT_STEP / 2)
}

/// Where a stretch that is too long for the recogniser is best cut.
pub(crate) fn cut(samples: &[f32], range: &Range<usize>) -> usize {
    let latest = range.start + LONGEST;
    quietest(samples, latest - CUT_WITHIN..latest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Endpointer;
    use proptest::prelude::*;
    use rstest::rstest;

    struct Followed {
        /// With the time, in samples, at which each was finished; the last with the end.
        finished: Vec<(usize, Range<usize>)>,
        speech: Vec<Range<usize>>,
    }

    fn follow(probabilities: &[f32]) -> Followed {
        let samples = vec![0.1; probabilities.len() * FRAME];
        let (mut detector, mut segmenter) = (Endpointer::default(), Segmenter::default());
        let mut finished = Vec::new();
        for (i, probability) in probabilities.iter().enumerate() {
            let now = (i + 1) * FRAME;
            finished.extend(segmenter.step(detector.step(*probability), &samples[..now]).map(|range| (now, range)));
        }
        finished.extend(segmenter.finish(samples.len()).map(|range| (samples.len(), range)));
        Followed { finished, speech: segmenter.speech(samples.len()) }
    }

    /// Seconds of speech and of silence in turn, silence first.
    fn talk(seconds: &[f32]) -> Vec<f32> {
        let frames = |(i, seconds): (usize, &f32)| {
            vec![if i % 2 == 1 { 0.9 } else { 0.02 }; (seconds * 16_000.0) as usize / FRAME]
        };
        seconds.iter().enumerate().flat_map(frames).collect()
    }

    #[rstest]
    #[case::silence(&[5.0], 0)]
    #[case::one_sentence(&[1.0, 4.0, 2.0], 1)]
    #[case::a_breath_does_not_cut_it(&[1.0, 3.0, 0.5, 3.0, 2.0], 1)]
    #[case::two_sentences(&[1.0, 3.0, 1.0, 3.0, 2.0], 2)]
    #[case::a_breath_will_do_after_ten_seconds(&[1.0, 11.0, 0.5, 3.0, 2.0], 2)]
    #[case::no_pause_at_all(&[0.0, 60.0], 3)]
    fn segments_of(#[case] seconds: &[f32], #[case] expected: usize) {
        assert_eq!(follow(&talk(seconds)).finished.len(), expected);
    }

    #[test]
    fn a_sentence_is_written_down_while_the_next_is_spoken() {
        let Followed { finished, .. } = follow(&talk(&[1.0, 3.0, 1.0, 3.0, 2.0]));
        let (when, first) = &finished[0];
        assert!(*when < first.end + millis(800), "{when} for {first:?}");
    }

    proptest! {
        #[test]
        fn segments_hold_all_the_speech_in_order_and_fit(
            blocks in prop::collection::vec((0.0f32..1.0, 1usize..120), 0..60),
        ) {
            let probabilities: Vec<f32> =
                blocks.into_iter().flat_map(|(p, frames)| std::iter::repeat_n(p, frames)).collect();
            let Followed { finished, speech } = follow(&probabilities);
            let mut end = 0;
            for (when, range) in &finished {
                prop_assert!(range.start >= end && range.start < range.end && range.end <= *when);
                prop_assert!(range.len() <= LONGEST + FRAME);
                end = range.end;
            }
            let held = |at: usize| finished.iter().any(|(_, range)| range.contains(&at));
            for stretch in speech {
                prop_assert!(stretch.clone().step_by(1_600).all(held), "{stretch:?} in {finished:?}");
            }
        }
    }
}
