//! Patterns in words: the counts, and nothing that says why (SPEC D4, H10).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use calm_core::Lang;
use calm_memory::patterns::{Pattern, PatternKind};
use calm_store::{Memory, MemoryState, Store};
use serde::Deserialize;

use crate::error::AppError;

/// So many go into one prompt, the strongest first.
const MOST: usize = 6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentences {
    /// Said after a pattern that newer days speak against.
    fading: String,
    sentence: BTreeMap<PatternKind, String>,
    weekday: BTreeMap<String, String>,
}

static RUSSIAN: LazyLock<Sentences> = LazyLock::new(|| read(include_str!("../../../../prompts/patterns/ru.toml")));
static ENGLISH: LazyLock<Sentences> = LazyLock::new(|| read(include_str!("../../../../prompts/patterns/en.toml")));

fn read(text: &str) -> Sentences {
    #[allow(clippy::expect_used, reason = "shipped with the program and read by its tests")]
    toml::from_str(text).expect("the shipped patterns can be read")
}

/// What a memory of the second level says; `None` while its figures are being counted anew.
pub fn of(memory: &Memory, lang: Lang) -> Option<String> {
    if let Some(text) = &memory.text {
        return Some(text.clone());
    }
    let pattern: Pattern = serde_json::from_value(memory.data.clone()?).ok()?;
    let words = match lang {
        Lang::Ru => &*RUSSIAN,
        Lang::En => &*ENGLISH,
    };
    let mut sentence = words.sentence.get(&pattern.kind)?.clone();
    let counts =
        [("{k1}", pattern.with.k), ("{n1}", pattern.with.n), ("{k2}", pattern.without.k), ("{n2}", pattern.without.n)];
    for (slot, count) in counts {
        sentence = sentence.replace(slot, &count.to_string());
    }
    if memory.state == MemoryState::Fading {
        sentence = format!("{sentence} {}", words.fading);
    }
    // Last: somebody's own words may hold anything.
    let name = pattern.name.as_deref().unwrap_or_default();
    let name = words.weekday.get(name).map_or(name, String::as_str);
    Some(sentence.replace("{name}", name))
}

/// What a session may know from its beginning: what was told first, then the clearest patterns.
pub fn known_patterns(store: &Store, lang: Lang) -> Result<Vec<String>, AppError> {
    let mut active = store.memories()?;
    active.retain(|memory| memory.state == MemoryState::Active);
    active.sort_by(|a, b| {
        (b.pinned, b.confidence).partial_cmp(&(a.pinned, a.confidence)).unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(active.iter().filter_map(|memory| of(memory, lang)).take(MOST).collect())
}
