use std::cmp::Ordering;

use calm_core::end_session::Attributes;
use calm_core::{Deltas, Kind, Lang};
use calm_store::{
    Embedding, ExperienceId, Experienced, Heard, Kept, Level, MemoryEntry, MemoryFilter, MemoryId, Outcome, Remembered,
    Scored, SessionId, Store, StoreError, TopicMark, TurnId,
};
use rstest::rstest;
use serde_json::json;
use tempfile::tempdir;

use crate::{at, ending, new_session, open, raw};

const NEW: Experienced = Experienced::New { embedding: None };

pub(crate) fn begin(store: &mut Store, time: &str) -> SessionId {
    store.begin_session(&new_session(Kind::CheckOut, time)).unwrap()
}

/// A turn of the session, said at `time` of its day.
pub(crate) fn say(store: &mut Store, session: SessionId, time: &str, user: &str, reply: &str) -> TurnId {
    let mut turn = crate::turn(user, reply);
    turn.said_at = at(&format!("2026-03-02T{time}Z"));
    let seq = store.record_turn(session, &turn, None).unwrap();
    let waiting = store.unremembered_turns(u32::MAX).unwrap();
    waiting.iter().find(|turn| (turn.session, turn.seq) == (session, seq)).unwrap().id
}

pub(crate) fn remembered(experience: Experienced, score: u8) -> Remembered {
    let mark = match score.cmp(&3) {
        Ordering::Less => Some(TopicMark::Bad),
        Ordering::Equal => None,
        Ordering::Greater => Some(TopicMark::Good),
    };
    let lesson = (score < 3).then(|| vec!["echo".into(), format!("score {score}")]);
    let scored = Some(Scored { score, trust_after: f64::from(score) / 5.0, mark, lesson });
    Remembered { experience, topic: Some("risk".into()), scored, stems: String::new() }
}

