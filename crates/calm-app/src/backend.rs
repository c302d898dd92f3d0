//! Who answers: the guide, or a model server that the user named or that was found on this machine (SPEC A1).

use std::time::Duration;

use calm_agent::{ApiKey, Endpoint, Http, Timeouts};
pub use calm_agent::{EndpointError, Found, Learned, ToolMode};
use calm_store::{ApiKeys, Secrets};
use serde::{Deserialize, Serialize};

use crate::error::AppError;
use crate::paths::Paths;

/// The backend that needs nothing.
pub const GUIDE: &str = "guide";
/// Whatever model server answers on this machine.
pub const LOCAL: &str = "local";
/// Holds the key of a server that is given by its address; `CALM_API_KEY_NAME` that of the server NAME.
const KEY_VARIABLE: &str = "CALM_API_KEY";
/// Longest name of a server, in characters.
const LONGEST_NAME: usize = 40;

/// Warm, and not the same words every day; hotter than that small models lose the thread.
const TEMPERATURE: f32 = 0.6;
/// Tokens of one reply, an `end_session` call and some reasoning included.
const MOST_TOKENS: u32 = 1500;

/// A model server, as the settings keep it. Its key is not in here (SPEC X1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Server {
    pub name: String,
    /// Up to and with the version: `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    pub model: String,
    pub tools: ToolMode,
    pub streaming: bool,
    /// Window of the model in tokens, where it is known.
    pub context_tokens: Option<u32>,
    /// One system message at the beginning: the chat templates of many local models allow no other.
    pub single_system: bool,
    /// To the first token, in seconds, 1–600.
    pub patience: u16,
    pub learned: Learned,
}

impl Default for Server {
    fn default() -> Server {
        Server {
            name: String::new(),
            base_url: String::new(),
            model: String::new(),
            tools: ToolMode::Native,
            streaming: true,
            context_tokens: None,
            single_system: false,
            patience: 30,
            learned: Learned::default(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    #[error("{0:?} is no server of yours: `calm servers list` shows them, an address begins with http:// or https://")]
    Unknown(String),
    #[error("no model server answers on this machine: start Ollama, LM Studio or llama.cpp, or take the guide")]
    NoneFound,
    #[error("the server offers no model that can talk: load one there, or name it with --model")]
    NoModel,
    #[error(
        "a server needs a name of letters, digits, dots and dashes, up to {LONGEST_NAME}, other than guide and local"
    )]
    Name,
    #[error("the address of a server begins with http:// or https:// and has no password in it")]
    Address,
    #[error("a server called {0} is there already: remove it first")]
    Taken(String),
    #[error("patience is 1 to 600 seconds")]
    Patience,
}

impl Server {
    /// # Errors
    /// The name, the address or the patience is not one that can be used.
    pub fn check(&self) -> Result<(), BackendError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let reserved = [GUIDE, LOCAL].contains(&self.name.as_str());
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !self.name.chars().all(fits) || reserved {
            return Err(BackendError::Name);
        }
        let web = self.base_url.starts_with("http://") || self.base_url.starts_with("https://");
        if !web || self.base_url.contains('@') {
            return Err(BackendError::Address);
        }
        if !(1..=600).contains(&self.patience) {
            return Err(BackendError::Patience);
        }
        Ok(())
    }

    fn found(found: &Found, model: String) -> Server {
        Server { name: found.preset.name().to_owned(), base_url: found.base_url.clone(), model, ..Server::default() }
            .on_this_machine()
    }

    /// A small machine reads a long prompt for a minute, and local models' templates are strict.
    fn on_this_machine(self) -> Server {
        Server { single_system: true, patience: 120, ..self }
    }

    /// With what suits the place that its address leads to.
    pub fn fit_for_its_place(self) -> Server {
        if calm_agent::is_here(&self.base_url) { self.on_this_machine() } else { self }
    }

    pub(crate) fn endpoint(&self, key: Option<ApiKey>) -> Endpoint {
        let first_token = Duration::from_secs(u64::from(self.patience));
        Endpoint {
            name: self.name.clone(),
            base_url: self.base_url.clone(),
            model: self.model.clone(),
            key,
            tools: self.tools,
            streaming: self.streaming,
            json_schema: true,
            context_tokens: self.context_tokens,
            timeouts: Timeouts {
                first_token,
                idle: first_token.min(Timeouts::default().idle),
                whole: first_token + Duration::from_secs(60),
                ..Timeouts::default()
            },
            temperature: Some(TEMPERATURE),
            max_tokens: Some(MOST_TOKENS),
            learned: self.learned,
        }
    }
}

