//! The user's model servers: added, tried, used, removed, and their keys.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use calm_agent::{Cancel, Chat, ChatMessage, Endpoint, Http, Learned, ToolChoice};
use calm_store::KeyPlace;
use serde::Serialize;

use crate::backend::{BackendError, GUIDE, LOCAL, Server};
use crate::conductor::Conductor;
use crate::error::AppError;

/// How a server did when it was asked for a word.
#[derive(Debug, Clone, Serialize)]
pub struct Tried {
    pub name: String,
    pub model: String,
    pub first_token_ms: u64,
    pub total_ms: u64,
}

/// One word asked of a server.
pub struct Trial {
    server: Server,
    endpoint: Endpoint,
    http: Arc<Http>,
}

impl Trial {
    /// Waits for the word; what the server turned out to do goes to [`Conductor::keep_learned`].
    ///
    /// # Errors
    /// Why it does not work.
    pub fn run(self) -> Result<(Tried, Learned), AppError> {
        let messages = [ChatMessage::User("Answer with the one word: ready".into())];
        let chat = Chat { messages: &messages, tools: &[], tool_choice: ToolChoice::None, fields: &[], schema: None };
        let since = Instant::now();
        let done = self
            .http
            .chat(&self.endpoint, &chat, &Cancel::new(), &mut |_| ControlFlow::Continue(()))
            .map_err(AppError::Server)?;
        let total_ms = millis(since.elapsed());
        let first_token_ms = done.first_token.map_or(total_ms, millis);
        Ok((Tried { name: self.server.name, model: self.server.model, first_token_ms, total_ms }, done.learned))
    }
}

impl Conductor {
    /// # Errors
    /// The server cannot be used as it is given, or one of that name is there.
    pub fn add_server(&mut self, server: Server) -> Result<(), AppError> {
        server.check()?;
        self.change_settings(|mut settings| {
            if settings.servers.iter().any(|known| known.name == server.name) {
                return Err(BackendError::Taken(server.name).into());
            }
            settings.servers.push(server);
            Ok(settings)
        })
    }

    /// Forgets its key too; the guide holds the sessions to come where this one did.
    ///
    /// # Errors
    /// There is no such server.
    pub fn remove_server(&mut self, name: &str) -> Result<(), AppError> {
        let keys = self.api_keys()?;
        self.change_settings(|mut settings| {
            let before = settings.servers.len();
            settings.servers.retain(|server| server.name != name);
            if settings.servers.len() == before {
                return Err(BackendError::Unknown(name.to_owned()).into());
            }
            if settings.backend == name {
                GUIDE.clone_into(&mut settings.backend);
            }
            keys.remove(name)?;
            Ok(settings)
        })
    }

    /// Sessions to come are held by `name`: `guide`, `local` or a server of the user's.
    ///
    /// # Errors
    /// There is no such server.
    pub fn use_backend(&mut self, name: &str) -> Result<(), AppError> {
        self.change_settings(|mut settings| {
            let known = [GUIDE, LOCAL].contains(&name) || settings.servers.iter().any(|server| server.name == name);
            if !known {
                return Err(BackendError::Unknown(name.to_owned()).into());
            }
            name.clone_into(&mut settings.backend);
            Ok(settings)
        })
    }

    /// Keeps the key of a server and says where.
    ///
    /// # Errors
    /// There is no such server, or neither the keychain nor the folder takes it.
    pub fn keep_key(&mut self, name: &str, key: &str) -> Result<KeyPlace, AppError> {
        if !self.settings().servers.iter().any(|server| server.name == name) {
            return Err(BackendError::Unknown(name.to_owned()).into());
        }
        Ok(self.api_keys()?.set(name, key)?)
    }

    /// Asks the server for one word. Nothing of the user goes with it.
    ///
    /// # Errors
    /// Why it does not work.
    pub fn try_backend(&mut self, name: &str) -> Result<Tried, AppError> {
        match self.start_trying(name)? {
            Some(trial) => {
                let (tried, learned) = trial.run()?;
                self.keep_learned(&tried.name, learned)?;
                Ok(tried)
            }
            None => Ok(Tried { name: GUIDE.into(), model: GUIDE.into(), first_token_ms: 0, total_ms: 0 }),
        }
    }

    /// As [`Conductor::try_backend`], to be run without the conductor: a server may take minutes to answer. `None` is
    /// the guide, which needs no trial.
    ///
    /// # Errors
    /// There is no such server, or none answers on this machine.
    pub fn start_trying(&self, name: &str) -> Result<Option<Trial>, AppError> {
        let found = self.server(Some(name), None)?;
        Ok(found.map(|(server, endpoint)| Trial { server, endpoint, http: Arc::clone(self.http()) }))
    }

    /// What a server turned out to do, for the next time.
    pub fn keep_learned(&mut self, name: &str, learned: Learned) -> Result<(), AppError> {
        let known = self.settings().servers.iter().find(|server| server.name == name);
        if known.is_none_or(|server| server.learned == learned) {
            return Ok(());
        }
        self.change_settings(|mut settings| {
            settings
                .servers
                .iter_mut()
                .filter(|server| server.name == name)
                .for_each(|server| server.learned = learned);
            Ok(settings)
        })
    }
}

fn millis(took: std::time::Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}
