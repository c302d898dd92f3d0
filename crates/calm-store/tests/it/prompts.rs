use std::collections::BTreeMap;
use std::thread;

use calm_store::{
    NewPromptVersion, PromptActor, PromptDecision, PromptEvent, PromptOrigin, PromptVersionId, Store, StoreError,
};
use serde_json::json;
use tempfile::tempdir;

use crate::{at, open};

fn version(name: &str, tone: &str) -> NewPromptVersion {
    NewPromptVersion {
        set: "calm".into(),
        version: name.into(),
        hash: format!("hash of {tone}"),
        origin: PromptOrigin::User,
        parent: Some("1.0.0".into()),
        note: Some("теплее".into()),
        files: BTreeMap::from([
            ("ru/base/tone.md".into(), tone.into()),
            ("ru/root.md".into(), "{{include base/tone.md}}\r\n".into()),
        ]),
        finalized_at: at("2026-03-02T06:00:00Z"),
    }
}

fn shipped() -> NewPromptVersion {
    NewPromptVersion { origin: PromptOrigin::Shipped, parent: None, note: None, ..version("1.0.0", "ровно") }
}

fn because(actor: PromptActor, time: &str) -> PromptDecision {
    PromptDecision {
        at: at(&format!("2026-03-02T{time}Z")),
        actor,
        reason: Some("по правилу".into()),
        figures: Some(json!({"sufler": [4.1, 3.4]})),
    }
}

/// The shipped version in use, and two of the user's.
fn three(store: &mut Store) -> [PromptVersionId; 3] {
    let first = store.remember_prompts(&shipped()).unwrap();
    store.activate_prompts(first, &because(PromptActor::App, "06:00:00")).unwrap();
    let [second, third] = [("1.1.0", "тепло"), ("1.2.0", "теплее")]
        .map(|(name, tone)| store.remember_prompts(&version(name, tone)).unwrap());
    [first, second, third]
}

fn log(store: &Store) -> Vec<(PromptEvent, Option<String>, String, PromptActor)> {
    let entries = store.prompt_log(99).unwrap().into_iter().rev();
    entries.map(|entry| (entry.event, entry.from_version, entry.to_version, entry.decision.actor)).collect()
}

fn in_use(store: &Store) -> Option<String> {
    store.active_prompts().unwrap().map(|active| active.version)
}

#[test]
fn a_version_is_kept_whole() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    assert!(store.active_prompts().unwrap().is_none());
    let new = version("1.1.0", "тепло {{user.name}} \0 🙂");
    let id = store.remember_prompts(&new).unwrap();
    drop(store);

    let store = open(dir.path());
    assert!(store.prompt_files(id).unwrap() == Some(new.files));
    assert!(store.prompt_files("9".parse().unwrap()).unwrap().is_none());
    let [kept] = &store.prompt_versions().unwrap()[..] else { panic!("one version") };
    assert_eq!((&*kept.set, &*kept.version, &*kept.hash), ("calm", "1.1.0", &*new.hash));
    assert_eq!(
        (kept.origin, kept.parent.as_deref(), kept.note.as_deref()),
        (PromptOrigin::User, Some("1.0.0"), Some("теплее"))
    );
    assert_eq!((kept.id, kept.finalized_at, kept.retired_at), (id, new.finalized_at, None));
    assert_eq!(in_use(&store), None, "a finished version is not in use by itself");
}

#[test]
fn a_version_name_stands_for_one_content_for_ever() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let id = store.remember_prompts(&shipped()).unwrap();
    let later = NewPromptVersion { finalized_at: at("2026-05-01T00:00:00Z"), ..shipped() };
    assert_eq!(store.remember_prompts(&later).unwrap(), id);
    assert!(matches!(store.remember_prompts(&version("1.0.0", "иначе")), Err(StoreError::VersionTaken)));
    let elsewhere = NewPromptVersion { set: "другой".into(), ..version("1.0.0", "иначе") };
    assert_ne!(store.remember_prompts(&elsewhere).unwrap(), id);
    assert!(store.prompt_files(id).unwrap() == Some(shipped().files));
    let finalized: Vec<_> = log(&store).into_iter().map(|(event, _, _, actor)| (event, actor)).collect();
    assert_eq!(finalized, [(PromptEvent::Finalized, PromptActor::App), (PromptEvent::Finalized, PromptActor::User)]);
}

