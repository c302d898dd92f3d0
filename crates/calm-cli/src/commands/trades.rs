//! `calm trades`: reports of brokers, looked at, taken over and taken back.

use std::process::ExitCode;

use calm_app::trades::{DateOrder, Format, Imported, Mapping, Money, Options, Preview, Reason, Refusal, TradeFile};
use calm_app::{Clock, Conductor, Lang};
use jiff::civil::Date;
use serde_json::json;

use super::House;
use super::data::traces;
use crate::args::{TradeImportArgs, TradesAction, TradesArgs};
use crate::bilingual::{self, Both, ORDER, ROW, TIME, TRADE, both, number, say};
use crate::columns::padded;
use crate::errors;
use crate::failure::Failure;
use crate::output::Output;

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
        TradesAction::Import(wanted) => import(house, open, &wanted, out)?,
        TradesAction::List { day, limit } => match existing()? {
            Some(conductor) => list(&conductor, day, limit, house.lang(), out)?,
            None => nothing_yet(house.lang(), out),
        },
        TradesAction::Undo { number } => {
            let missing = || Failure::bad_input(both!("загрузки {number} нет", "there is no import {number}"));
            let (trades, left) = existing()?.ok_or_else(missing)?.undo_import(number)?;
            if out.json() {
                out.event("undone", &json!({"id": number, "trades": trades}));
            } else {
                let trades = TRADE.counted(trades as usize, house.lang());
                out.line(&say!(
                    house.lang(),
                    "загрузка {number} отменена, ушло: {trades}",
                    "import {number} is undone: {trades} gone"
                ));
            }
            traces(left.as_deref(), house.lang(), out);
        }
        TradesAction::Formats => formats(house.lang(), out),
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: &TradeImportArgs) -> Result<Options, Failure> {
    let mut mapping = Mapping::default();
    for text in &args.map {
        mapping.add(text).map_err(|error| {
            let ru = errors::mapping(&error);
            Failure::bad_input(Both { ru: format!("--map: {ru}"), en: format!("--map {error}") })
        })?;
    }
    let dates = args.dates.as_deref().map(|order| if order == "dmy" { DateOrder::Dmy } else { DateOrder::Mdy });
    // "auto" is the one name that is no format.
    Ok(Options { format: args.format.parse().ok(), mapping, zone: args.zone.clone(), dates })
}

fn import(
    house: &House,
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
        let sure = format!("{:.0}", found.confidence * 100.0);
        let title = match (found.format, house.lang()) {
            (Format::Generic, Lang::Ru) => "обычную таблицу сделок",
            (format, _) => format.title(),
        };
        out.line(&say!(house.lang(), "похоже на {title}, на {sure} %", "{title}, {sure} % sure"));
    }
    // A file that cannot be read leaves no database behind.
    file.check(&options)?;
    let mut conductor = open()?;
    let lang = house.lang();
    if args.preview {
        let preview = conductor.preview_trades(&file, &options)?;
        if out.json() {
            out.event("preview", &preview);
        } else {
            show(&preview, lang, out);
            out.line(&say!(
                lang,
                "пока ничего не взято: чтобы взять, убери --preview",
                "nothing was taken over: leave out --preview for that"
            ));
        }
        return Ok(());
    }
    let imported = conductor.import_trades(&file, &options)?;
    if out.json() {
        out.event("imported", &imported);
    } else {
        show(&imported.preview, lang, out);
        out.line(&done(&imported, lang));
    }
    Ok(())
}

fn done(imported: &Imported, lang: Lang) -> String {
    let Some(id) = imported.id else {
        return say!(
            lang,
            "нового в файле нет: всё уже здесь",
            "every trade of it was here already: nothing was added"
        );
    };
    let added = TRADE.counted(imported.added as usize, lang);
    say!(
        lang,
        "загрузка {id}, добавлено: {added}; отменить её: `calm trades undo {id}`",
        "import {id}: {added} added; `calm trades undo {id}` takes it back"
    )
}

fn show(preview: &Preview, lang: Lang, out: &Output) {
    let trades = TRADE.counted(preview.trades as usize, lang);
    let orders = ORDER.counted(preview.without_result as usize, lang);
    let openings = match preview.without_result {
        0 => String::new(),
        _ => say!(lang, ", ещё {orders} без результата", ", {orders} without a result"),
    };
    let clock = preview.zone.clone().unwrap_or_else(|| say!(lang, "указаны в файле", "in the file"));
    out.line(&say!(lang, "{trades}{openings}; часы: {clock}", "{trades}{openings}; times: {clock}"));
    if preview.known > 0 {
        let known = preview.known;
        out.line(&say!(lang, "из них уже здесь: {known}", "{known} of them here already"));
    }
    for twice in preview.told_twice.iter().take(SHOWN) {
        let lines = twice.lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let (day, symbol) = (bilingual::day(twice.day, lang), &twice.symbol);
        out.line(&say!(
            lang,
            "  {day}  {symbol}: уже есть из другого отчёта этого счёта, строки: {lines}",
            "  {day}  {symbol}: line {lines}, from another report of this account"
        ));
    }
    if preview.told_twice.len() > SHOWN {
        let more = preview.told_twice.len() - SHOWN;
        out.line(&say!(lang, "  и ещё {more}; с --json видны все", "  and {more} more; --json has them all"));
    }
    for twice in preview.told_twice.iter().take(SHOWN) {
        let lines = twice.lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        out.line(&format!("  {}  {}: line {lines}, from another report of this account", twice.day, twice.symbol));
    }
    if preview.told_twice.len() > SHOWN {
        out.line(&format!("  and {} more; --json has them all", preview.told_twice.len() - SHOWN));
    }
    if preview.doubtful_times > 0 {
        let (count, times) = (preview.doubtful_times, TIME.counted(preview.doubtful_times as usize, lang));
        out.line(&say!(lang, "попало в часы перевода времени: {count}", "{times} that its clock shows twice or never"));
    }
    for day in &preview.days {
        let (date, trades, net) = (bilingual::day(day.day, lang), day.trades, in_words(&day.net, lang));
        out.line(&format!("  {date}  {trades:>4}  {net}"));
    }
    if !preview.refused.is_empty() {
        let rows = ROW.counted(preview.refused.len(), lang);
        out.line(&say!(lang, "не прочитано: {rows}", "{rows} left out:"));
        for refusal in preview.refused.iter().take(SHOWN) {
            out.line(&format!("  {}", refused(refusal, lang)));
        }
        if preview.refused.len() > SHOWN {
            let more = preview.refused.len() - SHOWN;
            out.line(&say!(lang, "  и ещё {more}; все есть в --json", "  and {more} more; --json has them all"));
        }
    }
}

