use std::collections::BTreeMap;
use std::thread;

use calm_store::{
    KnowledgeChunk, KnowledgeHit, KnowledgeId, KnowledgeKind, KnowledgeOrigin, NewKnowledge, Store, StoreError,
};
use proptest::prelude::*;
use rstest::rstest;
use tempfile::tempdir;

use crate::{at, open, raw};

fn text(title: &str, language: Option<&str>) -> NewKnowledge {
    NewKnowledge {
        kind: KnowledgeKind::Document,
        title: title.into(),
        language: language.map(Into::into),
        fingerprint: format!("sha of {title}"),
        added_at: at("2026-03-02T06:00:00Z"),
        chars: 1234,
    }
}

fn chunk(stems: &str) -> KnowledgeChunk {
    KnowledgeChunk { place: None, question: None, text: format!("text: {stems}"), stems: stems.into() }
}

fn search(store: &Store, stems: &[&str], language: Option<&str>) -> Vec<KnowledgeHit> {
    let stems: Vec<String> = stems.iter().map(|stem| (*stem).to_owned()).collect();
    store.search_knowledge(&stems, language, 100).unwrap()
}

fn found(store: &Store, stems: &[&str]) -> Vec<String> {
    search(store, stems, None).into_iter().map(|hit| hit.text).collect()
}

/// The index holds exactly the words of the chunks.
fn assert_in_step(store: &Store) {
    raw(store.path().parent().unwrap())
        .execute("INSERT INTO knowledge_index (knowledge_index, rank) VALUES ('integrity-check', 1)", [])
        .unwrap();
}

#[test]
fn a_text_is_found_with_its_title_and_place() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let answer = KnowledgeChunk {
        place: Some("стр. 4".into()),
        question: Some("Что делать после трёх убытков?".into()),
        text: "Закрыть терминал до завтра — «0» сделок.\0 🙂".into(),
        stems: "дела тр убыток закр терминал завтр сделк".into(),
    };
    let new = NewKnowledge { kind: KnowledgeKind::Answers, ..text("Мои правила", Some("ru")) };
    let id = store.add_knowledge(&new, &[chunk("дыхан"), answer.clone()]).unwrap();
    drop(store);

    let store = open(dir.path());
    let [hit] = &search(&store, &["убыток"], Some("ru"))[..] else { panic!("not found") };
    assert_eq!((hit.source, hit.origin, &*hit.source_title), (id, KnowledgeOrigin::User, "Мои правила"));
    assert!((&hit.place, &hit.question, &hit.text) == (&answer.place, &answer.question, &answer.text));
    assert!(hit.score > 0.0, "{}", hit.score);
    let [listed] = &store.knowledge_sources().unwrap()[..] else { panic!("not listed") };
    assert!((listed.id, listed.origin, &listed.source, listed.chunks) == (id, KnowledgeOrigin::User, &new, 2));
}

#[test]
fn the_rarer_and_the_more_of_the_words_the_better() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let mut chunks: Vec<_> = (0..20).map(|n| chunk(&format!("рынок день номер{n}"))).collect();
    chunks.extend([chunk("тильт рынок"), chunk("тильт убыток паузa"), chunk("тильт рынок день утро вечер ночь сон")]);
    store.add_knowledge(&text("книга", Some("ru")), &chunks).unwrap();
    let hits = search(&store, &["рынок", "тильт", "убыток"], None);
    assert_eq!(hits.len(), 23, "any of the words is enough");
    assert_eq!(hits[0].text, "text: тильт убыток паузa");
    assert_eq!(hits[1].text, "text: тильт рынок", "the shorter of two that are otherwise the same");
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    let three = store.search_knowledge(&["рынок".into(), "тильт".into(), "убыток".into()], None, 3).unwrap();
    assert!(three[..] == hits[..3]);
}

