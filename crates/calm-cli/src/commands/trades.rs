//! `calm trades`: reports of brokers, looked at, taken over and taken back.

use std::process::ExitCode;

use calm_app::trades::{DateOrder, Format, Imported, Mapping, Money, Options, Preview, TradeFile};
use calm_app::{Clock, Conductor};
use jiff::civil::Date;
use serde_json::json;

use super::House;
use crate::args::{TradeImportArgs, TradesAction, TradesArgs};
use crate::failure::Failure;
use crate::output::{Output, counted};

/// Refused rows that are printed one by one for people; a script gets all of them.
const SHOWN: usize = 10;
/// Trades of one day.
const MOST: u32 = 100_000;

pub fn run(house: &House, args: TradesArgs, out: &Output) -> Result<ExitCode, Failure> {
    let clock = args.now.map_or(Clock::System, Clock::Fixed);
    let open = || house.open(clock, Box::new(|_| {}));
    // Looking makes no database.
    let existing = || house.paths()?.has_database().then(open).transpose();
    match args.action.unwrap_or(TradesAction::List { day: None, limit: 20 }) {
        TradesAction::Import(wanted) => import(open, &wanted, out)?,
        TradesAction::List { day, limit } => match existing()? {
            Some(conductor) => list(&conductor, day, limit, out)?,
            None if out.json() => {}
            None => nothing_yet(out),
        },
        TradesAction::Undo { number } => {
            let missing = || Failure::bad_input(format!("there is no import {number}"));
            let trades = existing()?.ok_or_else(missing)?.undo_import(number)?;
            if out.json() {
                out.event("undone", &json!({"id": number, "trades": trades}));
            } else {
                out.line(&format!("import {number} is undone: {} gone", counted(trades as usize, "trade")));
            }
        }
        TradesAction::Formats => formats(out),
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: &TradeImportArgs) -> Result<Options, Failure> {
    let mut mapping = Mapping::default();
    for text in &args.map {
        mapping.add(text).map_err(|error| Failure::bad_input(format!("--map {error}")))?;
    }
    let dates = args.dates.as_deref().map(|order| if order == "dmy" { DateOrder::Dmy } else { DateOrder::Mdy });
    // "auto" is the one name that is no format.
    Ok(Options { format: args.format.parse().ok(), mapping, zone: args.zone.clone(), dates })
}

fn import(
    open: impl FnOnce() -> Result<Conductor, calm_app::AppError>,
    args: &TradeImportArgs,
    out: &Output,
) -> Result<(), Failure> {
    let options = options(args)?;
    let file = TradeFile::open(&args.file)?;
    let found = file.recognise(&options)?;
    if out.json() {
        out.event("recognised", &found);
    } else {
        out.line(&format!("{}, {:.0} % sure", found.format.title(), found.confidence * 100.0));
    }
    // A file that cannot be read leaves no database behind.
    file.check(&options)?;
    let mut conductor = open()?;
    if args.preview {
        let preview = conductor.preview_trades(&file, &options)?;
        if out.json() {
            out.event("preview", &preview);
        } else {
            show(&preview, out);
            out.line("nothing was taken over: leave out --preview for that");
        }
        return Ok(());
    }
    let imported = conductor.import_trades(&file, &options)?;
    if out.json() {
        out.event("imported", &imported);
    } else {
        show(&imported.preview, out);
        out.line(&done(&imported));
    }
    Ok(())
}

fn done(imported: &Imported) -> String {
    match imported.id {
        None => "every trade of it was here already: nothing was added".to_owned(),
        Some(id) => format!(
            "import {id}: {} added; `calm trades undo {id}` takes it back",
            counted(imported.added as usize, "trade")
        ),
    }
}

fn show(preview: &Preview, out: &Output) {
    let zone = preview.zone.as_deref().unwrap_or("in the file");
    let orders = preview.without_result as usize;
    let openings = if orders > 0 { format!(", {} without a result", counted(orders, "order")) } else { String::new() };
    out.line(&format!("{}{openings}; times: {zone}", counted(preview.trades as usize, "trade")));
    if preview.known > 0 {
        out.line(&format!("{} of them here already", preview.known));
    }
    for twice in preview.told_twice.iter().take(SHOWN) {
        let lines = twice.lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        out.line(&format!("  {}  {}: line {lines}, from another report of this account", twice.day, twice.symbol));
    }
    if preview.told_twice.len() > SHOWN {
        out.line(&format!("  and {} more; --json has them all", preview.told_twice.len() - SHOWN));
    }
    if preview.doubtful_times > 0 {
        out.line(&format!("{} that its clock shows twice or never", counted(preview.doubtful_times as usize, "time")));
    }
    for day in &preview.days {
        out.line(&format!("  {}  {:>4}  {}", day.day, day.trades, in_words(&day.net)));
    }
    if !preview.refused.is_empty() {
        out.line(&format!("{} left out:", counted(preview.refused.len(), "row")));
        preview.refused.iter().take(SHOWN).for_each(|refusal| out.line(&format!("  {refusal}")));
        if preview.refused.len() > SHOWN {
            out.line(&format!("  and {} more; --json has them all", preview.refused.len() - SHOWN));
        }
    }
}

fn in_words(net: &[Money]) -> String {
    let one =
        |money: &Money| format!("{} {}", money.amount.round_dp(8).normalize(), money.currency.as_deref().unwrap_or(""));
    net.iter().map(one).collect::<Vec<_>>().join(", ").trim_end().to_owned()
}

fn list(conductor: &Conductor, day: Option<Date>, limit: u32, out: &Output) -> Result<(), Failure> {
    if let Some(day) = day {
        for line in conductor.trades(day, day, MOST)? {
            if out.json() {
                out.event("trade", &line);
                continue;
            }
            let time = conductor.settings().zone().to_datetime(line.trade.closed_at).strftime("%H:%M:%S").to_string();
            let net = line.trade.net().map_or("–".to_owned(), |net| net.round_dp(8).normalize().to_string());
            let currency = line.trade.currency.as_deref().unwrap_or("");
            out.line(&format!("{time}  {:<16} {net:>14} {currency}", line.trade.symbol));
        }
        return Ok(());
    }
    let imports = conductor.imports()?;
    if imports.is_empty() && !out.json() {
        nothing_yet(out);
    }
    for import in &imports {
        if out.json() {
            out.event("import", import);
        } else {
            let day = conductor.settings().zone().to_datetime(import.imported_at).date();
            out.line(&format!(
                "{:>4}  {day}  {:<8} {:>6}  {}",
                import.id.to_string(),
                import.format,
                import.trades,
                import.file
            ));
        }
    }
    let days = conductor.trade_days(Date::MIN)?;
    for day in &days[days.len().saturating_sub(limit as usize)..] {
        if out.json() {
            out.event("trade_day", day);
        } else {
            out.line(&format!("      {}  {:>4}  {}", day.day, day.trades, in_words(&day.net)));
        }
    }
    Ok(())
}

fn nothing_yet(out: &Output) {
    out.line("no trades yet: `calm trades import FILE --preview` looks at a broker's report");
}

fn formats(out: &Output) {
    for format in Format::ALL {
        let (files, zone) = match format {
            Format::Mt4 => ("statement as HTML, or its table as CSV", "--zone: the broker's server time"),
            Format::Mt5 => ("history report as HTML, or its tables as CSV", "--zone: the broker's server time"),
            Format::Binance => {
                ("spot trades, futures trades, futures transactions", "--zone where the header has no (UTC)")
            }
            Format::Ibkr => ("Flex query or activity statement as CSV", "--zone where times have no EST or EDT"),
            Format::Generic => {
                ("any table with a time and a result in each row", "--map for names that are not guessed")
            }
        };
        if out.json() {
            out.event("format", &json!({"format": format, "name": format.title(), "files": files, "needs": zone}));
        } else {
            out.line(&format!("{:<8} {files}; {zone}", format.name()));
        }
    }
}
