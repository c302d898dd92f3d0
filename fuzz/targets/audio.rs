//! Audio files of any kind: a clip or an error, and every sample a number between −1 and 1.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(clip) = calm_voice::decode_bytes(bytes) {
        assert!(clip.samples.iter().all(|s| s.is_finite() && s.abs() <= 1.0));
    }
});
