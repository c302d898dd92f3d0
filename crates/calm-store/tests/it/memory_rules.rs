//! Whatever is said, remembered, corrected and deleted, and in whatever order: nothing is left half-way.

use calm_store::{
    Experienced, Kept, MemoryEntry, MemoryFilter, MemoryKind, MemorySource, NewMemory, Remembered, SessionId, Store,
};
use proptest::prelude::*;
use serde_json::json;
use tempfile::tempdir;

use crate::memory::{begin, forget_session, remembered};
use crate::{open, raw};

/// Numbers choose among what is there, modulo its count.
#[derive(Debug, Clone)]
enum Step {
    Say { session: usize },
    Remember { experience: Choice, score: u8, topic: Option<u8> },
    Consolidate { key: u8, sessions: Vec<usize> },
    Correct { memory: usize },
    Pin { memory: usize },
    DeleteMemory { memory: usize },
    DeleteTurn { turn: usize },
    DeleteSession { session: usize },
}

#[derive(Debug, Clone)]
enum Choice {
    Nothing,
    New,
    Merge(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let some = 0..100_usize;
    let choice = prop_oneof![
        1 => Just(Choice::Nothing),
        3 => Just(Choice::New),
        4 => some.clone().prop_map(Choice::Merge)
    ];
    prop_oneof![
        6 => some.clone().prop_map(|session| Step::Say { session }),
        6 => (choice, 1..=5_u8, proptest::option::of(0..3_u8))
            .prop_map(|(experience, score, topic)| Step::Remember { experience, score, topic }),
        2 => (0..3_u8, prop::collection::vec(some.clone(), 1..4))
            .prop_map(|(key, sessions)| Step::Consolidate { key, sessions }),
        1 => some.clone().prop_map(|memory| Step::Correct { memory }),
        1 => some.clone().prop_map(|memory| Step::Pin { memory }),
        2 => some.clone().prop_map(|memory| Step::DeleteMemory { memory }),
        1 => some.clone().prop_map(|turn| Step::DeleteTurn { turn }),
        1 => some.prop_map(|session| Step::DeleteSession { session }),
    ]
}

struct House {
    store: Store,
    sessions: Vec<SessionId>,
    said: u32,
}

impl House {
    fn entries(&self) -> Vec<MemoryEntry> {
        self.store.list_memories(&MemoryFilter { level: None, query: None, limit: usize::MAX }).unwrap()
    }

    fn session(&mut self, choice: usize) -> SessionId {
        if self.sessions.len() < 3 {
            self.sessions.push(begin(&mut self.store, "15:00:00"));
        }
        self.sessions[choice % self.sessions.len()]
    }

    fn memory(&self, choice: usize) -> Option<calm_store::MemoryId> {
        let entries = self.entries();
        (!entries.is_empty()).then(|| entries[choice % entries.len()].id())
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Say { session } => {
                let session = self.session(*session);
                self.said += 1;
                let turn = crate::turn(&format!("слова {}", self.said), "Слышу.");
                self.store.record_turn(session, &turn, None).unwrap();
            }
            Step::Remember { experience, score, topic } => self.remember(experience, *score, *topic),
            Step::Consolidate { key, sessions } => {
                let sources = sessions.iter().map(|session| MemorySource {
                    session: self.session(*session),
                    seq: None,
                    at: crate::at("2026-03-02T15:00:00Z"),
                });
                let (key, sources) = (format!("pattern {key}"), sources.collect::<Vec<_>>());
                let (kind, data, n) = (MemoryKind::Pattern, json!({}), 3);
                let new = NewMemory { key, kind, data, text: None, confidence: 0.5, n, sources };
                self.store.upsert_memory(&new).unwrap();
            }
            Step::Correct { memory } => {
                if let Some(id) = self.memory(*memory) {
                    self.store.correct_memory(id, "иначе").unwrap();
                }
            }
            Step::Pin { memory } => {
                if let Some(id) = self.memory(*memory) {
                    self.store.pin_memory(id, true).unwrap();
                }
            }
            Step::DeleteMemory { memory } => {
                if let Some(id) = self.memory(*memory) {
                    self.store.delete_memory(id).unwrap();
                }
            }
            Step::DeleteTurn { turn } => {
                let conn = raw(self.store.path().parent().unwrap());
                let turns = "SELECT id FROM turns ORDER BY id LIMIT 1 OFFSET ?1 % (SELECT MAX(1, COUNT(*)) FROM turns)";
                conn.execute(&format!("DELETE FROM turns WHERE id = ({turns})"), [*turn as i64]).unwrap();
            }
            Step::DeleteSession { session } => {
                let session = self.session(*session);
                self.sessions.retain(|one| *one != session);
                forget_session(&self.store, session);
            }
        }
    }

