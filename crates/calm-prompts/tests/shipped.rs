//! The shipped set: complete, in both languages, and the same compiled in as in the folder.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use calm_prompts::{HelplineKind, PromptSet, Said, SetError, Strain};
use rstest::rstest;

fn files(list: &[(&str, &str)]) -> BTreeMap<String, String> {
    list.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn the_hash_notices_a_changed_word_and_a_moved_file() {
    let manifest = ("manifest.toml", "id = \"t\"\nversion = \"1\"\n");
    let hash = |path: &str, text: &str| PromptSet::of(files(&[manifest, (path, text)])).unwrap().identity().hash;
    let first = hash("guide/ru/a.toml", "[[move]]\nkey = \"hi\"\nvariants = [\"Привет.\"]\n");
    assert_eq!(first.len(), 64);
    assert_ne!(hash("guide/ru/a.toml", "[[move]]\nkey = \"hi\"\nvariants = [\"Привет!\"]\n"), first);
    assert_ne!(hash("guide/ru/b.toml", "[[move]]\nkey = \"hi\"\nvariants = [\"Привет.\"]\n"), first);
}

#[test]
fn both_languages_word_the_same_moves_with_the_same_slots() {
    let set = PromptSet::shipped();
    let (ru, en) = (set.phrases("ru").unwrap(), set.phrases("en").unwrap());
    let keys = |p: &calm_prompts::Phrases| p.keys().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(keys(&ru), keys(&en));
    for key in ru.keys() {
        assert_eq!(slots(&ru, key), slots(&en, key), "{key}");
        assert!(ru.variants(key).count() >= 6 && en.variants(key).count() >= 6, "{key}");
    }
}

fn slots(phrases: &calm_prompts::Phrases, key: &str) -> BTreeSet<String> {
    let names = |text: &str| {
        text.split('{')
            .skip(1)
            .filter_map(|rest| rest.split_once('}'))
            .map(|(name, _)| name.to_owned())
            .collect::<Vec<_>>()
    };
    phrases.variants(key).flat_map(names).collect()
}

#[rstest]
#[case("ru")]
#[case("en")]
fn every_wording_is_a_short_whole_sentence_said_once(#[case] lang: &str) {
    let phrases = PromptSet::shipped().phrases(lang).unwrap();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for key in phrases.keys() {
        for text in phrases.variants(key) {
            assert!(text.ends_with(['.', '?', '!']), "{key}: {text}");
            assert!(text.matches('?').count() <= 1, "{key}: {text}");
            assert!(text.split_whitespace().count() <= 40, "{key}: {text}");
            assert_eq!(text.trim(), text);
            let starts_upper = text.starts_with(|c: char| c.is_uppercase() || "{«“\"".contains(c));
            assert!(starts_upper || text.starts_with(|c: char| c.is_ascii_digit()), "{key}: {text}");
            if let Some(earlier) = seen.insert(text.to_owned(), key.to_owned()) {
                panic!("{text} stands under {earlier} and {key}");
            }
        }
    }
}

#[test]
fn wording_is_reproducible_and_never_repeats_while_others_are_left() {
    let phrases = PromptSet::shipped().phrases("ru").unwrap();
    let count = phrases.eligible("close_loss", &[]);
    for seed in 0..50 {
        let mut used = Said::default();
        let mut again = Said::default();
        let mut said = BTreeSet::new();
        for _ in 0..count {
            let words = phrases.word("close_loss", &[], seed, &mut used).unwrap();
            assert_eq!(phrases.word("close_loss", &[], seed, &mut again).unwrap(), words);
            said.insert(words);
        }
        assert_eq!(said.len(), count, "every wording once");
        phrases.word("close_loss", &[], seed, &mut used).unwrap();
    }
}

#[test]
fn different_seeds_give_different_words() {
    let phrases = PromptSet::shipped().phrases("ru").unwrap();
    let said: BTreeSet<String> =
        (0..64).map(|seed| phrases.word("ask_readiness", &[], seed, &mut Said::default()).unwrap()).collect();
    assert_eq!(said.len(), phrases.variants("ask_readiness").count(), "every wording comes up for some seed");
}

#[test]
fn a_known_value_is_said_and_an_unknown_one_is_never_a_hole() {
    let phrases = PromptSet::shipped().phrases("ru").unwrap();
    for seed in 0..50 {
        let amount = [("amount", "двести долларов".to_owned())];
        let told = phrases.word("ack_loss", &amount, seed, &mut Said::default()).unwrap();
        assert!(told.contains("двести долларов"), "{told}");
        let untold = phrases.word("ack_loss", &[], seed, &mut Said::default()).unwrap();
        assert!(!untold.contains('{'), "{untold}");
    }
    assert!(phrases.word("ack_plan", &[], 1, &mut Said::default()).is_err());
    assert!(phrases.word("no_such_move", &[], 1, &mut Said::default()).is_err());
}

#[test]
fn braces_in_the_users_words_stay_words() {
    let phrases = PromptSet::shipped().phrases("en").unwrap();
    let plan = [("plan", "{plan} {name}".to_owned())];
    let said = phrases.word("ack_plan", &plan, 3, &mut Said::default()).unwrap();
    assert!(said.contains("{plan} {name}"), "{said}");
}

#[rstest]
#[case("breathing", Some(3), 3)]
#[case("grounding", None, 3)]
#[case("visualization", Some(5), 5)]
#[case("journaling", Some(15), 10)]
#[case("physical", Some(5), 5)]
#[case("pause", Some(5), 5)]
fn a_practice_for_every_type(#[case] kind: &str, #[case] minutes: Option<u8>, #[case] expected: u8) {
    let set = PromptSet::shipped();
    for lang in ["ru", "en"] {
        let practices = set.practices(lang).unwrap();
        let practice = practices.choose(kind, minutes, &[]).unwrap();
        assert_eq!(practice.minutes(), expected);
    }
    assert_eq!(set.practices("ru").unwrap().choose("shouting", None, &[]), None);
}

/// In panic nobody is told to hold their breath, and a practice as long as the one offered is still there.
#[rstest]
fn whoever_should_not_hold_their_breath_gets_another_practice(
    #[values("ru", "en")] lang: &str,
    #[values(None, Some(1), Some(3), Some(15))] minutes: Option<u8>,
) {
    let practices = PromptSet::shipped().practices(lang).unwrap();
    let practice = practices.choose("breathing", minutes, &[Strain::BreathHold]).unwrap();
    assert!(!practice.asks(Strain::BreathHold), "{}", practice.id);
    assert!(minutes != Some(3) || practice.minutes() == 3, "{} is offered as three minutes", practice.id);
}

#[rstest]
#[case(Strain::BreathHold, "breathing")]
#[case(Strain::Cold, "grounding")]
fn something_is_left_without_a_strain(#[case] strain: Strain, #[case] kind: &str) {
    let practices = PromptSet::shipped().practices("ru").unwrap();
    assert!(practices.iter().any(|practice| practice.asks(strain) && practice.kind == kind));
    assert!(practices.choose(kind, None, &[strain]).is_some());
}

#[rstest]
fn a_warning_comes_before_the_steps(#[values("ru", "en")] lang: &str) {
    let practices = PromptSet::shipped().practices(lang).unwrap();
    for practice in practices.iter() {
        let said = practice.introduction();
        assert!(said.contains(&practice.name) && said.contains(&practice.description), "{said}");
        assert!(practice.contraindications.as_ref().is_none_or(|warning| said.contains(warning)), "{said}");
    }
}

#[test]
fn both_languages_have_the_same_practices() {
    let set = PromptSet::shipped();
    let ids = |lang: &str| {
        let practices = set.practices(lang).unwrap();
        practices.iter().map(|p| (p.id.clone(), p.kind.clone(), p.duration())).collect::<BTreeSet<_>>()
    };
    assert_eq!(ids("ru"), ids("en"));
    assert_eq!(ids("ru").len(), set.practices("ru").unwrap().iter().count(), "ids are unique");
}

/// The words of the steps and the marks that code goes by say the same.
#[rstest]
#[case("ru", &["задерж", "без вдоха"], &["паник", "беремен", "сердц"])]
#[case("en", &["hold, softly", "rest before the next breath"], &["panic", "pregnant", "heart"])]
fn breath_holds_are_marked_and_warned_of(#[case] lang: &str, #[case] signs: &[&str], #[case] warned: &[&str]) {
    let practices = PromptSet::shipped().practices(lang).unwrap();
    for practice in practices.iter() {
        let steps: Vec<String> = practice.steps.iter().map(|step| step.text.to_lowercase()).collect();
        let holds = steps.iter().any(|step| signs.iter().any(|sign| step.contains(sign)));
        assert_eq!(holds, practice.asks(Strain::BreathHold), "{}", practice.id);
        if holds {
            let warning = practice.contraindications.as_deref().unwrap_or_default().to_lowercase();
            assert!(warned.iter().all(|word| warning.contains(word)), "{}: {warning}", practice.id);
        }
    }
    assert!(practices.iter().any(|practice| practice.asks(Strain::BreathHold)));
}

#[rstest]
#[case("ru", "112", "+7 495 989-50-50")]
#[case("us", "911", "988")]
#[case("GB", "999", "116 123")]
fn a_country_has_its_emergency_number_and_a_crisis_line(
    #[case] country: &str,
    #[case] emergency: &str,
    #[case] crisis: &str,
) {
    let helplines = PromptSet::shipped().helplines().unwrap();
    assert_eq!(helplines.emergency(country), emergency);
    let said = helplines.spoken(country, "ru");
    assert!(said.contains(crisis) && said.contains(emergency), "{said}");
}

#[rstest]
#[case::a_line_of_its_own("gb", "en", "National Gambling Helpline 0808 8020 133")]
#[case::no_line_and_no_number("ru", "ru", "группы «Анонимных игроков» и службы помощи при азарте")]
#[case::unknown("", "en", "Gamblers Anonymous groups and support services for gambling")]
fn gambling_has_help_of_its_own(#[case] country: &str, #[case] lang: &str, #[case] expected: &str) {
    assert_eq!(PromptSet::shipped().helplines().unwrap().gambling(country, lang), expected);
}

#[test]
fn a_line_that_sleeps_says_when_it_answers() {
    let helplines = PromptSet::shipped().helplines().unwrap();
    assert!(helplines.spoken("rs", "en").starts_with("Centar Srce 0800 300 303 (14:00 to 23:00), "));
    assert!(helplines.spoken("gb", "en").starts_with("Samaritans 116 123, "));
}

#[test]
fn every_country_here_has_one_emergency_number_and_dates_that_are_dates() {
    let helplines = PromptSet::shipped().helplines().unwrap();
    let countries: BTreeSet<&str> = helplines.iter().map(|line| line.country.as_str()).collect();
    assert!(countries.len() >= 28, "{countries:?}");
    for country in countries {
        let lines = helplines.for_country(country);
        let emergency = lines.iter().filter(|line| line.kind == HelplineKind::Emergency).count();
        assert_eq!(emergency, 1, "{country}");
        for line in lines {
            assert!(line.number.chars().all(|c| c.is_ascii_digit() || "+- ".contains(c)), "{country} {}", line.number);
        }
    }
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../prompts/helplines.toml")).unwrap();
    let dated = helplines.iter().filter(|line| line.verified().is_some()).count();
    assert_eq!(dated, text.lines().filter(|line| line.starts_with("verified = ")).count());
}

#[test]
fn a_country_without_data_still_has_112() {
    let helplines = PromptSet::shipped().helplines().unwrap();
    assert_eq!(helplines.spoken("zz", "en"), "emergency 112");
    assert!(helplines.iter().all(|l| !l.source.is_empty()));
    assert!(helplines.iter().any(|l| l.kind == HelplineKind::Gambling));
}

#[test]
fn a_number_that_nobody_compared_needs_checking() {
    let helplines = PromptSet::shipped().helplines().unwrap();
    let today = jiff::civil::date(2026, 3, 2);
    assert!(helplines.iter().all(|l| l.verified().is_some() || l.needs_checking(today)));
}

#[rstest]
#[case::no_manifest(&[("guide/ru/a.toml", "[[move]]")], "manifest.toml is missing")]
#[case::broken_manifest(&[("manifest.toml", "id = ")], "manifest.toml:1")]
fn a_broken_set_says_what_is_wrong(#[case] list: &[(&str, &str)], #[case] expected: &str) {
    let error = PromptSet::of(files(list)).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn a_move_worded_twice_is_refused() {
    let list = [
        ("manifest.toml", "id = \"t\"\nversion = \"1\"\n"),
        ("guide/ru/a.toml", "[[move]]\nkey = \"hi\"\nvariants = [\"Привет.\"]\n"),
        ("guide/ru/b.toml", "[[move]]\nkey = \"hi\"\nvariants = [\"Здравствуй.\"]\n"),
    ];
    let error = PromptSet::of(files(&list)).unwrap().phrases("ru").unwrap_err();
    assert!(matches!(error, SetError::Invalid { ref file, .. } if file == "guide/ru/b.toml"), "{error}");
}

#[test]
fn a_variant_lies_over_the_set_and_is_recorded() {
    let declared = "id = \"t\"\nversion = \"1\"\n[[variant]]\nid = \"gentle\"\nweight = 1\n";
    let list = [("manifest.toml", declared), ("root.md", "plain"), ("variants/gentle/root.md", "gentle")];
    let set = PromptSet::of(files(&list)).unwrap();
    let gentle = set.variant("gentle").unwrap();
    let text = |set: &PromptSet| set.library("en").render("root.md", &serde_json::json!({}), &[], None).unwrap();
    assert_eq!((text(&set).as_str(), text(&gentle).as_str()), ("plain", "gentle"));
    assert_eq!((set.identity().variant.as_str(), gentle.identity().variant.as_str()), ("default", "gentle"));
    assert!(set.variant("bold").is_err());
    let missing = PromptSet::of(files(&list[..2])).unwrap_err();
    assert!(missing.to_string().contains("variants/gentle/"), "{missing}");
}