pub(crate) fn keep(store: &mut Store, turn: TurnId, what: &Remembered) -> ExperienceId {
    match store.remember(turn, what).unwrap() {
        Kept::Experience(id) => id,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn forget_session(store: &Store, session: SessionId) {
    let conn = raw(store.path().parent().unwrap());
    conn.execute_batch("PRAGMA secure_delete = ON").unwrap();
    conn.execute("DELETE FROM sessions WHERE id = ?1", [session.to_string()]).unwrap();
}

fn listed(store: &Store, level: Option<Level>, query: &str) -> String {
    let filter = MemoryFilter { level, query: Some(query.into()), limit: 9 };
    let found = store.list_memories(&filter).unwrap();
    found.iter().map(|entry| entry.id().to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn turns_wait_in_order_until_they_are_remembered() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let mut opening = crate::turn("", "Как прошло?");
    opening.user_text = None;
    store.record_turn(session, &opening, None).unwrap();
    let unanswered = crate::turn("ещё думаю", "");
    store.record_turn(session, &unanswered, None).unwrap();
    say(&mut store, session, "15:01:00", "просадка", "Слышу.");
    say(&mut store, session, "15:02:00", "по плану", "Хорошо.");
    store.set_sufler(session, 3, &json!({"score": 4})).unwrap();

    let waiting = store.unremembered_turns(9).unwrap();
    let shown: Vec<_> = waiting.iter().map(|turn| (turn.seq, &*turn.user_text)).collect();
    assert_eq!(shown, [(3, "просадка"), (4, "по плану")]);
    let first = &waiting[0];
    assert_eq!((first.kind, first.language, &*first.reply_backend), (Kind::CheckOut, Lang::Ru, "guide"));
    assert_eq!((first.at, &first.sufler), (at("2026-03-02T15:01:00Z"), &Some(json!({"score": 4}))));
    assert_eq!(store.unremembered_turns(1).unwrap().len(), 1);

    let nothing = Remembered { experience: Experienced::Nothing, topic: None, scored: None, stems: String::new() };
    assert_eq!(store.remember(waiting[1].id, &nothing).unwrap(), Kept::NoExperience);
    assert_eq!(store.unremembered_turns(9).unwrap()[..], waiting[..1]);

    // What was answered late waits from then on.
    store.answer_turn(session, 2, &crate::turn("", "Слышу.")).unwrap();
    let shown: Vec<_> = store.unremembered_turns(9).unwrap().iter().map(|turn| turn.seq).collect();
    assert_eq!(shown, [2, 3]);
}

#[test]
fn a_turn_is_remembered_once_with_everything_that_follows_from_it() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    assert_eq!(store.user_model().unwrap(), calm_store::UserModel::default());
    let session = begin(&mut store, "15:00:00");
    let turn = say(&mut store, session, "15:01:00", "просадка", "Бывает.");
    let embedding = Embedding { model: "tiny".into(), bytes: vec![7; 516] };
    let what = remembered(Experienced::New { embedding: Some(embedding.clone()) }, 2);
    let id = keep(&mut store, turn, &what);
    assert_eq!(store.remember(turn, &what).unwrap(), Kept::Already);
    drop(store);

    let mut store = open(dir.path());
    let experience = store.experience(id).unwrap().unwrap();
    assert_eq!((&*experience.situation, &*experience.reply, &*experience.backend), ("просадка", "Бывает.", "guide"));
    assert_eq!((experience.times, experience.score, experience.topic.as_deref()), (1, Some(2.0), Some("risk")));
    assert_eq!((experience.first_at, experience.outcome), (at("2026-03-02T15:01:00Z"), None));
    assert_eq!(store.risk_topics(Lang::Ru, 9, |_| true).unwrap(), ["risk"]);
    let model = store.user_model().unwrap();
    assert_eq!((model.trust, model.scores, model.mean), (0.4, 1, Some(2.0)));
    let topic = &store.topic_scores(Lang::Ru, 9).unwrap()[0];
    assert_eq!((&*topic.topic, topic.good, topic.bad), ("risk", 0, 1));

    let mut seen = 0;
    store
        .for_each_experience(|row| {
            seen += 1;
            assert_eq!((row.id, row.situation, row.times, row.score), (id, "просадка", 1, Some(2.0)));
            assert_eq!((row.embedding, row.embedding_model), (Some(&embedding.bytes[..]), Some("tiny")));
        })
        .unwrap();
    assert_eq!(seen, 1);

    // How the session went is known once it has ended, and the tap may come later still.
    let deltas = Deltas::default();
    store
        .end_session(
            session,
            &ending(Kind::CheckOut, Attributes::default()),
            &deltas,
            false,
            at("2026-03-02T15:09:00Z"),
        )
        .unwrap();
    store.set_heard(session, Heard::No).unwrap();
    let outcome = Outcome { heard: Some(Heard::No), result: None, stress_change: None };
    assert_eq!(store.experience(id).unwrap().unwrap().outcome, Some(outcome));
}

/// Everything that memory has written down, to compare.
pub(crate) fn state(store: &Store) -> String {
    let conn = raw(store.path().parent().unwrap());
    let tables = [
        "experiences",
        "experience_sources",
        "lessons",
        "lesson_sources",
        "memories",
        "memory_sources",
        "dismissed_keys",
        "topic_marks",
        "topic_scores",
        "user_model",
    ];
    let mut state = String::new();
    for table in tables {
        let mut statement = conn.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let row: Vec<_> = (0..columns).map(|i| row.get_unwrap::<_, rusqlite::types::Value>(i)).collect();
            state.push_str(&format!("{table} {row:?}\n"));
        }
    }
    state
}

#[test]
fn what_cannot_be_remembered_whole_leaves_nothing_behind() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let turn = say(&mut store, session, "15:01:00", "просадка", "Бывает.");
    let gone = keep(&mut store, turn, &remembered(NEW, 4));
    store.delete_memory(MemoryId::Experience(gone)).unwrap();
    let before = state(&store);

    let turn = say(&mut store, session, "15:02:00", "опять просадка", "Бывает.");
    let merged_into_nothing = remembered(Experienced::MergeInto(gone), 2);
    assert!(matches!(store.remember(turn, &merged_into_nothing), Err(StoreError::NotFound("experience"))));
    // The lesson is written last: all before it must go again.
    let mut no_such_score = remembered(NEW, 2);
    no_such_score.scored.as_mut().unwrap().trust_after = f64::NAN;
    assert!(store.remember(turn, &no_such_score).is_err());
    let nobody: TurnId = "77".parse().unwrap();
    assert!(matches!(store.remember(nobody, &remembered(NEW, 2)), Err(StoreError::NotFound(_))));
    raw(dir.path())
        .execute_batch("CREATE TRIGGER stop BEFORE INSERT ON lesson_sources BEGIN SELECT RAISE(ABORT, 'no'); END")
        .unwrap();
    assert!(store.remember(turn, &remembered(NEW, 2)).is_err());

    assert_eq!(state(&store), before);
    assert_eq!(store.unremembered_turns(9).unwrap()[0].id, turn);
    raw(dir.path()).execute_batch("DROP TRIGGER stop").unwrap();
    keep(&mut store, turn, &remembered(NEW, 2));
}