fn refused(refusal: &Refusal, lang: Lang) -> String {
    if lang == Lang::En {
        return refusal.to_string();
    }
    let reason = match refusal.reason {
        Reason::Missing => "пусто",
        Reason::NotANumber => "не число",
        Reason::OddNumber => "таких разделителей в числах этого файла не бывает",
        Reason::TooLarge => "слишком большое число",
        Reason::NotATime => "не время",
        Reason::NoSuchTime => "такого времени нет в календаре",
        Reason::UnknownSide => "не покупка и не продажа",
    };
    format!("строка {}, «{}»: {reason}", refusal.line, refusal.column)
}

fn in_words(net: &[Money], lang: Lang) -> String {
    let one = |money: &Money| {
        let amount = number(&money.amount.round_dp(8).normalize(), lang);
        format!("{amount} {}", money.currency.as_deref().unwrap_or_default()).trim_end().to_owned()
    };
    // In Russian a comma is part of the figure.
    net.iter().map(one).collect::<Vec<_>>().join(if lang == Lang::Ru { "; " } else { ", " })
}

fn list(conductor: &Conductor, day: Option<Date>, limit: u32, lang: Lang, out: &Output) -> Result<(), Failure> {
    let zone = conductor.settings().zone();
    if let Some(day) = day {
        let trades = conductor.trades(day, day, MOST)?;
        if trades.is_empty() && !out.json() {
            out.line(&say!(lang, "в этот день сделок нет", "no trades on that day"));
        }
        for line in trades {
            if out.json() {
                out.event("trade", &line);
                continue;
            }
            let time = zone.to_datetime(line.trade.closed_at).strftime("%H:%M:%S").to_string();
            let net = line.trade.net().map_or("–".to_owned(), |net| number(&net.round_dp(8).normalize(), lang));
            let currency = line.trade.currency.as_deref().unwrap_or("");
            out.line(&format!("{time}  {} {net:>14} {currency}", padded(&line.trade.symbol, 16)));
        }
        return Ok(());
    }
    let imports = conductor.imports()?;
    if imports.is_empty() {
        nothing_yet(lang, out);
    }
    for import in &imports {
        if out.json() {
            out.event("import", import);
        } else {
            let date = bilingual::day(zone.to_datetime(import.imported_at).date(), lang);
            let (id, trades) = (import.id.to_string(), import.trades);
            out.line(&format!("{id:>4}  {date}  {:<8} {trades:>6}  {}", import.format, import.file));
        }
    }
    let days = conductor.trade_days(Date::MIN)?;
    for day in &days[days.len().saturating_sub(limit as usize)..] {
        if out.json() {
            out.event("trade_day", day);
        } else {
            let (date, trades, net) = (bilingual::day(day.day, lang), day.trades, in_words(&day.net, lang));
            out.line(&format!("      {date}  {trades:>4}  {net}"));
        }
    }
    Ok(())
}

fn nothing_yet(lang: Lang, out: &Output) {
    if !out.json() {
        out.line(&say!(
            lang,
            "сделок пока нет: `calm trades import FILE --preview` посмотрит отчёт брокера",
            "no trades yet: `calm trades import FILE --preview` looks at a broker's report"
        ));
    }
}

fn formats(lang: Lang, out: &Output) {
    for format in Format::ALL {
        let (files, zone) = match format {
            Format::Mt4 => (
                both!("отчёт в HTML или его таблица в CSV", "statement as HTML, or its table as CSV"),
                both!("--zone: часы сервера брокера", "--zone: the broker's server time"),
            ),
            Format::Mt5 => (
                both!("отчёт об истории в HTML или его таблицы в CSV", "history report as HTML, or its tables as CSV"),
                both!("--zone: часы сервера брокера", "--zone: the broker's server time"),
            ),
            Format::Binance => (
                both!(
                    "сделки на споте, сделки и операции на фьючерсах",
                    "spot trades, futures trades, futures transactions"
                ),
                both!("--zone, если в заголовке нет (UTC)", "--zone where the header has no (UTC)"),
            ),
            Format::Ibkr => (
                both!("Flex Query или выписка (activity statement) в CSV", "Flex query or activity statement as CSV"),
                both!("--zone, если у времени нет EST или EDT", "--zone where times have no EST or EDT"),
            ),
            Format::Generic => (
                both!(
                    "любая таблица, где в строке есть время и результат",
                    "any table with a time and a result in each row"
                ),
                both!("--map, если столбцы не угаданы", "--map for names that are not guessed"),
            ),
        };
        if out.json() {
            let fields = json!({"format": format, "name": format.title(), "files": files.en, "needs": zone.en});
            out.event("format", &fields);
        } else {
            out.line(&format!("{:<8} {}; {}", format.name(), files.of(lang), zone.of(lang)));
        }
    }
}
