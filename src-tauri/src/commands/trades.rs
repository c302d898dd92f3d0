//! Trades out of brokers' files. The window holds the file until the user has decided; nothing of it stays here.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calm_app::AppError;
use calm_app::trades::{LARGEST, ReadError, TradeFile, ZoneHint};
use tauri::State;

use crate::desk::Desk;
use crate::wire::{TradeAnswers, TradeColumn, TradeImport, TradeLook, TradeNeed, TradePreview, TradesTaken, WireError};

/// What the file seems to be and what importing it would do, as far as the answers go.
#[tauri::command(async)]
#[specta::specta]
pub fn look_at_trades(
    desk: State<'_, Desk>,
    name: String,
    base64: String,
    answers: TradeAnswers,
) -> Result<TradeLook, WireError> {
    let (file, options) = (file(&name, &base64)?, answers.read()?);
    let recognised = file.recognise(&options);
    let mut look = TradeLook {
        format: None,
        guessed: true,
        header: file.header()?,
        columns: answers.columns,
        zone_open: true,
        needs: TradeNeed::Columns,
        preview: None,
    };
    if let Ok(known) = &recognised {
        look.format = Some(known.format.into());
        look.guessed = known.confidence <= 0.5;
        look.zone_open = known.zone == ZoneHint::Needed;
        let column = |(column, field): &(String, calm_app::trades::Field)| TradeColumn {
            column: column.clone(),
            field: field.name().to_owned(),
        };
        look.columns = known.columns.iter().map(column).collect();
    }
    match desk.with(|conductor| Ok(recognised.and_then(|_| conductor.preview_trades(&file, &options))))? {
        Ok(preview) => {
            look.needs = TradeNeed::Nothing;
            look.preview = Some(TradePreview::from(&preview));
        }
        Err(AppError::BadTrades { source, .. }) => look.needs = needed(source, look.format.is_some())?,
        Err(error) => return Err(error.into()),
    }
    Ok(look)
}

/// Takes the file's trades over; twice adds nothing.
#[tauri::command(async)]
#[specta::specta]
pub fn import_trades(
    desk: State<'_, Desk>,
    name: String,
    base64: String,
    answers: TradeAnswers,
) -> Result<TradesTaken, WireError> {
    let (file, options) = (file(&name, &base64)?, answers.read()?);
    let imported = desk.with(|conductor| conductor.import_trades(&file, &options))?;
    Ok(TradesTaken { id: imported.id.map(|id| id.to_string()).unwrap_or_default(), added: imported.added })
}

/// The newest first.
#[tauri::command(async)]
#[specta::specta]
pub fn trade_imports(desk: State<'_, Desk>) -> Result<Vec<TradeImport>, WireError> {
    Ok(desk.with(|conductor| conductor.imports())?.iter().map(TradeImport::from).collect())
}

/// Says how many trades went with it.
#[tauri::command(async)]
#[specta::specta]
pub fn undo_trade_import(desk: State<'_, Desk>, id: String) -> Result<u32, WireError> {
    let id = id.parse().map_err(|_| refused("not_found"))?;
    desk.with(|conductor| conductor.undo_import(id))
}

fn file(name: &str, base64: &str) -> Result<TradeFile, WireError> {
    let bytes = STANDARD.decode(base64).map_err(|_| refused("bad_trades"))?;
    if bytes.len() > LARGEST { Err(refused("trades_too_large")) } else { Ok(TradeFile::of_bytes(name, bytes)) }
}

/// What the user can tell so that it can be read after all.
fn needed(error: ReadError, recognised: bool) -> Result<TradeNeed, WireError> {
    match error {
        ReadError::ZoneNeeded { .. } => Ok(TradeNeed::Zone),
        ReadError::DateOrderNeeded => Ok(TradeNeed::Dates),
        ReadError::NoColumn { .. } | ReadError::UnknownColumn { .. } => Ok(TradeNeed::Columns),
        ReadError::Unrecognised if !recognised => Ok(TradeNeed::Columns),
        ReadError::Spreadsheet => Err(refused("trades_spreadsheet")),
        _ => Err(refused("bad_trades")),
    }
}

fn refused(code: &str) -> WireError {
    WireError { code: code.to_owned(), detail: String::new() }
}
