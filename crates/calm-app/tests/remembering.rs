//! What one talk leaves for the next: over a real database and memory's own thread.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use calm_app::core::contour::Topic;
use calm_app::{
    AppError, AppEvent, Begin, Clock, Conductor, Format, Kind, Lang, Level, MemoryId, MemoryState, Paths, Recalled,
    Secrets, Settings,
};
use calm_store::{Store, TurnRecord};
use serde_json::json;

/// Long enough for a machine that has everything else to do.
const PATIENCE: Duration = Duration::from_secs(60);

type Heard = Arc<Mutex<Vec<AppEvent>>>;

struct House(tempfile::TempDir);

impl House {
    fn new() -> House {
        House(tempfile::tempdir().unwrap())
    }

    fn at(&self, day: &str, lang: Lang) -> (Conductor, Heard) {
        let paths = Paths { data: self.0.path().join("data"), models: self.0.path().join("models") };
        let clock = Clock::Fixed(format!("{day}T09:00:00Z").parse().unwrap());
        let heard = Heard::default();
        let listener = Arc::clone(&heard);
        let listen = move |event: &AppEvent| listener.lock().unwrap().push(event.clone());
        let mut conductor = Conductor::open(paths, Secrets::File, clock, Box::new(listen)).unwrap();
        let settings = conductor.settings().clone();
        conductor.save_settings(Settings { language: lang, ..settings }).unwrap();
        (conductor, heard)
    }

    /// A whole session; gives the memories that came back in it.
    fn talk(&self, day: &str, kind: Kind, said: &[&str]) -> Vec<Recalled> {
        let (mut conductor, heard) = self.at(day, Lang::Ru);
        conductor.begin(&Begin::new(kind, Format::Unlimited, "terminal").seeded(1)).unwrap();
        assert!(conductor.all_learned(PATIENCE));
        for words in said {
            conductor.say(words).unwrap();
            assert!(conductor.all_learned(PATIENCE));
        }
        conductor.leave().unwrap();
        let heard = heard.lock().unwrap();
        let recalled = heard.iter().filter_map(|event| match event {
            AppEvent::Contour { recalled, .. } => Some(recalled.clone()),
            _ => None,
        });
        recalled.flatten().collect()
    }

    fn memories(&self, level: Level) -> Vec<(MemoryId, String)> {
        let (conductor, _) = self.at("2026-03-20", Lang::Ru);
        assert!(conductor.all_learned(PATIENCE));
        let lines = conductor.memories(Some(level), None, 50).unwrap();
        lines.into_iter().map(|line| (line.id, line.words)).collect()
    }
}

const LOSS: &str = "минус двести на новостях, двигал стоп и злюсь на себя";

#[test]
fn what_was_said_comes_back_another_day_with_its_place() {
    let house = House::new();
    assert_eq!(house.talk("2026-03-02", Kind::CheckOut, &[LOSS]), []);
    let recalled = house.talk("2026-03-09", Kind::CheckOut, &["опять на новостях двигал стоп, минус сто"]);
    let words: Vec<&str> = recalled.iter().map(|memory| memory.words.as_str()).collect();
    assert_eq!(words, [LOSS]);
    assert!(recalled[0].session_id.is_some());
    assert_eq!(recalled[0].at.to_string(), "2026-03-02T09:00:00Z");
}

#[test]
fn a_talk_does_not_remember_itself() {
    let recalled = House::new().talk("2026-03-02", Kind::CheckOut, &[LOSS, "двигал стоп на новостях, вот и злюсь"]);
    assert_eq!(recalled, []);
}

#[test]
fn the_same_again_is_one_memory_with_two_places() {
    let house = House::new();
    house.talk("2026-03-02", Kind::CheckOut, &[LOSS]);
    house.talk("2026-03-09", Kind::CheckOut, &[LOSS]);
    let memories = house.memories(Level::Experiences);
    assert_eq!(memories.len(), 1, "{memories:?}");
    let (conductor, _) = house.at("2026-03-20", Lang::Ru);
    assert_eq!(conductor.memory(memories[0].0).unwrap().sources.len(), 2);
}

#[test]
fn the_same_words_with_another_number_are_another_memory() {
    let house = House::new();
    let said = |number: &str| {
        format!(
            "Спал хорошо, семь часов, сегодня спокоен, план прежний: две сделки по тренду, стоп после второго минуса, \
             новости не торгую, готовность {number}"
        )
    };
    house.talk("2026-03-02", Kind::CheckIn, &[&said("8")]);
    house.talk("2026-03-03", Kind::CheckIn, &[&said("5")]);
    house.talk("2026-03-04", Kind::CheckIn, &[&said("8")]);
    let mut words: Vec<String> = house.memories(Level::Experiences).into_iter().map(|(_, words)| words).collect();
    words.sort();
    assert_eq!(words, [said("5"), said("8")]);
}

