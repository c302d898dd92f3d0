//! Trades out of brokers' files. The window holds the file until the user has decided; nothing of it stays here.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calm_app::AppError;
use calm_app::trades::{Field, LARGEST, ReadError, TradeFile, ZoneHint};
use tauri::State;

use super::data::tell_traces;
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
    look(&desk, &file(&name, &base64)?, answers)
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
    let (trades, left) = desk.with(|conductor| conductor.undo_import(id))?;
    tell_traces(&desk, left.as_deref());
    Ok(trades)
}

fn look(desk: &Desk, file: &TradeFile, answers: TradeAnswers) -> Result<TradeLook, WireError> {
    let options = answers.read()?;
    let recognised = file.recognise(&options);
    let mut look = TradeLook {
        format: None,
        guessed: true,
        header: file.header()?,
        columns: answers.columns,
        zone_open: false,
        needs: TradeNeed::Nothing,
        preview: None,
    };
    if let Ok(known) = &recognised {
        look.format = Some(known.format.into());
        look.guessed = known.confidence <= 0.5;
        look.zone_open = known.zone == ZoneHint::Needed;
        let column =
            |(column, field): &(String, Field)| TradeColumn { column: column.clone(), field: field.name().to_owned() };
        // Others belong to a broker's own layout, and nobody names them by hand.
        look.columns = known.columns.iter().map(column).filter(TradeColumn::can_be_named).collect();
    }
    match desk.with(|conductor| Ok(recognised.and_then(|_| conductor.preview_trades(file, &options))))? {
        Ok(preview) => look.preview = Some(TradePreview::from(&preview)),
        Err(AppError::BadTrades { source, .. }) => look.needs = needed(&source)?,
        Err(error) => return Err(error.into()),
    }
    look.zone_open |= look.needs == TradeNeed::Zone;
    Ok(look)
}

fn file(name: &str, base64: &str) -> Result<TradeFile, WireError> {
    let bytes = STANDARD.decode(base64).map_err(|_| refused("bad_trades"))?;
    if bytes.len() > LARGEST { Err(refused("trades_too_large")) } else { Ok(TradeFile::of_bytes(name, bytes)) }
}

/// What the user can tell so that it can be read after all.
fn needed(error: &ReadError) -> Result<TradeNeed, WireError> {
    match error {
        ReadError::ZoneNeeded { .. } => Ok(TradeNeed::Zone),
        ReadError::DateOrderNeeded => Ok(TradeNeed::Dates),
        ReadError::NoColumn { .. } | ReadError::UnknownColumn { .. } | ReadError::Unrecognised => {
            Ok(TradeNeed::Columns)
        }
        ReadError::Spreadsheet => Err(refused("trades_spreadsheet")),
        _ => Err(refused("bad_trades")),
    }
}

fn refused(code: &str) -> WireError {
    WireError { code: code.to_owned(), detail: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use crate::wire::TradeFormat;

    const SAID: &str = "When;What;Money\n02.03.2026 10:15;BRN;-120,50\n02.03.2026 11:40;BRN;lots\n";

    fn answers(columns: &[(&str, &str)], zone: &str) -> TradeAnswers {
        let column = |(column, field): &(&str, &str)| TradeColumn { column: (*column).into(), field: (*field).into() };
        TradeAnswers { format: None, columns: columns.iter().map(column).collect(), zone: zone.into(), dates: None }
    }

    #[test]
    fn a_foreign_table_is_asked_about_until_it_can_be_read() {
        let desk = House::new();
        let file = TradeFile::of_bytes("own.csv", SAID.into());
        let first = look(&desk, &file, answers(&[], "")).expect("a look");
        assert_eq!((first.needs, first.format), (TradeNeed::Columns, None));
        assert_eq!(first.header, ["When", "What", "Money"]);

        let half = look(&desk, &file, answers(&[("When", "closed_at")], "")).expect("a look");
        assert_eq!(half.needs, TradeNeed::Columns);
        assert_eq!(half.columns[0].column, "When", "what was named stays named");

        let named = [("When", "closed_at"), ("Money", "profit")];
        let unzoned = look(&desk, &file, answers(&named, "")).expect("a look");
        assert_eq!((unzoned.needs, unzoned.zone_open), (TradeNeed::Zone, true));

        let read = look(&desk, &file, answers(&named, "Europe/Moscow")).expect("a look");
        assert_eq!((read.needs, read.format), (TradeNeed::Nothing, Some(TradeFormat::Generic)));
        let preview = read.preview.expect("a preview");
        assert_eq!(preview.days[0].sums[0].amount, "-120.50");
        assert_eq!((preview.refused, preview.refusals[0].line), (1, 3));
        assert_eq!(preview.refusals[0].column, "Money");
    }

    #[test]
    fn no_answer_of_the_user_s_can_break_the_look() {
        let desk = House::new();
        let file = TradeFile::of_bytes("own.csv", SAID.into());
        let refused = look(&desk, &file, answers(&[], "Mars/Olympus")).map_err(|error| error.code);
        assert_eq!(refused.err().as_deref(), Some("bad_zone"));
        let refused = look(&desk, &file, answers(&[("When", "moon")], "")).map_err(|error| error.code);
        assert_eq!(refused.err().as_deref(), Some("bad_trades"));
        let empty = TradeFile::of_bytes("empty.csv", Vec::new());
        assert_eq!(
            look(&desk, &empty, answers(&[], "")).map_err(|error| error.code).err().as_deref(),
            Some("bad_trades")
        );
    }
}
