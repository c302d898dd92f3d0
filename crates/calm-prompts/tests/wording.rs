//! The shipped words, as a listener would judge them: whole in both languages, gentle where it is hard,
//! never pulling anybody back.
//!
//! Which moves exist is calm-core's business; here the two languages are held against each other.

use std::collections::{BTreeMap, BTreeSet};

use calm_prompts::{Phrases, Practice, PromptSet};
use rstest::rstest;

const FEWEST_VARIANTS: usize = 6;
/// Longer than this is no longer said in a breath or two.
const LONGEST_VARIANT: usize = 220;

/// Keys that begin like this are said in hard moments.
const HARD: &[&str] = &[
    "ack_anger",
    "ack_anxiety",
    "ack_deviated",
    "ack_fatigue",
    "ack_fear",
    "ack_frustration",
    "ack_guilt",
    "ack_high_stress",
    "ack_loss",
    "ack_no_plan",
    "ack_not_ready",
    "ack_partially",
    "ack_past_loss",
    "ack_readiness_low",
    "ack_regret",
    "ack_sadness",
    "ack_self_blame",
    "ack_sleep_poor",
    "ack_streak",
    "ack_stressor",
    "advice_",
    "after_practice",
    "ask_probe",
    "ask_safety",
    "ask_someone_near",
    "ask_streak_coping",
    "close_circling",
    "close_loss",
    "close_not_ready",
    "close_streak",
    "crisis_",
    "false_alarm_close",
    "gambling_",
    "name_",
    "offer_",
    "overtrading",
    "open_checkin_after_loss",
    "open_checkin_gentle",
    "open_checkout_gentle",
    "person_answer",
    "practice_start",
    "process_over_result",
    "respect_",
];

const FAREWELLS: &[&str] = &["close_", "crisis_close", "false_alarm_close", "respect_silence"];

/// Guilt, and the fear of missing something.
const PULLING_BACK: &[&str] = &[
    // English.
    "miss out",
    "don't miss",
    "missed you",
    "miss you",
    "last chance",
    "before it's too late",
    "too soon",
    "leaving already",
    "sorry to see you go",
    "sad to see you go",
    "disappoint",
    "let me down",
    "you promised",
    "should have",
    "don't forget",
    "don't leave",
    "come back soon",
    "regret",
    // Russian.
    "не пропусти",
    "упусти",
    "последний шанс",
    "пока не поздно",
    "уже уходишь",
    "не уходи",
    "жаль, что",
    "буду скучать",
    "буду ждать",
    "соскуч",
    "разочаров",
    "не подведи",
    "ты обещал",
    "надо было",
    "не забудь",
    "возвращайся скорее",
    "пожалеешь",
];

/// What the voice gave away is never said (SPEC S5).
const ABOUT_THE_VOICE: &[&str] =
    &["your voice", "your tone", "you sound", "в голосе", "по голосу", "твой голос", "твоего голоса", "звучишь"];

fn phrases(language: &str) -> Phrases {
    PromptSet::shipped().phrases(language).expect("the set speaks this language")
}

fn practices(language: &str) -> Vec<Practice> {
    PromptSet::shipped().practices(language).expect("the set has practices").iter().cloned().collect()
}

/// Every variant with its key.
fn variants(phrases: &Phrases) -> impl Iterator<Item = (&str, &str)> {
    phrases.keys().flat_map(|key| phrases.variants(key).map(move |variant| (key, variant)))
}

fn begins_with(key: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| key.starts_with(prefix))
}

