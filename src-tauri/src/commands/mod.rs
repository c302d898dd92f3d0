//! What the window may ask for. Each command passes on and answers; `subscribe` brings the rest.

#![expect(clippy::needless_pass_by_value, reason = "the shape of a command")]

mod caring;
mod data;
mod history;
mod insights;
mod keeping;
mod prompts;
mod reaching;
mod sandbox;
mod shell;
mod trades;
mod versions;

use calm_app::{AppError, MemoryId};
use tauri::ipc::Channel;
use tauri::{Manager, State, WebviewWindow};
use tauri_specta::{Builder, collect_commands};

use crate::desk::Desk;
use crate::healing::Healing;
use crate::windows;
use crate::wire::{
    FeltHeard, MemoryCard, MemoryChange, MemoryLevel, MemorySheet, WireError, WireEvent, WireFormat, WireKind,
    WireSettings,
};

/// How many memories are shown at once.
const MEMORIES: usize = 300;

/// The page has put a picture on the screen.
#[tauri::command(async)]
#[specta::specta]
pub fn pictured(healing: State<'_, Healing>, window: WebviewWindow) {
    windows::pictured(&healing, &window);
}

/// Puts the quick window away; its session stays as it is.
#[tauri::command(async)]
#[specta::specta]
pub fn put_away(window: WebviewWindow) {
    windows::close_quick(window.app_handle());
}

/// A snapshot first, then every event in order.
#[tauri::command(async)]
#[specta::specta]
pub fn subscribe(desk: State<'_, Desk>, window: WebviewWindow, channel: Channel<WireEvent>) -> Result<(), WireError> {
    desk.subscribe(window.label(), channel)
}

/// Begins a session; the first words come as an event.
#[tauri::command(async)]
#[specta::specta]
pub fn begin(
    desk: State<'_, Desk>,
    window: WebviewWindow,
    kind: WireKind,
    format: WireFormat,
) -> Result<(), WireError> {
    desk.begin(kind.into(), format.into(), windows::opened_from(&desk, &window))
}

/// Goes on with the session that was left open.
#[tauri::command(async)]
#[specta::specta]
pub fn resume(desk: State<'_, Desk>) -> Result<(), WireError> {
    desk.resume()
}

/// A typed turn.
#[tauri::command(async)]
#[specta::specta]
pub fn say(desk: State<'_, Desk>, text: String) -> Result<(), WireError> {
    desk.say(&text)
}

/// Opens the microphone for one utterance.
#[tauri::command(async)]
#[specta::specta]
pub fn listen(desk: State<'_, Desk>) -> Result<(), WireError> {
    desk.start_speaking()
}

/// Ends the utterance; its words follow as a turn.
#[tauri::command(async)]
#[specta::specta]
pub fn stop_listening(desk: State<'_, Desk>) {
    desk.stop_speaking(true);
}

/// Drops the utterance.
#[tauri::command(async)]
#[specta::specta]
pub fn cancel_listening(desk: State<'_, Desk>) {
    desk.stop_speaking(false);
}

/// A key was pressed: what is being said aloud stops.
#[tauri::command(async)]
#[specta::specta]
pub fn hush(desk: State<'_, Desk>) {
    desk.hush();
}

/// "That's enough": the session is closed with what is known.
#[tauri::command(async)]
#[specta::specta]
pub fn finish(desk: State<'_, Desk>) -> Result<(), WireError> {
    desk.finish()
}

/// The one optional tap at the end.
#[tauri::command(async)]
#[specta::specta]
pub fn felt_heard(desk: State<'_, Desk>, answer: FeltHeard) -> Result<(), WireError> {
    desk.felt_heard(answer)
}

/// What is remembered, newest first; with `query`, only where all its words begin a word.
#[tauri::command(async)]
#[specta::specta]
pub fn memories(
    desk: State<'_, Desk>,
    level: Option<MemoryLevel>,
    query: Option<String>,
) -> Result<Vec<MemoryCard>, WireError> {
    let lines = desk.with(|conductor| conductor.memories(level.map(Into::into), query, MEMORIES))?;
    Ok(lines.iter().map(MemoryCard::from).collect())
}

/// One memory with everything that it comes from.
#[tauri::command(async)]
#[specta::specta]
pub fn memory(desk: State<'_, Desk>, id: String) -> Result<MemorySheet, WireError> {
    let page = desk.with(|conductor| conductor.memory(memory_id(&id)?))?;
    Ok(MemorySheet::from(&page))
}

/// Puts the user's words in its place.
#[tauri::command(async)]
#[specta::specta]
pub fn correct_memory(desk: State<'_, Desk>, id: String, text: String) -> Result<(), WireError> {
    desk.with(|conductor| conductor.correct_memory(memory_id(&id)?, &text))
}

