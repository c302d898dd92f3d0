//! The envelope: what stands around the base prompt, and the messages that a model is sent (SPEC E1–E7).
//!
//! The templates and their words are files of the set. What goes into the blocks is passed in; where it comes
//! from, and how long it is kept, is the conductor's business.

mod blocks;
mod triggers;
mod words;

use std::borrow::Cow;

use jiff::ZonedDateTime;
use serde::Serialize;
use serde_json::Value;

use crate::set::{PromptSet, SetError, parse};
use crate::stems::Lang;
use crate::template::{Dialect, Library, TemplateError, Trace};
use words::Words;

pub use triggers::{LONGEST_CONDITION, MARKER, MOST_TRIGGERS};

/// A message list longer than this, in characters, is worth a warning (SPEC E6).
pub const SOFT_LIMIT: usize = 25_000;
/// A longer one is not sent.
pub const HARD_LIMIT: usize = 60_000;

/// The placeholders of the envelope, by the names that its templates use.
pub const PLACEHOLDERS: [&str; 15] = [
    "baseSystemPrompt",
    "factualContext",
    "currentTime",
    "userName",
    "agentName",
    "language",
    "userLocation",
    "marketingData",
    "crmFieldsMemory",
    "knowledgeInstructions",
    "executedTriggersContext",
    "crmTaskContext",
    "triggerInstruction",
    "knowledgeContext",
    "calendarInstructions",
];

/// Languages of the envelope that is shipped.
pub const ENVELOPES: [&str; 4] = ["ru", "en", "es", "id"];

const FALLBACK: &str = "en";

/// Everything that a message list is made of, parsed once for a set and a pair of languages.
#[derive(Debug, Clone)]
pub struct Assembly {
    prompts: Library,
    root: String,
    envelope: Library,
    words: Words,
}

/// What is known around the talk. An empty part leaves nothing behind.
#[derive(Debug, Clone, Default)]
pub struct Surroundings<'a> {
    pub now: Option<ZonedDateTime>,
    /// In the user's own words.
    pub location: Option<Cow<'a, str>>,
    /// `tray`, `shortcut`, `reminder`, `window` or `terminal`.
    pub opened_from: Option<Cow<'a, str>>,
    /// The reminder or plan that opened the session.
    pub task: Option<Cow<'a, str>>,
    /// Profile fields that the user agreed to share.
    pub profile: Vec<ProfileField>,
    /// The active facts.
    pub facts: Option<Cow<'a, str>>,
    pub sources: Sources,
    pub triggers: Vec<Trigger>,
    /// Triggers that ran in this talk.
    pub executed: Vec<Executed>,
    /// Answer in whatever language the user speaks.
    pub adapt_to_user_language: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileField {
    pub name: String,
    pub value: String,
}

/// What the model may draw on beside the base prompt; it chooses the kind of envelope.
#[derive(Debug, Clone)]
pub enum Sources {
    /// The regular kind.
    Knowledge(Vec<Excerpt>),
    /// The plain kind.
    Calendar(Vec<CalendarEntry>),
}

impl Default for Sources {
    fn default() -> Sources {
        Sources::Calendar(Vec::new())
    }
}

/// A piece of a document, or an answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub title: String,
    /// A heading or a page.
    pub place: Option<String>,
    pub question: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarEntry {
    /// As it is to be read.
    pub time: String,
    pub title: String,
}

/// A personal if–then plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    pub id: String,
    pub name: String,
    pub condition: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    pub name: String,
    pub outcome: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    System,
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
}

#[derive(Debug, thiserror::Error)]
pub enum AssemblyError {
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error("the messages are {characters} characters long, and {HARD_LIMIT} is the most that is sent")]
    TooLong { characters: usize },
}

impl AssemblyError {
    /// In one line.
    pub fn told(&self, lang: Lang) -> String {
        match (self, lang) {
            (AssemblyError::Template(error), lang) => error.told(lang),
            (AssemblyError::TooLong { characters }, Lang::Ru) => {
                format!("в сообщениях {characters} знаков, а уходит не больше {HARD_LIMIT}")
            }
            (AssemblyError::TooLong { .. }, Lang::En) => self.to_string(),
        }
    }
}

