//! The way to stop a request from another thread, at once.

use std::sync::Arc;

use tokio::sync::watch;

/// Stops whatever was started with it, and all that is started with it later. Clones are the same switch.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Cancel {
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// The connection is dropped right away; the call that used it returns without waiting for the server.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Whether both are the same switch.
    pub fn is_of(&self, other: &Cancel) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) async fn cancelled(&self) {
        let mut changes = self.0.subscribe();
        // The sender lives as long as `self`: the wait ends only when the switch is thrown.
        if changes.wait_for(|cancelled| *cancelled).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}
