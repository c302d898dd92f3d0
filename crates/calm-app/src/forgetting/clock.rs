//! Whether the clock is believed when it says that something is old.
//!
//! A clock that is years ahead would delete a whole history in a moment. One that is more than a year ahead of the last time
//! is doubted, and believed once it has gone on by itself for a week.

use std::fs;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::paths::CLOCK_FILE;

const LEAP: SignedDuration = SignedDuration::from_hours(365 * 24);
const PROOF: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The file is not written more often, as long as the clock is believed.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// What is known of the clock; it lies in the data folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// The latest moment that was believed.
    believed: Option<Timestamp>,
    /// The first of the moments that are not.
    doubted: Option<Timestamp>,
}

impl Seen {
    /// What is known once the clock has said `now`. `newest` is when the newest thing stored was made; before anything was
    /// believed the clock is held against that.
    fn after(self, newest: Option<Timestamp>, now: Timestamp) -> Seen {
        let Some(last) = self.believed.or(newest) else { return Seen::default() };
        let proven = |since: &Timestamp| {
            let gone_on = now.duration_since(*since);
            gone_on >= PROOF && gone_on <= LEAP
        };
        if now.duration_since(last) <= LEAP || self.doubted.as_ref().is_some_and(proven) {
            // A clock that is behind for a while makes nothing older.
            return Seen { believed: Some(self.believed.map_or(now, |before| before.max(now))), doubted: None };
        }
        let since = self.doubted.filter(|since| *since <= now && now.duration_since(*since) < PROOF);
        Seen { doubted: Some(since.unwrap_or(now)), ..self }
    }

    fn is_news(self, before: Seen) -> bool {
        let believed = match (before.believed, self.believed) {
            (Some(before), Some(now)) => now.duration_since(before) >= DAY,
            (before, now) => before != now,
        };
        believed || self.doubted != before.doubted
    }
}

/// Whether what the clock says now may make anything old. What it said is kept in `data`.
pub(crate) fn is_believed(data: &Path, newest: Option<Timestamp>, now: Timestamp) -> bool {
    let before = kept(data);
    let seen = before.after(newest, now);
    if seen.is_news(before)
        && let Err(error) = keep(&data.join(CLOCK_FILE), seen)
    {
        tracing::warn!(%error, "what the clock said cannot be kept; it is held against what was said before");
    }
    if seen.doubted.is_some() {
        tracing::warn!("the clock is more than a year ahead: nothing grows old by it for a week");
    }
    seen.doubted.is_none()
}

/// Whether it is not believed as it stands now. Asking changes nothing.
pub(crate) fn is_doubted(data: &Path, newest: Option<Timestamp>, now: Timestamp) -> bool {
    kept(data).after(newest, now).doubted.is_some()
}

fn kept(data: &Path) -> Seen {
    let bytes = fs::read(data.join(CLOCK_FILE)).ok();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Complete or not at all.
fn keep(path: &Path, seen: Seen) -> std::io::Result<()> {
    let unfinished = path.with_extension("json.new");
    fs::write(&unfinished, serde_json::to_vec(&seen)?)?;
    fs::rename(unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn start() -> Timestamp {
        "2026-03-02T09:00:00Z".parse().expect("a moment")
    }

    fn hours(count: i64) -> SignedDuration {
        SignedDuration::from_hours(count)
    }

    #[test]
    fn before_anything_is_stored_nothing_is_held_against_the_clock() {
        assert_eq!(Seen::default().after(None, start()), Seen::default());
    }

    proptest! {
        /// Whatever the clock does, ahead or back: no moment that is more than a year ahead of all that was believed is believed
        /// unless another one was seen a week before it, and nothing earlier in between.
        #[test]
        fn no_leap_is_believed_on_its_own_word(steps in prop::collection::vec(-200_000_i64..200_000, 1..60)) {
            let mut seen = Seen { believed: Some(start()), doubted: None };
            let mut said = Vec::new();
            let mut now = start();
            for step in steps {
                now = now.saturating_add(hours(step)).expect("hours");
                let last = seen.believed.expect("the first moment");
                seen = seen.after(None, now);
                if seen.doubted.is_none() && now.duration_since(last) > LEAP {
                    let week = |at: &usize| {
                        let since: Timestamp = said[*at];
                        now.duration_since(since) >= PROOF && said[*at..].iter().all(|later| *later >= since)
                    };
                    prop_assert!((0..said.len()).any(|at| week(&at)), "{now} after {said:?}");
                }
                prop_assert!(seen.believed >= Some(last), "what was believed stays");
                said.push(now);
            }
        }

        /// Somebody who looks in at least once a year is never doubted.
        #[test]
        fn an_honest_clock_is_always_believed(steps in prop::collection::vec(0_i64..=365 * 24, 1..60)) {
            let (mut seen, mut now) = (Seen::default(), start());
            for step in steps {
                now = now.saturating_add(hours(step)).expect("hours");
                seen = seen.after(Some(start()), now);
                prop_assert_eq!(seen, Seen { believed: Some(now), doubted: None });
            }
        }

        /// Who comes back after years is believed in the second week.
        #[test]
        fn a_clock_that_goes_on_is_believed_within_two_weeks(away in 366_i64..20_000, days in prop::collection::vec(1_i64..7, 14)) {
            let mut now = start() + hours(away * 24);
            let back = now;
            let mut seen = Seen { believed: Some(start()), doubted: None }.after(None, now);
            prop_assert!(seen.doubted.is_some());
            for step in days {
                now = now.saturating_add(hours(step * 24)).expect("hours");
                seen = seen.after(None, now);
                let gone_on = now.duration_since(back);
                prop_assert_eq!(seen.doubted.is_none(), gone_on >= PROOF);
            }
        }

        #[test]
        fn a_clock_that_is_put_right_is_believed_at_once(ahead in 366_i64..20_000, passed in 0_i64..48) {
            let seen = Seen { believed: Some(start()), doubted: None };
            let wrong = seen.after(None, start() + hours(ahead * 24));
            prop_assert!(wrong.doubted.is_some());
            prop_assert_eq!(wrong.after(None, start() + hours(passed)).doubted, None);
        }
    }
}
