//! The user's facts: one markdown text, of which the section `## Active facts` goes into every prompt (SPEC E2).

use calm_knowledge::{ActiveFacts, Part, active_facts, facts_to_answers};
use calm_prompts::envelope::HARD_LIMIT;
use calm_store::Left;
use jiff::Timestamp;
use serde::Serialize;

use crate::conductor::Conductor;
use crate::error::AppError;

#[derive(Debug, Clone, Serialize)]
pub struct Kept {
    pub markdown: String,
    /// What goes into prompts; absent where the text has no such section.
    pub active: Option<ActiveFacts>,
    /// Facts that could move to the knowledge, where the section is too long.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub could_move: Vec<Part>,
    pub updated_at: Timestamp,
}

/// Half of what is sent at most: a talk must find room beside it.
const MOST_CHARACTERS: usize = HARD_LIMIT / 2;

/// # Errors
/// The active facts are so long that nothing could be sent with them.
pub fn check(markdown: &str) -> Result<(), AppError> {
    match active_facts(markdown).map_or(0, |active| active.characters) {
        characters if characters > MOST_CHARACTERS => Err(AppError::FactsTooLong { characters, most: MOST_CHARACTERS }),
        _ => Ok(()),
    }
}

impl Conductor {
    pub fn facts(&mut self) -> Result<Option<Kept>, AppError> {
        let facts = self.store().facts()?;
        Ok(facts.map(|facts| Kept {
            active: active_facts(&facts.markdown),
            could_move: facts_to_answers(&facts.markdown),
            markdown: facts.markdown,
            updated_at: facts.updated_at,
        }))
    }

    pub fn set_facts(&mut self, markdown: &str) -> Result<Left, AppError> {
        check(markdown)?;
        let now = self.now();
        let left = self.store().set_facts(markdown, now)?;
        self.blocks().forget();
        Ok(left)
    }

    pub fn clear_facts(&mut self) -> Result<Left, AppError> {
        let left = self.store().clear_facts()?;
        self.blocks().forget();
        Ok(left)
    }
}