#[test]
fn what_is_nearly_the_same_is_one_experience_with_all_its_sources() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (morning, evening) = (begin(&mut store, "06:00:00"), begin(&mut store, "15:00:00"));
    let first = say(&mut store, morning, "06:01:00", "была просадка", "Слышу.");
    let second = say(&mut store, evening, "15:01:00", "Была просадка!", "Понимаю.");
    let id = keep(&mut store, first, &remembered(NEW, 5));
    assert_eq!(keep(&mut store, second, &remembered(Experienced::MergeInto(id), 2)), id);

    let traced = store.memory(MemoryId::Experience(id)).unwrap().unwrap();
    let MemoryEntry::Experience(experience) = &traced.entry else { panic!("{traced:?}") };
    assert_eq!((experience.times, experience.score), (2, Some(3.5)));
    assert_eq!((&*experience.situation, &*experience.reply), ("была просадка", "Слышу."));
    assert_eq!(experience.first_at, at("2026-03-02T06:01:00Z"));
    assert_eq!(experience.last_at, at("2026-03-02T15:01:00Z"));
    let shown: Vec<_> = traced.sources.iter().map(|s| (s.session, s.seq, s.user_text.as_deref())).collect();
    let expected = [(morning, Some(1), Some("была просадка")), (evening, Some(1), Some("Была просадка!"))];
    assert_eq!(shown, expected);
    assert_eq!(traced.sources[1].session_started_at, at("2026-03-02T15:00:00Z"));
}

#[test]
fn an_experience_outlives_a_source_in_the_words_of_another_and_goes_with_the_last() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (morning, evening) = (begin(&mut store, "06:00:00"), begin(&mut store, "15:00:00"));
    let embedding = Some(Embedding { model: "tiny".into(), bytes: vec![7; 516] });
    let first = say(&mut store, morning, "06:01:00", "была просадка", "Слышу.");
    let id = keep(&mut store, first, &remembered(Experienced::New { embedding }, 5));
    // Another one of the same session, so that the words may not go over to what goes as well.
    for (session, time, words) in
        [(morning, "06:02:00", "просадка была"), (evening, "15:01:00", "Была просадка!"), (evening, "15:02:00", "да")]
    {
        let turn = say(&mut store, session, time, words, "Понимаю.");
        keep(&mut store, turn, &remembered(Experienced::MergeInto(id), 2));
    }
    store.pin_memory(MemoryId::Experience(id), true).unwrap();

    forget_session(&store, morning);
    let left = store.experience(id).unwrap().unwrap();
    assert_eq!((&*left.situation, &*left.reply, left.times, left.score), ("Была просадка!", "Понимаю.", 2, Some(2.0)));
    assert_eq!((left.first_at, left.pinned), (at("2026-03-02T15:01:00Z"), true));
    let unread = store.experiences_without_embedding("tiny", 9).unwrap();
    assert_eq!(unread.iter().map(|e| &*e.situation).collect::<Vec<_>>(), ["Была просадка!"]);

    forget_session(&store, evening);
    assert!(store.experience(id).unwrap().is_none());
    let model = store.user_model().unwrap();
    let left =
        format!("user_model [Integer(1), Real({:?}), Integer(4), Real({:?})]\n", model.trust, model.mean.unwrap());
    assert_eq!(state(&store), left, "everything goes with its session, except figures without words");
}

