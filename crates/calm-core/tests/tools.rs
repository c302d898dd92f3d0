//! Calls as models write them: what is put right, what is refused, and how the refusal reads.

#![allow(clippy::unwrap_used)]

use calm_core::Lang;
use calm_core::end_session::{NextAction, PlanAdherence};
use calm_core::tools::{
    Calculate, PracticeType, SuggestPractice, ToolCall, Urgency, calculation, read, specs, what, when,
};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Map, Value, json};

fn schema(name: &str) -> &'static Value {
    &specs().iter().find(|spec| spec.name == name).unwrap().parameters
}

fn arguments(call: &ToolCall) -> Value {
    serde_json::to_value(call).unwrap()["arguments"].clone()
}

#[rstest]
#[case::as_it_should_be(json!({"practice_type": "breathing", "reason": "r", "duration_minutes": 3, "urgency": "immediate"}))]
#[case::number_as_text(json!({"practice_type": "breathing", "reason": "r", "duration_minutes": "3", "urgency": "immediate"}))]
#[case::whole_float(json!({"practice_type": "breathing", "reason": "r", "duration_minutes": 3.0, "urgency": "immediate"}))]
#[case::case_and_marks(json!({"practice_type": "Breathing", "reason": " r ", "duration_minutes": 3, "urgency": "IMMEDIATE"}))]
#[case::other_spelling_of_a_key(json!({"practiceType": "breathing", "reason": "r", "durationMinutes": 3, "urgency": "immediate"}))]
#[case::unknown_fields(json!({"practice_type": "breathing", "reason": "r", "duration_minutes": 3, "urgency": "immediate", "mood": {"x": [1]}}))]
#[case::json_text(json!("{\"practice_type\": \"breathing\", \"reason\": \"r\", \"duration_minutes\": 3, \"urgency\": \"immediate\"}"))]
#[case::wrapped(json!({"arguments": {"practice_type": "breathing", "reason": "r", "duration_minutes": 3, "urgency": "immediate"}}))]
fn a_harmless_slip_is_put_right(#[case] given: Value) {
    let expected = SuggestPractice {
        practice_type: PracticeType::Breathing,
        reason: "r".to_owned(),
        duration_minutes: Some(3),
        urgency: Urgency::Immediate,
    };
    assert_eq!(read("suggest_practice", &given), Ok(ToolCall::SuggestPractice(expected)));
}

#[rstest]
fn the_name_may_carry_its_namespace(
    #[values("get_user_history", "functions.get_user_history", "GetUserHistory")] name: &str,
) {
    assert!(matches!(read(name, &Value::Null), Ok(ToolCall::GetUserHistory(asked)) if asked.days.is_none()));
}

#[rstest]
#[case::no_tool("place_order", json!({}), "the call names no tool: the tools are suggest_practice, end_session")]
#[case::no_object("end_session", json!([1]), "the call must be an object")]
#[case::missing("suggest_practice", json!({"practice_type": "pause", "reason": "r"}), "urgency is missing: it must be one of immediate, before_trading")]
#[case::not_in_the_list("suggest_practice", json!({"practice_type": "yoga", "reason": "r", "urgency": "optional"}), "practice_type must be one of breathing, grounding")]
#[case::too_long("suggest_practice", json!({"practice_type": "pause", "reason": "r", "urgency": "optional", "duration_minutes": 16}), "duration_minutes must be a whole number from 1 to 15, or null")]
#[case::half_a_minute("suggest_practice", json!({"practice_type": "pause", "reason": "r", "urgency": "optional", "duration_minutes": 2.5}), "duration_minutes must be a whole number")]
#[case::empty_reason("suggest_practice", json!({"practice_type": "pause", "reason": "  ", "urgency": "optional"}), "reason must be a text of 1 to 500 characters")]
#[case::no_summary("end_session", json!({"session_type": "check-in", "extracted_attributes": {}}), "session_summary is missing")]
#[case::level("end_session", json!({"session_type": "check-in", "extracted_attributes": {"stress_level": 11}, "session_summary": "s"}), "extracted_attributes.stress_level must be a whole number from 1 to 10, or null")]
#[case::confidence("end_session", json!({"session_type": "check-in", "extracted_attributes": {"confidence": 1.5}, "session_summary": "s"}), "extracted_attributes.confidence must be a number from 0 to 1, or null")]
#[case::no_time("set_reminder", json!({"text": "t"}), "the call gives no time: give at or in_minutes")]
#[case::two_times("set_reminder", json!({"text": "t", "at": "15:30", "in_minutes": 5}), "the call gives at and in_minutes: give one of them")]
#[case::no_such_time("set_reminder", json!({"text": "t", "at": "soon"}), "at must be a local time such as 15:30")]
#[case::too_far("set_reminder", json!({"text": "t", "in_minutes": 10081}), "in_minutes must be a whole number from 1 to 10080")]
#[case::no_risk("calculate", json!({"what": "r_multiple", "result": "5"}), "the call needs result and risk")]
#[case::no_number("calculate", json!({"what": "r_multiple", "result": "about five", "risk": 1}), "result must be a decimal number such as 250 or -12.5")]
#[case::huge("calculate", json!({"what": "sum", "amounts": [1, 1e20]}), "amounts[1] must be a decimal number")]
#[case::nothing("calculate", json!({"what": "sum", "amounts": []}), "the call has an empty list")]
#[case::days("get_user_history", json!({"days": 0}), "days must be a whole number from 1 to 365")]
#[case::no_plan("run_trigger", json!({}), "triggerId is missing")]
fn a_refusal_says_where_and_what_would_fit(#[case] name: &str, #[case] given: Value, #[case] expected: &str) {
    let said = read(name, &given).unwrap_err().to_string();
    assert!(said.starts_with(expected), "{said}");
    assert!(!said.contains('\n') && said.len() < 300, "{said}");
}

