//! `calm history`: past sessions, newest first, or one of them whole (and put right), or what was said in any of them.

use std::process::ExitCode;

use calm_app::core::end_session::Attributes;
use calm_app::correcting::corrected;
use calm_app::history::{Line, Page};
use calm_app::searching::{self, Who};
use calm_app::{AppError, Clock, Conductor, Lang, SessionId};
use serde::Serialize;

use super::House;
use crate::args::{HistoryAction, HistoryArgs};
use crate::bilingual::{both, moment, say};
use crate::columns::{WIDTH, beside};
use crate::failure::Failure;
use crate::output::Output;
use crate::terms::Terms;
use crate::words::block;

#[derive(Serialize)]
#[serde(tag = "type", rename = "session")]
struct SessionObject<'a, T: Serialize> {
    #[serde(flatten)]
    session: &'a T,
}

pub fn run(house: &House, args: &HistoryArgs, out: &Output) -> Result<ExitCode, Failure> {
    if let Some(HistoryAction::Delete { session, yes }) = args.action {
        return super::data::delete(house, session, yes, out);
    }
    // All of them are looked at before the first is kept.
    for (name, value) in &args.set {
        corrected(&Attributes::default(), name, value).map_err(AppError::from)?;
    }
    if !house.paths()?.has_database() {
        if args.session.is_some() {
            return Err(Failure::bad_input(both!(
                "такого разговора нет: разговоров ещё не было",
                "there is no such session: nothing has been recorded yet"
            )));
        }
        if args.search.is_some() {
            nothing_found(house.lang(), out);
        } else {
            nothing_yet(house.lang(), out);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut conductor = house.open(Clock::System, Box::new(|_| {}))?;
    if let Some(id) = args.session {
        for (name, value) in &args.set {
            conductor.correct_value(id, name, value)?;
        }
        let page = conductor.page(id)?;
        let page = page.ok_or_else(|| no_session(id))?;
        if out.json() {
            out.object(&SessionObject { session: &page });
        } else {
            print_page(&page, house.lang(), out);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(words) = &args.search {
        search(&conductor, words, args.limit, house.lang(), out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (zone, lang) = (conductor.settings().zone(), house.lang());
    let lines = conductor.history(args.limit)?;
    if lines.is_empty() {
        nothing_yet(lang, out);
    }
    for line in lines {
        if out.json() {
            out.object(&SessionObject { session: &line });
        } else {
            print_line(&line, &moment(line.started_at, &zone, lang), lang, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Whoever asks for one has a number from somewhere.
pub fn no_session(id: SessionId) -> Failure {
    Failure::bad_input(both!("разговора {id} нет", "there is no session {id}"))
}

fn search(conductor: &Conductor, words: &str, limit: u32, lang: Lang, out: &Output) -> Result<(), Failure> {
    if !searching::can_be_found(words) {
        if !out.json() {
            out.line(&say!(
                lang,
                "ничего не нашлось: такие слова есть в любом разговоре, добавь слово поточнее",
                "nothing found: such words are in every talk; add one that says more"
            ));
        }
        return Ok(());
    }
    let hits = conductor.search_history(words, limit)?;
    if hits.is_empty() {
        nothing_found(lang, out);
    }
    let zone = conductor.settings().zone();
    for hit in &hits {
        if out.json() {
            out.event("hit", hit);
        } else {
            let who = match hit.who {
                Who::User => you(lang),
                Who::Calm => "Calm",
            };
            let head = format!("{:>5}  {}  {who}", hit.session_id, moment(hit.at, &zone, lang));
            out.lines(&beside(&head, 31, WIDTH, &hit.snippet));
        }
    }
    Ok(())
}

fn nothing_found(lang: Lang, out: &Output) {
    if !out.json() {
        out.line(&say!(lang, "ничего не нашлось", "nothing found"));
    }
}

fn nothing_yet(lang: Lang, out: &Output) {
    if !out.json() {
        out.line(&say!(
            lang,
            "разговоров пока нет: начни первый, `calm session check-in`",
            "no sessions yet: begin one with `calm session check-in`"
        ));
    }
}

fn you(lang: Lang) -> &'static str {
    match lang {
        Lang::Ru => "Ты",
        Lang::En => "You",
    }
}

fn print_line(line: &Line, when: &str, lang: Lang, out: &Output) {
    let terms = Terms::of(lang);
    let level = |name: &str, value: Option<u8>| value.map_or(String::new(), |v| format!("{name} {v}/10"));
    let values = [level(terms.readiness, line.trading_readiness), level(terms.stress, line.stress_level)].join("  ");
    let (id, kind) = (line.session_id, terms.kind(line.session_type));
    out.line(format!("{id:>5}  {when}  {kind:<9}  {values}").trim_end());
    let open = say!(lang, "(ещё идёт)", "(still open)");
    let summary = line.session_summary.as_deref().unwrap_or(&open);
    out.lines(&beside("", 7, WIDTH, summary));
}

fn print_page(page: &Page, lang: Lang, out: &Output) {
    for turn in &page.turns {
        if let Some(user) = &turn.user {
            out.lines(&block(you(lang), user));
        }
        out.lines(&block("Calm", &turn.calm));
    }
    if let Some(arguments) = &page.arguments {
        out.line("");
        out.lines(&beside("", 0, WIDTH, &arguments.session_summary));
    }
}
