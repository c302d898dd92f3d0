//! Missing and broken files leave no ear and say which part was missing.
#![allow(clippy::unwrap_used)]

mod common;

use calm_voice::{AsrError, Ear, EarFiles, HearError, Whisper};
use common::{clip, cut_short, models, recording};
use std::path::Path;

#[test]
fn a_broken_speech_model_is_an_error() {
    assert!(matches!(Whisper::load(Path::new("/nowhere/whisper.bin")), Err(AsrError::ModelMissing)));
    assert!(matches!(Whisper::load(&recording("checkin_ru_2.flac")), Err(AsrError::Model(_))));
    let cut = cut_short(&models().whisper);
    assert!(matches!(Whisper::load(cut.path()), Err(AsrError::Model(_))));
}

#[test]
fn an_ear_without_consent_measures_no_mood() {
    let mut ear = Ear::load(&EarFiles { emotion: None, ..models() }).unwrap();
    let language = calm_voice::Language::Fixed(calm_voice::Tongue::Ru);
    let heard = ear.hear(&clip("checkin_ru_2.flac"), language).unwrap();
    assert!(!heard.transcript.text.is_empty());
    assert_eq!((heard.emotion, heard.ser_ms), (None, 0));
}

#[test]
fn an_ear_says_which_part_is_missing() {
    let broken = EarFiles { whisper: "/nowhere/whisper.bin".into(), ..models() };
    let error = Ear::load(&broken).err().unwrap();
    assert!(matches!(error, HearError::Asr(AsrError::ModelMissing)));
    assert_eq!(error.to_string(), "speech recognition: the speech model is not there");
}
