//! From the guide's moves to the words of the prompt set.

use std::collections::BTreeSet;
use std::sync::Arc;

use calm_core::Move;
use calm_prompts::{PhraseError, Phrases};

/// Words for one session: deterministic by seed, and no variant twice while others are left.
#[derive(Clone)]
pub struct Wording {
    phrases: Arc<Phrases>,
    /// For the move that names them (SPEC A4); the country is the conductor's to know.
    helplines: String,
    seed: u64,
    used: BTreeSet<(String, usize)>,
}

impl Wording {
    pub fn new(phrases: Phrases, helplines: String, seed: u64) -> Wording {
        Wording { phrases: Arc::new(phrases), helplines, seed, used: BTreeSet::new() }
    }

    pub fn say(&mut self, moves: &[Move]) -> Result<String, PhraseError> {
        let mut sentences = Vec::with_capacity(moves.len());
        for one in moves {
            let mut slots = one.slots.clone();
            slots.push(("helplines", self.helplines.clone()));
            sentences.push(self.phrases.word(one.key, &slots, self.seed, &mut self.used)?);
        }
        Ok(sentences.join(" "))
    }
}
