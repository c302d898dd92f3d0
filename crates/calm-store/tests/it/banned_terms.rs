use calm_store::{BannedBy, SheetTerm, Store, StoreError};
use rstest::rstest;
use tempfile::tempdir;

use crate::{at, open};

const NOW: &str = "2026-03-02T06:00:00Z";

fn row(term: &str) -> SheetTerm {
    SheetTerm { term: term.into(), note: Some("из таблицы".into()) }
}

fn listed(store: &Store) -> Vec<(String, BannedBy)> {
    store.banned_terms().unwrap().into_iter().map(|banned| (banned.term, banned.source)).collect()
}

#[rstest]
#[case::capitals("отыграться", "ОТЫГРАТЬСЯ", true)]
#[case::more_than_ascii("Ёлки", "ёлки", true)]
#[case::spaces("просто  расслабься", " Просто\tрасслабься\n", true)]
#[case::another_form("отыграться", "отыграйся", false)]
#[case::a_longer_one("дыши", "дыши глубже", false)]
#[case::signs_are_a_term_too("!", "!!", false)]
fn a_term_is_there_once(#[case] first: &str, #[case] second: &str, #[case] same: bool) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let one = store.add_banned_term(first, None, BannedBy::User, at(NOW)).unwrap().unwrap();
    let two = store.add_banned_term(second, Some("ещё раз"), BannedBy::Message, at(NOW)).unwrap().unwrap();
    assert_eq!(one == two, same);
    let stored = store.banned_terms().unwrap();
    assert_eq!(stored.len(), if same { 1 } else { 2 });
    // The first word stays as it was.
    assert!((&*stored[0].term, &stored[0].note, stored[0].source) == (first.trim(), &None, BannedBy::User));
}

#[rstest]
#[case("")]
#[case(" \t\n\u{a0}")]
fn nothing_can_not_be_banned(#[case] blank: &str) {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    assert_eq!(store.add_banned_term(blank, None, BannedBy::User, at(NOW)).unwrap(), None);
    store.replace_banned_sheet(&[row(blank), row("дыши"), row(blank)], at(NOW)).unwrap();
    assert_eq!(listed(&store), [("дыши".into(), BannedBy::Sheet)]);
}

#[test]
fn a_new_sheet_replaces_the_old_one_and_leaves_the_users_own_terms() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.add_banned_term("дружище", None, BannedBy::User, at(NOW)).unwrap();
    store.add_banned_term("Выдохни", None, BannedBy::Message, at(NOW)).unwrap();
    store.replace_banned_sheet(&[row("рынок всегда прав"), row("ДРУЖИЩЕ"), row("дыши"), row("Дыши")], at(NOW)).unwrap();
    let own = [("дружище".into(), BannedBy::User), ("Выдохни".into(), BannedBy::Message)];
    assert_eq!(listed(&store)[..2], own);
    assert_eq!(listed(&store).len(), 4);
    let kept = store.banned_terms().unwrap()[2].clone();

    let later = at("2026-04-02T06:00:00Z");
    let renewed = SheetTerm { term: "Рынок всегда прав".into(), note: None };
    store.replace_banned_sheet(&[row("успокойся"), renewed], later).unwrap();
    let stored = store.banned_terms().unwrap();
    let terms: Vec<_> = stored.iter().map(|banned| &*banned.term).collect();
    assert_eq!(terms, ["дружище", "Выдохни", "Рынок всегда прав", "успокойся"]);
    assert_eq!((stored[2].id, stored[2].added_at, &stored[2].note), (kept.id, kept.added_at, &None));

    store.replace_banned_sheet(&[], later).unwrap();
    assert_eq!(listed(&store), own);
}

#[test]
fn what_the_user_has_banned_outlives_the_sheet_that_said_it_first() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    store.replace_banned_sheet(&[row("дыши"), row("выдохни")], at(NOW)).unwrap();
    store.add_banned_term("Дыши", Some("мама так говорит"), BannedBy::Message, at(NOW)).unwrap();
    store.replace_banned_sheet(&[], at(NOW)).unwrap();
    assert_eq!(listed(&store), [("Дыши".into(), BannedBy::Message)]);
}

#[test]
fn a_term_can_be_allowed_again() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = store.add_banned_term("дыши", None, BannedBy::User, at(NOW)).unwrap().unwrap();
    store.remove_banned_term(id).unwrap();
    assert!(listed(&store).is_empty());
    assert!(matches!(store.remove_banned_term(id), Err(StoreError::NotFound("banned term"))));
    let again = store.add_banned_term("дыши", None, BannedBy::User, at(NOW)).unwrap();
    assert!(again.is_some_and(|again| again != id), "an identity was used twice");
}
