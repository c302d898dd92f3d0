//! ONNX Runtime and its models: what is missing, broken or mistaken is an error, and a second try works.
//!
//! Alone in its file: the runtime starts once per process, so that the order of the steps matters.
#![allow(clippy::unwrap_used)]

mod common;

use calm_voice::{EmotionModel, OnnxError, Vad, start_onnxruntime};
use common::{cut_short, models, recording};
use std::path::Path;

#[test]
fn onnxruntime_starts_when_it_can_and_says_why_when_it_cannot() {
    let files = models();
    assert!(matches!(Vad::load(&files.vad), Err(OnnxError::NotStarted)));
    assert!(matches!(start_onnxruntime(Path::new("/nowhere/libonnxruntime.so")), Err(OnnxError::LibraryMissing)));
    assert!(matches!(start_onnxruntime(Path::new("/tmp")), Err(OnnxError::LibraryMissing)));
    assert!(matches!(start_onnxruntime(&recording("checkin_ru_2.flac")), Err(OnnxError::Library(_))));

    start_onnxruntime(&files.onnxruntime).unwrap();
    start_onnxruntime(&files.onnxruntime).unwrap();
    start_onnxruntime(Path::new("/nowhere/libonnxruntime.so")).unwrap();

    let emotion = files.emotion.as_deref().unwrap();
    assert!(matches!(Vad::load(Path::new("/nowhere/vad.onnx")), Err(OnnxError::ModelMissing)));
    assert!(matches!(Vad::load(emotion), Err(OnnxError::WrongModel("input"))));
    assert!(matches!(EmotionModel::load(&files.vad), Err(OnnxError::WrongModel("audio"))));
    assert!(matches!(EmotionModel::load(&recording("checkin_ru_2.flac")), Err(OnnxError::Model(_))));
    let cut = cut_short(&files.vad);
    assert!(matches!(Vad::load(cut.path()), Err(OnnxError::Model(_))));
    EmotionModel::load(emotion).unwrap();
}
