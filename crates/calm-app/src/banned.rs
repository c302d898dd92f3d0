//! Words that the user does not want to hear again (SPEC K4).

use calm_prompts::lint::banned_from_csv;
use calm_store::{BannedBy, BannedTerm, BannedTermId, Left, SheetTerm};

use crate::conductor::Conductor;
use crate::error::AppError;

/// Longest term, in characters.
const LONGEST: usize = 200;

/// # Errors
/// The term is blank or longer than 200 characters.
pub fn check(term: &str) -> Result<(), AppError> {
    if term.trim().is_empty() || term.chars().count() > LONGEST {
        return Err(AppError::BadTerm);
    }
    Ok(())
}

/// The terms of a CSV sheet; `name` is the file's.
///
/// # Errors
/// The sheet is not valid CSV.
pub fn read_sheet(name: &str, csv: &str) -> Result<Vec<String>, AppError> {
    banned_from_csv(csv).map_err(|source| AppError::BadSheet { path: name.to_owned(), source })
}

impl Conductor {
    pub fn banned(&mut self) -> Result<Vec<BannedTerm>, AppError> {
        Ok(self.store().banned_terms()?)
    }

    /// As the linter takes them.
    pub fn banned_words(&mut self) -> Result<Vec<String>, AppError> {
        Ok(self.banned()?.into_iter().map(|it| it.term).collect())
    }

    /// # Errors
    /// The term is blank or longer than 200 characters.
    pub fn ban(&mut self, term: &str) -> Result<(), AppError> {
        check(term)?;
        let now = self.now();
        self.store().add_banned_term(term.trim(), None, BannedBy::User, now)?;
        Ok(())
    }

    /// Takes over the terms of a sheet in place of those of the one before.
    pub fn ban_sheet(&mut self, terms: &[String]) -> Result<Left, AppError> {
        let rows: Vec<SheetTerm> = terms.iter().map(|term| SheetTerm { term: term.clone(), note: None }).collect();
        let now = self.now();
        Ok(self.store().replace_banned_sheet(&rows, now)?)
    }

    /// # Errors
    /// There is no such term.
    pub fn unban(&mut self, id: BannedTermId) -> Result<Left, AppError> {
        Ok(self.store().remove_banned_term(id)?)
    }
}