/// The servers on this machine that answer, with the models they offer.
pub fn discover(http: &Http) -> Vec<Found> {
    calm_agent::discover(http)
}

/// Whether `name` can stand for something where no server was ever set up: looking it up needs no database then.
///
/// # Errors
/// It is the name of nothing.
pub fn stands_alone(name: &str) -> Result<(), AppError> {
    let is_address = name.starts_with("http://") || name.starts_with("https://");
    if is_address || [GUIDE, LOCAL].contains(&name) {
        Ok(())
    } else {
        Err(BackendError::Unknown(name.to_owned()).into())
    }
}

/// What `name` stands for: the guide (`None`), a server of the user's, one found here, or one at an address.
///
/// # Errors
/// It stands for nothing, or no server answers.
pub(crate) fn resolve(
    name: &str,
    model: Option<&str>,
    servers: &[Server],
    http: &Http,
) -> Result<Option<Server>, AppError> {
    if name == GUIDE {
        return Ok(None);
    }
    if name == LOCAL {
        let found = discover(http);
        let best = found.iter().find_map(|it| Some((it, chosen(&it.models, model)?)));
        return match (best, found.is_empty()) {
            (Some((it, model)), _) => Ok(Some(Server::found(it, model))),
            (None, true) => Err(BackendError::NoneFound.into()),
            (None, false) => Err(BackendError::NoModel.into()),
        };
    }
    if let Some(known) = servers.iter().find(|server| server.name == name) {
        let mut server = known.clone();
        if let Some(model) = model {
            model.clone_into(&mut server.model);
        }
        return Ok(Some(server));
    }
    if !name.starts_with("http://") && !name.starts_with("https://") {
        return Err(BackendError::Unknown(name.to_owned()).into());
    }
    let mut server = Server { name: "server".into(), base_url: name.to_owned(), ..Server::default() };
    server = server.fit_for_its_place();
    server.check()?;
    server.model = match model {
        Some(model) => model.to_owned(),
        None => {
            let offered = http.models(&server.base_url, key_from_environment(None).as_ref())?;
            chosen(&offered, None).ok_or(BackendError::NoModel)?
        }
    };
    Ok(Some(server))
}

/// The wanted model, else the first that can talk.
fn chosen(models: &[String], wanted: Option<&str>) -> Option<String> {
    if let Some(wanted) = wanted {
        return models.iter().find(|model| *model == wanted).cloned();
    }
    let talks = |model: &&String| !["embed", "whisper", "rerank", "tts"].iter().any(|kind| model.contains(kind));
    models.iter().find(talks).cloned()
}

/// The key of a server: from the environment, else from where the user put it.
///
/// # Errors
/// The file of keys is damaged.
pub(crate) fn key(server: &Server, paths: &Paths, secrets: Secrets) -> Result<Option<ApiKey>, AppError> {
    if let Some(key) = key_from_environment(Some(&server.name)) {
        return Ok(Some(key));
    }
    let kept = ApiKeys::open(&paths.data, secrets)?.get(&server.name)?;
    Ok(kept.map(|key| ApiKey::new(key.to_string())))
}

fn key_from_environment(name: Option<&str>) -> Option<ApiKey> {
    let own = name.map(|name| {
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!("{KEY_VARIABLE}_{}", name.to_ascii_uppercase())
    });
    let set = |variable: String| std::env::var(variable).ok().filter(|key| !key.trim().is_empty());
    own.and_then(set).or_else(|| set(KEY_VARIABLE.to_owned())).map(ApiKey::new)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::fine("work", "https://example.org/v1", true)]
    #[case::the_guide_s_name("guide", "https://example.org/v1", false)]
    #[case::blank("", "https://example.org/v1", false)]
    #[case::path("a/b", "https://example.org/v1", false)]
    #[case::no_web("work", "ftp://example.org", false)]
    #[case::password("work", "https://me:secret@example.org/v1", false)]
    fn a_server_s_name_and_address(#[case] name: &str, #[case] base_url: &str, #[case] fine: bool) {
        let server = Server { name: name.into(), base_url: base_url.into(), ..Server::default() };
        assert_eq!(server.check().is_ok(), fine);
    }

    #[test]
    fn a_model_that_cannot_talk_is_not_chosen() {
        let offered = ["nomic-embed-text".to_owned(), "qwen2.5:7b".to_owned()];
        assert_eq!(chosen(&offered, None).as_deref(), Some("qwen2.5:7b"));
        assert_eq!(chosen(&offered[..1], None), None);
        assert_eq!(chosen(&offered, Some("gone")), None);
    }
}
