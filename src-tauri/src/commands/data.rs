//! The data in the user's hands: export, import, deletion, retention, passphrase, erasing.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calm_app::importing::Export;
use calm_app::passphrase::{self, Passphrase};
use calm_app::settings::SettingError;
use calm_app::{AppError, Conductor, Keep, Left, erasing, exporting, paths};
use tauri::{State, WebviewWindow};
use tauri_plugin_dialog::DialogExt;

use super::history::session_id;
use crate::desk::Desk;
use crate::wire::{
    ErasedSheet, ExportBrought, ExportDone, ExportFolder, ExportLook, ExportPlace, ExportUnread, GoneCard,
    PassphraseChange, Retention, RetentionSheet, WireError,
};

/// Bytes; a larger export is for the command line.
const LARGEST: usize = 64 << 20;

/// Where an export can go.
#[tauri::command(async)]
#[specta::specta]
pub fn export_places() -> Vec<ExportFolder> {
    let folder = |(place, path): (exporting::Place, std::path::PathBuf)| ExportFolder {
        place: place.into(),
        path: path.display().to_string(),
    };
    exporting::places().into_iter().map(folder).collect()
}

/// Writes everything into a new zip file there.
#[tauri::command(async)]
#[specta::specta]
pub fn export_data(desk: State<'_, Desk>, place: ExportPlace, recordings: bool) -> Result<ExportDone, WireError> {
    let found = exporting::places().into_iter().find(|(known, _)| ExportPlace::from(*known) == place);
    let (_, folder) = found.ok_or_else(|| refused("export_failed"))?;
    export_into(&desk, &folder, recordings)
}

/// The same, into a folder that the user shows; `None` where they did not.
#[tauri::command(async)]
#[specta::specta]
pub fn export_elsewhere(
    desk: State<'_, Desk>,
    window: WebviewWindow,
    recordings: bool,
) -> Result<Option<ExportDone>, WireError> {
    let chosen = window.dialog().file().set_parent(&window).blocking_pick_folder();
    let folder = chosen.map(|chosen| chosen.into_path().map_err(|_| refused("export_failed"))).transpose()?;
    folder.map(|folder| export_into(&desk, &folder, recordings)).transpose()
}

fn export_into(desk: &Desk, folder: &Path, recordings: bool) -> Result<ExportDone, WireError> {
    let to = exporting::free_name(folder, desk.with(|conductor| Ok(conductor.today()))?);
    let done = desk.with(|conductor| conductor.export(&to, recordings))?;
    Ok(ExportDone {
        path: done.to.display().to_string(),
        recordings: small(done.recordings as u64),
        unread: done.unread.iter().map(ExportUnread::from).collect(),
    })
}

/// What a chosen export holds; nothing is brought in.
#[tauri::command(async)]
#[specta::specta]
pub fn look_at_export(name: String, base64: String) -> Result<ExportLook, WireError> {
    let about = export(&name, &base64)?.about();
    Ok(ExportLook { made_at: about.made_at, sessions: small(about.sessions), rows: small(about.rows) })
}

/// Brings it in: all of it or nothing, and nothing twice.
#[tauri::command(async)]
#[specta::specta]
pub fn import_export(desk: State<'_, Desk>, name: String, base64: String) -> Result<ExportBrought, WireError> {
    let export = export(&name, &base64)?;
    let brought = desk.closed("store_locked", |paths| export.import(paths, paths::secrets()));
    opened_again(&desk)?;
    let brought = brought?;
    Ok(ExportBrought { sessions: small(brought.sessions), rows: small(brought.rows), known: small(brought.known) })
}

/// What deleting the talk would take along.
#[tauri::command(async)]
#[specta::specta]
pub fn would_delete(desk: State<'_, Desk>, id: String) -> Result<GoneCard, WireError> {
    let id = session_id(&id)?;
    Ok(desk.with(|conductor| conductor.would_delete(id))?.into())
}

/// Deletes a talk for good.
#[tauri::command(async)]
#[specta::specta]
pub fn delete_session(desk: State<'_, Desk>, id: String) -> Result<GoneCard, WireError> {
    delete_talk(&desk, &id)
}

