use std::thread;

use calm_core::context::SessionResult::{Breakeven, Loss, Win};
use calm_core::context::{CheckinFacts, SessionResult, VoiceFacts};
use calm_core::end_session::{Attributes, PlanAdherence};
use calm_core::tools::{PracticeType, SuggestPractice, Urgency};
use calm_core::{Deltas, Kind, ToolCall, VoiceAnalysis};
use calm_store::{Heard, NewSession, SessionId, Store, StoreError, TurnRecord};
use jiff::civil::date;
use serde_json::json;
use tempfile::tempdir;

use crate::{at, ending, new_session, open, turn};

/// A whole session in one step, ended with `attributes`.
fn held(store: &mut Store, new: &NewSession, attributes: Attributes) -> SessionId {
    let id = store.begin_session(new).unwrap();
    store.end_session(id, &ending(new.kind, attributes), &Deltas::default(), false, new.started_at).unwrap();
    id
}

#[test]
fn everything_that_is_known_of_a_session_comes_back() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let mut new = new_session(Kind::CheckIn, "06:00:00.123");
    new.context.voice_analysis = Some(VoiceFacts {
        stress_level: Some(7),
        energy_level: None,
        primary_emotion: "fear".into(),
        confidence: 0.73,
    });
    let id = store.begin_session(&new).unwrap();

    let mut full = turn("Готова на восемь из десяти 😌\0 — «спокойно»", "Слышу вас.");
    full.voice = Some(VoiceAnalysis {
        stress_level: Some(3),
        energy_level: Some(6),
        primary_emotion: "neutral".into(),
        confidence: 0.61,
        calibrating: true,
    });
    full.raw_emotion = Some(json!({"arousal": 0.41, "probs": {"neutral": 0.61}}));
    full.audio_seconds = Some(4.25);
    full.asr_ms = Some(470);
    full.ser_ms = Some(23);
    full.first_token_ms = Some(1);
    full.reply_ms = Some(2);
    full.tool = Some(ToolCall::SuggestPractice(SuggestPractice {
        practice_type: PracticeType::Breathing,
        reason: "stress".into(),
        duration_minutes: Some(3),
        urgency: Urgency::Immediate,
    }));
    full.tool_result = Some(json!({"success": true}));
    full.contour = Some(json!({"labels": ["УВЕР: HIGH"]}));
    full.guard = Some(json!([]));
    let mut opening = turn("", "Доброе утро.");
    opening.user_text = None;
    assert_eq!(store.record_turn(id, &opening, None).unwrap(), 1);
    assert_eq!(store.record_turn(id, &full, None).unwrap(), 2);
    store.set_sufler(id, 2, &json!({"score": 4})).unwrap();

    let attributes = Attributes {
        trading_readiness: Some(8),
        confidence: Some(0.61),
        plan_adherence: Some(PlanAdherence::NoPlan),
        ..Default::default()
    };
    let arguments = ending(Kind::CheckIn, attributes);
    let ended_at = at("2026-03-02T06:04:00Z");
    assert!(store.end_session(id, &arguments, &Deltas::default(), true, ended_at).unwrap());
    store.set_heard(id, Heard::Partly).unwrap();
    drop(store);

    let record = open(dir.path()).session(id).unwrap().unwrap();
    assert!(record.session.begun == new);
    let ended = record.session.ended.unwrap();
    assert!(ended.arguments == arguments && ended.forced && ended.at == ended_at);
    assert_eq!(record.session.heard, Some(Heard::Partly));
    let [first, second] = &record.turns[..] else { panic!("{} turns", record.turns.len()) };
    assert!((first.seq, &first.record) == (1, &opening) && first.sufler.is_none());
    assert!((second.seq, &second.record) == (2, &full));
    assert_eq!(second.sufler, Some(json!({"score": 4})));
}

