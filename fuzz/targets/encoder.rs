//! The sentence encoder's two files: a vocabulary beside weights of zero, or weights beside a vocabulary of five.
#![no_main]

#[path = "../../crates/calm-memory/tests/common/synthetic.rs"]
mod synthetic;

use std::sync::LazyLock;

use calm_memory::Encoder;

static ZEROS: LazyLock<Vec<u8>> = LazyLock::new(synthetic::zeros);

libfuzzer_sys::fuzz_target!(|input: (bool, &[u8], &str)| {
    let (is_vocabulary, bytes, text) = input;
    let encoder = match is_vocabulary {
        true => Encoder::new(&ZEROS, bytes),
        false => Encoder::new(bytes, synthetic::FIVE_PIECES),
    };
    if let Ok(encoder) = encoder {
        let embedding = encoder.encode(text);
        assert!((embedding.dot(&embedding) - 1.0).abs() < 1e-3);
    }
});
