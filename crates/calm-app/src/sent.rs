//! What left this machine, as both doors show it (SPEC A6).

use calm_store::LedgerEntry;
use jiff::Timestamp;
use serde::Serialize;

use crate::conductor::Conductor;
use crate::error::AppError;

#[derive(Debug, Clone, Serialize)]
pub struct Sent {
    pub id: i64,
    pub at: Timestamp,
    /// `GET`, `POST`, or the name of a program that sends on our behalf.
    pub method: String,
    pub url: String,
    /// Names of what the body holds about the user.
    pub fields: Vec<String>,
    /// Of the body.
    pub bytes: u64,
    /// `None` while, or if, no answer came.
    pub status: Option<u16>,
    /// The body, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

impl Conductor {
    /// The newest requests first, without their bodies.
    pub fn ledger(&mut self, limit: u32) -> Result<Vec<Sent>, AppError> {
        Ok(self.store().ledger(limit)?.into_iter().map(|entry| sent(entry, false)).collect())
    }

    /// One request, whole; `None` where there is no such one.
    pub fn sent(&mut self, id: i64) -> Result<Option<Sent>, AppError> {
        let found = self.store().ledger(u32::MAX)?.into_iter().find(|entry| entry.id.number() == id);
        Ok(found.map(|entry| sent(entry, true)))
    }
}

fn sent(entry: LedgerEntry, whole: bool) -> Sent {
    Sent {
        id: entry.id.number(),
        at: entry.row.at,
        method: entry.row.method,
        url: entry.row.url,
        fields: entry.row.fields,
        bytes: entry.bytes,
        status: entry.status,
        body: whole.then(|| String::from_utf8_lossy(&entry.row.body).into_owned()),
    }
}
