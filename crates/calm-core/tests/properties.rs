//! What holds for every text and every order of events.

use calm_core::context::{SessionContext, SessionFacts, UserFacts};
use calm_core::end_session::{Attributes, EndSession, NextAction, RecommendedActions, RiskFlags};
use calm_core::tools::{GetUserHistory, PracticeType, SuggestPractice, Urgency};
use calm_core::turn::MOVE_KEYS;
use calm_core::understand::{Answer, Intent};
use calm_core::{Effect, Event, Format, Kind, Lang, Question, Said, State, ToolCall, VoiceAnalysis, read, step};
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

/// Whole sentences that steer a session somewhere.
fn sentence() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "давай подышим",
        "да",
        "нет, не надо",
        "не хочу жить",
        "я в порядке, забудь",
        "это была шутка",
        "хочу отыграться",
        "взял кредит чтобы торговать",
        "закрыл день в минус 300",
        "вчера плюс, меня прёт, хочу увеличить объём вдвое",
        "стресс девять",
        "готовность восемь",
        "нет, не девять, а пять",
        "напомни мне про чек-аут",
        "через час",
        "посчитай сколько процентов 200 от 10000",
        "стоит ли мне покупать сбер?",
        "не знаю",
        "давай дальше",
        "спасибо",
        "ты человек?",
        "хочу поговорить с живым человеком",
        "у меня паника",
        "не хочу сейчас разговаривать",
        "give me a breathing exercise",
        "I'd rather not say",
        "I want to die",
        "yes",
        "no",
        "",
    ]);
    known.prop_map(str::to_owned)
}

fn utterance() -> impl Strategy<Value = String> {
    prop_oneof![1 => words(), 2 => sentence()]
}

fn call() -> impl Strategy<Value = Option<ToolCall>> {
    let practice = |practice_type| {
        let reason = String::new();
        let urgency = Urgency::Optional;
        ToolCall::SuggestPractice(SuggestPractice { practice_type, reason, duration_minutes: Some(200), urgency })
    };
    let end = EndSession {
        session_type: Kind::CheckIn,
        extracted_attributes: Attributes { trading_readiness: Some(77), ..Attributes::default() },
        risk_flags: RiskFlags { tilt_risk: true, ..RiskFlags::default() },
        recommended_actions: RecommendedActions::default(),
        session_summary: "Что-то было.".to_owned(),
        recommended_next_action: NextAction::ProceedToTrade,
    };
    prop::option::of(prop::sample::select(vec![
        practice(PracticeType::Breathing),
        practice(PracticeType::Journaling),
        ToolCall::EndSession(Box::new(end)),
        ToolCall::GetUserHistory(GetUserHistory::default()),
    ]))
}

fn event() -> impl Strategy<Value = Event> {
    let said = prop::sample::select(vec![
        "Понимаю.",
        "Как ты спал?",
        "Хочешь подышим пару минут?",
        "И что было дальше?",
        "Насколько ты готов, от 1 до 10?",
        "",
    ]);
    prop_oneof![
        1 => Just(Event::Opened),
        12 => (utterance(), voice()).prop_map(|(text, voice)| Event::Heard { text, voice }),
        6 => (utterance(), voice()).prop_map(|(text, voice)| Event::HeardByModel { text, voice }),
        8 => (said, call()).prop_map(|(text, call)| Event::ModelReplied { text: text.to_owned(), call }),
        1 => Just(Event::ModelFailed),
        1 => Just(Event::Left),
    ]
}

fn asks_something(key: &str) -> bool {
    ["ask_", "offer_", "open_"].iter().any(|asking| key.starts_with(asking))
}

/// What has to stay out of a crisis (SPEC H5).
fn about_trading(key: &str) -> bool {
    let trading = ["ask_readiness", "ask_plan", "ask_result", "ask_go_on", "ack_readiness", "ack_loss", "ack_win"];
    trading.contains(&key) || key.starts_with("offer_") || key.starts_with("advice_") || key.starts_with("close_")
}

fn lang() -> impl Strategy<Value = Lang> {
    prop::sample::select(Lang::ALL.to_vec())
}