#[test]
fn every_change_is_written_down_and_a_roll_back_retires_what_it_leaves() {
    use PromptActor::{App, Rule, User};
    use PromptEvent::{Activated, Finalized, RolledBack};
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let [first, second, third] = three(&mut store);
    assert!(store.activate_prompts(second, &because(User, "07:00:00")).unwrap());
    assert!(store.activate_prompts(third, &because(User, "08:00:00")).unwrap());
    assert!(store.roll_back_prompts(third, first, &because(Rule, "09:00:00")).unwrap());
    drop(store);

    let store = open(dir.path());
    assert_eq!(in_use(&store).as_deref(), Some("1.0.0"));
    let retired: Vec<_> = store.prompt_versions().unwrap().into_iter().map(|v| (v.id, v.retired_at)).collect();
    assert_eq!(retired, [(third, Some(at("2026-03-02T09:00:00Z"))), (second, None), (first, None)]);
    let line = |event, from: Option<&str>, to: &str, actor| (event, from.map(str::to_owned), to.to_owned(), actor);
    assert_eq!(
        log(&store),
        [
            line(Finalized, None, "1.0.0", App),
            line(Activated, None, "1.0.0", App),
            line(Finalized, Some("1.0.0"), "1.1.0", User),
            line(Finalized, Some("1.0.0"), "1.2.0", User),
            line(Activated, Some("1.0.0"), "1.1.0", User),
            line(Activated, Some("1.1.0"), "1.2.0", User),
            line(RolledBack, Some("1.2.0"), "1.0.0", Rule),
        ]
    );
    let newest = store.prompt_log(1).unwrap().remove(0);
    assert!(newest.decision == because(Rule, "09:00:00"));
}

#[test]
fn what_is_in_use_already_is_not_brought_into_use_again() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let [first, second, _] = three(&mut store);
    let before = log(&store);
    let why = because(PromptActor::User, "09:00:00");
    assert!(!store.activate_prompts(first, &why).unwrap());
    assert!(!store.roll_back_prompts(first, first, &why).unwrap());
    assert!(!store.roll_back_prompts(second, first, &why).unwrap());
    let nowhere = "99".parse().unwrap();
    assert!(matches!(store.activate_prompts(nowhere, &why), Err(StoreError::NotFound(_))));
    assert!(matches!(store.roll_back_prompts(first, nowhere, &why), Err(StoreError::NotFound(_))));
    assert_eq!((log(&store), in_use(&store).as_deref()), (before, Some("1.0.0")));
    assert!(store.prompt_versions().unwrap().iter().all(|version| version.retired_at.is_none()));
}

#[test]
fn a_verdict_on_a_version_that_was_replaced_meanwhile_changes_nothing() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let [first, judged, newer] = three(&mut store);
    store.activate_prompts(judged, &because(PromptActor::User, "07:00:00")).unwrap();
    open(dir.path()).activate_prompts(newer, &because(PromptActor::User, "08:00:00")).unwrap();
    assert!(!store.roll_back_prompts(judged, first, &because(PromptActor::Rule, "08:00:01")).unwrap());
    assert_eq!(in_use(&store).as_deref(), Some("1.2.0"));
}

#[test]
fn of_many_who_roll_back_at_once_one_does() {
    let dir = tempdir().unwrap();
    let [first, second, _] = three(&mut open(dir.path()));
    open(dir.path()).activate_prompts(second, &because(PromptActor::User, "07:00:00")).unwrap();
    let did: Vec<bool> = thread::scope(|scope| {
        let roll_back =
            || open(dir.path()).roll_back_prompts(second, first, &because(PromptActor::Rule, "09:00:00")).unwrap();
        let all: Vec<_> = (0..6).map(|_| scope.spawn(roll_back)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(did.iter().filter(|did| **did).count(), 1);
    let events = log(&open(dir.path()));
    assert_eq!(events.iter().filter(|(event, ..)| *event == PromptEvent::RolledBack).count(), 1);
}

#[test]
fn a_retired_version_that_is_activated_again_is_not_retired() {
    let dir = tempdir().unwrap();
    let mut store = open(dir.path());
    let [first, second, _] = three(&mut store);
    let why = because(PromptActor::User, "07:00:00");
    store.activate_prompts(second, &why).unwrap();
    store.roll_back_prompts(second, first, &why).unwrap();
    store.activate_prompts(second, &why).unwrap();
    assert_eq!(store.active_prompts().unwrap().unwrap().retired_at, None);
}