#[test]
fn a_refusal_repeats_nothing_of_what_was_said() {
    let private = "моя жена ушла ".repeat(100);
    for name in specs().iter().map(|spec| spec.name) {
        let given = json!({"text": private, "at": private, "practice_type": private, "what": private, "days": private,
            "hours": private, "triggerId": private, "session_type": private, "reason": private});
        let said = read(name, &given).unwrap_err().to_string();
        assert!(!said.contains("жена"), "{said}");
    }
}

#[test]
fn an_ending_with_every_slip_at_once() {
    let given = json!({
        "session_type": "check_out",
        "extracted_attributes": "{\"stress_level\": \"7\", \"energy_level\": null, \"trading_readiness\": 6.0,
            \"primary_emotion\": \"n/a\", \"confidence\": \"0.8\", \"external_stressors\": \"ремонт\",
            \"plan_adherence\": \"No plan\", \"key_learnings\": [\"ждать\", \"не спешить\"], \"sleep_quality\": \"unknown\"}",
        "risk_flags": {"high_stress": "true", "tilt_risk": 0},
        "recommended_actions": null,
        "session_summary": "День позади.",
        "recommended_next_action": "none",
    });
    let Ok(ToolCall::EndSession(ending)) = read("end_session", &given) else { panic!("refused") };
    let said = &ending.extracted_attributes;
    assert_eq!((said.stress_level, said.energy_level, said.trading_readiness), (Some(7), None, Some(6)));
    assert_eq!((said.primary_emotion.as_deref(), said.sleep_quality), (None, None));
    assert_eq!(said.external_stressors.as_deref(), Some(&["ремонт".to_owned()][..]));
    assert_eq!(said.plan_adherence, Some(PlanAdherence::NoPlan));
    assert_eq!(said.key_learnings.as_deref(), Some("ждать; не спешить"));
    assert!(ending.risk_flags.high_stress && !ending.risk_flags.tilt_risk);
    assert_eq!(ending.recommended_next_action, NextAction::None);
}

#[rstest]
#[case(json!({"what": "R-multiple", "result": -250, "risk": 100}), "-250", "100")]
#[case(json!({"what": "r_multiple", "result": "−2,5", "risk": "1 000"}), "-2.5", "1000")]
#[case(json!({"what": "r_multiple", "result": 0.1, "risk": "$0.30"}), "0.1", "0.3")]
fn amounts_come_as_numbers_or_texts(#[case] given: Value, #[case] result: &str, #[case] risk: &str) {
    let expected = Calculate::RMultiple { result: result.into(), risk: risk.into() };
    assert_eq!(read("calculate", &given), Ok(ToolCall::Calculate(expected)));
}

