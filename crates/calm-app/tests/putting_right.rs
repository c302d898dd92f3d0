//! What a user puts right, and the calendar that follows it, over a real database.
#![allow(clippy::unwrap_used)]

use calm_app::core::context::SessionResult;
use calm_app::prompts::HelplineKind;
use calm_app::{AppError, Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets, SessionId, Settings};

struct House(tempfile::TempDir);

impl House {
    fn new() -> House {
        House(tempfile::tempdir().unwrap())
    }

    fn at(&self, now: &str) -> Conductor {
        let paths = Paths { data: self.0.path().join("data"), models: self.0.path().join("models") };
        let clock = Clock::Fixed(now.parse().unwrap());
        let mut conductor = Conductor::open(paths, Secrets::File, clock, Box::new(|_| {})).unwrap();
        let settings = conductor.settings().clone();
        let zone = Some("Europe/Moscow".to_owned());
        conductor.save_settings(Settings { language: Lang::Ru, time_zone: zone, ..settings }).unwrap();
        conductor
    }

    fn talk(&self, now: &str, kind: Kind, said: &[&str]) -> SessionId {
        let mut conductor = self.at(now);
        conductor.begin(&Begin::new(kind, Format::Short, "window").seeded(7)).unwrap();
        let id = conductor.running().unwrap();
        for words in said {
            if conductor.running().is_some() {
                conductor.say(words).unwrap();
            }
        }
        conductor.leave().unwrap();
        id
    }
}

const MORNING: &str = "2026-03-04T06:00:00Z";
const EVENING: &str = "2026-03-04T17:00:00Z";

#[test]
fn what_is_computed_from_a_value_follows_its_correction_in_both_talks_of_the_day() {
    let house = House::new();
    let before = house.talk(MORNING, Kind::CheckIn, &["Спокойно, стресс три из десяти", "готов на восьмёрку"]);
    let after = house.talk(EVENING, Kind::CheckOut, &["День в плюс, стресс пять из десяти", "спокойно", "ничего"]);
    let mut conductor = house.at(EVENING);

    conductor.correct_value(after, "stress_level", "6").unwrap();
    conductor.correct_value(after, "session_result", "loss").unwrap();
    conductor.correct_value(before, "stress_level", "2").unwrap();
    conductor.correct_value(before, "trading_readiness", "9").unwrap();

    let deltas = conductor.page(after).unwrap().unwrap().deltas.unwrap();
    let stress = deltas.stress.unwrap();
    assert_eq!((stress.before, stress.after, stress.change), (2, 6, 4));
    let both = deltas.readiness_and_result.unwrap();
    assert_eq!((both.readiness, both.result), (9, SessionResult::Loss));
    // The lists and the calendar go by the same values.
    let lines = conductor.history(10).unwrap();
    assert_eq!(lines[0].session_result, Some(SessionResult::Loss));
    assert_eq!((lines[1].trading_readiness, lines[1].stress_level), (Some(9), Some(2)));
    let day = "2026-03-04".parse().unwrap();
    let days = conductor.days(day, day).unwrap();
    assert_eq!((days[0].sessions, days[0].readiness, days[0].stress), (2, Some(9), Some(6)));

    // A value that was never said takes what rests on it along.
    conductor.correct_value(before, "stress_level", "").unwrap();
    assert!(conductor.page(after).unwrap().unwrap().deltas.unwrap().stress.is_none());
}

#[test]
fn a_wrong_value_changes_nothing_and_an_open_talk_has_none_yet() {
    let house = House::new();
    let talk = house.talk(MORNING, Kind::CheckIn, &["Готовность восемь"]);
    let mut conductor = house.at(EVENING);
    let refused = conductor.correct_value(talk, "trading_readiness", "11").unwrap_err();
    assert_eq!(refused.code(), "bad_correction");
    assert!(refused.is_bad_input());
    let page = conductor.page(talk).unwrap().unwrap();
    assert_eq!(page.arguments.unwrap().extracted_attributes.trading_readiness, Some(8));

    conductor.begin(&Begin::new(Kind::CheckIn, Format::Short, "window")).unwrap();
    let open = conductor.running().unwrap();
    let refused = conductor.correct_value(open, "trading_readiness", "7").unwrap_err();
    assert!(matches!(refused, AppError::Store(_)), "{refused}");
}

#[test]
fn a_word_of_the_user_about_a_reply_is_kept_over_any_other_score() {
    let house = House::new();
    let talk = house.talk(MORNING, Kind::CheckIn, &["Нормально, спал мало", "восемь"]);
    let mut conductor = house.at(EVENING);
    let reply = conductor.page(talk).unwrap().unwrap().turns[1].calm.clone();
    let score = |conductor: &mut Conductor| {
        let turn = conductor.store().session(talk).unwrap().unwrap().turns.remove(1);
        turn.sufler.unwrap()["score"].as_u64().unwrap()
    };
    conductor.rate_reply(talk, &reply, false).unwrap();
    assert_eq!(score(&mut conductor), 1);
    conductor.store().set_sufler(talk, 2, &serde_json::json!({"score": 4, "reasons": []})).unwrap();
    assert_eq!(score(&mut conductor), 1);
    conductor.rate_reply(talk, &reply, true).unwrap();
    assert_eq!(score(&mut conductor), 5);
    assert!(conductor.rate_reply(talk, "не было такого", true).is_err());
}

#[test]
fn days_and_pages_of_the_history() {
    let house = House::new();
    let first = house.talk("2026-02-27T06:00:00Z", Kind::CheckIn, &["Готовность пять"]);
    let second = house.talk("2026-03-01T06:00:00Z", Kind::CheckIn, &["Готовность восемь"]);
    let third = house.talk("2026-03-01T17:00:00Z", Kind::CheckOut, &["в ноль"]);
    let conductor = house.at(MORNING);
    let day = |text: &str| text.parse().unwrap();
    assert_eq!(conductor.first_day().unwrap(), Some(day("2026-02-27")));
    let march = conductor.days(day("2026-03-01"), day("2026-03-31")).unwrap();
    assert_eq!(march.iter().map(|it| (it.day, it.sessions)).collect::<Vec<_>>(), [(day("2026-03-01"), 2)]);
    let ids = |lines: Vec<calm_app::history::Line>| lines.iter().map(|it| it.session_id).collect::<Vec<_>>();
    assert_eq!(ids(conductor.sessions_on(day("2026-03-01")).unwrap()), [third, second]);
    assert_eq!(ids(conductor.history_before(second, 10).unwrap()), [first]);
}

#[test]
fn help_is_there_for_a_country_that_is_known_and_for_one_that_is_not() {
    let house = House::new();
    let mut conductor = house.at(MORNING);
    let zone = |conductor: &mut Conductor, zone: &str| {
        let settings = Settings { time_zone: Some(zone.into()), ..conductor.settings().clone() };
        conductor.save_settings(settings).unwrap();
    };
    zone(&mut conductor, "Europe/London");
    let help = conductor.help(Lang::En).unwrap();
    assert_eq!((help.country, help.emergency.as_str()), ("gb", "999"));
    assert!(help.lines.iter().any(|line| line.kind == HelplineKind::Crisis && line.number == "116 123"));
    assert!(help.lines.iter().all(|line| line.kind != HelplineKind::Emergency));
    assert!(help.lines.iter().all(|line| line.check == line.verified.is_none()), "nothing here is older than a year");

    zone(&mut conductor, "Etc/UTC");
    let help = conductor.help(Lang::Ru).unwrap();
    assert_eq!((help.country, help.emergency.as_str(), help.lines.len()), ("", "112", 0));
}
