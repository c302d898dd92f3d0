//! What somebody notices who talks with Calm every day: the same sentence twice.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use calm_prompts::{Phrases, PromptSet, Said};
use proptest::prelude::*;
use rstest::rstest;

/// A value for every slot that the words know, as different from the words as a user's are.
fn all_slots(phrases: &Phrases) -> Vec<(&'static str, String)> {
    let names = [
        "amount",
        "answer",
        "event",
        "figures",
        "helplines",
        "learning",
        "minutes",
        "name",
        "pattern",
        "plan",
        "readiness",
        "satisfaction",
        "stress",
        "stressor",
    ];
    for key in phrases.keys() {
        for slot in phrases.slots(key) {
            assert!(names.contains(&slot), "{key} uses {slot}, which these tests do not fill");
        }
    }
    names.into_iter().map(|name| (name, format!("<{name}>"))).collect()
}

fn phrases(language: &str) -> Phrases {
    PromptSet::shipped().phrases(language).unwrap()
}

/// The keys of a session, drawn by number so that every key of the set can come up.
fn keys_of(phrases: &Phrases, drawn: &[usize]) -> Vec<String> {
    let keys: Vec<&str> = phrases.keys().collect();
    drawn.iter().map(|at| keys[at % keys.len()].to_owned()).collect()
}

/// One session: the replies, two or three moves each, as they are stored.
fn session(phrases: &Phrases, keys: &[String], seed: u64, said: &mut Said) -> (Vec<String>, Vec<(String, String)>) {
    let slots = all_slots(phrases);
    let mut sentences = Vec::new();
    for key in keys {
        let words = phrases.word(key, &slots, seed, said).unwrap();
        sentences.push((key.clone(), words));
    }
    let replies = sentences
        .chunks(3)
        .map(|moves| moves.iter().map(|(_, words)| words.as_str()).collect::<Vec<_>>().join(" "))
        .collect();
    (replies, sentences)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_session_of_any_moves_never_says_a_wording_twice_while_others_are_left(
        drawn in prop::collection::vec(any::<usize>(), 1..120),
        seed in any::<u64>(),
        russian in any::<bool>(),
    ) {
        let phrases = phrases(if russian { "ru" } else { "en" });
        let (_, sentences) = session(&phrases, &keys_of(&phrases, &drawn), seed, &mut Said::default());
        for key in phrases.keys() {
            let words: Vec<&String> = sentences.iter().filter(|(k, _)| k == key).map(|(_, words)| words).collect();
            let eligible = phrases.variants(key).count();
            let different: BTreeSet<&&String> = words.iter().collect();
            prop_assert_eq!(different.len(), words.len().min(eligible), "{}: {:?}", key, words);
        }
    }

    /// Four times a day at most, eight wordings at least; all that is known of yesterday is its replies.
    #[test]
    fn two_days_in_a_row_share_no_wording(
        drawn in prop::collection::vec(any::<usize>(), 1..60),
        seeds in any::<(u64, u64)>(),
        russian in any::<bool>(),
    ) {
        let phrases = phrases(if russian { "ru" } else { "en" });
        let mut keys: Vec<String> = Vec::new();
        for key in keys_of(&phrases, &drawn) {
            if keys.iter().filter(|k| **k == key).count() < 4 && phrases.variants(&key).count() >= 8 {
                keys.push(key);
            }
        }
        let (yesterday, first) = session(&phrases, &keys, seeds.0, &mut Said::default());
        let mut known = phrases.said_in(yesterday.iter().map(String::as_str));
        let (_, second) = session(&phrases, &keys, seeds.1, &mut known);
        let first: BTreeSet<(String, String)> = first.into_iter().collect();
        for said in second {
            prop_assert!(!first.contains(&said), "again: {:?}", said);
        }
    }
}

