//! What the tests of this crate share: the recordings, the models, and a way to compare words.
#![allow(dead_code, reason = "each test file uses a part of this")]

use calm_voice::{Clip, EarFiles, RecognizerFiles, decode_file};
use std::path::{Path, PathBuf};

/// A recording from the project's `tests/audio`.
pub fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/audio").join(name)
}

pub fn clip(name: &str) -> Clip {
    decode_file(&recording(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Where the models are: `CALM_MODELS_DIR`, or the product's own folder.
///
/// # Panics
/// If one is missing: a test that skips itself is a test that nobody runs.
pub fn models() -> EarFiles {
    let folder = std::env::var_os("CALM_MODELS_DIR")
        .map(PathBuf::from)
        .or_else(|| Some(dirs::data_dir()?.join("calmtrader/models")))
        .expect("a folder for data");
    let file =
        |names: &[&str]| {
            names.iter().map(|name| folder.join(name)).find(|path| path.is_file()).unwrap_or_else(|| {
                panic!("{} is not in {}: run `cargo xtask models` first", names[0], folder.display())
            })
        };
    EarFiles {
        recognizer: RecognizerFiles::Onnx(file(&["whisper-base-encoder.onnx"])),
        vad: file(&["silero-vad.onnx"]),
        emotion: Some(file(&["emotion.onnx"])),
        onnxruntime: file(&[
            "libonnxruntime.so",
            "onnxruntime/libonnxruntime.so",
            "onnxruntime.dll",
            "libonnxruntime.dylib",
        ]),
    }
}

/// The same through whisper.cpp.
pub fn ggml_models() -> EarFiles {
    let onnx = models();
    let model = onnx.vad.with_file_name("whisper-base-q8_0.bin");
    EarFiles { recognizer: RecognizerFiles::Ggml(model), ..onnx }
}

/// Lower case, no punctuation, ё as е, and the numbers that the recordings hold as words.
pub fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace('ё', "е")
        .replace(['-', '’', '\''], "")
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(|word| match word {
            "8" => vec!["восемь".to_owned()],
            "10" => vec!["десяти".to_owned()],
            "200" => vec!["двести".to_owned()],
            word => vec![word.to_owned()],
        })
        .collect()
}

/// Substitutions, insertions and deletions per word of the reference.
pub fn word_error_rate(reference: &str, heard: &str) -> f32 {
    let (reference, heard) = (words(reference), words(heard));
    let mut row: Vec<usize> = (0..=heard.len()).collect();
    for (i, expected) in reference.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, word) in heard.iter().enumerate() {
            let substituted = diagonal + usize::from(expected != word);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[heard.len()] as f32 / reference.len().max(1) as f32
}

/// The first third of a file, as an interrupted download leaves it.
pub fn cut_short(model: &Path) -> tempfile::NamedTempFile {
    let bytes = std::fs::read(model).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes[..bytes.len() / 3]).unwrap();
    file
}
