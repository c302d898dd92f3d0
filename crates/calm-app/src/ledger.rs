//! The ledger over the database: every request is on disk before it leaves (SPEC A6).

use std::sync::{Mutex, PoisonError};

use calm_agent::{Ledger, NotRecorded, Outgoing, Receipt};
use calm_store::{LedgerId, LedgerRow, Secrets, Store};
use jiff::Timestamp;

use crate::paths::Paths;

/// Opens a connection of its own at the first request: most sessions never send anything.
pub struct StoreLedger {
    paths: Paths,
    secrets: Secrets,
    store: Mutex<Option<Store>>,
}

impl StoreLedger {
    pub fn new(paths: Paths, secrets: Secrets) -> StoreLedger {
        StoreLedger { paths, secrets, store: Mutex::new(None) }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, calm_store::StoreError>) -> Result<T, NotRecorded> {
        let mut held = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let store = match held.as_mut() {
            Some(store) => store,
            None => held.insert(Store::open(&self.paths.data, self.secrets).map_err(|error| unwritten(&error))?),
        };
        work(store).map_err(|error| unwritten(&error))
    }
}

fn unwritten(error: &calm_store::StoreError) -> NotRecorded {
    tracing::warn!(%error, "the ledger could not be written");
    NotRecorded
}

impl Ledger for StoreLedger {
    fn about_to_send(&self, outgoing: &Outgoing) -> Result<Receipt, NotRecorded> {
        let row = LedgerRow {
            // The real time, whatever a script says that it is: this is about what leaves now.
            at: Timestamp::now(),
            method: outgoing.method.clone(),
            url: outgoing.url.clone(),
            fields: outgoing.fields.clone(),
            body: outgoing.body.to_vec(),
        };
        self.with(|store| store.write_ledger(&row)).map(|id| Receipt(id.number()))
    }

    fn answered(&self, receipt: Receipt, status: u16) {
        // A row without a status says that no answer came, which is the worst that can be told wrongly here.
        self.with(|store| store.finish_ledger(LedgerId::from(receipt.0), status)).ok();
    }
}
