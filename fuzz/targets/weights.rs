//! Model weights as they come out of a package.
#![no_main]

use calm_models::convert::ct2::Weights;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(weights) = Weights::read(bytes) {
        for side in ["encoder", "decoder"] {
            weights.layers(side);
        }
    }
});
