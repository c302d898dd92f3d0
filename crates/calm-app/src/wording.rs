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

#[cfg(test)]
mod tests {
    use super::*;
    use calm_prompts::PromptSet;

    fn wording(seed: u64, earlier: &[&str]) -> Wording {
        let set = PromptSet::shipped();
        let phrases = set.phrases("en").expect("the shipped phrases");
        let help = Help::of(&set.helplines().expect("the shipped helplines"), "gb", "en");
        let earlier = phrases.said_in(earlier.iter().copied());
        Wording::new(phrases, help, seed, earlier)
    }

    #[test]
    fn gambling_and_a_crisis_have_numbers_of_their_own() {
        let said = |key| wording(1, &[]).say(&[Move::new(key)]).expect("words");
        assert!(said("gambling_help").contains("0808 8020 133") && !said("gambling_help").contains("116 123"));
        assert!(said("crisis_helplines").contains("116 123") && !said("crisis_helplines").contains("0808 8020 133"));
    }

    #[test]
    fn a_goodbye_is_not_yesterday_s() {
        for seed in 0..40 {
            let goodbye = [Move::new("close_loss")];
            let yesterday = wording(seed, &[]).say(&goodbye).expect("words");
            let today = wording(seed, &[&yesterday]).say(&goodbye).expect("words");
            assert_ne!(today, yesterday);
        }
    }
}
