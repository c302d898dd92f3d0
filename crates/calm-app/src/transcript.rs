//! The linter's look at a session after it has ended: every reply, whoever wrote it (SPEC K3).
//!
//! What it finds is kept beside the turn; only the guard's hits count as boundaries.

use calm_core::Lang;
use calm_prompts::PromptSet;
use calm_prompts::lint::{self, Document, Finding, Linter, Options, Rule, Severity, Surface};
use calm_store::{SessionId, Store};
use serde_json::{Value, json};

use crate::error::AppError;

/// Lints the replies of a session that was held with `set`.
///
/// # Errors
/// The store cannot be read or written.
pub fn lint(store: &mut Store, session: SessionId, set: &PromptSet) -> Result<(), AppError> {
    let Some(record) = store.session(session)? else { return Ok(()) };
    let begun = &record.session.begun;
    let surface = match begun.opened_from.as_str() {
        "tray" | "shortcut" | "reminder" => Surface::Tray,
        _ => Surface::Window,
    };
    let banned = store.banned_terms()?.into_iter().map(|it| it.term).collect();
    let linter = Linter::new(&Options { surface, banned });
    let language = lint::Lang::from_code(begun.language.code()).unwrap_or(lint::Lang::En);
    let prohibited = prohibited(set, begun.language);
    for turn in record.turns {
        let reply = &turn.record.reply_text;
        let counts = |it: &Finding| it.severity == Severity::HardFail || it.rule == Rule::AgentBannedTerm;
        let findings = linter.reply(reply, language, &prohibited);
        let found = findings.iter().filter(|it| counts(it)).map(|it| hit(reply, it));
        let found: Vec<Value> = found.collect();
        if !found.is_empty() {
            store.set_lint(session, turn.seq, &Value::Array(found))?;
        }
    }
    Ok(())
}

/// Words that the prompts of a language forbid.
pub(crate) fn prohibited(set: &PromptSet, language: Lang) -> Vec<String> {
    let folder = format!("{}/", language.code());
    let of_language = set.documents().filter(|(path, _)| path.starts_with(&folder));
    let documents: Vec<Document<'_>> = of_language.map(|(path, text)| Document { path, text }).collect();
    Linter::prohibited_terms(&documents).into_iter().map(|it| it.term).collect()
}

/// In the form of the guard's hits: the rule, and the words that it is about.
fn hit(reply: &str, finding: &Finding) -> Value {
    let at = |number: u32| usize::try_from(number).unwrap_or_default();
    let line = reply.lines().nth(at(finding.line).saturating_sub(1)).unwrap_or_default();
    let words: String = line.chars().skip(at(finding.column).saturating_sub(1)).take(at(finding.length)).collect();
    json!({"rule": finding.rule.name(), "words": words})
}