#[tauri::command(async)]
#[specta::specta]
pub fn change_memory(desk: State<'_, Desk>, id: String, change: MemoryChange) -> Result<(), WireError> {
    data::deleting(&desk, |conductor| {
        let id = memory_id(&id)?;
        match change {
            MemoryChange::Pin => conductor.pin_memory(id, true).map(|()| None),
            MemoryChange::Unpin => conductor.pin_memory(id, false).map(|()| None),
            MemoryChange::Dismiss => conductor.dismiss_memory(id, true).map(|()| None),
            MemoryChange::Restore => conductor.dismiss_memory(id, false).map(|()| None),
            MemoryChange::Delete => conductor.forget_memory(id),
        }
    })
}

/// Keeps what differs between the settings as they were shown and as they are now; every window hears of them.
#[tauri::command(async)]
#[specta::specta]
pub fn save_settings(desk: State<'_, Desk>, shown: WireSettings, settings: WireSettings) -> Result<(), WireError> {
    desk.save_settings(&shown, &settings)
}

fn memory_id(id: &str) -> Result<MemoryId, AppError> {
    id.parse().map_err(|_| AppError::NoSuchMemory)
}

pub fn builder() -> Builder<tauri::Wry> {
    Builder::new().commands(collect_commands![
        pictured,
        put_away,
        subscribe,
        begin,
        resume,
        say,
        listen,
        stop_listening,
        cancel_listening,
        hush,
        finish,
        felt_heard,
        history::history,
        history::session,
        history::calendar,
        history::search_history,
        history::correct_value,
        history::rate_reply,
        memories,
        memory,
        correct_memory,
        change_memory,
        save_settings,
        shell::shell,
        shell::set_shortcut,
        shell::start_at_login,
        keeping::plans,
        keeping::add_plan,
        keeping::switch_plan,
        keeping::remove_plan,
        keeping::notes,
        keeping::remove_note,
        keeping::facts,
        keeping::save_facts,
        keeping::documents,
        keeping::add_document,
        keeping::add_answer,
        keeping::remove_document,
        keeping::reminders,
        keeping::add_reminder,
        keeping::remove_reminder,
        keeping::banned,
        keeping::ban,
        keeping::unban,
        reaching::servers,
        reaching::add_server,
        reaching::remove_server,
        reaching::use_backend,
        reaching::keep_key,
        reaching::discover,
        reaching::try_backend,
        reaching::models,
        reaching::fetch_models,
        reaching::verify_models,
        reaching::delete_model,
        reaching::speech_speed,
        reaching::microphones,
        reaching::try_microphone,
        reaching::ledger,
        reaching::sent_text,
        caring::help,
        caring::practices,
        insights::insights,
        trades::look_at_trades,
        trades::import_trades,
        trades::trade_imports,
        trades::undo_trade_import,
        prompts::prompt_files,
        prompts::prompt_file,
        prompts::hold_prompt,
        prompts::let_go_prompt,
        prompts::keep_prompt,
        prompts::take_back_prompt,
        prompts::lint_prompts,
        prompts::finalize_prompts,
        prompts::preview_prompts,
        versions::prompt_versions,
        versions::compare_prompts,
        versions::roll_back_prompts,
        sandbox::prompt_scenarios,
        sandbox::try_prompts,
        sandbox::stop_trying_prompts,
        data::export_places,
        data::export_data,
        data::export_elsewhere,
        data::look_at_export,
        data::import_export,
        data::would_delete,
        data::delete_session,
        data::retention,
        data::would_expire,
        data::keep_for,
        data::has_passphrase,
        data::unlock,
        data::change_passphrase,
        data::erase_everything,
        data::begin_anew,
    ])
}

#[cfg(test)]
mod tests {
    use super::builder;
    use specta_typescript::Typescript;

    /// Plugins bring commands of their own; the pages reach none of them, and nothing from elsewhere runs in them.
    #[test]
    fn the_pages_may_call_our_commands_and_nothing_else() {
        let capabilities = [include_str!("../../capabilities/main.json")];
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src-tauri/capabilities");
        assert_eq!(std::fs::read_dir(folder).expect("the capabilities").count(), capabilities.len());
        for text in capabilities {
            let capability: serde_json::Value = serde_json::from_str(text).expect("a capability");
            assert_eq!(capability["permissions"], serde_json::json!([]));
            assert!(capability.get("remote").is_none());
        }
        let config = include_str!("../../../tauri.conf.json");
        let config: serde_json::Value = serde_json::from_str(config).expect("the configuration");
        let policy = config["app"]["security"]["csp"].as_str().expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("https:"), "{policy}");
    }

    /// The window describes no message of its own: its types are these.
    #[test]
    fn the_window_s_types_are_those_of_the_program() {
        let generated = tempfile::tempdir().expect("a folder").path().join("bindings.ts");
        builder().export(Typescript::default(), &generated).expect("the types can be written in TypeScript");
        let generated = std::fs::read_to_string(generated).expect("the generated types");
        let committed = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/src/bindings.ts");
        if std::env::var_os("UPDATE_BINDINGS").is_some() {
            std::fs::write(&committed, &generated).expect("written");
        }
        let committed = std::fs::read_to_string(committed).unwrap_or_default();
        assert!(committed == generated, "run the tests once with UPDATE_BINDINGS=1 and commit ui/src/bindings.ts");
    }
}
