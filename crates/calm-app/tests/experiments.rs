//! A version of the prompts that does worse makes way by itself, and variants are held apart.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use calm_app::core::Deltas;
use calm_app::core::context::{SessionContext, SessionFacts, UserFacts};
use calm_app::core::end_session::{Attributes, EndSession, NextAction, RecommendedActions, RiskFlags};
use calm_app::{AppEvent, Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets};
use calm_store::{NewSession, PromptActor, PromptEvent, PromptStamp, TurnRecord};
use jiff::{Timestamp, ToSpan};
use serde_json::json;

struct House {
    dir: tempfile::TempDir,
}

impl House {
    fn new() -> House {
        House { dir: tempfile::tempdir().unwrap() }
    }

    fn open(&self) -> Conductor {
        let paths = Paths { data: self.dir.path().join("data"), models: self.dir.path().join("models") };
        let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).unwrap();
        conductor.set_language(Lang::Ru);
        conductor
    }

    fn edit(&self, path: &str, text: &str) {
        let path = self.dir.path().join("data/prompts").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn shipped(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../prompts").join(path)).unwrap()
}

/// A finished session of the version in use, with this score of its one reply, and a boundary hit or none.
fn past_session(conductor: &mut Conductor, score: u8, hit: bool) {
    let identity = conductor.prompts().identity();
    let session = SessionFacts {
        kind: Kind::CheckIn,
        format: Format::Short,
        has_matching_checkin: false,
        session_number_today: 1,
    };
    let at = Timestamp::now().saturating_sub(1.hours()).unwrap();
    let id = conductor
        .store()
        .begin_session(&NewSession {
            kind: Kind::CheckIn,
            format: Format::Short,
            language: Lang::Ru,
            started_at: at,
            trading_day: jiff::civil::date(2026, 3, 4),
            time_zone: "UTC".into(),
            number_today: 1,
            opened_from: "window".into(),
            backend: "guide".into(),
            prompt: PromptStamp {
                set: identity.set,
                version: identity.version,
                variant: Some(identity.variant),
                hash: identity.hash,
            },
            seed: 1,
            context: SessionContext {
                session,
                user: UserFacts::default(),
                voice_analysis: None,
                previous_checkin: None,
            },
            matched_checkin: None,
        })
        .unwrap();
    let mut turn = TurnRecord::new(at, Some("да".into()), "Слышу.".into(), "guide".into());
    turn.guard = hit.then(|| json!([{"rule": "advice", "words": "покупай"}]));
    let seq = conductor.store().record_turn(id, &turn, None).unwrap();
    conductor.store().set_sufler(id, seq, &json!({"score": score, "reasons": []})).unwrap();
    conductor.store().end_session(id, &ending(), &Deltas::default(), false, at).unwrap();
}

fn ending() -> EndSession {
    EndSession {
        session_type: Kind::CheckIn,
        extracted_attributes: Attributes::default(),
        risk_flags: RiskFlags::default(),
        recommended_actions: RecommendedActions::default(),
        session_summary: String::new(),
        recommended_next_action: NextAction::None,
    }
}

fn one_real_session(conductor: &mut Conductor, seed: u64) {
    let begin = Begin::new(Kind::CheckIn, Format::Short, "window").seeded(seed);
    conductor.begin(&begin).unwrap();
    conductor.say("не хочу говорить").unwrap();
    conductor.leave().unwrap();
}

fn quieter() -> String {
    shipped("ru/base/tone.md") + "\nГовори ещё чуть тише.\n"
}

#[test]
fn a_version_with_lower_scores_goes_back_after_a_session_and_says_why() {
    let house = House::new();
    let mut conductor = house.open();
    (0..60).for_each(|i| past_session(&mut conductor, if i % 3 == 0 { 4 } else { 5 }, false));
    house.edit("ru/base/tone.md", &quieter());
    conductor.finalize_prompts(None, None).unwrap().unwrap_or_else(|_| panic!("finalized"));
    assert_eq!(conductor.prompts().identity().version, "0.3.0-mine.1");
    (0..30).for_each(|i| past_session(&mut conductor, if i % 3 == 0 { 3 } else { 4 }, false));
    one_real_session(&mut conductor, 1);

    assert_eq!(conductor.prompts().identity().version, "0.3.0");
    drop(conductor);
    let mut again = house.open();
    assert_eq!(again.prompts().identity().version, "0.3.0", "and it stays so");
    let entry = again.prompt_log(1).unwrap().remove(0);
    assert_eq!((entry.event, entry.decision.actor), (PromptEvent::RolledBack, PromptActor::Rule));
    let reason = entry.decision.reason.unwrap();
    assert!(reason.contains("Sufler mean"), "{reason}");
    assert_eq!(entry.decision.figures.unwrap()["because"], "lower_scores");
}

#[test]
fn boundary_hits_act_faster() {
    let house = House::new();
    let mut conductor = house.open();
    (0..60).for_each(|_| past_session(&mut conductor, 5, false));
    house.edit("ru/base/tone.md", &quieter());
    conductor.finalize_prompts(None, None).unwrap().unwrap_or_else(|_| panic!("finalized"));
    (0..4).for_each(|_| past_session(&mut conductor, 5, true));
    one_real_session(&mut conductor, 1);
    assert_eq!(conductor.prompts().identity().version, "0.3.0");
    let reason = conductor.prompt_log(1).unwrap().remove(0).decision.reason.unwrap();
    assert!(reason.contains("boundary hits in 4 of 5 sessions"), "{reason}");
}

#[test]
fn an_equal_version_stays() {
    let house = House::new();
    let mut conductor = house.open();
    (0..60).for_each(|i| past_session(&mut conductor, if i % 3 == 0 { 4 } else { 5 }, i % 30 == 0));
    house.edit("ru/base/tone.md", &quieter());
    conductor.finalize_prompts(None, None).unwrap().unwrap_or_else(|_| panic!("finalized"));
    (0..60).for_each(|i| past_session(&mut conductor, if i % 3 == 0 { 4 } else { 5 }, i % 30 == 0));
    one_real_session(&mut conductor, 1);
    assert_eq!(conductor.prompts().identity().version, "0.3.0-mine.1");
}

#[test]
fn a_session_that_is_taken_up_again_keeps_the_version_it_began_with() {
    let house = House::new();
    let mut conductor = house.open();
    let begin = Begin::new(Kind::CheckIn, Format::Medium, "window").seeded(1);
    conductor.begin(&begin).unwrap();
    conductor.set_aside();
    house.edit("ru/base/tone.md", &quieter());
    conductor.finalize_prompts(None, None).unwrap().unwrap_or_else(|_| panic!("finalized"));
    drop(conductor);

    let started = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = std::sync::Arc::clone(&started);
    let paths = Paths { data: house.dir.path().join("data"), models: house.dir.path().join("models") };
    let listener = move |event: &AppEvent| {
        if let AppEvent::SessionStarted { prompt, .. } = event {
            heard.lock().unwrap().push(prompt.version.clone());
        }
    };
    let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(listener)).unwrap();
    conductor.resume().unwrap();
    conductor.say("готов на восемь").unwrap();
    conductor.leave().unwrap();
    conductor.begin(&begin).unwrap();
    assert_eq!(*started.lock().unwrap(), ["0.3.0", "0.3.0-mine.1"]);
}

