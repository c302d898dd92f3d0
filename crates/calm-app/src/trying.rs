//! Talks that are held to try something out: with another mind, without labels, through a borrowed server.

use std::sync::Arc;

use calm_agent::{Cancel, Endpoint, Http};
use calm_core::contour::Mind;

use crate::backend::Server;
use crate::conductor::Conductor;
use crate::error::AppError;

/// What a scenario sets otherwise than a user's house has it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trial {
    /// In place of what memory knows.
    pub mind: Option<Mind>,
    /// Nobody is told what the contour says.
    pub without_labels: bool,
    /// Who answers, in place of the one that the settings name.
    pub server: Option<(Server, Endpoint)>,
    /// Cuts off the model that is being waited for, and every later one.
    pub stop: Option<Cancel>,
}

/// A server of this house, and the way out to it, for talks that are held elsewhere: scenarios run in a folder of
/// their own, and what they send stands in this house's ledger.
#[derive(Clone)]
pub struct Lent {
    pub(crate) http: Arc<Http>,
    pub(crate) server: Option<(Server, Endpoint)>,
}

impl Conductor {
    /// For comparing: whoever answers from now on is not told what the contour says.
    pub fn without_labels(&mut self, withheld: bool) {
        self.trial.without_labels = withheld;
    }

    /// The server `name`, for talks that are held elsewhere; the guide needs no lending.
    ///
    /// # Errors
    /// There is no such server.
    pub fn lend(&self, name: &str, model: Option<&str>) -> Result<Lent, AppError> {
        Ok(Lent { http: Arc::clone(&self.http), server: self.server(Some(name), model)? })
    }

    pub(crate) fn borrow(&mut self, lent: &Lent) {
        self.http = Arc::clone(&lent.http);
        self.trial.server.clone_from(&lent.server);
    }
}
