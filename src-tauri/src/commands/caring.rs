//! Help in a hard hour, and practices.

use tauri::State;

use crate::desk::Desk;
use crate::wire::{HelpSheet, PracticeSheet, WireError};

/// Who can be turned to where the user is; it needs no network.
#[tauri::command(async)]
#[specta::specta]
pub fn help(desk: State<'_, Desk>) -> Result<HelpSheet, WireError> {
    desk.with(|conductor| Ok(HelpSheet::from(conductor.help(conductor.settings().language)?)))
}

/// The catalogue.
#[tauri::command(async)]
#[specta::specta]
pub fn practices(desk: State<'_, Desk>) -> Result<Vec<PracticeSheet>, WireError> {
    desk.with(|conductor| Ok(conductor.practices()?.iter().map(PracticeSheet::from).collect()))
}
