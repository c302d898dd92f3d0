//! The key under which something that the user told is kept.

use calm_prompts::stems;
use sha2::{Digest, Sha256};

/// The same for the same words in another order of endings.
pub fn key(words: &str) -> String {
    let lang = stems::Lang::detect(words);
    let stems: Vec<String> = stems::words(words).map(|word| stems::stem(&stems::normal(word.text), lang)).collect();
    let digest = Sha256::digest(stems.join(" ").as_bytes());
    let short: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("told:{short}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_have_the_same_key() {
        assert_eq!(key("По пятницам не торгую"), key("по пятницам не торгую!"));
        assert_ne!(key("По пятницам не торгую"), key("по средам не торгую"));
    }
}