/// Each name that a schema allows is one that the types know.
#[test]
fn the_lists_of_names_are_those_of_the_types() {
    fn walk(schema: &Value, path: &str, seen: &mut Vec<(String, Vec<Value>)>) {
        if let Some(names) = schema["enum"].as_array() {
            seen.push((path.to_owned(), names.clone()));
        }
        for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
            walk(inner, &format!("{path}/{key}"), seen);
        }
    }
    for spec in specs() {
        let mut lists = Vec::new();
        walk(&spec.parameters, "", &mut lists);
        for (path, names) in lists {
            for name in names {
                let mut call = full(spec.name);
                let place = call.pointer_mut("/arguments").and_then(|arguments| arguments.pointer_mut(&path));
                if let Some(place) = place {
                    *place = name.clone();
                }
                let known = serde_json::from_value::<ToolCall>(call).is_ok();
                assert!(known || path == "/what", "{} {path} {name}", spec.name);
            }
        }
    }
}

/// A call in which every field of the types stands.
fn full(name: &str) -> Value {
    let arguments = match name {
        "suggest_practice" => {
            json!({"practice_type": "pause", "reason": "r", "duration_minutes": 3, "urgency": "optional"})
        }
        "end_session" => json!({
            "session_type": "check-in",
            "extracted_attributes": {
                "stress_level": 1, "energy_level": 1, "trading_readiness": 1, "primary_emotion": "calm", "confidence": 0.5,
                "sleep_quality": "good", "external_stressors": ["s"], "planned_approach": "p", "risk_appetite": "low",
                "session_result": "win", "result_category": "small", "plan_adherence": "followed", "key_learnings": "k",
                "regret_level": 1, "satisfaction": 1,
            },
            "risk_flags": {"high_stress": true},
            "recommended_actions": {"suggest_pause": true, "offer_extended_talk": true, "practice_type": "pause"},
            "session_summary": "s",
            "recommended_next_action": "take_break",
        }),
        "get_user_history" => json!({"days": 7}),
        "set_reminder" => json!({"text": "t", "at": "15:30"}),
        "get_market_context" => json!({"hours": 5}),
        "escalate_to_human" => json!({"reason": "r"}),
        "run_trigger" => json!({"triggerId": "x"}),
        _ => json!({"what": "sum", "amounts": ["1"]}),
    };
    json!({"tool": name, "arguments": arguments})
}

#[test]
fn every_field_of_the_types_stands_in_the_schemas() {
    for spec in specs() {
        let call: ToolCall = serde_json::from_value(full(spec.name)).unwrap();
        assert_eq!(call.name(), spec.name);
        assert_eq!(read(spec.name, &arguments(&call)), Ok(call));
    }
}

