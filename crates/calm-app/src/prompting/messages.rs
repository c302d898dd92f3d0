//! The messages that a backend is sent before the talk itself, from the set, the store and the session.

use std::sync::Arc;
use std::time::Instant;

use calm_core::contour::Method;
use calm_knowledge::active_facts;
use calm_prompts::envelope::{
    Assembly, CalendarEntry, Excerpt, Executed, Message, ProfileField, Role, SOFT_LIMIT, Sources, Surroundings,
    Trigger, characters,
};
use calm_prompts::{Identity, PromptSet};
use calm_store::{SessionId, Store};
use jiff::ZonedDateTime;
use serde::Serialize;
use serde_json::Value;

use super::blocks::{Block, Blocks, Key};
use crate::conductor::Conductor;
use crate::error::AppError;
use crate::settings::Settings;

/// Excerpts in one prompt.
const MOST_EXCERPTS: u32 = 4;

/// What to render, for whom and when.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The session's JSON (SPEC S3), with `said` and `backend` beside it.
    pub context: &'a Value,
    /// Of the prompts: `ru` or `en`.
    pub language: &'a str,
    /// Of the envelope: `ru`, `en`, `es` or `id`.
    pub envelope: &'a str,
    pub now: Option<ZonedDateTime>,
    pub opened_from: Option<&'a str>,
    /// The reminder or plan that opened the session.
    pub task: Option<&'a str>,
    /// What the user has just said; the knowledge is searched for it, and it ends the list of messages.
    pub said: Option<&'a str>,
    /// Whose triggers have run.
    pub session: Option<SessionId>,
    /// Without the knowledge base: the plain envelope.
    pub plain: bool,
    /// Decides which optional blocks are loaded (SPEC C5); all of them where absent.
    pub method: Option<Method>,
    pub calendar: Vec<CalendarEntry>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Rendered {
    pub messages: Vec<Message>,
    #[serde(flatten)]
    pub identity: Identity,
    /// Of all messages; characters, not bytes.
    pub chars: usize,
    pub micros: u64,
    /// `soft_limit_exceeded` where the list is longer than is good for it (SPEC E6).
    pub warnings: Vec<&'static str>,
}

impl Conductor {
    /// Renders with what this house knows, its blocks kept from turn to turn.
    ///
    /// # Errors
    /// As [`Rendered::new`].
    pub fn rendered(&self, set: &PromptSet, assembly: &Assembly, request: &Request<'_>) -> Result<Rendered, AppError> {
        Rendered::new(set, assembly, self.settings(), Some((self.read_store(), self.blocks())), request)
    }
}

impl Rendered {
    /// Renders with what the store knows; without a store, with what the request brings.
    ///
    /// # Errors
    /// A mistake in a prompt, a list that is too long, or a store that cannot be read.
    pub fn new(
        set: &PromptSet,
        assembly: &Assembly,
        settings: &Settings,
        store: Option<(&Store, &Blocks)>,
        request: &Request<'_>,
    ) -> Result<Rendered, AppError> {
        let clock = Instant::now();
        let around = around(settings, store, request)?;
        let mut messages = assembly.messages(request.context, &around)?;
        let said = request.said.map(|said| Message { role: Role::User, content: said.to_owned() });
        messages.extend(said);
        let micros = u64::try_from(clock.elapsed().as_micros()).unwrap_or(u64::MAX);
        let chars = characters(&messages);
        let warnings = if chars > SOFT_LIMIT { vec!["soft_limit_exceeded"] } else { vec![] };
        Ok(Rendered { messages, identity: set.identity(), chars, micros, warnings })
    }
}

pub(crate) fn around<'a>(
    settings: &'a Settings,
    store: Option<(&Store, &Blocks)>,
    request: &Request<'a>,
) -> Result<Surroundings<'a>, AppError> {
    let mut around = Surroundings {
        now: request.now.clone(),
        location: settings.location.as_deref().map(Into::into),
        opened_from: request.opened_from.map(Into::into),
        task: request.task.map(Into::into),
        adapt_to_user_language: settings.adapt_to_user_language,
        ..Surroundings::default()
    };
    around.profile = settings.shared_profile().into_iter().map(|(name, value)| ProfileField { name, value }).collect();
    around.sources =
        if request.plain { Sources::Calendar(request.calendar.clone()) } else { Sources::Knowledge(Vec::new()) };
    let Some((store, blocks)) = store else { return Ok(around) };
    let wanted = request.method.map(Method::blocks);
    let revision = store.data_version()?;
    if let Block::Facts(Some(facts)) = blocks.get(revision, Key::Facts, || facts(store))? {
        around.facts = Some(facts.to_string().into());
    }
    if wanted.is_none_or(|wanted| wanted.plans)
        && let Block::Triggers(triggers) = blocks.get(revision, Key::Triggers, || triggers(store))?
    {
        around.triggers = triggers.as_ref().clone();
    }
    if settings.include_trigger_context
        && let Some(session) = request.session
    {
        let runs = store.trigger_runs_of_session(session)?.into_iter();
        around.executed = runs.map(|run| Executed { name: run.name, outcome: run.outcome }).collect();
    }
    if let (Some(said), false) = (request.said, request.plain)
        && wanted.is_none_or(|wanted| wanted.knowledge)
    {
        let words = crate::knowledge::search_stems(said);
        let key = Key::Knowledge(request.language.to_owned(), words.clone());
        let found = blocks.get(revision, key, || excerpts(store, said, request.language))?;
        if let Block::Knowledge(found) = found {
            around.sources = Sources::Knowledge(found.as_ref().clone());
        }
    }
    Ok(around)
}

fn facts(store: &Store) -> Result<Block, AppError> {
    let active = store.facts()?.and_then(|facts| active_facts(&facts.markdown));
    Ok(Block::Facts(active.map(|active| active.text.into())))
}

fn triggers(store: &Store) -> Result<Block, AppError> {
    let enabled = store.triggers()?.into_iter().filter(|trigger| trigger.enabled);
    let triggers =
        enabled.map(|it| Trigger { id: it.id.to_string(), name: it.name, condition: it.condition }).collect::<Vec<_>>();
    Ok(Block::Triggers(Arc::new(triggers)))
}

fn excerpts(store: &Store, said: &str, language: &str) -> Result<Block, AppError> {
    let hits = crate::knowledge::search(store, said, language, MOST_EXCERPTS)?;
    let excerpts = hits.into_iter().map(|hit| Excerpt {
        title: hit.source_title,
        place: hit.place,
        question: hit.question,
        text: hit.text,
    });
    Ok(Block::Knowledge(Arc::new(excerpts.collect())))
}
