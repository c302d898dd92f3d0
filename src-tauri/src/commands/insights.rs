//! What the user's own figures say.

use tauri::State;

use crate::desk::Desk;
use crate::wire::{InsightSheet, WireError};

#[tauri::command(async)]
#[specta::specta]
pub fn insights(desk: State<'_, Desk>) -> Result<InsightSheet, WireError> {
    Ok(InsightSheet::from(&desk.with(|conductor| conductor.insights())?))
}