#[test]
fn words_that_the_user_put_right_stay_until_the_last_conversation_is_deleted() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (morning, evening) = (begin(&mut store, "06:00:00"), begin(&mut store, "15:00:00"));
    let first = say(&mut store, morning, "06:01:00", "была просадка", "Слышу.");
    let embedding = Some(Embedding { model: "tiny".into(), bytes: vec![7; 516] });
    let id = keep(&mut store, first, &remembered(Experienced::New { embedding }, 5));
    let before = store.experiences_without_embedding("other", 9).unwrap().remove(0);
    assert!(store.experiences_without_embedding("tiny", 9).unwrap().is_empty());

    store.correct_memory(MemoryId::Experience(id), "просадка по плану").unwrap();
    let unread = store.experiences_without_embedding("tiny", 9).unwrap().remove(0);
    assert_eq!(unread.situation, "просадка по плану");
    let embedding = Embedding { model: "tiny".into(), bytes: vec![1; 516] };
    assert!(!store.set_embedding(&before, &embedding).unwrap(), "numbers of words that are no longer there");
    assert!(store.set_embedding(&unread, &embedding).unwrap());

    let second = say(&mut store, evening, "15:01:00", "Была просадка!", "Понимаю.");
    keep(&mut store, second, &remembered(Experienced::MergeInto(id), 2));
    forget_session(&store, morning);
    let left = store.experience(id).unwrap().unwrap();
    assert_eq!((&*left.situation, left.corrected, &*left.reply), ("просадка по плану", true, "Понимаю."));
    assert!(store.experiences_without_embedding("tiny", 9).unwrap().is_empty(), "the words are still the same");
    forget_session(&store, evening);
    assert!(store.experience(id).unwrap().is_none());
}

#[test]
fn a_deleted_memory_does_not_come_back_from_the_same_turn() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let turn = say(&mut store, session, "15:01:00", "просадка", "Бывает.");
    let what = remembered(NEW, 1);
    let id = keep(&mut store, turn, &what);
    let lesson = store.list_memories(&MemoryFilter { level: Some(Level::Lessons), query: None, limit: 1 }).unwrap();
    for id in [MemoryId::Experience(id), lesson[0].id()] {
        store.delete_memory(id).unwrap();
        assert!(store.memory(id).unwrap().is_none());
        for again in [store.delete_memory(id).map(drop), store.pin_memory(id, true), store.correct_memory(id, "нет")]
        {
            assert!(matches!(again, Err(StoreError::NotFound("memory"))), "{again:?}");
        }
    }
    assert!(store.unremembered_turns(9).unwrap().is_empty());
    assert_eq!(store.remember(turn, &what).unwrap(), Kept::Already);
    assert_eq!(listed(&store, None, ""), "");
    assert_eq!(store.session(session).unwrap().unwrap().turns.len(), 1, "the conversation stays");
}