/// Fourteen mornings with the same mood, each knowing only the day before.
#[rstest]
#[case("greeting")]
#[case("open_checkin")]
#[case("ack_anxiety")]
#[case("ask_readiness")]
#[case("close_ready")]
fn a_fortnight_of_the_same_talk_does_not_repeat_the_day_before(
    #[values("ru", "en")] language: &str,
    #[case] key: &str,
) {
    let phrases = phrases(language);
    let slots = [("name", "Аня".to_owned()), ("event", "после вчерашнего убытка".to_owned())];
    let mut before = String::new();
    let mut all = BTreeSet::new();
    for seed in 0..14 {
        let mut said = phrases.said_in([before.as_str()]);
        let words = phrases.word(key, &slots, seed, &mut said).unwrap();
        assert_ne!(words, before, "{key}");
        all.insert(words.clone());
        before = words;
    }
    assert!(all.len() >= 4, "{key}: only {all:?} in a fortnight");
}

#[test]
fn when_all_was_said_the_oldest_comes_back() {
    let phrases = phrases("ru");
    let mut said = Said::default();
    let count = phrases.variants("close_loss").count();
    let order: Vec<String> = (0..count * 2).map(|_| phrases.word("close_loss", &[], 5, &mut said).unwrap()).collect();
    assert_eq!(order[..count], order[count..], "the second round goes as the first went");
}

/// One wording that says the known value must not come every day because it is the only one.
#[test]
fn a_single_telling_wording_takes_turns() {
    let files = [
        ("manifest.toml", "id = \"t\"\nversion = \"1\"\n"),
        ("guide/ru/a.toml", "[[move]]\nkey = \"hi\"\nvariants = [\"Привет, {name}.\", \"Привет.\", \"Здравствуй.\"]\n"),
    ];
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let phrases = PromptSet::of(files).unwrap().phrases("ru").unwrap();
    let slots = [("name", "Аня".to_owned())];
    let first = phrases.word("hi", &slots, 1, &mut Said::default()).unwrap();
    assert_eq!(first, "Привет, Аня.");
    let next = phrases.word("hi", &slots, 1, &mut phrases.said_in([first.as_str()])).unwrap();
    assert_ne!(next, first);
    let third = phrases.word("hi", &slots, 1, &mut phrases.said_in([next.as_str()])).unwrap();
    assert_eq!(third, first, "and it is back the day after");
}

#[rstest]
#[case::whole("Привет. Как ты?", &["Привет."])]
#[case::in_the_middle("Ага, понятно. Значит, 8. Как спалось?", &["Значит, {readiness}.", "Ага, понятно.", "Как спалось?"])]
#[case::with_a_slot("Значит, «не больше двух сделок». Какой план?", &["Значит, «{plan}»."])]
#[case::a_part_of_another("Привет, я тут.", &["Привет, я тут."])]
fn wordings_are_found_in_what_was_said(#[case] reply: &str, #[case] expected: &[&str]) {
    let phrases = phrases("ru");
    let said = phrases.said_in([reply]);
    let found: BTreeSet<&str> = said.iter().map(|(key, index)| phrases.variants(key).nth(index).unwrap()).collect();
    for wording in expected {
        assert!(found.contains(wording), "{wording} is not among {found:?}");
    }
}

#[test]
fn part_of_a_sentence_is_not_a_wording() {
    let phrases = phrases("ru");
    let said = phrases.said_in(["Привет, я тут.", "Не говори «Привет.» всем подряд.", ""]);
    let found: Vec<&str> = said.iter().map(|(key, index)| phrases.variants(key).nth(index).unwrap()).collect();
    assert!(!found.contains(&"Привет."), "{found:?}");
}

#[test]
fn a_user_s_full_stop_does_not_end_the_sentence_twice() {
    let phrases = phrases("ru");
    let plan = [("plan", " Не больше двух сделок. ".to_owned())];
    let words = phrases.word("ack_plan", &plan, 3, &mut Said::default()).unwrap();
    assert!(words.contains("«Не больше двух сделок»"), "{words}");
}
