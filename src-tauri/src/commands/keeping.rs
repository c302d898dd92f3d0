//! What the user keeps: plans and their notes, facts, documents, reminders, words that are not to be said.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calm_app::triggers::Action;
use calm_app::{AppError, KnowledgeId, NoteId, knowledge};
use tauri::State;

use super::data::deleting;
use crate::desk::Desk;
use crate::wire::{
    BannedCard, DocumentCard, FactsSheet, NoteCard, PlanAction, PlanCard, ReminderCard, ReminderWhen, WireError,
};

/// How many notes are shown at once.
const NOTES: u32 = 300;

#[tauri::command(async)]
#[specta::specta]
pub fn plans(desk: State<'_, Desk>) -> Result<Vec<PlanCard>, WireError> {
    Ok(desk.with(|conductor| conductor.plans())?.iter().map(PlanCard::from).collect())
}

#[tauri::command(async)]
#[specta::specta]
pub fn add_plan(
    desk: State<'_, Desk>,
    name: String,
    condition: String,
    actions: Vec<PlanAction>,
) -> Result<(), WireError> {
    let actions = actions.iter().map(PlanAction::read).collect::<Result<Vec<Action>, AppError>>()?;
    desk.with(|conductor| conductor.add_plan(&name, &condition, &actions).map(drop))
}

#[tauri::command(async)]
#[specta::specta]
pub fn switch_plan(desk: State<'_, Desk>, id: String, on: bool) -> Result<(), WireError> {
    desk.with(|conductor| conductor.switch_plan(&id, on).map(drop))
}

#[tauri::command(async)]
#[specta::specta]
pub fn remove_plan(desk: State<'_, Desk>, id: String) -> Result<(), WireError> {
    deleting(&desk, |conductor| conductor.remove_plan(&id))
}

/// What plans wrote down, the newest first.
#[tauri::command(async)]
#[specta::specta]
pub fn notes(desk: State<'_, Desk>) -> Result<Vec<NoteCard>, WireError> {
    Ok(desk.with(|conductor| conductor.notes(NOTES))?.iter().map(NoteCard::from).collect())
}

#[tauri::command(async)]
#[specta::specta]
pub fn remove_note(desk: State<'_, Desk>, id: String) -> Result<(), WireError> {
    let id: NoteId = id.parse().map_err(|_| gone())?;
    deleting(&desk, |conductor| conductor.remove_note(id))
}

#[tauri::command(async)]
#[specta::specta]
pub fn facts(desk: State<'_, Desk>) -> Result<FactsSheet, WireError> {
    let kept = desk.with(|conductor| conductor.facts())?;
    Ok(kept.map_or_else(FactsSheet::default, |kept| FactsSheet::from(&kept)))
}

/// Blank text clears them.
#[tauri::command(async)]
#[specta::specta]
pub fn save_facts(desk: State<'_, Desk>, markdown: String) -> Result<FactsSheet, WireError> {
    deleting(&desk, |conductor| match markdown.trim() {
        "" => conductor.clear_facts(),
        _ => conductor.set_facts(&markdown),
    })?;
    facts(desk)
}

#[tauri::command(async)]
#[specta::specta]
pub fn documents(desk: State<'_, Desk>) -> Result<Vec<DocumentCard>, WireError> {
    Ok(desk.with(|conductor| conductor.knowledge())?.iter().map(DocumentCard::from).collect())
}

/// A file that the user chose; the web view has its bytes and not its place. It is read here and not kept.
#[tauri::command(async)]
#[specta::specta]
pub fn add_document(desk: State<'_, Desk>, name: String, base64: String) -> Result<(), WireError> {
    let bytes =
        STANDARD.decode(base64).map_err(|_| WireError { code: "bad_document".into(), detail: String::new() })?;
    // Reading a long document takes a while, in which the talk goes on.
    let document = knowledge::read_bytes(&name, &bytes)?;
    desk.with(|conductor| conductor.add_document(&document).map(drop))
}

#[tauri::command(async)]
#[specta::specta]
pub fn add_answer(desk: State<'_, Desk>, question: String, answer: String) -> Result<(), WireError> {
    desk.with(|conductor| conductor.add_answer(question.trim(), answer.trim()).map(drop))
}

#[tauri::command(async)]
#[specta::specta]
pub fn remove_document(desk: State<'_, Desk>, id: String) -> Result<(), WireError> {
    let id: KnowledgeId = id.parse().map_err(|_| gone())?;
    deleting(&desk, |conductor| conductor.remove_knowledge(id))
}

#[tauri::command(async)]
#[specta::specta]
pub fn reminders(desk: State<'_, Desk>) -> Result<Vec<ReminderCard>, WireError> {
    Ok(desk.with(|conductor| conductor.reminders())?.iter().map(ReminderCard::from).collect())
}

#[tauri::command(async)]
#[specta::specta]
pub fn add_reminder(desk: State<'_, Desk>, when: ReminderWhen, text: String) -> Result<(), WireError> {
    let when = when.read()?;
    desk.with(|conductor| conductor.add_reminder(when, &text).map(drop))
}

#[tauri::command(async)]
#[specta::specta]
pub fn remove_reminder(desk: State<'_, Desk>, id: String) -> Result<(), WireError> {
    let id = id.parse().map_err(|_| gone())?;
    deleting(&desk, |conductor| conductor.remove_reminder(id))
}

#[tauri::command(async)]
#[specta::specta]
pub fn banned(desk: State<'_, Desk>) -> Result<Vec<BannedCard>, WireError> {
    let terms = desk.with(|conductor| conductor.banned())?;
    Ok(terms.into_iter().map(|it| BannedCard { id: it.id.to_string(), term: it.term }).collect())
}

#[tauri::command(async)]
#[specta::specta]
pub fn ban(desk: State<'_, Desk>, term: String) -> Result<(), WireError> {
    desk.with(|conductor| conductor.ban(&term))
}

#[tauri::command(async)]
#[specta::specta]
pub fn unban(desk: State<'_, Desk>, id: String) -> Result<(), WireError> {
    let id = id.parse().map_err(|_| gone())?;
    deleting(&desk, |conductor| conductor.unban(id))
}

fn gone() -> WireError {
    WireError { code: "not_found".into(), detail: String::new() }
}
