//! `calm notes`: what plans wrote down, and taking one away.

use std::process::ExitCode;

use calm_app::{Conductor, Lang, Note};
use serde_json::json;

use super::House;
use super::data::traces;
use crate::args::{NotesAction, NotesArgs};
use crate::bilingual::{both, moment, say};
use crate::columns::{WIDTH, beside};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: &NotesArgs, out: &Output) -> Result<ExitCode, Failure> {
    let conductor = house.existing()?;
    let lang = house.lang();
    match (&args.action, conductor) {
        (None, Some(conductor)) => {
            let notes = conductor.notes(args.limit)?;
            if notes.is_empty() {
                none_yet(lang, out);
            }
            notes.iter().for_each(|note| show(note, &conductor, lang, out));
        }
        (None, None) => none_yet(lang, out),
        (Some(NotesAction::Delete { number }), Some(mut conductor)) => {
            let left = conductor.remove_note(*number)?;
            if out.json() {
                out.event("note_deleted", &json!({"id": number}));
            } else {
                out.line(&say!(lang, "заметка {number} удалена", "note {number} is deleted"));
            }
            traces(left.as_deref(), lang, out);
        }
        (Some(NotesAction::Delete { .. }), None) => {
            return Err(Failure::bad_input(both!("такой заметки нет", "there is no such note")));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn none_yet(lang: Lang, out: &Output) {
    if !out.json() {
        out.line(&say!(
            lang,
            "заметок пока нет: их делают планы, `calm triggers add --name … --when … --note ТЕКСТ`",
            "no notes yet: plans make them, `calm triggers add --name … --when … --note TEXT`"
        ));
    }
}

fn show(note: &Note, conductor: &Conductor, lang: Lang, out: &Output) {
    let Note { id, at, session, text } = note;
    if out.json() {
        return out.event("note", &json!({"id": id, "at": at, "session_id": session, "text": text}));
    }
    let head = format!("{:>4}  {}  ", id.to_string(), moment(*at, &conductor.settings().zone(), lang));
    out.lines(&beside(&head, head.len(), WIDTH, text));
}