#[test]
fn a_session_ends_exactly_once() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let eight = ending(Kind::CheckIn, Attributes { trading_readiness: Some(8), ..Default::default() });
    let two = ending(Kind::CheckIn, Attributes { trading_readiness: Some(2), ..Default::default() });
    assert!(store.end_session(id, &eight, &Deltas::default(), false, at("2026-03-02T06:04:00Z")).unwrap());
    assert!(!store.end_session(id, &two, &Deltas::default(), true, at("2026-03-02T07:00:00Z")).unwrap());
    let line = &store.history(1, None).unwrap()[0];
    assert_eq!((line.readiness, line.forced), (Some(8), false));
    assert_eq!(line.ended_at, Some(at("2026-03-02T06:04:00Z")));
}

#[test]
fn of_many_who_end_a_session_at_once_one_does() {
    let dir = tempdir().unwrap();
    let id = open(dir.path()).begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let ended: Vec<bool> = thread::scope(|scope| {
        let askers: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let end = ending(Kind::CheckIn, Attributes::default());
                    open(dir.path()).end_session(id, &end, &Deltas::default(), true, at("2026-03-02T06:04:00Z"))
                })
            })
            .collect();
        askers.into_iter().map(|asker| asker.join().unwrap().unwrap()).collect()
    });
    assert_eq!(ended.iter().filter(|ended| **ended).count(), 1);
}

#[test]
fn what_was_said_after_the_end_is_kept() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = held(&mut store, &new_session(Kind::CheckIn, "06:00:00"), Attributes::default());
    store.record_turn(id, &turn("подожди, ещё одно", "Слушаю."), None).unwrap();
    assert_eq!(store.session(id).unwrap().unwrap().turns.len(), 1);
}

#[test]
fn a_checkout_takes_the_latest_checkin_of_its_day_and_nobody_else_can() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let day = date(2026, 3, 2);
    assert!(store.latest_unmatched_checkin(day).unwrap().is_none());

    let ready = |readiness| Attributes {
        trading_readiness: Some(readiness),
        planned_approach: Some("две сделки".into()),
        stress_level: Some(4),
        energy_level: Some(6),
        ..Default::default()
    };
    let early = held(&mut store, &new_session(Kind::CheckIn, "06:00:00"), ready(5));
    let late = held(&mut store, &new_session(Kind::CheckIn, "09:00:00"), ready(8));
    let mut yesterday = new_session(Kind::CheckIn, "20:00:00");
    yesterday.trading_day = date(2026, 3, 1);
    held(&mut store, &yesterday, ready(1));
    store.begin_session(&new_session(Kind::CheckIn, "10:00:00")).unwrap();

    let found = store.latest_unmatched_checkin(day).unwrap().unwrap();
    assert_eq!(found.id, late);
    let facts = CheckinFacts {
        trading_readiness: Some(8),
        planned_approach: Some("две сделки".into()),
        stress_level: Some(4),
        energy_level: Some(6),
    };
    assert!(found.facts == facts);

    let mut checkout = new_session(Kind::CheckOut, "15:00:00");
    checkout.matched_checkin = Some(late);
    store.begin_session(&checkout).unwrap();
    assert!(matches!(store.begin_session(&checkout), Err(StoreError::AlreadyMatched)));
    assert_eq!(store.latest_unmatched_checkin(day).unwrap().unwrap().id, early);
    assert_eq!(store.sessions_on(day).unwrap(), 4, "the refused check-out left nothing behind");
}

#[test]
fn two_checkouts_that_start_together_do_not_share_a_checkin() {
    let dir = tempdir().unwrap();
    let checkin = held(&mut open(dir.path()), &new_session(Kind::CheckIn, "06:00:00"), Attributes::default());
    let mut checkout = new_session(Kind::CheckOut, "15:00:00");
    checkout.matched_checkin = Some(checkin);
    let outcomes: Vec<_> = thread::scope(|scope| {
        let both: Vec<_> = (0..2).map(|_| scope.spawn(|| open(dir.path()).begin_session(&checkout))).collect();
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 1);
    assert!(outcomes.iter().any(|o| matches!(o, Err(StoreError::AlreadyMatched))));
}

#[test]
fn only_an_ended_checkin_can_be_matched() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let open_checkin = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let checkout = held(&mut store, &new_session(Kind::CheckOut, "07:00:00"), Attributes::default());
    for wrong in [open_checkin, checkout, "99".parse().unwrap()] {
        let mut new = new_session(Kind::CheckOut, "15:00:00");
        new.matched_checkin = Some(wrong);
        assert!(matches!(store.begin_session(&new), Err(StoreError::NotFound(_))), "{wrong}");
    }
}

