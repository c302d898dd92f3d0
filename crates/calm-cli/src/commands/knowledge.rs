//! `calm knowledge`: documents and answers that Calm may draw on, with their sources.

use std::process::ExitCode;

use calm_app::knowledge::{Added, read_document};
use serde_json::json;

use super::House;
use crate::args::KnowledgeAction;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, action: Option<KnowledgeAction>, out: &Output) -> Result<ExitCode, Failure> {
    match action.unwrap_or(KnowledgeAction::List) {
        KnowledgeAction::List => list(house, out)?,
        KnowledgeAction::Add { files } => {
            let documents = files.iter().map(|file| read_document(file)).collect::<Result<Vec<_>, _>>()?;
            let mut conductor = house.quiet()?;
            for document in &documents {
                show(&conductor.add_document(document)?, out);
            }
        }
        KnowledgeAction::Answer { question, answer } => {
            if question.trim().is_empty() || answer.trim().is_empty() {
                return Err(Failure::bad_input("the question and the answer must not be empty"));
            }
            show(&house.quiet()?.add_answer(question.trim(), answer.trim())?, out);
        }
        KnowledgeAction::Search { words, limit } => {
            let found = house.quiet()?.search_knowledge(&words, limit)?;
            if found.is_empty() && !out.json() {
                out.line("nothing found");
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
            let missing = || Failure::bad_input(format!("there is no document {number}"));
            house.existing()?.ok_or_else(missing)?.remove_knowledge(number)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(house: &House, out: &Output) -> Result<(), Failure> {
    for it in house.quiet()?.knowledge()? {
        if out.json() {
            out.event(
                "knowledge",
                &json!({"id": it.id, "title": it.source.title, "kind": it.source.kind,
                "origin": it.origin, "language": it.source.language, "chunks": it.chunks, "chars": it.source.chars}),
            );
        } else {
            let origin = json!(it.origin);
            let origin = origin.as_str().unwrap_or_default();
            let language = it.source.language.as_deref().unwrap_or("–");
            out.line(&format!(
                "{:>4}  {origin:<7}  {language:<2}  {:>3} pieces  {}",
                it.id, it.chunks, it.source.title
            ));
        }
    }
    Ok(())
}

fn show(added: &Added, out: &Output) {
    if out.json() {
        return out.event("knowledge", added);
    }
    out.line(&format!("{:>4}  {:>3} pieces  {}", added.id, added.chunks, added.title));
    added.warnings.iter().for_each(|warning| out.line(&format!("      {warning}")));
}
