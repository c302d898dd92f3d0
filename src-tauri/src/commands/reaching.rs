//! Servers, models, the microphone, and what left this machine.

#![allow(clippy::let_underscore_must_use, reason = "the macro of asynchronous commands writes it")]

use calm_app::backend::{self, Server};
use calm_app::ears::speech_models;
use calm_app::models::{self, Models, Stage, State as Whole};
use calm_app::voice::{MicError, mic};
use calm_app::{AppError, Conductor, speed};
use tauri::State;
use tauri::async_runtime::spawn_blocking;

use crate::desk::Desk;
use crate::trying;
use crate::wire::{
    FetchStage, FoundServer, MicrophoneCard, ModelCard, ModelsState, SentCard, ServerCard, ServerKeyPlace, ServerTried,
    SpeechSpeed, WireError, WireEvent,
};

/// How many requests the ledger shows.
const LEDGER: u32 = 200;

#[tauri::command(async)]
#[specta::specta]
pub fn servers(desk: State<'_, Desk>) -> Result<Vec<ServerCard>, WireError> {
    desk.with(|conductor| {
        let keys = conductor.api_keys()?;
        let has_key = |server: &Server| keys.get(&server.name).is_ok_and(|key| key.is_some());
        Ok(conductor.settings().servers.iter().map(|server| ServerCard::of(server, has_key(server))).collect())
    })
}

#[tauri::command(async)]
#[specta::specta]
pub fn add_server(desk: State<'_, Desk>, name: String, base_url: String, model: String) -> Result<(), WireError> {
    let text = |text: String| text.trim().to_owned();
    let server = Server { name: text(name), base_url: text(base_url), model: text(model), ..Server::default() };
    desk.with(|conductor| conductor.add_server(server.fit_for_its_place()))
}

/// Its key goes with it.
#[tauri::command(async)]
#[specta::specta]
pub fn remove_server(desk: State<'_, Desk>, name: String) -> Result<(), WireError> {
    desk.with(|conductor| conductor.remove_server(&name))?;
    desk.show_everything()
}

/// Who answers from the next talk on.
#[tauri::command(async)]
#[specta::specta]
pub fn use_backend(desk: State<'_, Desk>, name: String) -> Result<(), WireError> {
    desk.with(|conductor| conductor.use_backend(&name))?;
    desk.show_everything()
}

/// Says where it is kept now; the window has the words.
#[tauri::command(async)]
#[specta::specta]
pub fn keep_key(desk: State<'_, Desk>, name: String, key: String) -> Result<ServerKeyPlace, WireError> {
    Ok(desk.with(|conductor| conductor.keep_key(&name, key.trim()))?.into())
}

/// The model servers that run on this machine.
#[tauri::command]
#[specta::specta]
pub async fn discover(desk: State<'_, Desk>) -> Result<Vec<FoundServer>, WireError> {
    let http = desk.with(|conductor| Ok(conductor.http().clone()))?;
    let found = unhurried(move || Ok(backend::discover(&http))).await?;
    let card = |found: backend::Found| FoundServer {
        name: found.preset.name().to_owned(),
        base_url: found.base_url,
        models: found.models,
    };
    Ok(found.into_iter().map(card).collect())
}

/// One word asked of a server; nothing of the user goes with it.
#[tauri::command]
#[specta::specta]
pub async fn try_backend(desk: State<'_, Desk>, name: String) -> Result<ServerTried, WireError> {
    let desk = desk.inner().clone();
    unhurried(move || {
        let trial = desk.with(|conductor| conductor.start_trying(&name))?;
        let Some(trial) = trial else { return Ok(ServerTried { model: name, first_token: 0, total: 0 }) };
        let (tried, learned) = trial.run().map_err(|error| trying::failed(&error))?;
        desk.with(|conductor| conductor.keep_learned(&tried.name, learned))?;
        let millis = |took: u64| u32::try_from(took).unwrap_or(u32::MAX);
        Ok(ServerTried { model: tried.model, first_token: millis(tried.first_token_ms), total: millis(tried.total_ms) })
    })
    .await
}

/// Every model that there is, and whether it is here.
#[tauri::command(async)]
#[specta::specta]
pub fn models(desk: State<'_, Desk>) -> Vec<ModelCard> {
    cards(&desk, |models, id| models.state(id).unwrap_or(Whole::Missing))
}

/// Reads every file of every model in full.
#[tauri::command]
#[specta::specta]
pub async fn verify_models(desk: State<'_, Desk>) -> Result<Vec<ModelCard>, WireError> {
    let desk = desk.inner().clone();
    unhurried(move || Ok(cards(&desk, |models, id| models.verify(id).unwrap_or(Whole::Missing)))).await
}