#[test]
fn variants_share_the_sessions_by_their_weights_and_the_seed_decides() {
    let house = House::new();
    let manifest = shipped("manifest.toml")
        + "\n[[variant]]\nid = \"default\"\nweight = 1\n\n[[variant]]\nid = \"short\"\nweight = 1\n";
    house.edit("manifest.toml", &manifest);
    let opening = shipped("guide/ru/opening.toml");
    house.edit("variants/short/guide/ru/opening.toml", &opening);
    let mut conductor = house.open();
    conductor.finalize_prompts(Some("ab"), None).unwrap().unwrap_or_else(|_| panic!("finalized"));
    for seed in 0..20 {
        one_real_session(&mut conductor, seed);
    }
    let first: Vec<(String, usize)> =
        conductor.prompt_statistics().unwrap().into_iter().map(|it| (it.variant, it.figures.sessions)).collect();
    assert_eq!(first.len(), 2, "{first:?}");
    for seed in 0..20 {
        one_real_session(&mut conductor, seed);
    }
    let second: Vec<(String, usize)> =
        conductor.prompt_statistics().unwrap().into_iter().map(|it| (it.variant, it.figures.sessions)).collect();
    let doubled: Vec<(String, usize)> = first.into_iter().map(|(variant, n)| (variant, n * 2)).collect();
    assert_eq!(second, doubled, "the same seeds get the same variants");
    assert!(!matches!(conductor.prompts().variants(), []));
}