#[test]
fn the_schemas_are_schemas_that_every_endpoint_takes() {
    let text = serde_json::to_string(specs()).unwrap();
    for only_some in ["$ref", "oneOf", "anyOf", "allOf", "const\""] {
        assert!(!text.contains(only_some), "{only_some}");
    }
    for spec in specs() {
        jsonschema::validator_for(&spec.parameters).unwrap();
        assert!(spec.description.len() > 40 && spec.description.is_ascii());
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3i64..20).prop_map(Value::from),
        any::<f64>().prop_map(|f| json!(f)),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(NAMES).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 40, 6, |inner| {
        let key = prop_oneof![prop::sample::select(KEYS).prop_map(str::to_owned), "[a-z]{1,6}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner.clone()), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

const NAMES: &[&str] = &[
    "breathing",
    "pause",
    "immediate",
    "optional",
    "check-in",
    "check_out",
    "win",
    "loss",
    "r_multiple",
    "sum",
    "streak",
    "percent_of",
    "15:30",
    "tomorrow 09:00",
    "7",
    "0.5",
    "1,000",
    "none",
    "true",
];

const KEYS: &[&str] = &[
    "practice_type",
    "reason",
    "urgency",
    "duration_minutes",
    "session_type",
    "extracted_attributes",
    "session_summary",
    "risk_flags",
    "stress_level",
    "days",
    "hours",
    "text",
    "at",
    "in_minutes",
    "triggerId",
    "what",
    "result",
    "risk",
    "amount",
    "whole",
    "amounts",
    "results",
    "arguments",
];

/// Arguments that have a good chance of being accepted, each field perhaps spoilt.
fn near_miss() -> impl Strategy<Value = (&'static str, Value)> {
    (0..specs().len(), prop::collection::vec((any::<prop::sample::Index>(), any_json()), 0..3)).prop_map(
        |(tool, spoils)| {
            let name = specs()[tool].name;
            let mut arguments = full(name)["arguments"].clone();
            for (at, with) in spoils {
                if let Some(fields) = arguments.as_object_mut() {
                    let key = at.get(&fields.keys().cloned().collect::<Vec<_>>()).clone();
                    fields.insert(key, with);
                }
            }
            (name, arguments)
        },
    )
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused(tool in 0..specs().len(), given in any_json()) {
        fits_its_schema_and_reads_back(specs()[tool].name, &given)?;
    }

    #[test]
    fn a_near_miss_is_read_or_refused((name, given) in near_miss()) {
        fits_its_schema_and_reads_back(name, &given)?;
    }

    #[test]
    fn any_words_have_a_time_and_a_sum_or_not(text in "\\PC{0,80}", ru in any::<bool>()) {
        let lang = if ru { Lang::Ru } else { Lang::En };
        if let Some(at) = when(&text, lang) {
            prop_assert_eq!(at.to_string().parse(), Ok(at));
        }
        prop_assert!(what(&text, lang).chars().count() <= 200);
        if let Some(sum) = calculation(&text, lang) {
            prop_assert!(sum.carry_out(lang).is_ok() || sum.carry_out(lang).is_err());
        }
    }

    #[test]
    fn words_of_times_and_sums_in_any_order(picked in prop::collection::vec(0..SAID.len(), 0..14), ru in any::<bool>()) {
        let text = picked.iter().map(|at| SAID[*at]).collect::<Vec<_>>().join(" ");
        let lang = if ru { Lang::Ru } else { Lang::En };
        if let Some(at) = when(&text, lang) {
            prop_assert_eq!(at.to_string().parse(), Ok(at), "{}", text);
        }
        if let Some(sum) = calculation(&text, lang) {
            let call = ToolCall::Calculate(sum);
            prop_assert_eq!(read("calculate", &arguments(&call)), Ok(call), "{}", text);
        }
        prop_assert!(!what(&text, lang).is_empty());
    }

    #[test]
    fn a_sum_is_exact_and_its_parts_come_back(cents in prop::collection::vec(-1_000_000i64..1_000_000, 1..50)) {
        let amounts: Vec<String> = cents.iter().map(|c| format!("{}{}.{:02}", if *c < 0 { "-" } else { "" }, c.abs() / 100, c.abs() % 100)).collect();
        let total: i64 = cents.iter().sum();
        let value = Calculate::Sum { amounts }.carry_out(Lang::En).unwrap().value.replace('−', "-").replace(',', "");
        let (whole, cents) = value.trim_start_matches('-').split_once('.').unwrap_or((value.trim_start_matches('-'), "0"));
        let read = whole.parse::<i64>().unwrap() * 100 + format!("{cents:0<2}").parse::<i64>().unwrap();
        prop_assert_eq!(read, total.abs());
        prop_assert_eq!(value.starts_with('-'), total < 0);
    }
}

const SAID: &[&str] = &[
    "через",
    "час",
    "часа",
    "полчаса",
    "с",
    "половиной",
    "пять",
    "двадцать",
    "минут",
    "в",
    "девять",
    "вечера",
    "завтра",
    "без",
    "четверти",
    "три",
    "15:30",
    "напомни",
    "мне",
    "риск",
    "сто",
    "минус",
    "тысяч",
    "сколько",
    "это",
    "R",
    "процентов",
    "от",
    "лимит",
    "осталось",
    "in",
    "an",
    "hour",
    "and",
    "a",
    "half",
    "at",
    "nine",
    "pm",
    "tomorrow",
    "to",
    "past",
    "quarter",
    "remind",
    "me",
    "risk",
    "hundred",
    "minus",
    "how",
    "much",
    "percent",
    "of",
    "limit",
    "left",
    "24",
    "99:99",
    "-5",
    "million",
    "вышло",
    "total",
    "пол",
    "третьего",
    "friday",
    "не",
    ".",
];

fn fits_its_schema_and_reads_back(name: &str, given: &Value) -> Result<(), TestCaseError> {
    match read(name, given) {
        Ok(call) => {
            prop_assert_eq!(call.name(), name);
            let arguments = arguments(&call);
            prop_assert!(jsonschema::is_valid(schema(name), &arguments), "{} {}", name, arguments);
            prop_assert_eq!(read(name, &arguments), Ok(call));
        }
        Err(refusal) => prop_assert!(refusal.to_string().len() < 400),
    }
    Ok(())
}
