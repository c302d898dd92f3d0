//! `calm knowledge`: documents and answers that Calm may draw on, with their sources.

use std::process::ExitCode;

use calm_app::knowledge::{Added, Warning, read_document};
use calm_app::{KnowledgeOrigin, Lang};
use serde_json::json;

use super::House;
use super::data::traces;
use crate::args::KnowledgeAction;
use crate::bilingual::{PIECE, both, say};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: Option<KnowledgeAction>, out: &Output) -> Result<ExitCode, Failure> {
    match action.unwrap_or(KnowledgeAction::List) {
        KnowledgeAction::List => list(house, out)?,
        KnowledgeAction::Add { files } => {
            let documents = files.iter().map(|file| read_document(file)).collect::<Result<Vec<_>, _>>()?;
            let mut conductor = house.quiet()?;
            for document in &documents {
                show(&conductor.add_document(document)?, house.lang(), out);
            }
        }
        KnowledgeAction::Answer { question, answer } => {
            if question.trim().is_empty() || answer.trim().is_empty() {
                return Err(Failure::bad_input(both!(
                    "вопрос и ответ не бывают пустыми",
                    "the question and the answer must not be empty"
                )));
            }
            let added = house.quiet()?.add_answer(question.trim(), answer.trim())?;
            show(&added, house.lang(), out);
        }
        KnowledgeAction::Search { words, limit } => {
            let found = house.quiet()?.search_knowledge(&words, limit)?;
            if found.is_empty() && !out.json() {
                out.line(&say!(house.lang(), "ничего не нашлось", "nothing found"));
            }
            for it in &found {
                if out.json() {
                    out.event(
                        "excerpt",
                        &json!({"title": it.title, "place": it.place,
                        "question": it.question, "text": it.text, "score": it.score}),
                    );
                } else {
                    out.line(&format!(
                        "{}{}",
                        it.title,
                        it.place.as_ref().map(|p| format!(", {p}")).unwrap_or_default()
                    ));
                    it.question.iter().for_each(|question| out.line(&format!("    {question}")));
                    it.text.lines().for_each(|line| out.line(&format!("    {line}")));
                }
            }
        }
        KnowledgeAction::Remove { number } => {
            let missing = || Failure::bad_input(both!("документа {number} нет", "there is no document {number}"));
            let left = house.existing()?.ok_or_else(missing)?.remove_knowledge(number)?;
            traces(left.as_deref(), house.lang(), out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(house: &House, out: &Output) -> Result<(), Failure> {
    let known = house.quiet()?.knowledge()?;
    let lang = house.lang();
    for it in known {
        if out.json() {
            out.event(
                "knowledge",
                &json!({"id": it.id, "title": it.source.title, "kind": it.source.kind,
                "origin": it.origin, "language": it.source.language, "chunks": it.chunks, "chars": it.source.chars}),
            );
        } else {
            let origin = match (it.origin, lang) {
                (KnowledgeOrigin::User, Lang::Ru) => "твоё",
                (KnowledgeOrigin::User, Lang::En) => "user",
                (KnowledgeOrigin::Shipped, Lang::Ru) => "от Calm",
                (KnowledgeOrigin::Shipped, Lang::En) => "shipped",
            };
            let language = it.source.language.as_deref().unwrap_or("–");
            let pieces = PIECE.counted(it.chunks as usize, lang);
            out.line(&format!("{:>4}  {origin:<7}  {language:<2}  {pieces:>10}  {}", it.id, it.source.title));
        }
    }
    Ok(())
}

fn show(added: &Added, lang: Lang, out: &Output) {
    if out.json() {
        return out.event("knowledge", added);
    }
    let pieces = PIECE.counted(added.chunks, lang);
    out.line(&format!("{:>4}  {pieces:>10}  {}", added.id, added.title));
    for warning in &added.warnings {
        let left_out = match warning {
            Warning::Picture { page } => {
                say!(
                    lang,
                    "страница {page}: картинка без текста, пропущена",
                    "page {page}: a picture without text, left out"
                )
            }
            Warning::Unreadable { page } => {
                say!(lang, "страница {page}: повреждена, пропущена", "page {page}: damaged, left out")
            }
        };
        out.line(&format!("      {left_out}"));
    }
}
