//! After a session: the linter reads what was said, and the prompts are judged by it (SPEC K3, P4).
//!
//! It comes when everything has been written and reported, so nobody waits for it.

use crate::conductor::Conductor;
use crate::prompting::{self, Current};
use crate::running::Running;
use crate::transcript;

impl Conductor {
    /// Whatever goes wrong here, the session has ended well.
    pub(crate) fn look_back(&mut self, ended: &Running) {
        if let Err(error) = transcript::lint(&mut self.store, ended.id, &ended.prompts) {
            tracing::warn!(%error, "the replies of a session were not linted");
        }
        self.review_prompts();
    }

    /// A version that turns out worse makes way.
    fn review_prompts(&mut self) {
        let now = self.now();
        let current = match prompting::review(&mut self.store, now) {
            Ok(Some(back)) => {
                tracing::warn!(from = back.from, to = back.to, reason = back.reason, "the prompts were rolled back");
                prompting::current(&mut self.store, now)
            }
            Ok(None) => return,
            Err(error) => Err(error),
        };
        match current {
            Ok(Current { set, .. }) => {
                if let Err(error) = self.use_prompts(set) {
                    tracing::warn!(%error, "the notes did not follow the prompts");
                }
            }
            Err(error) => tracing::warn!(%error, "the prompt versions could not be compared"),
        }
    }
}
