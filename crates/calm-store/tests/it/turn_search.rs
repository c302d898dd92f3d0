use calm_core::Kind;
use calm_store::{Experienced, Remembered, SessionId, Store, TurnHit, TurnId};
use proptest::prelude::*;
use rstest::rstest;
use tempfile::tempdir;

use crate::memory::{begin, forget_session, say};
use crate::{at, open, raw};

/// What a turn leaves behind that is found by `stems` and is no experience.
fn found_by(stems: &str) -> Remembered {
    Remembered { experience: Experienced::Nothing, topic: None, scored: None, stems: stems.into() }
}

fn said(store: &mut Store, session: SessionId, stems: &str) -> TurnId {
    let turn = say(store, session, "15:01:00", &format!("user: {stems}"), &format!("calm: {stems}"));
    store.remember(turn, &found_by(stems)).unwrap();
    turn
}

fn search(store: &Store, stems: &[&str]) -> Vec<TurnHit> {
    let stems: Vec<String> = stems.iter().map(|stem| (*stem).to_owned()).collect();
    store.search_turns(&stems, 100, None).unwrap()
}

fn found(store: &Store, stems: &[&str]) -> Vec<TurnId> {
    search(store, stems).into_iter().map(|hit| hit.id).collect()
}

#[test]
fn a_turn_is_found_with_its_place_from_when_it_is_remembered() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let mut opening = crate::turn("", "Как прошло? Просадка?");
    opening.user_text = None;
    store.record_turn(session, &opening, None).unwrap();
    store.record_turn(session, &crate::turn("просадка, и молчание", ""), None).unwrap();
    let turn = say(&mut store, session, "15:02:00", "была просадка", "Слышу.");
    assert!(search(&store, &["просадк"]).is_empty(), "before it is remembered");
    store.remember(turn, &found_by("просадк слыш")).unwrap();
    store.remember(turn, &found_by("втор раз")).unwrap();
    drop(store);

    let store = open(dir.path());
    let [hit] = &search(&store, &["слыш", "просадк"])[..] else { panic!("not found") };
    assert_eq!((hit.id, hit.session, hit.seq, hit.kind), (turn, session, 3, Kind::CheckOut));
    assert_eq!(hit.at, at("2026-03-02T15:02:00Z"));
    assert_eq!((&*hit.user_text, &*hit.reply_text), ("была просадка", "Слышу."));
    assert!(hit.score > 0.0, "{}", hit.score);
    assert!(search(&store, &["раз"]).is_empty(), "a turn is remembered once");
    assert!(!format!("{hit:?}").contains("просадка"));
}

#[test]
fn all_words_count_and_the_better_turn_comes_first_and_the_newer_among_equals() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let old = said(&mut store, session, "тильт стоп");
    let passing = said(&mut store, session, "тильт стоп рынок сон работ план сделк вечер");
    let often = said(&mut store, session, "тильт тильт стоп стоп");
    let one_word = said(&mut store, session, "тильт");
    let new = said(&mut store, session, "тильт стоп");
    for n in 0..20 {
        said(&mut store, session, &format!("рынок номер{n}"));
    }
    assert_eq!(found(&store, &["тильт", "стоп"]), [often, new, old, passing]);
    assert_eq!(found(&store, &["тильт", "стоп", "пауз"]), []);
    assert_eq!(found(&store, &["тильт"])[0], one_word, "the shortest that is about nothing else");
    let hits = search(&store, &["тильт"]);
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));

    let stems = ["тильт".to_owned(), "стоп".to_owned()];
    let ids = |limit, before| -> Vec<TurnId> {
        store.search_turns(&stems, limit, before).unwrap().into_iter().map(|hit| hit.id).collect()
    };
    assert_eq!(ids(2, None), [often, new]);
    assert_eq!(ids(9, Some(often)), [old, passing]);
    assert_eq!(ids(9, Some(old)), []);
    assert_eq!(ids(0, None), []);
    assert_eq!(ids(u32::MAX, None).len(), 4);
}

#[test]
fn the_last_word_may_be_the_beginning_of_one_and_the_word_itself_comes_first() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let word = said(&mut store, session, "план стоп");
    let longer = said(&mut store, session, "план стопроцентн");
    said(&mut store, session, "рынок");
    assert_eq!(found(&store, &["план", "стоп"]), [word, longer]);
    assert_eq!(found(&store, &["план", "стопр"]), [longer]);
    assert_eq!(found(&store, &["стоп", "план"]), [word], "only the last one");
    assert_eq!(found(&store, &["пла", "стоп"]), []);
    assert_eq!(found(&store, &["план", "с"]), [], "a letter begins too many words");
}

#[test]
fn both_languages_are_found_in_one_database() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let both = said(&mut store, session, "stop сдвин revenge");
    let english = said(&mut store, session, "stop moved revenge");
    let russian = said(&mut store, session, "стоп сдвин");
    assert_eq!(found(&store, &["revenge", "stop"]), [english, both]);
    assert_eq!(found(&store, &["сдвин"]), [russian, both]);
}

