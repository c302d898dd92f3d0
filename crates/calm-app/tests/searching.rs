//! What was said is found again by its words: over a real database and memory's own thread.
#![allow(clippy::unwrap_used)]

use calm_app::searching::{Hit, Who};
use calm_app::{Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets, SessionId};
use calm_store::{Store, TurnRecord};
use rstest::rstest;

struct House(tempfile::TempDir);

impl House {
    fn new() -> House {
        House(tempfile::tempdir().unwrap())
    }

    fn conductor(&self, lang: Lang) -> Conductor {
        let paths = Paths { data: self.0.path().join("data"), models: self.0.path().join("models") };
        let clock = Clock::Fixed("2026-03-02T09:00:00Z".parse().unwrap());
        let mut conductor = Conductor::open(paths, Secrets::File, clock, Box::new(|_| {})).unwrap();
        conductor.set_language(lang);
        conductor
    }

    fn talk(&self, lang: Lang, said: &[&str]) -> SessionId {
        let mut conductor = self.conductor(lang);
        conductor.begin(&Begin::new(Kind::CheckOut, Format::Unlimited, "terminal").seeded(1)).unwrap();
        let session = conductor.running().unwrap();
        for words in said {
            conductor.say(words).unwrap();
        }
        conductor.leave().unwrap();
        session
    }

    fn search(&self, words: &str) -> Vec<Hit> {
        self.conductor(Lang::Ru).search_history(words, 20).unwrap()
    }
}

fn marked(hit: &Hit) -> Vec<String> {
    let chars: Vec<char> = hit.snippet.chars().collect();
    hit.marks.iter().map(|at| chars[at.clone()].iter().collect()).collect()
}

#[rstest]
#[case::as_said("двигал стоп", &["двигал", "стоп"])]
#[case::other_endings("стопа двигала", &["двигал", "стоп"])]
#[case::instrumental("стопом", &["стоп"])]
#[case::yo("счета", &["счёт"])]
#[case::a_beginning("двигал новос", &["новостях", "двигал"])]
#[case::stop_words_beside("и на новости", &["новостях"])]
#[case::signs("«стоп»\" * -новости OR", &["новостях", "стоп"])]
#[case::a_word_nobody_said("стоп кредит", &[])]
#[case::only_stop_words("и на не", &[])]
#[case::nothing("", &[])]
fn words_are_found_in_any_form(#[case] words: &str, #[case] expected: &[&str]) {
    let house = House::new();
    let session = house.talk(Lang::Ru, &["на новостях двигал стоп, минус двести, счёт просел"]);
    let hits = house.search(words);
    assert_eq!(hits.len(), usize::from(!expected.is_empty()), "{hits:?}");
    for hit in &hits {
        assert_eq!((hit.session_id, hit.who, hit.session_type), (session, Who::User, Kind::CheckOut));
        assert_eq!(hit.at.to_string(), "2026-03-02T09:00:00Z");
        assert_eq!(marked(hit), expected);
    }
}

#[test]
fn both_languages_and_both_speakers_are_found() {
    let house = House::new();
    let russian = house.talk(Lang::Ru, &["двигал стоп, минус двести"]);
    let said = "I moved my stop loss, minus two hundred";
    let english = house.talk(Lang::En, &[said]);
    assert_eq!(house.search("стопы")[0].session_id, russian);
    let hit = house.search("stops moving").remove(0);
    assert_eq!((hit.session_id, marked(&hit)), (english, vec!["moved".to_owned(), "stop".to_owned()]));

    // The reply is the guide's own business; its longest word that is not the user's stands for it.
    let page = house.conductor(Lang::En).page(english).unwrap().unwrap();
    let reply = &page.turns.iter().find(|turn| turn.user.is_some()).unwrap().calm;
    let words = reply.split(|c: char| !c.is_alphabetic()).filter(|word| !said.contains(word));
    let longest = words.max_by_key(|word| word.len()).unwrap();
    let hits = house.search(longest);
    assert!(hits.iter().any(|hit| hit.session_id == english && hit.who == Who::Calm), "{longest}: {hits:?}");
}

#[test]
fn a_crisis_is_part_of_the_record() {
    let house = House::new();
    house.talk(Lang::Ru, &["минус двести, не хочу больше жить"]);
    assert_eq!(marked(&house.search("жить")[0]), ["жить"]);
}

#[test]
fn what_nobody_has_learned_from_yet_is_found_all_the_same() {
    let house = House::new();
    let session = house.talk(Lang::Ru, &["всё по плану"]);
    let mut store = Store::open(&house.0.path().join("data"), Secrets::File).unwrap();
    let at = "2026-03-02T09:00:00Z".parse().unwrap();
    let turn = TurnRecord::new(at, Some("была просадка".into()), "Слышу.".into(), "guide".into());
    store.record_turn(session, &turn, None).unwrap();
    drop(store);
    assert_eq!(house.search("просадки").len(), 1);
}
