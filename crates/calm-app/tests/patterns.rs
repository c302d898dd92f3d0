//! A year of days in a real database: what repeats itself is found with its counts, and goes with the sessions that it
//! rests on.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use calm_app::core::Deltas;
use calm_app::core::context::{SessionContext, SessionFacts, SessionResult, UserFacts};
use calm_app::core::end_session::{Attributes, EndSession, NextAction, PlanAdherence, RecommendedActions, RiskFlags};
use calm_app::memories::MemoryLine;
use calm_app::{
    AppEvent, Begin, Clock, Conductor, Format, Kind, Lang, Level, MemoryState, Paths, Secrets, SessionId, Settings,
};
use calm_store::{NewSession, PromptStamp, Store};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

const PATIENCE: Duration = Duration::from_secs(60);
const DAYS: i32 = 240;

struct House(tempfile::TempDir);

impl House {
    fn data(&self) -> std::path::PathBuf {
        self.0.path().join("data")
    }

    fn at(&self, day: Date) -> (Conductor, std::sync::mpsc::Receiver<AppEvent>) {
        let paths = Paths { data: self.data(), models: self.0.path().join("models") };
        let (tell, heard) = std::sync::mpsc::channel();
        let listen = move |event: &AppEvent| tell.send(event.clone()).unwrap_or_default();
        let clock = Clock::Fixed(noon(day));
        let mut conductor = Conductor::open(paths, Secrets::File, clock, Box::new(listen)).unwrap();
        conductor.save_settings(Settings { language: Lang::Ru, ..conductor.settings().clone() }).unwrap();
        (conductor, heard)
    }

    /// A session like any other, after which memory looks for what repeats itself.
    fn one_more_day(&self, day: Date) {
        let (mut conductor, _heard) = self.at(day);
        conductor.begin(&Begin::new(Kind::CheckIn, Format::Short, "terminal").seeded(1)).unwrap();
        conductor.say("готовность семь").unwrap();
        conductor.leave().unwrap();
        assert!(conductor.all_learned(PATIENCE));
    }

    fn patterns(&self, day: Date) -> Vec<MemoryLine> {
        self.at(day).0.memories(Some(Level::Patterns), None, 50).unwrap()
    }
}

fn noon(day: Date) -> Timestamp {
    format!("{day}T12:00:00Z").parse().unwrap()
}

fn first_day() -> Date {
    jiff::civil::date(2025, 1, 1)
}

/// Days that end as `day_of` says, each with a check-out.
fn year(day_of: impl Fn(i32) -> (SessionResult, PlanAdherence)) -> (House, Vec<SessionId>) {
    let house = House(tempfile::tempdir().unwrap());
    std::fs::create_dir_all(house.data()).unwrap();
    let mut store = Store::open(&house.data(), Secrets::File).unwrap();
    let sessions = (0..DAYS).map(|n| {
        let day = first_day().checked_add(n.days()).unwrap();
        let (result, adherence) = day_of(n);
        let said =
            Attributes { session_result: Some(result), plan_adherence: Some(adherence), ..Attributes::default() };
        add(&mut store, day, said)
    });
    let sessions = sessions.collect();
    (house, sessions)
}

fn add(store: &mut Store, day: Date, said: Attributes) -> SessionId {
    let kind = Kind::CheckOut;
    let session = SessionFacts { kind, format: Format::Short, has_matching_checkin: false, session_number_today: 1 };
    let id = store
        .begin_session(&NewSession {
            kind,
            format: Format::Short,
            language: Lang::Ru,
            started_at: noon(day),
            trading_day: day,
            time_zone: "UTC".into(),
            number_today: 1,
            opened_from: "terminal".into(),
            backend: "guide".into(),
            prompt: PromptStamp { set: "past".into(), version: "0".into(), variant: None, hash: "0".into() },
            seed: 0,
            context: SessionContext {
                session,
                user: UserFacts::default(),
                voice_analysis: None,
                previous_checkin: None,
            },
            matched_checkin: None,
        })
        .unwrap();
    let ending = EndSession {
        session_type: kind,
        extracted_attributes: said,
        risk_flags: RiskFlags::default(),
        recommended_actions: RecommendedActions::default(),
        session_summary: String::new(),
        recommended_next_action: NextAction::None,
    };
    store.end_session(id, &ending, &Deltas::default(), false, noon(day)).unwrap();
    id
}

