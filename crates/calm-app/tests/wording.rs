//! What the guide can decide and what the prompt set can say fit together.

use calm_core::turn::MOVE_KEYS;
use calm_core::{Lang, guard};
use calm_prompts::PromptSet;

#[test]
fn every_move_has_words_in_both_languages_for_every_state_of_knowledge() {
    let set = PromptSet::shipped();
    for lang in Lang::ALL {
        let phrases = set.phrases(lang.code()).expect("the shipped phrases");
        for kind in MOVE_KEYS {
            let sayable = phrases.eligible(kind.key, kind.always);
            let least = if kind.common { 8 } else { 6 };
            let all = phrases.variants(kind.key).count();
            assert!(all >= least, "{lang} {}: {all} variants, {least} are due", kind.key);
            assert!(sayable >= 4, "{lang} {}: {sayable} variants where only {:?} is known", kind.key, kind.always);
        }
        let known: Vec<&str> = MOVE_KEYS.iter().map(|kind| kind.key).collect();
        let unused: Vec<&str> = phrases.keys().filter(|key| !known.contains(key)).collect();
        assert!(unused.is_empty(), "{lang}: nobody says {unused:?}");
    }
}

#[test]
fn no_phrase_and_no_practice_crosses_a_boundary() {
    let set = PromptSet::shipped();
    for lang in Lang::ALL {
        let phrases = set.phrases(lang.code()).expect("the shipped phrases");
        let practices = set.practices(lang.code()).expect("the shipped practices");
        let said =
            phrases.keys().flat_map(|key| phrases.variants(key).map(str::to_owned)).chain(practices.iter().flat_map(
                |p| [p.name.clone(), p.description.clone()].into_iter().chain(p.steps.iter().map(|s| s.text.clone())),
            ));
        for text in said {
            assert_eq!(guard::check(&text, lang), [], "{lang}: {text}");
        }
    }
}

#[test]
fn hard_moments_have_no_exclamation_marks() {
    let set = PromptSet::shipped();
    for lang in Lang::ALL {
        let phrases = set.phrases(lang.code()).expect("the shipped phrases");
        for kind in MOVE_KEYS.iter().filter(|kind| kind.hard) {
            for text in phrases.variants(kind.key) {
                assert!(!text.contains('!'), "{lang} {}: {text}", kind.key);
            }
        }
    }
}