#[test]
fn a_lesson_counts_what_went_badly_on_its_topic_and_forgets_with_the_session() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let (morning, evening) = (begin(&mut store, "06:00:00"), begin(&mut store, "15:00:00"));
    for (session, time, score) in [(morning, "06:01:00", 1), (evening, "15:01:00", 2), (evening, "15:02:00", 2)] {
        let turn = say(&mut store, session, time, "просадка", "Бывает.");
        store.remember(turn, &remembered(Experienced::Nothing, score)).unwrap();
    }
    let turn = say(&mut store, evening, "15:03:00", "план", "Бывает.");
    let plan = Remembered { topic: Some("plan".into()), ..remembered(Experienced::Nothing, 2) };
    store.remember(turn, &plan).unwrap();

    let lesson = |store: &Store| match store.memory("l1".parse().unwrap()).unwrap().unwrap().entry {
        MemoryEntry::Lesson(lesson) => lesson,
        other => panic!("{other:?}"),
    };
    let all = lesson(&store);
    assert_eq!((all.figures.times, all.figures.mean, all.figures.worst), (3, 5.0 / 3.0, 1));
    let reasons = [("echo".to_owned(), 3), ("score 1".to_owned(), 1), ("score 2".to_owned(), 2)];
    assert_eq!(all.reasons, reasons.into());
    assert_eq!(store.risk_topics(Lang::Ru, 9, |_| true).unwrap(), ["plan", "risk"]);
    assert_eq!(store.risk_topics(Lang::Ru, 9, |lesson| lesson.times > 1).unwrap(), ["risk"]);
    assert_eq!(store.risk_topics(Lang::Ru, 1, |_| true).unwrap(), ["plan"]);
    assert!(store.risk_topics(Lang::En, 9, |_| true).unwrap().is_empty());

    assert_eq!(store.user_model().unwrap().mean, Some(1.75));

    store.correct_memory("L1".parse().unwrap(), "только про плечо").unwrap();
    forget_session(&store, morning);
    let left = lesson(&store);
    assert_eq!((left.figures.times, left.figures.mean, left.figures.worst), (2, 2.0, 2));
    assert_eq!(left.figures.first_at, at("2026-03-02T15:01:00Z"));
    assert_eq!((left.text.as_deref(), left.reasons.contains_key("score 1")), (Some("только про плечо"), false));
    let topics: Vec<_> = store.topic_scores(Lang::Ru, 9).unwrap().into_iter().map(|t| (t.topic, t.bad)).collect();
    assert_eq!(topics, [("plan".to_owned(), 1), ("risk".to_owned(), 2)]);
}

#[test]
fn memories_are_found_by_the_beginnings_of_their_words() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    for (time, words) in [("15:01:00", "Ещё одна ПРОСАДКА"), ("15:02:00", "by the plan"), ("15:03:00", "посадка")]
    {
        let turn = say(&mut store, session, time, words, "Слышу.");
        keep(&mut store, turn, &remembered(NEW, 2));
    }
    assert_eq!(listed(&store, None, " "), "L1 E3 E2 E1");
    assert_eq!(listed(&store, Some(Level::Experiences), ""), "E3 E2 E1");
    assert_eq!(listed(&store, Some(Level::Patterns), ""), "");
    for (query, found) in
        [("просад", "E1"), ("еще просадка", "E1"), ("садка", ""), ("THE", "E2"), ("plan просадка", ""), ("%", "")]
    {
        assert_eq!(listed(&store, Some(Level::Experiences), query), found, "{query}");
    }
    let two = MemoryFilter { level: None, query: None, limit: 2 };
    assert_eq!(store.list_memories(&two).unwrap().len(), 2);
}

#[rstest]
#[case("E12")]
#[case("P3")]
#[case("L4")]
fn a_memory_is_called_by_its_level_and_number(#[case] name: &str) {
    let id: MemoryId = name.parse().unwrap();
    assert_eq!(id.to_string(), name);
    assert_eq!(format!(" {} ", name.to_lowercase()).parse(), Ok(id));
    assert_eq!(serde_json::to_value(id).unwrap(), json!(name));
    assert_eq!(serde_json::from_value::<MemoryId>(json!(name)).unwrap(), id);
}

#[rstest]
#[case("")]
#[case("12")]
#[case("E")]
#[case("E-1")]
#[case("E+1")]
#[case("X1")]
#[case("П3")]
#[case("E99999999999999999999")]
fn nothing_else_is_the_name_of_a_memory(#[case] name: &str) {
    assert!(name.parse::<MemoryId>().is_err());
}
