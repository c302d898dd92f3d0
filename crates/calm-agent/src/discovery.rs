//! Model servers on this machine, and the models that a server offers.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use reqwest::header::AUTHORIZATION;
use serde_json::Value;

use crate::endpoint::{ApiKey, address, authorization};
use crate::error::EndpointError;
use crate::http::Http;
use crate::ledger::Outgoing;
use crate::reach::is_loopback;

/// A program that serves models, where it listens unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    Ollama,
    LmStudio,
    LlamaCpp,
}

impl Preset {
    pub const ALL: [Self; 3] = [Self::Ollama, Self::LmStudio, Self::LlamaCpp];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::LmStudio => "LM Studio",
            Self::LlamaCpp => "llama.cpp",
        }
    }

    pub fn base_url(self) -> &'static str {
        match self {
            Self::Ollama => "http://127.0.0.1:11434/v1",
            Self::LmStudio => "http://127.0.0.1:1234/v1",
            Self::LlamaCpp => "http://127.0.0.1:8080/v1",
        }
    }
}

/// A server that answered with a list of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub preset: Preset,
    pub base_url: String,
    /// As the server names them, without those that only make embeddings.
    pub models: Vec<String>,
}

/// For programs on the same machine: either they answer at once or they are not there.
const PATIENCE: Duration = Duration::from_millis(1500);
const CONNECT: Duration = Duration::from_millis(500);
const LONGEST_LIST: usize = 2 * 1024 * 1024;

/// The model servers that run on this machine, in the order of [`Preset::ALL`]; none when nothing may be reached.
pub fn discover(http: &Http) -> Vec<Found> {
    discover_at(http, &Preset::ALL.map(|preset| (preset, preset.base_url())))
}

/// The same at other addresses. All are asked at once.
pub fn discover_at(http: &Http, places: &[(Preset, &str)]) -> Vec<Found> {
    let Ok(runtime) = http.runtime() else { return Vec::new() };
    runtime.block_on(async {
        let asked = places.iter().map(|(preset, base_url)| async move {
            match list(http, base_url, None, CONNECT, PATIENCE).await {
                Ok(models) => Some(Found { preset: *preset, base_url: (*base_url).to_owned(), models }),
                Err(error) => {
                    tracing::debug!(server = preset.name(), %error, "no such model server");
                    None
                }
            }
        });
        join_all(asked).await.into_iter().flatten().collect()
    })
}

impl Http {
    /// The models that the server at `base_url` offers, without those that only make embeddings.
    ///
    /// # Errors
    /// As for a chat; [`EndpointError::NotAModel`] when there is no such list.
    pub fn models(&self, base_url: &str, key: Option<&ApiKey>) -> Result<Vec<String>, EndpointError> {
        let patience = Duration::from_secs(15);
        self.runtime()?.block_on(list(self, base_url, key, Duration::from_secs(5), patience))
    }
}

async fn list(
    http: &Http,
    base_url: &str,
    key: Option<&ApiKey>,
    connect: Duration,
    patience: Duration,
) -> Result<Vec<String>, EndpointError> {
    let url = address(base_url, "models")?;
    let authorization = authorization(&url, key)?;
    let client = http.client(is_loopback(&url), connect)?;
    let receipt = http.announce(&url, &Outgoing::get(&url))?;
    let mut request = client.get(url).timeout(patience);
    if let Some(authorization) = authorization {
        request = request.header(AUTHORIZATION, authorization);
    }
    let mut answer = request.send().await?;
    let status = answer.status();
    http.ledger.answered(receipt, status.as_u16());
    match status.as_u16() {
        200 => {}
        300..=399 => return Err(EndpointError::Redirected),
        status @ (401 | 403) => return Err(EndpointError::KeyRefused { status }),
        status => return Err(EndpointError::Refused { status }),
    }
    let mut body = Vec::new();
    while let Some(bytes) = answer.chunk().await? {
        body.extend_from_slice(&bytes);
        if body.len() > LONGEST_LIST {
            return Err(EndpointError::NotAModel);
        }
    }
    let listed: Value = serde_json::from_slice(&body).map_err(|_| EndpointError::NotAModel)?;
    let models = listed.get("data").and_then(Value::as_array).ok_or(EndpointError::NotAModel)?;
    let names = models.iter().filter_map(|model| model.get("id")?.as_str());
    Ok(names.filter(|name| !name.to_lowercase().contains("embed")).map(str::to_owned).collect())
}

/// Polls all of them whenever one wakes: there are three.
async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    poll_fn(move |context| {
        for (future, output) in &mut waiting {
            if output.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *output = Some(ready);
            }
        }
        if waiting.iter().any(|(_, output)| output.is_none()) {
            return Poll::Pending;
        }
        Poll::Ready(waiting.iter_mut().filter_map(|(_, output)| output.take()).collect())
    })
    .await
}
