//! `cargo xtask models`, and the models that everything else waits for.
//!
//! What a model is, where it comes from and when it is whole is the business of `calm-models`; the socket is that
//! of `calm-agent`. Here they are put together and watched.

use crate::{place, say};
use anyhow::{Context, Result, bail};
use calm_agent::{Http, HttpError, HttpSettings, Ledger, NotRecorded, Outgoing, Receipt};
use calm_models::{Body, Models, Progress, Stage, State, Transport, TransportError};
use clap::{Args, Subcommand};
use std::io::{IsTerminal, Write, stderr};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Names every model, its size, licence and state
    List,
    /// Fetches models; without a name, those that the app and its tests need
    Fetch { ids: Vec<String> },
    /// Reads every file again and compares it with its SHA-256
    Verify,
}

/// `cargo xtask models`
pub fn run(options: &Options) -> Result<()> {
    let models = Models::open(place::models()?);
    match &options.action {
        None => fetch_required(),
        Some(Action::Fetch { ids }) if ids.is_empty() => fetch_required(),
        Some(Action::Fetch { ids }) => fetch(&models, &ids.iter().map(String::as_str).collect::<Vec<_>>()),
        Some(Action::List) => list(&models),
        Some(Action::Verify) => verify(&models),
    }
}

/// Not needed by the app, which then finds memories by words alone; the tests hold it to what it can do with it.
const TESTED: &str = "sentence-encoder";

/// Fetches what is missing of the models that the app and its tests need. Contacts nothing when they are ready.
///
/// # Errors
/// When one cannot be fetched; those before it stay.
pub fn fetch_required() -> Result<()> {
    let models = Models::open(place::models()?);
    let mut needed = models.manifest().required();
    needed.push(TESTED);
    fetch(&models, &needed)
}

fn fetch(models: &Models, ids: &[&str]) -> Result<()> {
    say::headline("Models");
    let width = ids.iter().map(|id| id.len()).max().unwrap_or(0);
    let mut bar = Bar::new(width, stderr().is_terminal());
    let fetched = models.fetch_all(ids, &Network::new(), &mut |progress| bar.show(progress));
    bar.close();
    fetched.with_context(|| format!("the models in {} are not complete", models.dir().display()))?;
    say::note(&format!("ready: {}", ids.join(", ")));
    Ok(())
}

fn list(models: &Models) -> Result<()> {
    println!("models in {}", models.dir().display());
    for model in models.manifest().models() {
        let state = said(models.state(&model.id)?);
        let needed = if model.required { "needed" } else { "" };
        let size = megabytes(model.bytes());
        println!("{:<28} {size:>6} MB  {state:<8} {needed:<6}  {} ({})", model.id, model.purpose, model.licence);
    }
    Ok(())
}

fn verify(models: &Models) -> Result<()> {
    let mut bad = 0;
    for model in models.manifest().models() {
        let state = models.verify(&model.id)?;
        println!("{:<28} {}", model.id, said(state));
        if state == State::Damaged || (state == State::Missing && model.required) {
            bad += 1;
        }
    }
    if bad > 0 {
        bail!("{bad} models cannot be loaded; `cargo xtask models fetch` brings them");
    }
    Ok(())
}

fn said(state: State) -> &'static str {
    match state {
        State::Ready => "ready",
        State::Missing => "missing",
        State::Damaged => "damaged",
    }
}

/// Rounded up: a file of a few KB is not nothing.
fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}

/// One line for each model, rewritten while it is fetched, or a line at every new stage when nobody can see it move.
struct Bar {
    width: usize,
    moving: bool,
    model: String,
    line: String,
    drawn: Option<Instant>,
}

/// Often enough to see it move, and not all that the terminal does.
const REDRAW: Duration = Duration::from_millis(100);

impl Bar {
    fn new(width: usize, moving: bool) -> Self {
        Self { width, moving, model: String::new(), line: String::new(), drawn: None }
    }

