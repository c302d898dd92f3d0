//! Servers, models, and what left this machine.

use calm_app::KeyPlace;
use calm_app::backend::Server;
use calm_app::sent::Sent;
use calm_app::speed::Speed;
use serde::Serialize;
use specta::Type;

use super::ModelsState;

#[derive(Debug, Clone, Serialize, Type)]
pub struct ServerCard {
    pub name: String,
    pub base_url: String,
    pub model: String,
    /// A key is kept for it.
    pub key: bool,
}

impl ServerCard {
    pub fn of(server: &Server, key: bool) -> ServerCard {
        let Server { name, base_url, model, .. } = server;
        ServerCard { name: name.clone(), base_url: base_url.clone(), model: model.clone(), key }
    }
}

/// Where the key of a server is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum ServerKeyPlace {
    Keychain,
    File { path: String },
}

impl From<KeyPlace> for ServerKeyPlace {
    fn from(place: KeyPlace) -> ServerKeyPlace {
        match place {
            KeyPlace::Keychain => ServerKeyPlace::Keychain,
            KeyPlace::File(path) | KeyPlace::Locked(path) => ServerKeyPlace::File { path: path.display().to_string() },
        }
    }
}

/// A model server that runs on this machine.
#[derive(Debug, Clone, Serialize, Type)]
pub struct FoundServer {
    pub name: String,
    pub base_url: String,
    pub models: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ServerTried {
    pub model: String,
    /// Milliseconds.
    pub first_token: u32,
    pub total: u32,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct ModelCard {
    pub id: String,
    pub state: ModelsState,
    /// On the disk.
    pub megabytes: u32,
    pub licence: String,
    /// Without it there is no voice.
    pub required: bool,
    /// It writes down what is said: one of those that the user chooses from.
    pub writes: bool,
}

/// How fast a model writes down speech here.
#[derive(Debug, Clone, Serialize, Type)]
pub struct SpeechSpeed {
    /// Length of the sample, in milliseconds.
    pub sample: u32,
    /// So many milliseconds it took.
    pub took: u32,
}

impl From<Speed> for SpeechSpeed {
    fn from(speed: Speed) -> SpeechSpeed {
        let took = u32::try_from(speed.asr_ms).unwrap_or(u32::MAX);
        SpeechSpeed { sample: (speed.clip_seconds * 1000.0) as u32, took }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum FetchStage {
    Waiting,
    Downloading,
    Converting,
    Ready,
}

#[derive(Debug, Clone, Serialize, Type)]
pub struct MicrophoneCard {
    /// For the settings.
    pub id: String,
    pub name: String,
    /// The system takes this one.
    pub chosen: bool,
}

/// One request that left this machine.
#[derive(Debug, Clone, Serialize, Type)]
pub struct SentCard {
    pub id: String,
    pub at: String,
    pub method: String,
    pub url: String,
    /// Names of what it held about the user.
    pub fields: Vec<String>,
    pub bytes: u32,
    /// 0 where no answer came.
    pub status: u16,
}

impl From<&Sent> for SentCard {
    fn from(sent: &Sent) -> SentCard {
        SentCard {
            id: sent.id.to_string(),
            at: sent.at.to_string(),
            method: sent.method.clone(),
            url: sent.url.clone(),
            fields: sent.fields.clone(),
            bytes: u32::try_from(sent.bytes).unwrap_or(u32::MAX),
            status: sent.status.unwrap_or_default(),
        }
    }
}
