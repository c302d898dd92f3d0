//! What plans wrote down for the user: looked through, and taken away (SPEC E3).

use calm_store::{Left, Note, NoteId};

use crate::conductor::Conductor;
use crate::error::AppError;

impl Conductor {
    /// The newest first.
    pub fn notes(&self, limit: u32) -> Result<Vec<Note>, AppError> {
        Ok(self.read_store().notes(limit)?)
    }

    /// # Errors
    /// There is no such note.
    pub fn remove_note(&mut self, id: NoteId) -> Result<Left, AppError> {
        Ok(self.store().remove_note(id)?)
    }
}