#[test]
fn a_variant_counts_for_its_version_and_is_taken_up_again_as_itself() {
    let house = House::new();
    let variant = |id: &str| format!("\n[[variant]]\nid = \"{id}\"\nweight = 1\n");
    house.edit("manifest.toml", &(shipped("manifest.toml") + &variant("a") + &variant("b")));
    for id in ["a", "b"] {
        house.edit(&format!("variants/{id}/ru/base/tone.md"), &(shipped("ru/base/tone.md") + id + "\n"));
    }
    let mut conductor = house.open();
    (0..60).for_each(|_| past_session(&mut conductor, 5, false));
    conductor.finalize_prompts(Some("ab"), None).unwrap().unwrap_or_else(|_| panic!("finalized"));
    let begin = Begin::new(Kind::CheckIn, Format::Medium, "window").seeded(1);
    conductor.begin(&begin).unwrap();
    let open = conductor.running().unwrap();
    let stamp = conductor.store().session(open).unwrap().unwrap().session.begun.prompt;
    assert_eq!((stamp.version.as_str(), stamp.hash), ("ab", conductor.prompts().identity().hash));
    conductor.set_aside();
    (0..4).for_each(|_| past_session(&mut conductor, 5, true));
    drop(conductor);

    let mut conductor = house.open();
    conductor.resume().unwrap();
    conductor.say("готов на восемь").unwrap();
    conductor.leave().unwrap();
    assert_eq!(conductor.prompts().identity().version, "0.3.0", "hits of its variants take the version back");
    let session = conductor.store().session(open).unwrap().unwrap().session;
    assert_eq!(session.begun.prompt.version, "ab");
}

#[test]
fn a_quick_second_edit_is_judged_by_the_last_version_with_enough_sessions() {
    let house = House::new();
    let mut conductor = house.open();
    (0..60).for_each(|i| past_session(&mut conductor, if i % 3 == 0 { 4 } else { 5 }, false));
    for (version, words) in [("one", "Тише."), ("two", "Ещё тише.")] {
        house.edit("ru/base/tone.md", &format!("{}\n{words}\n", shipped("ru/base/tone.md")));
        conductor.finalize_prompts(Some(version), None).unwrap().unwrap_or_else(|_| panic!("finalized"));
        (0..if version == "one" { 3 } else { 30 })
            .for_each(|i| past_session(&mut conductor, 3 + u8::from(i % 3 > 0), false));
    }
    one_real_session(&mut conductor, 1);
    assert_eq!(conductor.prompts().identity().version, "0.3.0");
}

#[test]
fn a_window_follows_what_a_terminal_decided() {
    let house = House::new();
    let mut window = house.open();
    house.edit("ru/base/tone.md", &quieter());
    let mut terminal = house.open();
    terminal.finalize_prompts(None, None).unwrap().unwrap_or_else(|_| panic!("finalized"));
    one_real_session(&mut window, 1);
    assert_eq!(window.prompts().identity().version, "0.3.0-mine.1");
    terminal.roll_back_prompts(None, None).unwrap();
    one_real_session(&mut window, 2);
    assert_eq!(window.prompts().identity().version, "0.3.0");
}

#[test]
fn a_word_that_nobody_wants_to_hear_is_noticed_after_the_session() {
    let house = House::new();
    let mut conductor = house.open();
    conductor.ban("терапевт").unwrap();
    one_real_session(&mut conductor, 1);
    let figures = conductor.store().prompt_figures("calm").unwrap();
    let session = conductor.store().session(figures[0].session).unwrap().unwrap();
    let greeting = &session.turns[0];
    assert!(greeting.record.reply_text.to_lowercase().contains("терапевт"), "{}", greeting.record.reply_text);
    let found = greeting.lint.as_ref().and_then(|lint| lint[0]["rule"].as_str());
    assert_eq!(found, Some("agent_banned_term"));
    assert_eq!(figures[0].boundary_hits, 0, "somebody's dislike is no boundary");
}
