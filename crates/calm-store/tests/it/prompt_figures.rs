use calm_core::context::CheckinFacts;
use calm_core::end_session::{Attributes, RiskFlags};
use calm_core::{Deltas, Kind, Lang, guard, sufler};
use calm_store::{Heard, NewSession, PromptFigures, PromptStamp, SessionId, Store};
use jiff::ToSpan;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::{at, ending, new_session, open, turn};

fn stamped(version: &str, time: &str) -> NewSession {
    let prompt = PromptStamp { version: version.into(), ..new_session(Kind::CheckIn, time).prompt };
    NewSession { prompt, ..new_session(Kind::CheckIn, time) }
}

/// A turn as the conductor stores it: the guard's hits, where there are any, and Sufler's verdict.
fn exchange(store: &mut Store, id: SessionId, said: &str, reply: &str, backend: &str) -> sufler::SuflerScore {
    let mut record = turn(said, reply);
    record.reply_backend = backend.into();
    let hits: Vec<Value> = guard::check(reply, Lang::Ru).iter().map(|hit| json!(hit)).collect();
    record.guard = (!hits.is_empty()).then_some(Value::Array(hits));
    let seq = store.record_turn(id, &record, None).unwrap();
    let verdict = sufler::score(said, reply, Lang::Ru);
    store.set_sufler(id, seq, &json!(verdict)).unwrap();
    verdict
}

#[test]
fn a_session_is_summed_up_as_it_went() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let new = NewSession { kind: Kind::CheckOut, language: Lang::En, ..stamped("1.1.0", "15:00:00") };
    let id = store.begin_session(&new).unwrap();
    let mut opening = turn("", "Как прошёл день?");
    opening.user_text = None;
    store.record_turn(id, &opening, None).unwrap();
    let good =
        exchange(&mut store, id, "минус двести, по плану", "Слышу: день закрыт по плану, хоть и в минус.", "local");
    let bad = exchange(&mut store, id, "ох", "Купи ещё, точно отобьёшься! Гарантирую прибыль.", "local");
    let hits = guard::check("Купи ещё, точно отобьёшься! Гарантирую прибыль.", Lang::Ru).len();
    assert!(hits > 1 && bad.score < good.score, "the example shows nothing");

    let said = Attributes { stress_level: Some(3), ..Default::default() };
    let before = CheckinFacts { stress_level: Some(7), ..Default::default() };
    let end = ending(Kind::CheckOut, said.clone());
    store.end_session(id, &end, &Deltas::between(&before, &said), true, at("2026-03-02T15:10:00Z")).unwrap();
    store.set_heard(id, Heard::Partly).unwrap();

    let expected = PromptFigures {
        session: id,
        version: "1.1.0".into(),
        variant: Some("a".into()),
        hash: "c0ffee".into(),
        language: Lang::En,
        started_at: new.started_at,
        ended: true,
        forced: true,
        sufler_mean: Some((f64::from(good.score) + f64::from(bad.score)) / 2.0),
        heard: Some(Heard::Partly),
        stress_delta: Some(-4),
        boundary_hits: hits.try_into().unwrap(),
        replies: 3,
        guide_replies: 1,
        crisis: false,
    };
    assert_eq!(store.prompt_figures("calm").unwrap(), [expected]);
}

#[test]
fn what_is_not_known_is_said_to_be_so() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let mut new = stamped("1.0.0", "06:00:00");
    new.prompt.variant = None;
    store.begin_session(&new).unwrap();
    let [figures] = &store.prompt_figures("calm").unwrap()[..] else { panic!("one session") };
    assert!(!figures.ended && !figures.forced && !figures.crisis);
    assert_eq!((figures.sufler_mean, figures.heard, figures.stress_delta, &figures.variant), (None, None, None, &None));
    assert_eq!((figures.boundary_hits, figures.replies, figures.guide_replies), (0, 0, 0));
}

#[test]
fn a_session_with_a_person_in_distress_is_marked() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    for (needs_attention, high_stress) in [(false, true), (true, false)] {
        let id = store.begin_session(&stamped("1.0.0", "06:00:00")).unwrap();
        let mut end = ending(Kind::CheckIn, Attributes::default());
        end.risk_flags = RiskFlags {
            needs_attention,
            high_stress,
            evidence: [("needs_attention".into(), "не хочу жить".into())].into(),
            ..Default::default()
        };
        store.end_session(id, &end, &Deltas::default(), false, at("2026-03-02T06:04:00Z")).unwrap();
    }
    let marked: Vec<bool> = store.prompt_figures("calm").unwrap().iter().map(|figures| figures.crisis).collect();
    assert_eq!(marked, [false, true]);
}

#[test]
fn sessions_of_the_set_come_oldest_first_and_no_others() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    for (version, time) in [("3", "09:00:00"), ("1", "06:00:00"), ("2", "07:00:00"), ("2b", "07:00:00")] {
        store.begin_session(&stamped(version, time)).unwrap();
    }
    let mut other = stamped("1", "05:00:00");
    other.prompt.set = "calmer".into();
    store.begin_session(&other).unwrap();
    let listed: Vec<_> = store.prompt_figures("calm").unwrap().into_iter().map(|figures| figures.version).collect();
    assert_eq!(listed, ["1", "2", "2b", "3"]);
    assert!(store.prompt_figures("").unwrap().is_empty());
}

/// Score of a turn, and how many things the guard found in it.
type Scored = (Option<u8>, Option<usize>);

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_database_counts_as_we_would(
        sessions in prop::collection::vec(
            prop::collection::vec((prop::option::of(1..=5_u8), prop::option::of(0..4_usize)), 0..6), 1..5),
    ) {
        let dir = tempdir().unwrap();
        let mut store = open(dir.path());
        for (n, turns) in (0_i64..).zip(&sessions) {
            let mut new = stamped("1.0.0", "06:00:00");
            new.started_at += n.minutes();
            let id = store.begin_session(&new).unwrap();
            for (score, hits) in turns {
                let mut record = turn("да", "Слышу.");
                record.guard = hits.map(|hits| json!(vec![json!({"rule": "advice", "words": "[,]"}); hits]));
                let seq = store.record_turn(id, &record, None).unwrap();
                if let Some(score) = score {
                    store.set_sufler(id, seq, &json!({"score": score, "reasons": []})).unwrap();
                }
            }
        }
        let figures = store.prompt_figures("calm").unwrap();
        prop_assert_eq!(figures.len(), sessions.len());
        for (figures, turns) in figures.iter().zip(&sessions) {
            prop_assert_eq!(figures.sufler_mean, mean(turns));
            let hits: usize = turns.iter().filter_map(|(_, hits)| *hits).sum();
            prop_assert_eq!((figures.boundary_hits as usize, figures.replies as usize), (hits, turns.len()));
        }
    }
}

fn mean(turns: &[Scored]) -> Option<f64> {
    let scores: Vec<f64> = turns.iter().filter_map(|(score, _)| *score).map(f64::from).collect();
    // Whole numbers: the sum is exact, and both sides divide once.
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}
