//! The sentences in `prompts/patterns/`: one for every key, with every count, and no word that says why.

use std::collections::BTreeMap;
use std::path::Path;

use calm_memory::patterns::PatternKind;
use rstest::rstest;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sentence: BTreeMap<PatternKind, String>,
    fading: String,
    weekday: BTreeMap<String, String>,
}

fn file(lang: &str) -> File {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../prompts/patterns/{lang}.toml"));
    toml::from_str(&std::fs::read_to_string(path).expect("the file is there")).expect("the file reads")
}

#[rstest]
#[case::ru("ru")]
#[case::en("en")]
fn every_key_has_its_sentence_with_its_counts(#[case] lang: &str) {
    let file = file(lang);
    for kind in PatternKind::ALL {
        let sentence = file.sentence.get(&kind).unwrap_or_else(|| panic!("{kind:?} has no sentence"));
        let named =
            matches!(kind, PatternKind::LossOnWeekday | PatternKind::LossWithStressor | PatternKind::RecurringStressor);
        let mut slots = match kind {
            PatternKind::RecurringStressor => vec!["{k1}", "{n1}"],
            PatternKind::StressFalls => vec!["{k1}", "{n1}", "{k2}"],
            _ => vec!["{k1}", "{n1}", "{k2}", "{n2}"],
        };
        slots.extend(named.then_some("{name}"));
        assert!(slots.iter().all(|slot| sentence.matches(slot).count() == 1), "{kind:?}: {sentence}");
        assert_eq!(sentence.matches('{').count(), slots.len(), "{kind:?}: {sentence}");
    }
    assert_eq!(file.weekday.len(), 7);
    assert!(!file.fading.contains('{'));
}

/// After a number stands no word that the number would have to bend.
#[rstest]
#[case::ru("ru", &["потому", "из-за", "поэтому", "привод", "вызыва", "влия", "причин", "благодаря", "стоит", "лучше", "!"])]
#[case::en("en", &["because", "due to", "cause", "lead", "led to", "makes", "affect", "should", "better", "thanks to", "!"])]
fn together_is_all_a_sentence_says(#[case] lang: &str, #[case] banned: &[&str]) {
    let file = file(lang);
    for sentence in file.sentence.values().chain([&file.fading]) {
        let lower = sentence.to_lowercase();
        assert!(!banned.iter().any(|word| lower.contains(word)), "{sentence}");
        for slot in ["{n1}", "{n2}", "{k1}", "{k2}"] {
            let after = sentence.split(slot).nth(1).unwrap_or(".");
            let fits = [".", ",", ";", " of ", " из "].iter().any(|next| after.starts_with(next));
            assert!(fits, "{slot} in {sentence}");
        }
    }
}