#[test]
fn our_notes_in_another_language_are_left_out_and_the_user_s_own_texts_never() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    for language in [Some("ru"), Some("en"), None] {
        let title = language.unwrap_or("unknown");
        store.add_knowledge(&text(title, language), &[chunk(&format!("drawdown {title}"))]).unwrap();
    }
    let notes = ["ru", "en"].map(|language| {
        (text(&format!("our {language}"), Some(language)), vec![chunk(&format!("drawdown of ours, {language}"))])
    });
    store.replace_shipped_knowledge(&notes).unwrap();
    let titles = |language| -> Vec<_> {
        let mut titles: Vec<_> =
            search(&store, &["drawdown"], language).into_iter().map(|hit| hit.source_title).collect();
        titles.sort();
        titles
    };
    assert_eq!(titles(Some("ru")), ["en", "our ru", "ru", "unknown"]);
    assert_eq!(titles(Some("en")), ["en", "our en", "ru", "unknown"]);
    assert_eq!(titles(None), ["en", "our en", "our ru", "ru", "unknown"]);
}

#[rstest]
#[case::a_word(&["риск"], true)]
#[case::capitals(&["РИСК"], true)]
#[case::one_of_many(&["тильт", "риск"], true)]
#[case::another_word(&["тильт"], false)]
#[case::nothing(&[], false)]
#[case::blank(&["", "  "], false)]
#[case::signs(&["\"", "*", "()", "—", "🙂", "\0", "\u{301}"], false)]
#[case::signs_and_a_word(&["\"", "*", ")", "риск"], true)]
#[case::a_beginning_is_no_word(&["рис"], false)]
#[case::star_is_no_prefix_search(&["рис*"], false)]
#[case::star_after_a_word(&["риск*"], true)]
#[case::and_is_a_word(&["AND"], true)]
#[case::or_is_a_word(&["OR"], false)]
#[case::not_is_a_word(&["NOT риск"], false)]
#[case::near_is_a_word(&["NEAR(план риск)"], false)]
#[case::words_in_one_stem_are_a_phrase(&["риск план"], true)]
#[case::in_that_order(&["план риск"], false)]
#[case::column(&["stems:риск"], false)]
#[case::another_column(&["rank : риск"], false)]
#[case::quotation_mark(&["риск\" OR \"тильт"], false)]
#[case::ends_in_a_quotation_mark(&["риск\""], true)]
#[case::unbalanced(&["(риск", "план)"], true)]
#[case::beginning_of_the_column(&["^план"], true)]
#[case::exclusion(&["-риск"], true)]
#[case::braces(&["{риск}"], true)]
#[case::nul(&["риск\0план"], true)]
#[case::apostrophe(&["don't"], true)]
#[case::diacritics_count(&["cafe"], false)]
#[case::the_same_diacritics(&["café"], true)]
#[case::short_i_is_not_i(&["мои"], false)]
#[case::a_letter_newer_than_the_tokenizer(&["\u{16D40}", "риск"], true)]
#[case::only_such_a_letter(&["\u{16D40}"], false)]
fn a_stem_is_nothing_but_a_word(#[case] stems: &[&str], #[case] hit: bool) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.add_knowledge(&text("книга", None), &[chunk("риск план and don't café мой"), chunk("иное")]).unwrap();
    assert_eq!(found(&store, stems).len(), usize::from(hit), "{:?}", found(&store, stems));
}

#[test]
fn a_very_long_question_is_searched_too() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.add_knowledge(&text("книга", None), &[chunk("риск"), chunk("иное")]).unwrap();
    let many: Vec<String> = (0..20_000).map(|n| format!("слово{n}")).chain(["риск".into()]).collect();
    assert_eq!(store.search_knowledge(&many, None, 9).unwrap().len(), 1);
    let long = ["риск ".repeat(200_000), "иное".into()];
    assert_eq!(store.search_knowledge(&long, None, 9).unwrap().len(), 1);
}

#[test]
fn the_same_text_is_added_once_by_the_user_whatever_was_shipped() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let new = text("книга", None);
    store.replace_shipped_knowledge(&[(new.clone(), vec![chunk("своё")])]).unwrap();
    let id = store.add_knowledge(&new, &[chunk("риск")]).unwrap();
    let renamed = NewKnowledge { title: "та же книга".into(), ..new };
    let error = store.add_knowledge(&renamed, &[chunk("риск")]).unwrap_err();
    assert!(matches!(error, StoreError::AlreadyKnown(known) if known == id), "{error:?}");
    assert_eq!(found(&store, &["риск"]).len(), 1);
    store.remove_knowledge(id).unwrap();
    store.add_knowledge(&renamed, &[chunk("риск")]).unwrap();
}

