//! Which variant of a version leads a session.
//!
//! A function of the session's stored seed alone: the same on every machine and in every release, and no session
//! moves because others came after it.

use sha2::{Digest, Sha256};

use crate::set::{ONLY_VARIANT, Variant};

/// Part of the hashed text: another rule would need another name, so that old assignments can still be told.
const RULE: &str = "calm/variant/1";

/// The variant of `version` of `set` for the session with this seed; the order of `variants` does not matter.
///
/// [`ONLY_VARIANT`] if there are none or all weights are 0.
pub fn assign<'a>(set: &str, version: &str, seed: u64, variants: &'a [Variant]) -> &'a str {
    let total: u64 = variants.iter().map(|variant| u64::from(variant.weight)).sum();
    if total == 0 {
        return ONLY_VARIANT;
    }
    let mut by_id: Vec<&Variant> = variants.iter().collect();
    by_id.sort_by(|a, b| a.id.cmp(&b.id));
    let point = (u128::from(draw(set, version, seed)) * u128::from(total)) >> 64;
    let mut below = 0u128;
    for variant in by_id {
        below += u128::from(variant.weight);
        if point < below {
            return &variant.id;
        }
    }
    ONLY_VARIANT
}

/// Uniform over all of `u64`: the first eight bytes of the hash, big end first.
fn draw(set: &str, version: &str, seed: u64) -> u64 {
    let mut hasher = Sha256::new();
    for part in [RULE, set, version] {
        // Lengths keep ("a", "b1") and ("ab", "1") apart.
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hasher.update(seed.to_be_bytes());
    hasher.finalize().iter().take(8).fold(0, |value, byte| (value << 8) | u64::from(*byte))
}