#[test]
fn a_crisis_is_not_learned_from_and_brings_nothing_back() {
    let house = House::new();
    house.talk("2026-03-02", Kind::CheckOut, &[LOSS]);
    let recalled = house.talk("2026-03-09", Kind::CheckOut, &["двигал стоп, минус двести, не хочу больше жить"]);
    assert_eq!(recalled, []);
    assert_eq!(house.memories(Level::Experiences).len(), 1);
}

#[test]
fn what_is_deleted_stays_away_though_its_session_is_there() {
    let house = House::new();
    house.talk("2026-03-02", Kind::CheckOut, &[LOSS]);
    let (id, _) = house.memories(Level::Experiences)[0].clone();
    let (mut conductor, _) = house.at("2026-03-03", Lang::Ru);
    conductor.forget_memory(id).unwrap();
    drop(conductor);
    assert_eq!(house.memories(Level::Experiences), []);
    assert_eq!(house.talk("2026-03-09", Kind::CheckOut, &["опять двигал стоп на новостях, минус сто"]), []);
}

#[test]
fn a_correction_is_what_comes_back() {
    let house = House::new();
    house.talk("2026-03-02", Kind::CheckOut, &[LOSS]);
    let (id, _) = house.memories(Level::Experiences)[0].clone();
    let (mut conductor, _) = house.at("2026-03-03", Lang::Ru);
    assert!(matches!(conductor.correct_memory(id, "  "), Err(AppError::BlankMemory)));
    conductor.correct_memory(id, "перед новостями ставил стоп шире, чем по плану").unwrap();
    drop(conductor);
    let recalled = house.talk("2026-03-09", Kind::CheckOut, &["опять стоп шире плана перед новостями, минус сто"]);
    assert_eq!(recalled[0].words, "перед новостями ставил стоп шире, чем по плану");
}

#[test]
fn whoever_asks_to_remember_is_remembered_from_the_next_session_on() {
    let house = House::new();
    house.talk("2026-03-02", Kind::CheckIn, &["Запомни, что по пятницам я не торгую."]);
    let (mut conductor, heard) = house.at("2026-03-03", Lang::Ru);
    conductor.begin(&Begin::new(Kind::CheckIn, Format::Short, "terminal")).unwrap();
    let known = heard.lock().unwrap().iter().find_map(|event| match event {
        AppEvent::SessionStarted { context, .. } => Some(context.user.known_patterns.clone()),
        _ => None,
    });
    assert_eq!(known.unwrap(), ["по пятницам я не торгую"]);
}

#[test]
fn a_dismissed_pattern_is_not_spoken_of_and_can_be_taken_up_again() {
    let house = House::new();
    house.talk("2026-03-02", Kind::CheckIn, &["Запомни, что по пятницам я не торгую."]);
    let (id, _) = house.memories(Level::Patterns)[0].clone();
    let (mut conductor, _) = house.at("2026-03-03", Lang::Ru);
    conductor.dismiss_memory(id, true).unwrap();
    assert_eq!(conductor.memory(id).unwrap().line.state, MemoryState::Dismissed);
    conductor.begin(&Begin::new(Kind::CheckIn, Format::Short, "terminal")).unwrap();
    let context = conductor.prompt_context().cloned().unwrap();
    assert_eq!(context["user"].get("known_patterns"), None);
    conductor.dismiss_memory(id, false).unwrap();
    assert_eq!(conductor.memory(id).unwrap().line.state, MemoryState::Active);
}

#[test]
fn a_reply_that_missed_makes_its_topic_one_of_risk() {
    let house = House::new();
    house.talk("2026-03-02", Kind::CheckOut, &["закрыл день в минус двести"]);
    let (mut conductor, _) = house.at("2026-03-02", Lang::Ru);
    let before = conductor.sensed("план опять нарушил", None).unwrap().state;
    assert_eq!(before.risk_topics, []);
    let session = conductor.history(1).unwrap()[0].session_id;
    drop(conductor);

    // An answer that a model gave, as it lies in the record before memory has read it.
    let mut store = Store::open(&house.0.path().join("data"), Secrets::File).unwrap();
    let at = "2026-03-02T09:05:00Z".parse().unwrap();
    let record = TurnRecord::new(at, Some("план нарушил, двигал стоп".into()), "Купи ещё.".into(), "local".into());
    let seq = store.record_turn(session, &record, None).unwrap();
    store.set_sufler(session, seq, &json!({"score": 1, "reasons": ["boundary"]})).unwrap();
    drop(store);

    let (mut conductor, _) = house.at("2026-03-03", Lang::Ru);
    let after = conductor.sensed("план опять нарушил", None).unwrap();
    assert_eq!(after.state.risk_topics, [Topic::Discipline]);
    assert!(after.labels.contains("[РИСК: ДИСЦИПЛИНА]"), "{}", after.labels);
    assert!(after.state.trust < before.trust);
    // Another subject is not one of risk, and after a month this one is not either.
    assert_eq!(conductor.sensed("спал плохо", None).unwrap().state.risk_topics, []);
    let (mut later, _) = house.at("2026-04-15", Lang::Ru);
    assert_eq!(later.sensed("план опять нарушил", None).unwrap().state.risk_topics, []);
}
