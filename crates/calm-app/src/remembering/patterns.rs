//! What repeats itself over weeks: counted after every session, kept with its figures and where they come from (SPEC M2).

use std::collections::HashMap;

use calm_memory::patterns::{Pattern, Session, State, find};
use calm_store::{MemoryKind, MemorySource, MemoryState, NewMemory, SessionId, Store, Upserted};
use serde_json::json;

use crate::error::AppError;

/// Looks through everything that was said so far; what is no longer found is let go.
pub fn consolidate(store: &mut Store) -> Result<(), AppError> {
    let sessions: Vec<Session> = store
        .all_ended()?
        .into_iter()
        .map(|past| Session {
            id: past.id.into(),
            day: past.trading_day,
            kind: past.kind,
            at: past.started_at,
            attributes: past.arguments.extracted_attributes,
        })
        .collect();
    let places: HashMap<i64, &Session> = sessions.iter().map(|session| (session.id, session)).collect();
    let mut kept = Vec::new();
    for pattern in find(&sessions) {
        let sources = sources(&pattern, &places);
        let key = key(&pattern);
        let found = NewMemory {
            key: key.clone(),
            kind: MemoryKind::Pattern,
            data: json!(pattern),
            text: None,
            confidence: pattern.strength,
            n: pattern.n,
            sources,
        };
        if let Upserted::Added(id) | Upserted::Updated(id) = store.upsert_memory(&found)?
            && pattern.state == State::Fading
        {
            store.set_memory_state(id, MemoryState::Fading)?;
        }
        kept.push(key);
    }
    for memory in store.memories()? {
        let gone = memory.kind == MemoryKind::Pattern && !kept.contains(&memory.key);
        if gone && memory.state == MemoryState::Active {
            store.set_memory_state(memory.id, MemoryState::Fading)?;
        }
    }
    Ok(())
}

fn sources(pattern: &Pattern, places: &HashMap<i64, &Session>) -> Vec<MemorySource> {
    let place = |id: &i64| places.get(id).map(|session| (*id, session.at));
    let told = pattern.sessions.iter().filter_map(place);
    told.map(|(id, at)| MemorySource { session: SessionId::from(id), seq: None, at }).collect()
}

/// The same for the same pattern, whatever its figures.
fn key(pattern: &Pattern) -> String {
    let kind = json!(pattern.kind);
    let kind = kind.as_str().unwrap_or("pattern");
    match &pattern.name {
        Some(name) => format!("{kind}:{name}"),
        None => kind.to_owned(),
    }
}