impl PromptSet {
    /// The prompts of `language` in the envelope of `envelope`, either by its code; an unknown one gives English.
    ///
    /// A set without an envelope takes the shipped one.
    ///
    /// # Errors
    /// The words of the envelope are missing or not valid. Mistakes in templates show when they are rendered.
    pub fn assembly(&self, language: &str, envelope: &str) -> Result<Assembly, SetError> {
        let code = envelope.get(..2).unwrap_or(FALLBACK).to_ascii_lowercase();
        let has = |set: &PromptSet, code: &str| set.files().contains_key(&format!("envelope/{code}/words.toml"));
        let shipped;
        let set = if self.files().keys().any(|path| path.starts_with("envelope/")) {
            self
        } else {
            shipped = PromptSet::shipped();
            &shipped
        };
        let code = if has(set, &code) { code } else { FALLBACK.to_owned() };
        let mut library = Library::default();
        for file in ["regular.md", "plain.md"] {
            let path = format!("envelope/{code}/{file}");
            let text = set.files().get(&path).ok_or_else(|| SetError::Missing { file: path.clone() })?;
            let head = crate::front::front(&path, text)?;
            library.add(file, &path, text, head.end, Dialect::Envelope(&PLACEHOLDERS));
        }
        library.link();
        Ok(Assembly {
            prompts: self.library(language),
            root: self.root().to_owned(),
            envelope: library,
            words: parse(set.files(), &format!("envelope/{code}/words.toml"))?,
        })
    }
}

impl Assembly {
    /// The prompts, for coverage and lint.
    pub fn prompts(&self) -> &Library {
        &self.prompts
    }

    pub fn envelope(&self) -> &Library {
        &self.envelope
    }

    /// The messages that come before the talk: the system message and, where there are any, the triggers.
    ///
    /// `context` is the session's JSON (SPEC S3); it has been checked with
    /// [`schema::check`](crate::template::schema::check).
    ///
    /// # Errors
    /// A mistake in a template, or a list beyond [`HARD_LIMIT`].
    pub fn messages(&self, context: &Value, around: &Surroundings<'_>) -> Result<Vec<Message>, AssemblyError> {
        self.traced(context, around, None)
    }

    /// The same, noting what the rendering went through.
    ///
    /// # Errors
    /// As [`Assembly::messages`].
    pub fn traced(
        &self,
        context: &Value,
        around: &Surroundings<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Result<Vec<Message>, AssemblyError> {
        let base = self.base(context, trace.as_deref_mut())?;
        let slots = blocks::slots(&self.words, &base, context, around);
        let slots: Vec<(&str, &str)> = slots.iter().map(|(name, block)| (*name, block.as_ref())).collect();
        let system = self.envelope.render(around.sources.template(), context, &slots, trace)?;
        let mut messages = vec![Message { role: Role::System, content: system }];
        messages.extend(triggers::block(&around.triggers).map(|content| Message { role: Role::System, content }));
        // No text has more characters than bytes, and most need not be counted.
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        match (bytes > HARD_LIMIT).then(|| characters(&messages)) {
            Some(length) if length > HARD_LIMIT => Err(AssemblyError::TooLong { characters: length }),
            _ => Ok(messages),
        }
    }

    /// The base prompt alone.
    ///
    /// # Errors
    /// A mistake in a template.
    pub fn base(&self, context: &Value, trace: Option<&mut Trace>) -> Result<String, TemplateError> {
        self.prompts.render(&self.root, context, &[], trace)
    }
}

/// Of all messages together; not bytes.
pub fn characters(messages: &[Message]) -> usize {
    messages.iter().map(|message| message.content.chars().count()).sum()
}

impl Sources {
    fn template(&self) -> &'static str {
        match self {
            Sources::Knowledge(_) => "regular.md",
            Sources::Calendar(_) => "plain.md",
        }
    }
}
