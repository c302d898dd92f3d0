//! What would be sent, for somebody who is looking at a prompt: an example, a stranger, or the user's own data.

use calm_core::{Format, Kind, Lang};
use calm_prompts::PromptSet;
use calm_prompts::envelope::{ENVELOPES, SOFT_LIMIT};
use jiff::ZonedDateTime;
use serde_json::{Value, json};

use super::edits::draft_with;
use super::messages::{Rendered, Request};
use crate::conductor::{Begin, Conductor};
use crate::error::AppError;
use crate::settings::Settings;

/// Longer lists get a warning, in characters; see [`calm_prompts::envelope`] for the other limit.
pub const WARNED_FROM: usize = SOFT_LIMIT;

/// Whose session it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Nothing is known.
    Nothing,
    /// Somebody whom Calm has known for a while.
    Example,
    /// The user, as a session would begin now.
    Own,
}

/// What to render.
#[derive(Debug, Clone)]
pub struct Sample {
    pub kind: Kind,
    pub format: Format,
    /// Of the prompts.
    pub language: Lang,
    /// `ru`, `en`, `es` or `id`.
    pub envelope: String,
    /// Without the knowledge base.
    pub plain: bool,
    /// The backend takes tool calls by its protocol, and not as text.
    pub native_tools: bool,
    pub known: Known,
    /// What the user says; the knowledge is searched for it.
    pub said: Option<String>,
    /// With the edits, and not as sessions get it now.
    pub edits: bool,
    pub variant: Option<String>,
}

impl Conductor {
    /// The exact messages. `edit` is the path and text of a file that is being written; it counts among the edits.
    ///
    /// # Errors
    /// A mistake in a prompt, edits that do not fit, a list that is too long, or an unknown envelope or variant.
    pub fn preview_prompts(&mut self, sample: &Sample, edit: Option<(&str, &str)>) -> Result<Rendered, AppError> {
        self.follow_prompts()?;
        let mut set = if sample.edits { draft_with(&self.paths().data, edit)? } else { self.prompts().clone() };
        if let Some(variant) = &sample.variant {
            set = set.variant(variant)?;
        }
        self.rendered_sample(&set, sample)
    }

    fn rendered_sample(&self, set: &PromptSet, sample: &Sample) -> Result<Rendered, AppError> {
        let language = sample.language.code();
        let envelope = ENVELOPES.into_iter().find(|code| *code == sample.envelope).unwrap_or(language);
        let assembly = set.assembly(language, envelope)?;
        let mut context = match sample.known {
            Known::Nothing => json!({}),
            Known::Example => example(sample.language, sample.kind),
            Known::Own => json!(self.upcoming(sample.kind, sample.format)?),
        };
        context["session"]["type"] = json!(sample.kind);
        context["session"]["format"] = json!(sample.format);
        context["backend"] = json!({"tools": if sample.native_tools { "native" } else { "text" }});
        let request = Request {
            context: &context,
            language,
            envelope,
            now: Some(ZonedDateTime::new(self.now(), self.settings().zone())),
            opened_from: Some("window"),
            task: None,
            said: sample.said.as_deref(),
            session: None,
            plain: sample.plain,
            method: None,
            calendar: Vec::new(),
        };
        if sample.known == Known::Own {
            return self.rendered(set, &assembly, &request);
        }
        let nobody = Settings { time_zone: self.settings().time_zone.clone(), ..Settings::fresh(sample.language) };
        Rendered::new(set, &assembly, &nobody, None, &request)
    }

    /// What a session that began now would know.
    fn upcoming(&self, kind: Kind, format: Format) -> Result<calm_core::SessionContext, AppError> {
        self.context_of(&Begin::new(kind, format, "window"), self.today()).map(|(context, _)| context)
    }
}

/// Nobody's data: a trader of a few years after a run of losses.
fn example(language: Lang, kind: Kind) -> Value {
    let text = match language {
        Lang::Ru => include_str!("example/ru.json"),
        Lang::En => include_str!("example/en.json"),
    };
    let mut context: Value = serde_json::from_str(text).unwrap_or_default();
    if kind == Kind::CheckIn {
        context["session"]["has_matching_checkin"] = json!(false);
        context["previous_checkin"] = Value::Null;
    }
    context
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use calm_prompts::template::schema;
    use rstest::rstest;

    #[rstest]
    fn the_example_is_what_prompts_can_name(
        #[values(Lang::Ru, Lang::En)] language: Lang,
        #[values(Kind::CheckIn, Kind::CheckOut)] kind: Kind,
    ) {
        let example = example(language, kind);
        assert!(example["user"]["name"].is_string());
        assert_eq!(example["previous_checkin"].is_object(), kind == Kind::CheckOut);
        schema::check(&example).unwrap();
    }
}