/// Brings models; with none named, everything that a full house has. How far it is comes as events.
#[tauri::command]
#[specta::specta]
pub async fn fetch_models(desk: State<'_, Desk>, ids: Vec<String>) -> Result<(), WireError> {
    let desk = desk.inner().clone();
    unhurried(move || {
        desk.fetching(|| {
            let http = desk.with(|conductor| Ok(conductor.http().clone()))?;
            let mut shown = None;
            let fetched = models::fetch_over(http, desk.paths(), &ids, &mut |progress| {
                let (stage, percent) = stage(progress.stage);
                // The same line again only costs drawing.
                if shown.replace((stage, percent)) != Some((stage, percent)) {
                    desk.send(&WireEvent::Fetching { model: progress.model.to_owned(), stage, percent });
                }
            });
            desk.ears().unload();
            desk.show_everything()?;
            Ok(fetched?)
        })
    })
    .await
}

/// Removes a model from this machine.
#[tauri::command]
#[specta::specta]
pub async fn delete_model(desk: State<'_, Desk>, id: String) -> Result<(), WireError> {
    let desk = desk.inner().clone();
    unhurried(move || {
        // Some systems hold on to a file that is loaded.
        desk.ears().unload();
        Models::open(&desk.paths().models).delete(&id).map_err(AppError::from)?;
        desk.show_everything()
    })
    .await
}

/// How fast a model writes down speech on this machine.
#[tauri::command]
#[specta::specta]
pub async fn speech_speed(desk: State<'_, Desk>, id: String) -> Result<SpeechSpeed, WireError> {
    let desk = desk.inner().clone();
    unhurried(move || Ok(speed::measure(desk.paths(), &id)?.into())).await
}

#[tauri::command(async)]
#[specta::specta]
pub fn microphones() -> Result<Vec<MicrophoneCard>, WireError> {
    let devices = mic::devices().map_err(|error: MicError| AppError::from(error))?;
    Ok(devices.into_iter().map(|it| MicrophoneCard { id: it.id, name: it.name, chosen: it.default }).collect())
}

/// Opens the microphone and tells its level, for a while or until it is told to stop. Nothing is kept.
#[tauri::command(async)]
#[specta::specta]
pub fn try_microphone(desk: State<'_, Desk>, on: bool) {
    if on {
        trying::microphone(desk.inner().clone());
    } else {
        desk.end_trial();
    }
}

/// What left this machine, newest first, without the texts.
#[tauri::command(async)]
#[specta::specta]
pub fn ledger(desk: State<'_, Desk>) -> Result<Vec<SentCard>, WireError> {
    Ok(desk.with(|conductor| conductor.ledger(LEDGER))?.iter().map(SentCard::from).collect())
}

/// The exact text of one request.
#[tauri::command(async)]
#[specta::specta]
pub fn sent_text(desk: State<'_, Desk>, id: String) -> Result<String, WireError> {
    let sent = desk.with(|conductor: &mut Conductor| match id.parse() {
        Ok(id) => conductor.sent(id),
        Err(_) => Ok(None),
    })?;
    let gone = || WireError { code: "not_found".into(), detail: String::new() };
    sent.and_then(|sent| sent.body).ok_or_else(gone)
}

/// What takes long must not hold up the other commands.
pub(super) async fn unhurried<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WireError> + Send + 'static,
) -> Result<T, WireError> {
    spawn_blocking(work).await.unwrap_or_else(|_| Err(WireError { code: "internal".into(), detail: String::new() }))
}

fn cards(desk: &Desk, state: impl Fn(&Models, &str) -> Whole) -> Vec<ModelCard> {
    let models = Models::open(&desk.paths().models);
    let required = models.manifest().required();
    let speech: Vec<String> = speech_models().collect();
    let card = |model: &models::Model| ModelCard {
        id: model.id.clone(),
        state: match state(&models, &model.id) {
            Whole::Ready => ModelsState::Ready,
            Whole::Missing => ModelsState::Missing,
            Whole::Damaged => ModelsState::Damaged,
        },
        megabytes: u32::try_from(model.bytes().div_ceil(1_000_000)).unwrap_or(u32::MAX),
        licence: model.licence.clone(),
        required: required.contains(&model.id.as_str()),
        writes: speech.contains(&model.id),
    };
    models.manifest().models().map(card).collect()
}

fn stage(stage: Stage) -> (FetchStage, u8) {
    match stage {
        Stage::Waiting => (FetchStage::Waiting, 0),
        Stage::Downloading { done, total } => {
            let percent = done.saturating_mul(100).checked_div(total).unwrap_or(0).min(100);
            (FetchStage::Downloading, u8::try_from(percent).unwrap_or(100))
        }
        Stage::Converting => (FetchStage::Converting, 100),
        Stage::Ready => (FetchStage::Ready, 100),
    }
}