/// Losses come two in a row, and the day after two of them the plan is left.
fn tilting(n: i32) -> (SessionResult, PlanAdherence) {
    let result = if n % 5 < 2 { SessionResult::Loss } else { SessionResult::Win };
    let adherence = if n % 5 == 2 && n % 25 != 2 { PlanAdherence::Deviated } else { PlanAdherence::Followed };
    (result, adherence)
}

/// The same days without anything between losses and the plan.
fn steady(n: i32) -> (SessionResult, PlanAdherence) {
    let result = if n % 5 < 2 { SessionResult::Loss } else { SessionResult::Win };
    let mixed = (n.wrapping_mul(2_654_435_761_u32.cast_signed()) >> 7).rem_euclid(100);
    (result, if mixed < 30 { PlanAdherence::Deviated } else { PlanAdherence::Followed })
}

fn the_day_after() -> Date {
    first_day().checked_add(DAYS.days()).unwrap()
}

#[test]
fn a_pattern_is_found_with_its_counts_and_told_to_the_next_session() {
    let (house, _) = year(tilting);
    house.one_more_day(the_day_after());
    let patterns = house.patterns(the_day_after());
    let words: Vec<&str> = patterns.iter().map(|line| line.words.as_str()).collect();
    let found = patterns.iter().find(|line| line.words.starts_with("После двух минусов подряд план соблюдён: "));
    let found = found.unwrap_or_else(|| panic!("{words:?}"));
    // 48 days come after two losses; the plan was kept on ten of them.
    assert!(found.words.contains("10 из 48"), "{}", found.words);
    let (mut conductor, heard) = house.at(the_day_after());
    conductor.begin(&Begin::new(Kind::CheckIn, Format::Short, "terminal")).unwrap();
    let known = heard.try_iter().find_map(|event| match event {
        AppEvent::SessionStarted { context, .. } => Some(context.user.known_patterns.clone()),
        _ => None,
    });
    assert!(known.unwrap().contains(&found.words));
}

#[test]
fn what_does_not_repeat_itself_is_not_claimed() {
    let (house, _) = year(steady);
    house.one_more_day(the_day_after());
    let words: Vec<String> = house.patterns(the_day_after()).into_iter().map(|line| line.words).collect();
    assert_eq!(words, [""; 0]);
}

#[test]
fn a_pattern_leads_back_to_every_session_that_it_rests_on() {
    let (house, sessions) = year(tilting);
    house.one_more_day(the_day_after());
    let (conductor, _heard) = house.at(the_day_after());
    for line in conductor.memories(Some(Level::Patterns), None, 50).unwrap() {
        let page = conductor.memory(line.id).unwrap();
        assert!(!page.sources.is_empty());
        assert!(page.sources.iter().all(|source| sessions.contains(&source.session_id)));
    }
}

#[test]
fn a_pattern_that_the_user_deletes_is_not_found_again() {
    let (house, _) = year(tilting);
    house.one_more_day(the_day_after());
    let before = house.patterns(the_day_after());
    let (mut conductor, _heard) = house.at(the_day_after());
    conductor.forget_memory(before[0].id).unwrap();
    drop(conductor);
    house.one_more_day(the_day_after().checked_add(1.day()).unwrap());
    let after = house.patterns(the_day_after());
    assert_eq!(after.len(), before.len() - 1);
    assert!(after.iter().all(|line| line.words != before[0].words && line.state == MemoryState::Active));
}