#[test]
fn a_text_that_two_processes_add_at_once_is_there_once() {
    let dir = tempdir().unwrap();
    drop(open(dir.path()));
    let outcomes: Vec<_> = thread::scope(|scope| {
        let add = || open(dir.path()).add_knowledge(&text("книга", None), &[chunk("риск")]);
        let all: Vec<_> = (0..6).map(|_| scope.spawn(add)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let added: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    assert_eq!(added.len(), 1);
    assert!(
        outcomes
            .iter()
            .filter_map(|outcome| outcome.as_ref().err())
            .all(|error| matches!(error, StoreError::AlreadyKnown(known) if known == added[0]))
    );
    assert_eq!(found(&open(dir.path()), &["риск"]).len(), 1);
}

#[test]
fn only_the_users_own_texts_can_be_removed() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.replace_shipped_knowledge(&[(text("наше", None), vec![chunk("риск")])]).unwrap();
    let own = store.add_knowledge(&text("своё", None), &[chunk("риск"), chunk("риск тильт")]).unwrap();
    store.add_knowledge(&text("другое", None), &[chunk("риск")]).unwrap();
    store.remove_knowledge(own).unwrap();
    let left: Vec<_> = store.knowledge_sources().unwrap().into_iter().map(|s| (s.id, s.source.title)).collect();
    let [(_, other), (shipped, ours)] = &left[..] else { panic!("{left:?}") };
    assert_eq!((&**other, &**ours), ("другое", "наше"));
    assert_eq!((found(&store, &["риск"]).len(), found(&store, &["тильт"]).len()), (2, 0));
    for refused in [own, *shipped] {
        assert!(matches!(store.remove_knowledge(refused), Err(StoreError::NotFound(_))));
    }
    assert_in_step(&store);
}

#[test]
fn shipped_texts_are_written_where_they_changed_and_only_there() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let own = store.add_knowledge(&text("своё", None), &[chunk("риск")]).unwrap();
    let first = [
        (text("дыхание", Some("ru")), vec![chunk("дыхан вдох")]),
        (text("тильт", Some("ru")), vec![chunk("тильт"), chunk("тильт пауз")]),
        (text("план", Some("ru")), vec![chunk("план")]),
    ];
    assert!(store.replace_shipped_knowledge(&first).unwrap());
    let before = shipped(&store);
    let again =
        first.clone().map(|(new, chunks)| (NewKnowledge { added_at: at("2026-05-01T00:00:00Z"), ..new }, chunks));
    assert!(!store.replace_shipped_knowledge(&again).unwrap(), "nothing has changed");
    assert_eq!(shipped(&store), before);

    // One as before, one with other stems, one gone, one new.
    let second =
        [first[0].clone(), (first[1].0.clone(), vec![chunk("тильт злост")]), (text("сон", None), vec![chunk("сон")])];
    assert!(store.replace_shipped_knowledge(&second).unwrap());
    let after = shipped(&store);
    assert_eq!(after.keys().collect::<Vec<_>>(), ["дыхание", "сон", "тильт"]);
    assert_eq!(after["дыхание"], before["дыхание"]);
    assert_ne!(after["тильт"], before["тильт"]);
    assert_eq!((found(&store, &["пауз", "план"]).len(), found(&store, &["злост", "сон"]).len()), (0, 2));

    let twice = [first[0].clone(), first[0].clone()];
    assert!(matches!(store.replace_shipped_knowledge(&twice), Err(StoreError::AlreadyKnown(_))));
    assert_eq!(shipped(&store), after, "a list that cannot be stored changes nothing");
    assert!(store.replace_shipped_knowledge(&[]).unwrap());
    let left: Vec<_> = store.knowledge_sources().unwrap().into_iter().map(|source| source.id).collect();
    assert_eq!(left, [own]);
    assert_in_step(&store);
}

fn shipped(store: &Store) -> BTreeMap<String, KnowledgeId> {
    let sources = store.knowledge_sources().unwrap().into_iter();
    sources.filter(|s| s.origin == KnowledgeOrigin::Shipped).map(|s| (s.source.title, s.id)).collect()
}

#[rstest]
#[case::changed("UPDATE knowledge_chunks SET stems = 'план', id = id + 7 WHERE stems = 'риск'", 0, 1)]
#[case::removed("DELETE FROM knowledge_chunks WHERE stems = 'риск'", 0, 0)]
#[case::removed_with_its_source("DELETE FROM knowledge_sources", 0, 0)]
fn another_program_with_the_key_cannot_bring_the_index_out_of_step(
    #[case] sql: &str,
    #[case] risk: usize,
    #[case] plan: usize,
) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.add_knowledge(&text("книга", None), &[chunk("риск"), chunk("тильт")]).unwrap();
    assert!(raw(dir.path()).execute(sql, []).unwrap() > 0);
    assert_eq!((found(&store, &["риск"]).len(), found(&store, &["план"]).len()), (risk, plan));
    assert_in_step(&store);
}

