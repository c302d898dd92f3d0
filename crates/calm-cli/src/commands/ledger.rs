//! `calm ledger`: what left this machine, or was about to (SPEC A6).

use std::process::ExitCode;

use calm_app::Lang;
use calm_app::sent::Sent;
use jiff::tz::TimeZone;
use serde_json::json;

use super::House;
use crate::args::LedgerArgs;
use crate::bilingual::{both, day, number, say};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: &LedgerArgs, out: &Output) -> Result<ExitCode, Failure> {
    let Some(mut conductor) = house.existing()? else {
        if !out.json() {
            out.line(&say!(
                house.lang(),
                "отсюда ничего не уходило: журнала ещё нет",
                "nothing was ever sent: there is no database yet"
            ));
        }
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(id) = args.full {
        let sent = conductor
            .sent(id)?
            .ok_or_else(|| Failure::bad_input(both!("запроса с номером {id} нет", "no request has the number {id}")))?;
        if out.json() {
            out.event("request", &sent);
        } else {
            let gone = say!(
                house.lang(),
                "(текст ушёл вместе с разговором, из которого был)",
                "(its text went with the conversation that it was part of)"
            );
            let body = sent.body.as_deref().filter(|body| !body.is_empty() || sent.bytes == 0);
            out.line(body.unwrap_or(&gone));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let ledger = conductor.ledger(args.limit)?;
    if ledger.is_empty() && !out.json() {
        out.line(&say!(house.lang(), "отсюда ничего не уходило", "nothing was sent"));
    }
    ledger.iter().for_each(|sent| show(sent, house.lang(), out));
    Ok(ExitCode::SUCCESS)
}

/// Times are of UTC, so that they can be laid beside a server's.
fn show(sent: &Sent, lang: Lang, out: &Output) {
    if out.json() {
        return out.event("request", &json!(sent));
    }
    let status = sent.status.map_or_else(|| say!(lang, "без ответа", "no answer"), |status| status.to_string());
    let at = TimeZone::UTC.to_datetime(sent.at);
    let (date, time) = (day(at.date(), lang), at.strftime("%H:%M:%S"));
    out.line(&format!("{:>5}  {date} {time}  {:<5} {}", sent.id, sent.method, sent.url));
    let bytes = number(&sent.bytes, lang);
    let size = say!(lang, "{bytes} байт", "{bytes} bytes");
    let nothing = say!(lang, "о тебе ничего", "nothing about you");
    let fields = sent.fields.iter().map(|name| field(name, lang)).collect::<Vec<_>>().join(", ");
    let fields = if fields.is_empty() { nothing } else { fields };
    out.line(&format!("       {size} · {fields} · {status}"));
}

/// What a body holds about the user; a name that is not known is shown as it is.
fn field(name: &str, lang: Lang) -> String {
    if lang == Lang::En {
        return name.to_owned();
    }
    match name {
        "talk" => "сам разговор",
        "name" => "имя",
        "trading_style" => "стиль торговли",
        "known_patterns" => "что повторяется",
        "last_session_result" => "итог прошлого дня",
        "voice_analysis" => "догадка по голосу",
        "previous_checkin" => "разговор до торговли",
        "memory" => "похожие минуты из памяти",
        other => other,
    }
    .to_owned()
}