fn check_ending(ending: &EndSession, in_crisis: bool) -> Result<(), TestCaseError> {
    let known = &ending.extracted_attributes;
    let levels = [known.stress_level, known.energy_level, known.trading_readiness];
    prop_assert!(levels.into_iter().flatten().all(|l| (1..=10).contains(&l)));
    prop_assert!(!ending.session_summary.is_empty());
    let flags = &ending.risk_flags;
    let raised = [
        flags.high_stress,
        flags.tilt_risk,
        flags.overconfidence,
        flags.fatigue,
        flags.revenge_trading_risk,
        flags.needs_attention,
    ];
    prop_assert_eq!(raised.iter().filter(|r| **r).count(), flags.evidence.len());
    if in_crisis {
        prop_assert_eq!(known.trading_readiness, None);
        prop_assert_eq!(ending.recommended_next_action, NextAction::SeekSupport);
        prop_assert_eq!(ending.recommended_actions.practice_type, None);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

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
    fn a_session_ends_exactly_once_and_keeps_its_promises(
        events in prop::collection::vec(event(), 1..25),
        lang in lang(),
        kind in prop::sample::select(vec![Kind::CheckIn, Kind::CheckOut]),
        format in prop::sample::select(vec![Format::Short, Format::Medium, Format::Unlimited]),
        matched in any::<bool>(),
    ) {
        let mut state = State::new(kind, format, lang, context(kind, format, matched));
        let mut ends = 0;
        let mut offered = None;
        let mut declined = false;
        // What the newest utterance answers and asks for.
        let mut was_asked = None;
        let mut newest = Said::default();
        let mut asks = None;
        for event in events.into_iter().chain([Event::Left]) {
            if let Event::Heard { text, .. } | Event::HeardByModel { text, .. } = &event {
                was_asked = asks.take();
                newest = read(text, lang, was_asked);
            }
            let of_model = matches!(event, Event::ModelReplied { .. });
            let (next, effects) = step(state, event);
            state = next;
            for effect in effects {
                prop_assert_eq!(ends, 0, "nothing comes after the end");
                match effect {
                    Effect::AskModel { .. } => prop_assert!(!state.in_crisis(), "a crisis is left to no model"),
                    Effect::End { ending, .. } => {
                        ends += 1;
                        check_ending(&ending, state.in_crisis())?;
                    }
                    Effect::Reply(reply) => {
                        prop_assert!(!reply.moves.is_empty() || of_model);
                        let keys: Vec<&str> = reply.moves.iter().map(|m| m.key).collect();
                        let questions = keys.iter().filter(|key| asks_something(key)).count();
                        prop_assert!(questions <= 1, "{:?}", keys);
                        prop_assert!(questions == 0 || reply.asks.is_some(), "{:?}", keys);
                        for made in &reply.moves {
                            let known = MOVE_KEYS.iter().find(|k| k.key == made.key);
                            prop_assert!(known.is_some(), "{} is not in MOVE_KEYS", made.key);
                            for (slot, value) in &made.slots {
                                let expected = known.is_some_and(|k| k.always.contains(slot) || k.perhaps.contains(slot));
                                prop_assert!(expected && !value.is_empty(), "{} of {}", slot, made.key);
                            }
                        }
                        let practice = matches!(reply.tool, Some(ToolCall::SuggestPractice(_)));
                        let wanted = newest.intends(Intent::WantsPractice);
                        if practice {
                            let agreed = was_asked == Some(Question::Practice) && newest.answers(Answer::Yes);
                            prop_assert!(wanted || agreed && !declined, "a practice needs consent");
                        }
                        declined |= keys.contains(&"respect_decline");
                        let offers = reply.asks == Some(Question::Practice);
                        // A yes is a yes, even where a model asked once more.
                        declined &= !(offers && of_model);
                        prop_assert!(!(offers && declined), "a no is a no");
                        if !of_model {
                            prop_assert!(offered.is_none() || offered == state.offered(), "never offered twice");
                        }
                        offered = state.offered();
                        if state.in_crisis() {
                            prop_assert!(!practice && reply.asks != Some(Question::Practice));
                            prop_assert!(!keys.iter().any(|key| about_trading(key)), "{:?}", keys);
                        }
                        asks = reply.asks;
                    }
                }
            }
        }
        prop_assert_eq!(ends, 1);
        prop_assert!(state.ended());
    }

    #[test]
    fn a_format_keeps_to_its_number_of_questions(
        turns in prop::collection::vec(utterance(), 1..16),
        kind in prop::sample::select(vec![Kind::CheckIn, Kind::CheckOut]),
        (format, most) in prop::sample::select(vec![(Format::Short, 2), (Format::Medium, 6)]),
    ) {
        let mut state = State::new(kind, format, Lang::Ru, context(kind, format, true));
        let mut asked = std::collections::BTreeSet::new();
        let events = turns.into_iter().map(|text| Event::Heard { text, voice: None });
        for event in [Event::Opened].into_iter().chain(events) {
            let (next, effects) = step(state, event);
            state = next;
            for effect in effects {
                match effect {
                    Effect::Reply(reply) if !state.in_crisis() => asked.extend(reply.asks),
                    _ => {}
                }
            }
        }
        let extra = [Question::Practice, Question::AfterPractice];
        prop_assert!(asked.iter().filter(|q| !extra.contains(q)).count() <= most, "{:?}", asked);
    }
}