#[test]
fn with_its_session_a_turn_leaves_the_index_and_the_others_stay() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let [gone, kept] = ["15:00:00", "16:00:00"].map(|time| begin(&mut store, time));
    for n in 0..30 {
        said(&mut store, gone, &format!("тильт номер{n}"));
    }
    let stays = said(&mut store, kept, "тильт номер7");
    forget_session(&store, gone);
    assert_eq!(found(&store, &["тильт"]), [stays]);
    assert_eq!(found(&store, &["номер"]), [stays]);
    let conn = raw(dir.path());
    conn.execute("INSERT INTO turn_index (turn_index, rank) VALUES ('integrity-check', 1)", []).unwrap();
    store.verify().unwrap();
}

#[test]
fn of_very_many_turns_the_newest_are_ranked_and_the_others_can_be_asked_for() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let oldest = said(&mut store, session, "тильт");
    let conn = raw(dir.path());
    conn.execute_batch(
        "BEGIN;
         WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n LIMIT 2500)
         INSERT INTO turns (session_id, seq, said_at, user_text, reply_text, reply_backend, remembered)
         SELECT 1, n, 1772463600000 + n, 'тильт', 'и рынок', 'guide', 1 FROM n;
         INSERT INTO turn_index (rowid, stems) SELECT id, 'тильт рынок' FROM turns WHERE seq > 1;
         COMMIT;",
    )
    .unwrap();
    let seqs = |limit, before| -> Vec<u32> {
        let hits = store.search_turns(&["тильт".into()], limit, before).unwrap();
        hits.into_iter().map(|hit| hit.seq).collect()
    };
    assert_eq!(seqs(3, None), [2501, 2500, 2499], "the better one is too old");
    assert_eq!(seqs(u32::MAX, None).len(), 1000);
    let hits = store.search_turns(&["тильт".into()], 1000, None).unwrap();
    let older = store.search_turns(&["тильт".into()], 1000, Some(hits[999].id)).unwrap();
    assert_eq!(older[0].id, oldest);
}

#[rstest]
#[case::a_word(&["риск"], true)]
#[case::capitals(&["РИСК"], true)]
#[case::nothing(&[], false)]
#[case::blank(&["", "  "], false)]
#[case::signs(&["\"", "*", "()", "—", "🙂", "\0", "\u{301}"], false)]
#[case::signs_and_a_word(&["риск", "\"", "*", ")"], true)]
#[case::star_is_no_prefix_search(&["рис*", "план"], false)]
#[case::and_is_a_word(&["AND", "риск"], true)]
#[case::or_is_a_word(&["риск", "OR", "план"], false)]
#[case::not_is_a_word(&["план", "NOT", "тильт"], false)]
#[case::near_is_a_word(&["NEAR(риск план)"], false)]
#[case::words_in_one_stem_are_a_phrase(&["риск план"], true)]
#[case::in_that_order(&["план риск"], false)]
#[case::column(&["stems:риск"], false)]
#[case::another_column(&["-stems:тильт"], false)]
#[case::quotation_mark(&["риск\" OR \"тильт"], false)]
#[case::unbalanced(&["(риск", "план)"], true)]
#[case::beginning_of_the_column(&["^план"], true)]
#[case::exclusion(&["-риск"], true)]
#[case::braces(&["{риск}"], true)]
#[case::nul(&["риск\0план"], true)]
#[case::figure(&["7,5"], true)]
#[case::another_figure(&["5,7"], false)]
#[case::short_i_is_not_i(&["мои"], false)]
fn a_stem_is_nothing_but_a_word(#[case] stems: &[&str], #[case] hit: bool) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let turn = said(&mut store, session, "риск план and 7,5 мой");
    said(&mut store, session, "иное");
    assert_eq!(found(&store, stems), if hit { vec![turn] } else { vec![] });
}

#[test]
fn a_very_long_question_is_cut_and_searched() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    let turn = said(&mut store, session, "риск");
    let many = vec!["риск"; 20_000];
    assert_eq!(found(&store, &many), [turn]);
    assert_eq!(found(&store, &[&"риск ".repeat(200_000)]), []);
}

#[test]
fn no_question_is_an_error() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let session = begin(&mut store, "15:00:00");
    said(&mut store, session, "риск план and 7,5 мой");
    let sign = r#"["'*^(){}:+,. -]|AND|OR|NOT|NEAR|риск|план|stems|rank|\PC|\x00"#;
    let stem = proptest::collection::vec(sign, 0..8).prop_map(|parts| parts.concat());
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&proptest::collection::vec(stem, 0..6), |stems| {
            prop_assert!(store.search_turns(&stems, 9, None).is_ok(), "{stems:?}");
            Ok(())
        })
        .unwrap();
}
