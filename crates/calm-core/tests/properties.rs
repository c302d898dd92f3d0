//! What holds for every text and every order of events.

use calm_core::context::{SessionContext, SessionFacts, UserFacts};
use calm_core::turn::MOVE_KEYS;
use calm_core::{Effect, Event, Format, Kind, Lang, Question, State, VoiceAnalysis, read, step};
use proptest::prelude::*;

fn context(kind: Kind, format: Format, matched: bool) -> SessionContext {
    SessionContext {
        session: SessionFacts { kind, format, has_matching_checkin: matched, session_number_today: 1 },
        user: UserFacts::default(),
        voice_analysis: None,
        previous_checkin: None,
    }
}

fn words() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "восемь",
        "из",
        "десяти",
        "8",
        "10",
        "/",
        "-",
        "200",
        "$",
        "стресс",
        "готовность",
        "да",
        "нет",
        "давай",
        "минус",
        "план",
        "есть",
        ":",
        "не",
        "злюсь",
        "хочу",
        "отыграться",
        "слил",
        "жить",
        "друг",
        "если",
        "вчера",
        ",",
        ".",
        "stress",
        "nine",
        "ready",
        "loss",
        "plan",
        "not",
        "angry",
        "I",
        "don’t",
        "want",
        "to",
        "live",
        "ё",
        "%",
        "7,5",
        "9:30",
        "000",
        "тысяча",
        "сто",
        "половиной",
        "с",
        "человек",
        "ты",
        "хватит",
    ]);
    prop_oneof![
        3 => prop::collection::vec(known, 0..25).prop_map(|w| w.join(" ")),
        1 => "\\PC{0,80}",
        1 => "[0-9а-яё.,:/$%+−–— -]{0,60}",
    ]
}

fn voice() -> impl Strategy<Value = Option<VoiceAnalysis>> {
    prop::option::of((prop::option::of(1_u8..=10), prop::option::of(1_u8..=10), 0.0_f32..1.0).prop_map(
        |(stress_level, energy_level, confidence)| VoiceAnalysis {
            stress_level,
            energy_level,
            primary_emotion: "fear".to_owned(),
            confidence,
            calibrating: false,
        },
    ))
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => Just(Event::Opened),
        12 => (words(), voice()).prop_map(|(text, voice)| Event::Heard { text, voice }),
        1 => Just(Event::Left),
    ]
}

fn lang() -> impl Strategy<Value = Lang> {
    prop::sample::select(Lang::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn reading_never_panics_and_levels_stay_on_the_scale(text in words(), lang in lang()) {
        for asked in [None, Some(Question::Readiness), Some(Question::Sleep), Some(Question::Plan)] {
            let said = read(&text, lang, asked);
            let levels = [&said.readiness, &said.stress, &said.energy, &said.regret, &said.satisfaction];
            for level in levels.into_iter().flatten() {
                prop_assert!((1..=10).contains(&level.value));
                prop_assert!(text.contains(&level.words));
            }
        }
    }

    #[test]
    fn a_session_ends_exactly_once(
        events in prop::collection::vec(event(), 1..15),
        lang in lang(),
        kind in prop::sample::select(vec![Kind::CheckIn, Kind::CheckOut]),
        format in prop::sample::select(vec![Format::Short, Format::Medium, Format::Unlimited]),
        matched in any::<bool>(),
    ) {
        let mut state = State::new(kind, format, lang, context(kind, format, matched));
        let mut ends = 0;
        let mut offered = false;
        for event in events.into_iter().chain([Event::Left]) {
            let (next, effects) = step(state, event);
            state = next;
            for effect in effects {
                prop_assert_eq!(ends, 0, "nothing comes after the end");
                match effect {
                    Effect::End { ending, .. } => {
                        ends += 1;
                        let known = &ending.extracted_attributes;
                        let levels = [known.stress_level, known.energy_level, known.trading_readiness];
                        prop_assert!(levels.into_iter().flatten().all(|l| (1..=10).contains(&l)));
                        let flags = &ending.risk_flags;
                        let raised = [
                            flags.high_stress, flags.tilt_risk, flags.overconfidence, flags.fatigue,
                            flags.revenge_trading_risk, flags.needs_attention,
                        ];
                        prop_assert_eq!(raised.iter().filter(|r| **r).count(), flags.evidence.len());
                    }
                    Effect::AskModel { .. } => prop_assert!(false, "the guide needs no model"),
                    Effect::Reply(reply) => {
                        prop_assert!(!reply.moves.is_empty());
                        for made in &reply.moves {
                            let known = MOVE_KEYS.iter().find(|k| k.key == made.key);
                            prop_assert!(known.is_some(), "{} is not in MOVE_KEYS", made.key);
                            for (slot, value) in &made.slots {
                                let expected = known.is_some_and(|k| k.always.contains(slot) || k.perhaps.contains(slot));
                                prop_assert!(expected && !value.is_empty(), "{} of {}", slot, made.key);
                            }
                        }
                        if let Some(calm_core::ToolCall::SuggestPractice(_)) = reply.tool {
                            prop_assert!(offered, "a practice comes only after it was offered");
                        }
                        offered = reply.asks == Some(Question::Practice);
                    }
                }
            }
        }
        prop_assert_eq!(ends, 1);
        prop_assert!(state.ended());
    }

    #[test]
    fn a_short_session_asks_at_most_two_questions_and_one_offer(
        turns in prop::collection::vec(words(), 1..8),
        kind in prop::sample::select(vec![Kind::CheckIn, Kind::CheckOut]),
    ) {
        let mut state = State::new(kind, Format::Short, Lang::Ru, context(kind, Format::Short, true));
        let mut asked = std::collections::BTreeSet::new();
        let events = turns.into_iter().map(|text| Event::Heard { text, voice: None });
        for event in [Event::Opened].into_iter().chain(events) {
            let (next, effects) = step(state, event);
            state = next;
            for effect in effects {
                if let Effect::Reply(reply) = effect {
                    asked.extend(reply.asks);
                }
            }
        }
        let extra = [Question::Practice, Question::AfterPractice, Question::Safety];
        prop_assert!(asked.iter().filter(|q| !extra.contains(q)).count() <= 2, "{:?}", asked);
    }
}
