//! Nobody speaks, and nothing is written: silence, noise, music, keys, coughs.
//!
//! `CALM_NOISE_SECONDS=150` makes it half an hour; the figures are printed.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/sounds.rs"]
mod sounds;

use calm_voice::{Clip, Draft, Ear, Language, Tongue};
use common::{models, words};
use sounds::{KINDS, sound};

const SEED: u64 = 20_261_130;

fn seconds() -> usize {
    std::env::var("CALM_NOISE_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(10)
}

fn either() -> Language {
    Language::Auto(vec![Tongue::Ru, Tongue::En])
}

#[test]
fn no_words_come_out_of_noise() {
    let mut ear = Ear::load(&models()).unwrap();
    let (mut written, mut passed) = (0, 0.0);
    for kind in KINDS {
        let clip = Clip { samples: sound(kind, seconds(), SEED) };
        let heard = ear.hear(&clip, either()).unwrap();
        let invented = words(&heard.transcript.text);
        println!(
            "{kind:<14} {:>6.1} s of {:.0} passed for speech, words: {invented:?}",
            heard.speech_seconds, heard.seconds
        );
        written += invented.len();
        passed += heard.speech_seconds;
    }
    let hours = (KINDS.len() * seconds()) as f32 / 3600.0;
    println!(
        "{} words and {:.0} s of speech an hour, from {:.1} minutes",
        written as f32 / hours,
        passed / hours,
        hours * 60.0
    );
    assert_eq!(written, 0);
}

/// The recogniser's own doubt is the second gate: here the first one stands open. Over chords Whisper repeats its hint.
#[test]
fn what_passes_for_speech_is_doubted_by_the_recogniser() {
    let mut ear = Ear::load(&models()).unwrap();
    for kind in ["silence", "chords", "coughs"] {
        let clip = Clip { samples: sound(kind, 10, SEED) };
        let whole = 0..clip.samples.len();
        let heard = ear.finish(Draft::default(), &clip, &[whole], &[], either()).unwrap();
        assert_eq!(heard.transcript.text, "", "out of {kind}");
    }
}