fn delete_talk(desk: &Desk, id: &str) -> Result<GoneCard, WireError> {
    let id = session_id(id)?;
    let gone = desk.with(|conductor| conductor.delete_session(id))?;
    desk.show_everything()?;
    tell_traces(desk, gone.left.as_deref());
    Ok(gone.into())
}

/// It is deleted all the same; where something is left of it until the next start, the windows say so.
pub(super) fn tell_traces(desk: &Desk, left: Option<&str>) {
    if left.is_some() {
        desk.report(refused("traces_left"));
    }
}

/// Something smaller than a talk is deleted.
pub(super) fn deleting(
    desk: &Desk,
    work: impl FnOnce(&mut Conductor) -> Result<Left, AppError>,
) -> Result<(), WireError> {
    let left = desk.with(work)?;
    tell_traces(desk, left.as_deref());
    Ok(())
}

#[tauri::command(async)]
#[specta::specta]
pub fn retention(desk: State<'_, Desk>) -> Result<RetentionSheet, WireError> {
    how_long(&desk)
}

fn how_long(desk: &Desk) -> Result<RetentionSheet, WireError> {
    desk.with(|conductor| {
        let settings = conductor.settings();
        let keep = Retention {
            transcripts: settings.keep_transcripts.to_string(),
            recordings: settings.keep_recordings.to_string(),
        };
        Ok(RetentionSheet { keep, clock_ahead: conductor.clock_is_ahead()? })
    })
}

/// What would go at once if things were kept so long.
#[tauri::command(async)]
#[specta::specta]
pub fn would_expire(desk: State<'_, Desk>, keep: Retention) -> Result<GoneCard, WireError> {
    let (transcripts, recordings) = kept(&keep)?;
    Ok(desk.with(|conductor| conductor.would_expire(transcripts, recordings))?.into())
}

/// Keeps things so long from now on; what is older goes.
#[tauri::command(async)]
#[specta::specta]
pub fn keep_for(desk: State<'_, Desk>, keep: Retention) -> Result<GoneCard, WireError> {
    let (keep_transcripts, keep_recordings) = kept(&keep)?;
    let gone = desk.with(|conductor| {
        conductor.change_settings(|now| Ok(calm_app::Settings { keep_transcripts, keep_recordings, ..now }))?;
        conductor.expire()
    })?;
    desk.show_everything()?;
    Ok(gone.into())
}

/// Whether a passphrase is set.
#[tauri::command(async)]
#[specta::specta]
pub fn has_passphrase(desk: State<'_, Desk>) -> Result<bool, WireError> {
    Ok(passphrase::is_set(desk.paths())?)
}

/// Opens the database with its passphrase; the window subscribes afterwards.
#[tauri::command(async)]
#[specta::specta]
pub fn unlock(desk: State<'_, Desk>, words: String) -> Result<(), WireError> {
    passphrase::unlock(desk.paths(), &Passphrase::taken(words))?;
    desk.reopen()
}

/// Sets, changes or removes it, by which of the two have words in them.
#[tauri::command(async)]
#[specta::specta]
pub fn change_passphrase(desk: State<'_, Desk>, old: String, words: String) -> Result<PassphraseChange, WireError> {
    let typed = |text: String| (!text.is_empty()).then(|| Passphrase::taken(text));
    let (old, new) = (typed(old), typed(words));
    let changed =
        desk.closed("store_locked", |paths| passphrase::change(paths, paths::secrets(), old.as_ref(), new.as_ref()));
    if let (Ok(_), Some(new)) = (&changed, &new) {
        // Who has just typed them is not asked for them again.
        passphrase::unlock(desk.paths(), new)?;
    }
    opened_again(&desk)?;
    Ok(PassphraseChange { tidy: changed?.left.is_none() })
}

/// Erases everything; the program is empty then, and `begin_anew` makes a new house.
#[tauri::command(async)]
#[specta::specta]
pub fn erase_everything(desk: State<'_, Desk>, models: bool) -> Result<ErasedSheet, WireError> {
    let erased = desk.closed("erased", |paths| erasing::erase(paths, paths::secrets(), models));
    if erased.is_err() {
        opened_again(&desk)?;
    }
    Ok(erased?.into())
}

/// An empty house after everything was erased.
#[tauri::command(async)]
#[specta::specta]
pub fn begin_anew(desk: State<'_, Desk>) -> Result<(), WireError> {
    desk.reopen()
}

