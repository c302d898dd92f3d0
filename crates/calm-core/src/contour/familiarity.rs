//! How familiar a thread is, kept for five minutes: searching memory takes longer than a label may (SPEC C3).

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

/// What stands in until memory has been searched.
const UNKNOWN: f32 = 0.5;
const KEPT: Duration = Duration::from_secs(300);

/// By user and thread. Time is handed in, as the age of the process or anything else that only grows.
#[derive(Debug, Clone)]
pub struct FamiliarityCache<K> {
    entries: HashMap<K, Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// 0–1.
    familiarity: f32,
    at: Duration,
}

impl<K: Eq + Hash> Default for FamiliarityCache<K> {
    fn default() -> Self {
        FamiliarityCache { entries: HashMap::new() }
    }
}

impl<K: Eq + Hash> FamiliarityCache<K> {
    /// What is known, 0–1, and whether memory is to be searched for it now.
    ///
    /// A miss answers at once, and until it is filled or too old nobody else is sent searching.
    pub fn get(&mut self, key: K, now: Duration) -> (f32, bool) {
        self.entries.retain(|_, entry| now.saturating_sub(entry.at) < KEPT);
        match self.entries.get(&key) {
            Some(entry) => (entry.familiarity, false),
            None => {
                self.entries.insert(key, Entry { familiarity: UNKNOWN, at: now });
                (UNKNOWN, true)
            }
        }
    }

    /// What a search has found.
    pub fn fill(&mut self, key: K, familiarity: f32, now: Duration) {
        self.entries.insert(key, Entry { familiarity: familiarity.clamp(0.0, 1.0), at: now });
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_first_look_is_a_default_and_the_next_ones_are_what_was_found() {
        let mut cache = FamiliarityCache::default();
        assert_eq!(cache.get("thread", at(0)), (0.5, true));
        assert_eq!(cache.get("thread", at(1)), (0.5, false), "a search is under way");
        cache.fill("thread", 0.9, at(2));
        assert_eq!(cache.get("thread", at(301)), (0.9, false));
        assert_eq!(cache.get("thread", at(302)), (0.5, true), "three hundred seconds are over");
    }

    #[test]
    fn threads_do_not_share() {
        let mut cache = FamiliarityCache::default();
        cache.fill("one", 0.9, at(0));
        assert_eq!(cache.get("other", at(0)), (0.5, true));
    }

    proptest! {
        #[test]
        fn nothing_old_is_ever_told(steps in proptest::collection::vec((0_u8..4, 0_u64..200, proptest::option::of(0.0_f32..=1.0)), 0..100)) {
            let mut cache = FamiliarityCache::default();
            let mut filled = HashMap::new();
            let mut now = 0;
            for (key, pause, fill) in steps {
                now += pause;
                if let Some(value) = fill {
                    cache.fill(key, value, at(now));
                    filled.insert(key, (value, now));
                } else {
                    let (told, search) = cache.get(key, at(now));
                    match filled.get(&key) {
                        Some((value, then)) if now - then < 300 => prop_assert_eq!((told, search), (*value, false)),
                        _ => prop_assert_eq!(told, 0.5),
                    }
                }
            }
        }
    }
}
