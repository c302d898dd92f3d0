//! Missing and broken files leave no ear and say which part was missing.
#![allow(clippy::unwrap_used)]

mod common;

use calm_voice::{AsrError, Ear, EarFiles, HearError, RecognizerFiles, Whisper, WhisperOnnx, start_onnxruntime};
use common::{clip, cut_short, models, recording};
use rstest::rstest;
use std::path::Path;

#[test]
fn a_broken_speech_model_is_an_error() {
    assert!(matches!(Whisper::load(Path::new("/nowhere/whisper.bin")), Err(AsrError::ModelMissing)));
    assert!(matches!(Whisper::load(&recording("checkin_ru_2.flac")), Err(AsrError::Model(_))));
    let cut = cut_short(&models().vad.with_file_name("whisper-base-q8_0.bin"));
    assert!(matches!(Whisper::load(cut.path()), Err(AsrError::Model(_))));
}

/// The graphs and the vocabulary, one of them gone, cut short, or another's.
#[rstest]
#[case::no_graph("whisper-base-encoder.onnx")]
#[case::no_decoder("whisper-base-decoder.onnx")]
#[case::no_weights("whisper-base-decoder.bin")]
#[case::no_vocabulary("whisper-base-vocabulary.bin")]
fn a_default_model_that_is_not_whole_is_an_error(#[case] part: &str) {
    let files = models();
    start_onnxruntime(&files.onnxruntime).unwrap();
    let whole = files.vad.parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let linked = |name: &str| std::os::unix::fs::symlink(whole.join(name), folder.path().join(name)).unwrap();
    for name in ["encoder.onnx", "encoder.bin", "decoder.onnx", "decoder.bin", "vocabulary.bin"] {
        let name = format!("whisper-base-{name}");
        if name != part {
            linked(&name);
        }
    }
    let encoder = folder.path().join("whisper-base-encoder.onnx");
    assert!(WhisperOnnx::load(&encoder).is_err(), "without {part}");
    let cut = std::fs::read(whole.join(part)).unwrap();
    std::fs::write(folder.path().join(part), &cut[..cut.len() / 3]).unwrap();
    assert!(WhisperOnnx::load(&encoder).is_err(), "with a third of {part}");
    std::fs::write(folder.path().join(part), std::fs::read(whole.join("silero-vad.onnx")).unwrap()).unwrap();
    assert!(WhisperOnnx::load(&encoder).is_err(), "with another file as {part}");
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
    let broken = EarFiles { recognizer: RecognizerFiles::Ggml("/nowhere/whisper.bin".into()), ..models() };
    let error = Ear::load(&broken).err().unwrap();
    assert!(matches!(error, HearError::Asr(AsrError::ModelMissing)));
    assert_eq!(error.to_string(), "speech recognition: the speech model is not there");
}
