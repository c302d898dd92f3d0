//! The blocks around a prompt, kept for a while so that a turn need not read and search again (SPEC E5).
//!
//! A block goes when what it is made of changes, here or in another process, and in any case after its time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use calm_prompts::envelope::{Excerpt, Trigger};
use moka::Expiry;
use moka::sync::Cache;

/// What a block is made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Triggers,
    Facts,
    /// By language and the stems that were searched for.
    Knowledge(String, Vec<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Triggers(Arc<Vec<Trigger>>),
    Facts(Option<Arc<str>>),
    Knowledge(Arc<Vec<Excerpt>>),
}

const TRIGGERS_LAST: Duration = Duration::from_hours(24);
const OTHERS_LAST: Duration = Duration::from_hours(1);
/// Searches of different turns; the rest is one of a kind.
const MOST_BLOCKS: u64 = 64;

struct Lasting;

impl Expiry<(i64, Key), Block> for Lasting {
    fn expire_after_create(&self, (_, key): &(i64, Key), _: &Block, _: Instant) -> Option<Duration> {
        Some(if *key == Key::Triggers { TRIGGERS_LAST } else { OTHERS_LAST })
    }
}

/// One for a connection to the database, whose revisions it goes by.
pub struct Blocks {
    kept: Cache<(i64, Key), Block>,
}

impl Default for Blocks {
    fn default() -> Blocks {
        Blocks { kept: Cache::builder().max_capacity(MOST_BLOCKS).expire_after(Lasting).build() }
    }
}

impl Blocks {
    /// The block as it is kept for this `revision` of the database, else as `make` makes it now.
    pub(super) fn get<E>(&self, revision: i64, key: Key, make: impl FnOnce() -> Result<Block, E>) -> Result<Block, E> {
        let key = (revision, key);
        if let Some(kept) = self.kept.get(&key) {
            return Ok(kept);
        }
        let made = make()?;
        self.kept.insert(key, made.clone());
        Ok(made)
    }

    /// Something that blocks are made of has changed in this process.
    pub fn forget(&self) {
        self.kept.invalidate_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn facts(text: &str) -> Result<Block, ()> {
        Ok(Block::Facts(Some(text.into())))
    }

    #[test]
    fn a_block_is_made_once_until_its_sources_change() {
        let blocks = Blocks::default();
        assert_eq!(blocks.get(1, Key::Facts, || facts("one")).unwrap(), facts("one").unwrap());
        assert_eq!(blocks.get(1, Key::Facts, || facts("two")).unwrap(), facts("one").unwrap());
        assert_eq!(blocks.get(2, Key::Facts, || facts("two")).unwrap(), facts("two").unwrap());
        blocks.forget();
        assert_eq!(blocks.get(2, Key::Facts, || facts("three")).unwrap(), facts("three").unwrap());
        assert!(blocks.get(3, Key::Facts, || Err::<Block, u8>(7)).is_err(), "a failure is not kept");
        assert_eq!(blocks.get(3, Key::Facts, || facts("four")).unwrap(), facts("four").unwrap());
    }

    #[test]
    fn triggers_last_a_day_and_the_rest_an_hour() {
        let lasts = |key: Key| Lasting.expire_after_create(&(1, key), &facts("").unwrap(), Instant::now());
        assert_eq!(lasts(Key::Triggers), Some(Duration::from_secs(24 * 3600)));
        assert_eq!(lasts(Key::Facts), Some(Duration::from_secs(3600)));
        assert_eq!(lasts(Key::Knowledge("ru".into(), vec![])), Some(Duration::from_secs(3600)));
    }
}