/// Words that share their beginnings, as the index stores them, and two that are syntax.
const WORDS: [&str; 8] = ["риск", "рискова", "рисков", "план", "планк", "and", "near", "тильт"];

#[derive(Debug, Clone)]
enum Change {
    Add(Vec<Vec<usize>>),
    Remove(prop::sample::Index),
    Ship(Vec<Vec<usize>>),
}

fn change() -> impl Strategy<Value = Change> {
    let chunks = || prop::collection::vec(prop::collection::vec(0..WORDS.len(), 0..6), 0..5);
    prop_oneof![
        3 => chunks().prop_map(Change::Add),
        2 => any::<prop::sample::Index>().prop_map(Change::Remove),
        1 => chunks().prop_map(Change::Ship),
    ]
}

fn chunks_of(lists: &[Vec<usize>]) -> Vec<KnowledgeChunk> {
    lists.iter().map(|list| chunk(&list.iter().map(|&word| WORDS[word]).collect::<Vec<_>>().join(" "))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// However texts come and go, a search finds exactly the chunks that hold one of the words.
    #[test]
    fn the_index_says_what_the_chunks_say(
        changes in prop::collection::vec(change(), 1..12),
        // Beside a large text a small one goes word by word, otherwise the index is built anew.
        large in any::<bool>(),
    ) {
        let dir = tempdir().unwrap();
        let mut store = open(dir.path());
        let beside = if large { 300 } else { 0 };
        store.add_knowledge(&text("большая книга", None), &vec![chunk("рисование"); beside]).unwrap();
        let mut own: Vec<(KnowledgeId, Vec<String>)> = Vec::new();
        let mut ours: Vec<String> = Vec::new();
        for (n, change) in changes.iter().enumerate() {
            match change {
                Change::Add(lists) => {
                    let chunks = chunks_of(lists);
                    let id = store.add_knowledge(&text(&n.to_string(), None), &chunks).unwrap();
                    own.push((id, chunks.into_iter().map(|chunk| chunk.stems).collect()));
                }
                Change::Remove(which) if !own.is_empty() => {
                    let (id, _) = own.remove(which.index(own.len()));
                    store.remove_knowledge(id).unwrap();
                }
                Change::Remove(_) => {}
                Change::Ship(lists) => {
                    let chunks = chunks_of(lists);
                    store.replace_shipped_knowledge(&[(text("наше", None), chunks.clone())]).unwrap();
                    ours = chunks.into_iter().map(|chunk| chunk.stems).collect();
                }
            }
            let there: Vec<&String> = own.iter().flat_map(|(_, stems)| stems).chain(&ours).collect();
            for pair in WORDS.windows(2) {
                let holds = |stems: &str| stems.split(' ').any(|stem| pair.contains(&stem));
                let mut expected: Vec<String> =
                    there.iter().filter(|stems| holds(stems)).map(|stems| format!("text: {stems}")).collect();
                let mut actual = found(&store, pair);
                expected.sort();
                actual.sort();
                prop_assert_eq!(actual, expected, "{:?} after {:?}", pair, change);
            }
            assert_in_step(&store);
        }
        store.verify().unwrap();
    }

    /// No text is an error to the search.
    #[test]
    fn any_text_can_be_looked_for(stems in prop::collection::vec(any::<String>(), 0..5), syntax in "[\"*^(){}:+a -]{0,20}") {
        let dir = tempdir().unwrap();
        let mut store = open(dir.path());
        store.add_knowledge(&text("книга", None), &[chunk("риск"), chunk(&syntax)]).unwrap();
        let stems: Vec<String> = stems.into_iter().chain([syntax]).collect();
        prop_assert!(store.search_knowledge(&stems, None, 9).is_ok());
    }
}