fn slots(variant: &str) -> BTreeSet<&str> {
    variant.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

/// The variants a rule does not like, as one message with the place of each.
fn none_where(language: &str, breaks: impl Fn(&str, &str) -> bool) {
    let found: Vec<String> = variants(&phrases(language))
        .filter(|(key, variant)| breaks(key, variant))
        .map(|(key, variant)| format!("{language} {key}: {variant}"))
        .collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn both_languages_can_make_the_same_moves() {
    let (ru, en) = (phrases("ru"), phrases("en"));
    let (ru, en): (Vec<&str>, Vec<&str>) = (ru.keys().collect(), en.keys().collect());
    assert!(en.len() > 50, "only {} moves", en.len());
    assert_eq!(ru, en);
}

#[rstest]
fn every_move_has_enough_words_and_none_twice(#[values("ru", "en")] language: &str) {
    let phrases = phrases(language);
    for key in phrases.keys() {
        let different: BTreeSet<&str> = phrases.variants(key).collect();
        assert_eq!(different.len(), phrases.variants(key).count(), "{language} {key} repeats itself");
        assert!(different.len() >= FEWEST_VARIANTS, "{language} {key} has {} variants", different.len());
    }
}

#[rstest]
fn no_move_borrows_the_words_of_another(#[values("ru", "en")] language: &str) {
    let phrases = phrases(language);
    let mut owner = BTreeMap::new();
    for (key, variant) in variants(&phrases) {
        if let Some(first) = owner.insert(variant, key) {
            assert_eq!(first, key, "{language}: {variant}");
        }
    }
}

#[test]
fn both_languages_use_the_same_slots() {
    let used = |language: &str| {
        let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (key, variant) in variants(&phrases(language)) {
            used.entry(key.to_owned()).or_default().extend(slots(variant).into_iter().map(str::to_owned));
        }
        used
    };
    assert_eq!(used("ru"), used("en"));
}

#[rstest]
fn braces_stand_only_around_a_slot(#[values("ru", "en")] language: &str) {
    none_where(language, |_, variant| {
        let named = slots(variant);
        let names =
            named.iter().all(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        let pairs = variant.matches('{').count();
        !names || pairs != variant.matches('}').count() || pairs != named.len()
    });
}

#[rstest]
fn no_variant_is_a_speech(#[values("ru", "en")] language: &str) {
    none_where(language, |_, variant| variant.chars().count() > LONGEST_VARIANT || variant.trim() != variant);
}

#[rstest]
fn nothing_is_cheered_in_a_hard_moment(#[values("ru", "en")] language: &str) {
    none_where(language, |key, variant| begins_with(key, HARD) && variant.contains('!'));
}

#[test]
fn the_hard_moments_listed_here_exist() {
    let phrases = phrases("en");
    for prefix in HARD.iter().chain(FAREWELLS) {
        assert!(phrases.keys().any(|key| key.starts_with(prefix)), "no move begins with {prefix}");
    }
}

/// Two questions in one breath cannot both be answered, and a farewell that asks is none.
#[rstest]
fn a_move_that_asks_asks_once_and_the_others_do_not(#[values("ru", "en")] language: &str) {
    none_where(language, |key, variant| {
        let expected = usize::from(begins_with(key, &["ask_", "offer_", "open_"]));
        variant.matches('?').count() != expected
    });
}

#[rstest]
fn a_farewell_pulls_nobody_back(#[values("ru", "en")] language: &str) {
    none_where(language, |key, variant| {
        let variant = variant.to_lowercase().replace('’', "'");
        begins_with(key, FAREWELLS) && PULLING_BACK.iter().any(|words| variant.contains(words))
    });
}

#[rstest]
fn the_voice_is_never_spoken_of(#[values("ru", "en")] language: &str) {
    none_where(language, |_, variant| {
        let variant = variant.to_lowercase();
        ABOUT_THE_VOICE.iter().any(|words| variant.contains(words))
    });
}

#[rstest]
fn help_is_named_every_time_it_is_promised(#[values("ru", "en")] language: &str) {
    let promises = ["crisis_helplines", "gambling_help"];
    none_where(language, |key, variant| promises.contains(&key) && !slots(variant).contains("helplines"));
}

/// Two of these and a question are one breath; whoever is in distress may hear a little more.
#[rstest]
fn what_is_given_back_is_short(#[values("ru", "en")] language: &str) {
    const LONGEST: usize = 12;
    none_where(language, |key, variant| {
        begins_with(key, &["ack_", "ask_", "name_", "open_", "probe_"]) && variant.split_whitespace().count() > LONGEST
    });
}

/// The first words decide whether a week of talks sounds like one talk.
#[rstest]
fn variants_of_a_move_do_not_all_begin_alike(#[values("ru", "en")] language: &str) {
    let phrases = phrases(language);
    for key in phrases.keys() {
        let opening = |variant: &str| variant.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        let mut openings: BTreeMap<String, usize> = BTreeMap::new();
        for variant in phrases.variants(key).filter(|variant| slots(variant).is_empty()) {
            *openings.entry(opening(variant)).or_default() += 1;
        }
        // "Did you …" three times among fourteen is no drone.
        let allowed = if phrases.variants(key).count() > 10 { 3 } else { 2 };
        let most = openings.into_iter().max_by_key(|(_, times)| *times);
        assert!(most.as_ref().is_none_or(|(_, times)| *times <= allowed), "{language} {key}: {most:?}");
    }
}

/// Nobody's ear is told what it feels, and nobody is told that they are understood.
#[rstest]
#[case("ru", &["я понимаю", "понимаю, что ты", "я слышу, что", "то, что ты чувствуешь", "это нормально", "важно понимать"])]
#[case("en", &["i understand", "i hear that", "i hear you", "it's okay to feel", "what i'm hearing", "that must be"])]
fn no_therapist_s_formulas(#[case] language: &str, #[case] formulas: &[&str]) {
    none_where(language, |_, variant| {
        let variant = variant.to_lowercase();
        formulas.iter().any(|formula| variant.contains(formula))
    });
}

/// A user's own words and unknown numbers stand in no grammatical case: in quotes, after a colon, or as a bare figure.
#[rstest]
fn a_user_s_words_are_quoted_or_listed(#[values("ru", "en")] language: &str) {
    const OWN_WORDS: &[&str] = &["{plan}", "{stressor}", "{pattern}", "{learning}"];
    none_where(language, |_, variant| {
        let bare = |slot: &str| {
            let quoted = ["«", "“"].iter().any(|mark| variant.contains(&format!("{mark}{slot}")));
            variant.contains(slot) && !quoted
        };
        OWN_WORDS.iter().any(|slot| bare(slot)) || variant.starts_with("{amount}") || variant.starts_with("{answer}")
    });
}

/// After a morning conversation the evening one is named (SPEC S4).
#[rstest]
fn who_goes_to_trade_hears_of_the_check_out(#[values("ru", "en")] language: &str) {
    none_where(language, |key, variant| {
        let variant = variant.to_lowercase();
        let names_it = variant.contains("check-out") || variant.contains("чек-аут");
        matches!(key, "close_ready" | "close_open") && !names_it
    });
}

#[test]
fn both_languages_offer_the_same_practices_of_the_same_length() {
    let catalogue = |language: &str| -> BTreeMap<String, (String, u32, bool)> {
        let practices = practices(language).into_iter();
        practices.map(|p| (p.id.clone(), (p.kind.clone(), p.duration(), p.contraindications.is_some()))).collect()
    };
    let (ru, en) = (catalogue("ru"), catalogue("en"));
    assert_eq!(ru.keys().collect::<Vec<_>>(), en.keys().collect::<Vec<_>>());
    assert_eq!(ru, en, "type, seconds or the presence of a warning differ");
}

#[rstest]
fn there_is_a_choice_of_every_kind(
    #[values("ru", "en")] language: &str,
    #[values("breathing", "grounding", "visualization", "journaling", "physical", "pause")] kind: &str,
) {
    let of_kind = practices(language).iter().filter(|practice| practice.kind == kind).count();
    assert!(of_kind >= 3, "{of_kind} of {kind} in {language}");
}

#[rstest]
fn a_practice_lasts_as_long_as_its_name_says(#[values("ru", "en")] language: &str) {
    for practice in practices(language) {
        let minutes = minutes_in_name(&practice).unwrap_or_else(|| panic!("{} names no minutes", practice.id));
        // Whole rounds need not fill whole minutes.
        let round = practice.duration() / u32::from(practice.rounds);
        let slack = if practice.rounds > 1 { round / 2 } else { 0 };
        let off = practice.duration().abs_diff(minutes * 60);
        assert!(off <= slack, "{language} {} lasts {} s", practice.id, practice.duration());
    }
}

fn minutes_in_name(practice: &Practice) -> Option<u32> {
    practice.id.strip_suffix("min")?.rsplit_once('_')?.1.parse().ok()
}

#[rstest]
fn every_step_says_something_and_takes_time(#[values("ru", "en")] language: &str) {
    for practice in practices(language) {
        assert!(!practice.name.trim().is_empty() && !practice.description.trim().is_empty(), "{}", practice.id);
        for step in &practice.steps {
            assert!(step.seconds > 0 && !step.text.trim().is_empty(), "{language} {}", practice.id);
        }
    }
}