#[test]
fn the_newest_open_session_is_the_one_to_continue() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    assert!(store.open_session().unwrap().is_none());
    let early = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let late = store.begin_session(&new_session(Kind::CheckOut, "15:00:00")).unwrap();
    assert_eq!(store.open_session().unwrap().unwrap().id, late);
    let end = ending(Kind::CheckOut, Attributes::default());
    store.end_session(late, &end, &Deltas::default(), false, at("2026-03-02T15:04:00Z")).unwrap();
    assert_eq!(store.open_session().unwrap().unwrap().id, early);
}

#[test]
fn results_come_newest_first_and_from_checkouts_only() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let result = |r: SessionResult| Attributes { session_result: Some(r), ..Default::default() };
    // Stored in another order than the one in which they happened: an import may do that.
    held(&mut store, &new_session(Kind::CheckOut, "12:00:00"), result(Breakeven));
    held(&mut store, &new_session(Kind::CheckOut, "15:00:00"), result(Loss));
    held(&mut store, &new_session(Kind::CheckOut, "10:00:00"), result(Win));
    held(&mut store, &new_session(Kind::CheckIn, "16:00:00"), result(Win));
    held(&mut store, &new_session(Kind::CheckOut, "17:00:00"), Attributes::default());
    let results =
        |limit| store.recent_results(limit).unwrap().into_iter().map(|(_, result)| result).collect::<Vec<_>>();
    assert_eq!(results(10), [Loss, Breakeven, Win]);
    assert_eq!(results(2), [Loss, Breakeven]);
}

#[test]
fn history_is_read_page_by_page() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    // Two of them begin in the same instant.
    for time in ["06:00:00", "07:00:00", "07:00:00", "08:00:00", "09:00:00"] {
        let id = held(&mut store, &new_session(Kind::CheckIn, time), Attributes::default());
        store.record_turn(id, &turn("да", "Хорошо."), None).unwrap();
    }
    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let page = store.history(2, before).unwrap();
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        pages.push(page.iter().map(|line| line.id.to_string()).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(pages, ["5 4", "3 2", "1"]);
    let line = &store.history(1, None).unwrap()[0];
    assert_eq!((line.turns, line.summary.as_deref()), (1, Some("Спокойное утро.")));
}

#[test]
fn a_session_that_does_not_exist_is_said_to_be_so() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let nobody: SessionId = "7".parse().unwrap();
    let end = ending(Kind::CheckIn, Attributes::default());
    assert!(store.session(nobody).unwrap().is_none());
    let missing = [
        store.record_turn(nobody, &turn("да", "Хорошо."), None).err(),
        store.end_session(nobody, &end, &Deltas::default(), false, at("2026-03-02T06:00:00Z")).err(),
        store.set_heard(nobody, Heard::Yes).err(),
        store.set_sufler(nobody, 1, &json!({})).err(),
        store.start_recording(at("2026-03-02T06:00:00Z"), Some(nobody)).err(),
    ];
    for error in missing {
        assert!(matches!(error, Some(StoreError::NotFound(_))), "{error:?}");
    }
}

#[test]
fn a_confidence_that_is_no_number_does_not_make_the_session_unreadable() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let mut odd = turn("да", "Хорошо.");
    odd.voice = Some(VoiceAnalysis {
        stress_level: None,
        energy_level: None,
        primary_emotion: "unclear".into(),
        confidence: f32::NAN,
        calibrating: false,
    });
    odd.audio_seconds = Some(f64::NAN);
    store.record_turn(id, &odd, None).unwrap();
    let record = store.session(id).unwrap().unwrap();
    assert_eq!(record.turns[0].record.voice.as_ref().unwrap().confidence, 0.0);
    assert_eq!(record.turns[0].record.audio_seconds, None);
}