    fn remember(&mut self, choice: &Choice, score: u8, topic: Option<u8>) {
        let Some(turn) = self.store.unremembered_turns(1).unwrap().pop() else { return };
        let mut known = Vec::new();
        self.store.for_each_experience(|row| known.push(row.id)).unwrap();
        let experience = match choice {
            Choice::Nothing => Experienced::Nothing,
            Choice::Merge(one) if !known.is_empty() => Experienced::MergeInto(known[one % known.len()]),
            _ => Experienced::New { embedding: None },
        };
        let topic = topic.map(|topic| format!("topic {topic}"));
        let what = Remembered { topic, ..remembered(experience, score) };
        assert_ne!(self.store.remember(turn.id, &what).unwrap(), Kept::Already);
        assert!(self.store.unremembered_turns(1).unwrap().iter().all(|next| next.id > turn.id));
    }

    /// Each line finds what must not be there.
    fn holds_together(&self) {
        let conn = raw(self.store.path().parent().unwrap());
        for wrong in [
            "SELECT 1 FROM experiences WHERE NOT EXISTS (SELECT 1 FROM experience_sources WHERE experience_id = id)",
            "SELECT 1 FROM memories WHERE NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = memories.id)",
            "SELECT 1 FROM lessons WHERE NOT EXISTS (SELECT 1 FROM lesson_sources WHERE lesson_id = id)",
            "SELECT 1 FROM pragma_foreign_key_check",
            "SELECT 1 FROM (SELECT session_id, seq FROM experience_sources UNION ALL
                 SELECT session_id, seq FROM lesson_sources UNION ALL SELECT session_id, seq FROM topic_marks)
             LEFT JOIN turns USING (session_id, seq) WHERE remembered IS NOT 1",
            "SELECT 1 FROM experiences AS e WHERE (times, first_at, last_at, COALESCE(score, 0)) <>
                 (SELECT COUNT(*), MIN(at), MAX(at), COALESCE(AVG(score), 0) FROM experience_sources WHERE experience_id = e.id)",
            "SELECT 1 FROM experiences AS e LEFT JOIN experience_sources AS s
                 ON s.experience_id = e.id AND s.session_id = words_session AND s.seq = words_seq
             LEFT JOIN turns AS t ON t.session_id = words_session AND t.seq = words_seq
             WHERE s.seq IS NULL OR e.topic IS NOT s.topic OR (NOT corrected AND situation IS NOT user_text)",
            "SELECT 1 FROM lessons AS l WHERE (times, sum, worst, first_at, last_at) <>
                 (SELECT COUNT(*), SUM(score), MIN(score), MIN(at), MAX(at) FROM lesson_sources WHERE lesson_id = l.id)",
            "SELECT 1 FROM topic_scores AS t WHERE good + bad = 0 OR (good, bad, last_at) <>
                 (SELECT COALESCE(SUM(good), 0), COALESCE(SUM(1 - good), 0), MAX(at) FROM topic_marks AS m
                  WHERE m.language = t.language AND m.topic = t.topic)",
            "SELECT 1 FROM topic_marks LEFT JOIN topic_scores USING (language, topic) WHERE last_at IS NULL",
            "SELECT 1 FROM memories JOIN dismissed_keys USING (key)",
        ] {
            assert!(!conn.prepare(wrong).unwrap().exists([]).unwrap(), "{wrong}");
        }
        for entry in self.entries() {
            let traced = self.store.memory(entry.id()).unwrap().unwrap();
            assert!(traced.entry == entry && !traced.sources.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn memory_holds_together(steps in prop::collection::vec(step(), 1..60)) {
        let dir = tempdir().unwrap();
        let mut house = House { store: open(dir.path()), sessions: Vec::new(), said: 0 };
        for step in &steps {
            house.take(step);
            house.holds_together();
        }
        for session in house.sessions.clone() {
            forget_session(&house.store, session);
        }
        house.holds_together();
        prop_assert!(house.entries().is_empty(), "a memory outlives every conversation");
    }
}
