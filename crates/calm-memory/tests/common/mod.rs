//! What the tests of this crate share: the model.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::path::PathBuf;
use std::sync::LazyLock;

use calm_memory::Encoder;

/// Loaded once for each program of tests.
pub static ENCODER: LazyLock<Encoder> = LazyLock::new(|| {
    let (weights, vocabulary) = model_files();
    Encoder::new(&weights, &vocabulary).expect("the model is sound")
});

/// Weights and vocabulary out of `CALM_MODELS_DIR`, or the product's own folder.
///
/// # Panics
/// If one is missing: a test that skips itself is a test that nobody runs.
pub fn model_files() -> (Vec<u8>, Vec<u8>) {
    let folder = std::env::var_os("CALM_MODELS_DIR")
        .map(PathBuf::from)
        .or_else(|| Some(dirs::data_dir()?.join("calmtrader/models")))
        .expect("a folder for data");
    let read = |name: &str| {
        std::fs::read(folder.join(name)).unwrap_or_else(|error| {
            panic!("{name} is not in {}: run `cargo xtask models` first ({error})", folder.display())
        })
    };
    (read("sentence-encoder.npz"), read("sentence-encoder.model"))
}
