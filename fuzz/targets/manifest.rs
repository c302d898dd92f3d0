//! A list of models that somebody else wrote.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(manifest) = calm_models::Manifest::parse(text) {
        for model in manifest.models() {
            model.bytes();
        }
    }
});