    fn show(&mut self, progress: Progress<'_>) {
        if self.model != progress.model {
            self.close();
            progress.model.clone_into(&mut self.model);
        }
        let line = line(self.width, progress, self.moving);
        let moved = matches!(progress.stage, Stage::Downloading { .. });
        let too_soon = moved && self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW);
        if line == self.line || (self.moving && too_soon) {
            return;
        }
        if self.moving {
            eprint!("\r\x1b[K    {line}");
            stderr().flush().ok();
        } else {
            say::note(&line);
        }
        self.line = line;
        self.drawn = Some(Instant::now());
    }

    /// Leaves the line as it stands.
    fn close(&mut self) {
        if self.moving && self.drawn.is_some() {
            eprintln!();
        }
        self.line.clear();
        self.drawn = None;
    }
}

/// `whisper-base  ████████░░░░░░░░░░░░   41 of  134 MB`; without the moving part when nobody can see it.
fn line(width: usize, progress: Progress<'_>, moving: bool) -> String {
    let stage = match progress.stage {
        Stage::Waiting => "waiting for another program that fetches models".to_owned(),
        Stage::Downloading { total, .. } if !moving => format!("downloading {} MB", megabytes(total)),
        Stage::Downloading { done, total } => {
            let filled = usize::try_from(done.min(total) * CELLS as u64 / total.max(1)).unwrap_or(CELLS);
            let (full, empty) = ("█".repeat(filled), "░".repeat(CELLS - filled));
            format!("{full}{empty} {:>4} of {:>4} MB", megabytes(done), megabytes(total))
        }
        Stage::Converting => "converting".to_owned(),
        Stage::Ready => "ready".to_owned(),
    };
    format!("{:<width$}  {stage}", progress.model)
}

const CELLS: usize = 20;

/// The socket of `calm-agent` for `calm-models`, which opens none.
struct Network(Http);

impl Network {
    fn new() -> Self {
        Self(Http::new(HttpSettings::default(), Arc::new(Unrecorded)))
    }
}

impl Transport for Network {
    fn get(&self, url: &str, from: u64) -> Result<Body, TransportError> {
        let download = self.0.get_range(url, from).map_err(in_their_words)?;
        let (total, starts_at) = (download.total, download.starts_at);
        Ok(Body { total, starts_at, reader: Box::new(download.into_reader()) })
    }

    fn allow_program(&self, program: &str, what: &str) -> Result<(), TransportError> {
        self.0.allow_program(program, what).map_err(in_their_words)
    }
}

fn in_their_words(error: HttpError) -> TransportError {
    match error {
        HttpError::Offline => TransportError::Offline,
        HttpError::NoSuchRange => TransportError::NoSuchRange,
        HttpError::Refused { status } => TransportError::Refused { status },
        error => TransportError::Unreachable(error.to_string()),
    }
}

/// The ledger belongs to the user's data, and xtask has none: what it fetches stands on the screen.
struct Unrecorded;

impl Ledger for Unrecorded {
    fn about_to_send(&self, _: &Outgoing) -> Result<Receipt, NotRecorded> {
        Ok(Receipt(0))
    }

    fn answered(&self, _: Receipt, _: u16) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(stage: Stage, moving: bool) -> String {
        line(12, Progress { model: "silero-vad", stage }, moving)
    }

    #[test]
    fn a_bar_fills_from_left_to_right_and_no_further() {
        let bar = |done, total| at(Stage::Downloading { done, total }, true);
        assert_eq!(bar(0, 0), "silero-vad    ░░░░░░░░░░░░░░░░░░░░    0 of    0 MB");
        assert_eq!(bar(5_500_000, 11_000_000), "silero-vad    ██████████░░░░░░░░░░    6 of   11 MB");
        assert_eq!(bar(12_000_000, 11_000_000), "silero-vad    ████████████████████   12 of   11 MB");
    }

    #[test]
    fn without_a_terminal_a_download_is_one_line() {
        let lines = [0, 3_000_000, 11_000_000].map(|done| at(Stage::Downloading { done, total: 11_000_000 }, false));
        assert_eq!(lines[0], "silero-vad    downloading 11 MB");
        assert!(lines.iter().all(|line| *line == lines[0]));
    }
}