/// A model may think for a minute: what was said must not wait for it.
#[test]
fn words_are_kept_before_their_answer_and_answered_once() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    let mut turn = turn("просадка", "");
    turn.asr_ms = Some(300);
    let seq = store.record_turn(session, &turn, None).unwrap();

    turn.reply_text = "Слышу тебя.".into();
    turn.reply_backend = "home".into();
    turn.model = Some(serde_json::json!({"dropped": []}));
    turn.user_text = Some("something else".into());
    store.answer_turn(session, seq, &turn).unwrap();

    let record = store.session(session).unwrap().unwrap();
    let kept = &record.turns[0].record;
    assert_eq!((kept.user_text.as_deref(), kept.reply_text.as_str()), (Some("просадка"), "Слышу тебя."));
    assert_eq!((kept.asr_ms, kept.reply_backend.as_str(), &kept.model), (Some(300), "home", &turn.model));
    assert!(store.answer_turn(session, seq, &turn).is_err(), "an answer is not written over");
}

#[test]
fn a_session_in_which_nothing_was_said_is_in_no_list_and_in_no_pair_and_stays_in_the_database() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let silent_ending = |store: &mut Store, id, kind, at_: &str| {
        store
            .record_turn(id, &TurnRecord::new(at("2026-03-02T06:00:00Z"), None, "Как ты?".into(), "guide".into()), None)
            .unwrap();
        let nothing = ending(kind, Attributes::default());
        assert!(store.end_session(id, &nothing, &Deltas::default(), true, at(at_)).unwrap());
    };
    let spoken = store.begin_session(&new_session(Kind::CheckIn, "06:00:00")).unwrap();
    store.record_turn(spoken, &turn("готова на семь", "Слышу."), None).unwrap();
    silent_ending(&mut store, spoken, Kind::CheckIn, "2026-03-02T06:05:00Z");
    let silent = store.begin_session(&new_session(Kind::CheckIn, "07:00:00")).unwrap();
    let listed = |store: &Store| store.history(9, None).unwrap().iter().map(|line| line.id).collect::<Vec<_>>();
    assert_eq!(listed(&store), [silent, spoken], "it is open: somebody may speak yet");
    silent_ending(&mut store, silent, Kind::CheckIn, "2026-03-02T07:05:00Z");

    let day = date(2026, 3, 2);
    assert_eq!(listed(&store), [spoken]);
    assert_eq!(store.history_on(day).unwrap().len(), 1);
    assert_eq!((store.sessions_on(day).unwrap(), store.all_ended().unwrap().len()), (1, 1));
    assert_eq!(store.ended_since(at("2026-03-01T00:00:00Z"), 9).unwrap().len(), 1);
    assert_eq!(store.levels_between(day, day).unwrap().len(), 1);
    assert_eq!(
        store.prompt_figures("calm").unwrap().len(),
        2,
        "what the prompts did to it is still a figure of theirs"
    );
    assert_eq!(store.session(silent).unwrap().unwrap().turns.len(), 1, "nothing is lost");

    // The check-in of the day is the one in which somebody spoke, and a silent check-out takes it from nobody.
    let waits = |store: &Store| store.latest_unmatched_checkin(day).unwrap().map(|checkin| checkin.id);
    for time in ["17:00:00", "18:00:00"] {
        assert_eq!(waits(&store), Some(spoken));
        let matched = NewSession { matched_checkin: Some(spoken), ..new_session(Kind::CheckOut, time) };
        let checkout = store.begin_session(&matched).unwrap();
        assert_eq!(waits(&store), None, "an open check-out has it");
        silent_ending(&mut store, checkout, Kind::CheckOut, &format!("2026-03-02T{time}Z"));
    }
    // What waits to be heard again keeps its session in sight.
    let heard_nothing = store.begin_session(&new_session(Kind::CheckIn, "19:00:00")).unwrap();
    store.start_recording(at("2026-03-02T19:00:30Z"), Some(heard_nothing)).unwrap();
    silent_ending(&mut store, heard_nothing, Kind::CheckIn, "2026-03-02T19:05:00Z");
    assert_eq!(listed(&store), [heard_nothing, spoken]);
}
