//! What the user puts right in a session that has ended (SPEC H10).

use calm_core::{Deltas, EndSession};
use rusqlite::{OptionalExtension, params};

use crate::columns::{Json, Name};
use crate::sessions::SessionId;
use crate::{Store, StoreError};

/// A session with what it is to have left behind.
pub struct Corrected<'a> {
    pub id: SessionId,
    pub arguments: &'a EndSession,
    pub deltas: &'a Deltas,
}

impl Store {
    /// All of them or none.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where one is no session that has ended.
    pub fn correct_sessions(&mut self, corrected: &[Corrected<'_>]) -> Result<(), StoreError> {
        let tx = self.write()?;
        for one in corrected {
            let said = &one.arguments.extracted_attributes;
            let changed = tx
                .prepare_cached(
                    "UPDATE sessions SET arguments_json = ?2, deltas_json = ?3, readiness = ?4, stress = ?5,
                         energy = ?6, session_result = ?7
                     WHERE id = ?1 AND ended_at IS NOT NULL",
                )?
                .execute(params![
                    one.id,
                    Json(one.arguments),
                    Json(one.deltas),
                    said.trading_readiness,
                    said.stress_level,
                    said.energy_level,
                    said.session_result.map(Name),
                ])?;
            if changed == 0 {
                return Err(StoreError::NotFound("session that has ended"));
            }
        }
        Ok(tx.commit()?)
    }

    /// The check-out that was matched with a check-in, where there is one.
    pub fn checkout_of(&self, checkin: SessionId) -> Result<Option<SessionId>, StoreError> {
        Ok(self
            .conn
            .prepare_cached("SELECT id FROM sessions WHERE matched_checkin_id = ?1")?
            .query_row([checkin], |row| row.get(0))
            .optional()?)
    }
}
