//! From the guide's moves to the words of the prompt set.

use std::sync::Arc;

use calm_core::Move;
use calm_prompts::{Helplines, PhraseError, Phrases, Said};

/// Words for one session: deterministic by seed, and no variant again while others are left,
/// those of the last days included.
#[derive(Clone)]
pub struct Wording {
    phrases: Arc<Phrases>,
    help: Help,
    seed: u64,
    said: Said,
}

/// Numbers for the moves that name them (SPEC A4); the country is the conductor's to know.
#[derive(Clone)]
pub struct Help {
    crisis: String,
    gambling: String,
}

impl Help {
    /// `country` as in [`Helplines::for_country`], `language` as in [`Helplines::spoken`].
    pub fn of(helplines: &Helplines, country: &str, language: &str) -> Help {
        Help { crisis: helplines.spoken(country, language), gambling: helplines.gambling(country, language) }
    }

    fn for_move(&self, key: &str) -> &str {
        match key {
            "gambling_help" => &self.gambling,
            _ => &self.crisis,
        }
    }
}

impl Wording {
    /// `earlier` is what the replies since the start of the previous trading day said ([`Phrases::said_in`]), without
    /// those of this session: a session that goes on after its process went away must find the same words.
    pub fn new(phrases: Phrases, help: Help, seed: u64, earlier: Said) -> Wording {
        Wording { phrases: Arc::new(phrases), help, seed, said: earlier }
    }

    pub fn say(&mut self, moves: &[Move]) -> Result<String, PhraseError> {
        let mut sentences = Vec::with_capacity(moves.len());
        for one in moves {
            let mut slots = one.slots.clone();
            slots.push(("helplines", self.help.for_move(one.key).to_owned()));
            sentences.push(self.phrases.word(one.key, &slots, self.seed, &mut self.said)?);
        }
        Ok(sentences.join(" "))
    }
}
