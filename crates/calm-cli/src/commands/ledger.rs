//! `calm ledger`: what left this machine, or was about to (SPEC A6).

use std::process::ExitCode;

use calm_app::sent::Sent;
use serde_json::json;

use super::House;
use crate::args::LedgerArgs;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: &LedgerArgs, out: &Output) -> Result<ExitCode, Failure> {
    let Some(mut conductor) = house.existing()? else {
        if !out.json() {
            out.line("nothing was ever sent: there is no database yet");
        }
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(id) = args.full {
        let sent = conductor.sent(id)?.ok_or_else(|| Failure::bad_input(format!("no request has the number {id}")))?;
        if out.json() {
            out.event("request", &sent);
        } else {
            let gone = "(its text went with the conversation that it was part of)";
            let body = sent.body.as_deref().filter(|body| !body.is_empty() || sent.bytes == 0);
            out.line(body.unwrap_or(gone));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let ledger = conductor.ledger(args.limit)?;
    if ledger.is_empty() && !out.json() {
        out.line("nothing was sent");
    }
    ledger.iter().for_each(|sent| show(sent, out));
    Ok(ExitCode::SUCCESS)
}

fn show(sent: &Sent, out: &Output) {
    if out.json() {
        return out.event("request", &json!(sent));
    }
    let status = sent.status.map_or("no answer".to_owned(), |status| status.to_string());
    let at = sent.at.strftime("%Y-%m-%d %H:%M:%S");
    out.line(&format!("{:>5}  {at}  {:<5} {}", sent.id, sent.method, sent.url));
    out.line(&format!("       {} bytes · {} · {}", sent.bytes, sent.fields.join(", "), status));
}
