//! Listens for what is wrong with the sound itself: nothing at all, or too much.

use super::Notice;
use crate::{SAMPLE_RATE, millis};

/// Below this (−80 dBFS) there is no room, no breath and no microphone: it is muted, or dead.
const NOTHING: f32 = 1e-4;
/// So long nothing before anything was heard.
const NEVER_HEARD: usize = millis(3_000);
/// So long nothing afterwards: some systems write zeros between sentences.
const FELL_SILENT: usize = millis(8_000);
/// At the end of the scale.
const FULL: f32 = 0.985;
/// A second in which a hundredth of the samples is there sounds torn.
const TORN: usize = SAMPLE_RATE / 100;

/// Each notice is given once in a recording.
#[derive(Default)]
pub(super) struct Watch {
    heard: usize,
    last_sound: Option<usize>,
    silent_told: bool,
    second: usize,
    full: usize,
    clipping_told: bool,
}

impl Watch {
    pub fn hear(&mut self, block: &[f32]) -> Option<Notice> {
        for sample in block {
            self.heard += 1;
            if sample.abs() > NOTHING {
                self.last_sound = Some(self.heard);
            }
            self.full += usize::from(sample.abs() >= FULL);
            self.second += 1;
            if self.second == SAMPLE_RATE {
                let torn = self.full >= TORN;
                (self.second, self.full) = (0, 0);
                if torn && !self.clipping_told {
                    self.clipping_told = true;
                    return Some(Notice::Clipping);
                }
            }
        }
        let silent = match self.last_sound {
            None => self.heard >= NEVER_HEARD,
            Some(at) => self.heard - at >= FELL_SILENT,
        };
        if silent && !self.silent_told {
            self.silent_told = true;
            return Some(Notice::Silent);
        }
        None
    }

    /// Sound was heard, or waiting for it has no sense any more: a headset sends zeros while it wakes up.
    pub fn is_live(&self) -> bool {
        self.last_sound.is_some() || self.heard >= SAMPLE_RATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn notices(samples: &[f32]) -> Vec<Notice> {
        let mut watch = Watch::default();
        samples.chunks(1_600).filter_map(|block| watch.hear(block)).collect()
    }

    fn voice(seconds: usize, gain: f32) -> Vec<f32> {
        let wave = |n: usize| gain * (n as f32 * 0.09).sin() * (0.6 + 0.4 * (n as f32 * 0.001).sin());
        (0..seconds * SAMPLE_RATE).map(|n| wave(n).clamp(-1.0, 1.0)).collect()
    }

    #[rstest]
    #[case::muted(vec![0.0; 20 * SAMPLE_RATE], &[Notice::Silent])]
    #[case::dithered_zeros(vec![3e-5; 20 * SAMPLE_RATE], &[Notice::Silent])]
    #[case::a_quiet_room(voice(20, 0.001), &[])]
    #[case::a_voice(voice(20, 0.5), &[])]
    #[case::a_loud_voice(voice(20, 1.0), &[])]
    #[case::torn(voice(20, 4.0), &[Notice::Clipping])]
    #[case::a_wait_before_the_sound([vec![0.0; 2 * SAMPLE_RATE], voice(5, 0.5)].concat(), &[])]
    #[case::zeros_between_sentences([voice(3, 0.5), vec![0.0; 5 * SAMPLE_RATE], voice(3, 0.5)].concat(), &[])]
    #[case::muted_later([voice(3, 0.5), vec![0.0; 12 * SAMPLE_RATE]].concat(), &[Notice::Silent])]
    fn what_is_said_of_the_sound(#[case] samples: Vec<f32>, #[case] expected: &[Notice]) {
        assert_eq!(notices(&samples), expected);
    }

    #[test]
    fn nobody_is_asked_to_speak_into_a_headset_that_is_waking_up() {
        let mut watch = Watch::default();
        watch.hear(&[0.0; 4_800]);
        assert!(!watch.is_live());
        watch.hear(&[0.002; 160]);
        assert!(watch.is_live());
    }

    #[test]
    fn a_muted_microphone_goes_live_all_the_same() {
        let mut watch = Watch::default();
        watch.hear(&[0.0; SAMPLE_RATE]);
        assert!(watch.is_live());
    }
}