fn opened_again(desk: &Desk) -> Result<(), WireError> {
    desk.reopen()?;
    desk.show_everything()
}

fn export(name: &str, base64: &str) -> Result<Export, WireError> {
    let bytes = STANDARD.decode(base64).map_err(|_| refused("bad_export"))?;
    if bytes.len() > LARGEST {
        return Err(refused("export_too_large"));
    }
    Ok(Export::of_bytes(name, bytes)?)
}

fn kept(keep: &Retention) -> Result<(Keep, Keep), AppError> {
    let read = |text: &str| text.parse().map_err(|()| AppError::Setting(SettingError::Name));
    Ok((read(&keep.transcripts)?, read(&keep.recordings)?))
}

fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn refused(code: &str) -> WireError {
    WireError { code: code.to_owned(), detail: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use crate::wire::{UnreadWhy, WireSettings};
    use calm_app::{Format, Kind};
    use std::sync::mpsc;
    use tauri::ipc::{Channel, InvokeResponseBody};

    fn set(desk: &Desk, words: &str) -> Result<(), WireError> {
        desk.closed("store_locked", |paths| {
            passphrase::change(paths, paths::secrets(), None, Some(&Passphrase::typed(words))).map(drop)
        })
    }

    fn code<T>(answer: Result<T, WireError>) -> String {
        answer.err().map(|error| error.code).unwrap_or_default()
    }

    #[test]
    fn with_a_passphrase_nothing_opens_before_it_was_typed() {
        let desk = House::new();
        set(&desk, "quiet morning").expect("set");
        assert_eq!(code(desk.reopen()), "locked");
        assert_eq!(code(desk.with(|conductor| conductor.insights())), "locked");
        let wrong = passphrase::unlock(desk.paths(), &Passphrase::typed("loud morning")).map_err(WireError::from);
        assert_eq!(code(wrong), "wrong_passphrase");
        passphrase::unlock(desk.paths(), &Passphrase::typed("quiet morning")).expect("unlocked");
        desk.reopen().expect("opened");
        assert_eq!(desk.with(|conductor| conductor.insights()).expect("figures").insights.len(), 8);
    }

    #[test]
    fn window_and_terminal_set_things_side_by_side_and_nothing_is_undone() {
        let desk = House::new();
        let shown = desk.with(|conductor| Ok(WireSettings::of(conductor.settings()))).expect("settings");
        let listener = Box::new(|_: &calm_app::AppEvent| {});
        let terminal =
            calm_app::Conductor::open(desk.paths().clone(), paths::secrets(), calm_app::Clock::System, listener);
        let mut terminal = terminal.expect("the same folder");
        terminal.change_settings(|now| Ok(calm_app::Settings { offline: true, ..now })).expect("set in the terminal");
        let mut answers = shown.clone();
        answers.name = "Ира".into();
        desk.save_settings(&shown, &answers).expect("saved in the window");
        let kept = desk.with(|conductor| Ok(conductor.settings().clone())).expect("settings");
        assert_eq!((kept.offline, kept.name.as_deref()), (true, Some("Ира")));

        terminal.change_settings(|now| Ok(calm_app::Settings { offline: false, ..now })).expect("set again");
        desk.follow_settings().expect("followed");
        let kept = desk.with(|conductor| Ok(conductor.settings().clone())).expect("settings");
        assert_eq!((kept.offline, kept.name.as_deref()), (false, Some("Ира")));
    }

    #[test]
    fn while_a_talk_goes_on_nothing_closes_under_it() {
        let desk = House::new();
        desk.begin(Kind::CheckIn, Format::Short, "main").expect("begun");
        assert_eq!(code(set(&desk, "quiet morning")), "session_running");
        assert_eq!(code(desk.closed("erased", |_| Ok(()))), "session_running");
        assert!(desk.with(|conductor| Ok(conductor.running())).expect("open").is_some());
    }

    #[test]
    fn after_erasing_nothing_is_made_until_the_user_begins_anew() {
        let desk = House::new();
        let erased = desk.closed("erased", |paths| erasing::erase(paths, paths::secrets(), false)).expect("erased");
        assert!(erased.files.iter().any(|file| file.ends_with("calm.db")), "{:?}", erased.files);
        assert_eq!(code(desk.with(|conductor| conductor.insights())), "erased");
        assert!(!desk.paths().data.exists());
        desk.reopen().expect("a new house");
        assert!(!desk.is_adult());
    }

    #[test]
    fn a_talk_that_left_traces_is_deleted_and_the_window_says_what_is_left() {
        let desk = House::new();
        let (told, hears) = mpsc::channel();
        let window = Channel::new(move |body| {
            let InvokeResponseBody::Json(event) = body else { return Ok(()) };
            told.send(event).ok();
            Ok(())
        });
        desk.subscribe("main", window).expect("subscribed");
        let talk = |desk: &Desk| {
            desk.begin(Kind::CheckIn, Format::Short, "main").expect("begun");
            let id = desk.with(|conductor| Ok(conductor.running())).expect("open").expect("a talk");
            desk.finish().expect("over");
            id.to_string()
        };
        let (one, other) = (talk(&desk), talk(&desk));
        // A copy that cannot be removed as a file is.
        let stuck = desk.paths().data.join("calm.db.v3.backup");
        std::fs::create_dir_all(stuck.join("held")).expect("a folder");
        hears.try_iter().for_each(drop);
        assert!(!delete_talk(&desk, &one).expect("deleted").traceless);
        let last = hears.try_iter().last().expect("an event");
        assert!(last.contains("traces_left"), "{last}");
        assert_eq!(code(delete_talk(&desk, &one)), "not_found", "it is gone all the same");
        deleting(&desk, |conductor| conductor.set_facts("- one")).expect("set");
        assert!(hears.try_iter().all(|event| !event.contains("traces_left")), "nothing was deleted");
        deleting(&desk, |conductor| conductor.clear_facts()).expect("cleared");
        assert!(hears.try_iter().any(|event| event.contains("traces_left")));

        std::fs::remove_dir_all(&stuck).expect("removed");
        assert!(delete_talk(&desk, &other).expect("deleted").traceless);
        assert!(hears.try_iter().all(|event| !event.contains("traces_left")));
    }

    #[test]
    fn while_the_clock_is_years_ahead_the_window_is_told_that_nothing_goes_by_itself() {
        let desk = House::new();
        assert!(!how_long(&desk).expect("open").clock_ahead);
        let clock = desk.paths().data.join("clock.json");
        std::fs::write(&clock, r#"{"believed":"2020-01-01T09:00:00Z","doubted":null}"#).expect("written");
        assert!(how_long(&desk).expect("open").clock_ahead);
        // As the hourly look does.
        desk.with(|conductor| conductor.expire_by_itself()).expect("looked");
        assert!(how_long(&desk).expect("open").clock_ahead, "a week has to pass");
        std::fs::remove_file(&clock).expect("removed");
        assert!(!how_long(&desk).expect("open").clock_ahead);
    }

    #[test]
    fn an_export_names_the_prompt_files_that_it_could_not_read() {
        let desk = House::new();
        let prompts = desk.paths().data.join("prompts/ru");
        std::fs::create_dir_all(&prompts).expect("a folder");
        std::fs::write(prompts.join("root.md"), "мои правки").expect("written");
        std::fs::write(prompts.join("tools.md"), b"ab\xff").expect("written");
        let done = export_into(&desk, desk.folder(), false).expect("exported");
        let [unread] = &done.unread[..] else { panic!("{:?}", done.unread) };
        assert!(unread.path.ends_with("tools.md"), "{unread:?}");
        assert_eq!(unread.why, UnreadWhy::NotText);
    }

    #[test]
    fn an_export_says_what_it_holds_and_another_file_says_that_it_is_none() {
        let desk = House::new();
        let to = exporting::free_name(desk.folder(), "2026-11-17".parse().expect("a day"));
        desk.with(|conductor| conductor.export(&to, false)).expect("exported");
        let bytes = STANDARD.encode(std::fs::read(&to).expect("the file"));
        let look = look_at_export("calm-export.zip".into(), bytes).expect("an export");
        assert_eq!(look.sessions, 0);
        assert_eq!(code(look_at_export("photos.zip".into(), STANDARD.encode("PK"))), "bad_export");
        assert_eq!(code(look_at_export("x.zip".into(), "not base64".into())), "bad_export");
    }
}
