//! Models for the doors: where they are, whether they are whole, and the one way to fetch them.

use std::sync::Arc;

use calm_agent::{Http, HttpError, HttpSettings, Ledger, NotRecorded, Outgoing, Receipt};
use calm_models::{Body, Transport, TransportError};
pub use calm_models::{Model, ModelError, Models, Progress, Stage, State};

use crate::error::AppError;
use crate::paths::Paths;
use crate::remembering::MODEL;

/// Fetches what is missing among `names`; where empty, everything that a full house has.
///
/// # Errors
/// The first model that could not be fetched; those before it stay.
pub fn fetch(paths: &Paths, names: &[String], progress: &mut dyn FnMut(Progress<'_>)) -> Result<(), AppError> {
    fetch_over(Arc::new(Http::new(HttpSettings::default(), Arc::new(LogOnly))), paths, names, progress)
}

/// As [`fetch`], by the way out of a house that has a database: its offline switch holds and its ledger tells.
///
/// # Errors
/// As [`fetch`].
pub fn fetch_over(
    http: Arc<Http>,
    paths: &Paths,
    names: &[String],
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), AppError> {
    let models = Models::open(&paths.models);
    let way = Way(http);
    if names.is_empty() {
        models.fetch_required(&way, progress)?;
        models.fetch(MODEL, &way, progress)?;
    } else {
        let ids: Vec<&str> = names.iter().map(String::as_str).collect();
        models.fetch_all(&ids, &way, progress)?;
    }
    Ok(())
}

/// The network room behind what the models room asks for.
struct Way(Arc<Http>);

impl Transport for Way {
    fn get(&self, url: &str, from: u64) -> Result<Body, TransportError> {
        let download = self.0.get_range(url, from).map_err(refused)?;
        Ok(Body { total: download.total, starts_at: download.starts_at, reader: Box::new(download.into_reader()) })
    }

    fn allow_program(&self, program: &str, what: &str) -> Result<(), TransportError> {
        self.0.allow_program(program, what).map_err(refused)
    }
}

fn refused(error: HttpError) -> TransportError {
    match error {
        HttpError::Offline => TransportError::Offline,
        HttpError::NoSuchRange => TransportError::NoSuchRange,
        HttpError::Refused { status } => TransportError::Refused { status },
        other => TransportError::Unreachable(other.to_string()),
    }
}

/// Models are fetched before there is a database, and carry nothing of the user: the log is ledger enough.
struct LogOnly;

impl Ledger for LogOnly {
    fn about_to_send(&self, outgoing: &Outgoing) -> Result<Receipt, NotRecorded> {
        tracing::info!(method = outgoing.method, url = outgoing.url, "fetching a model");
        Ok(Receipt(0))
    }

    fn answered(&self, _: Receipt, _: u16) {}
}
