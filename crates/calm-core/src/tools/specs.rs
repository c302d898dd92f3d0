//! What a model is told about the tools: names, when to call them, and JSON Schemas of their arguments.
//!
//! The schemas are the one source: [`super::read`] holds every call against them.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Value, json};

use super::calculate::{MOST_AMOUNTS, MOST_RESULTS};
use super::when::FURTHEST;

/// One tool, as the tools APIs want it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spec {
    pub name: &'static str,
    /// When to call it, in English.
    pub description: &'static str,
    /// A JSON Schema of an object, without `$ref`, `oneOf` and whatever else only some endpoints take.
    pub parameters: Value,
}

static SPECS: LazyLock<Vec<Spec>> = LazyLock::new(all);

/// Every tool that a reply may call.
pub fn specs() -> &'static [Spec] {
    &SPECS
}

fn all() -> Vec<Spec> {
    vec![
        Spec {
            name: "suggest_practice",
            description: "Start a short practice. Call it only after the user was asked and has agreed, or has asked \
                          for one; never in a crisis and never after a refusal in this session.",
            parameters: object(
                json!({
                    "practice_type": practice_type(),
                    "reason": text("Why this practice now, one sentence; not shown to the user.", 500),
                    "duration_minutes": or_null(whole(1, 15, "How long it may take.")),
                    "urgency": one_of(&["immediate", "before_trading", "after_session", "optional"]),
                }),
                &["practice_type", "reason", "urgency"],
            ),
        },
        Spec {
            name: "end_session",
            description: "End the conversation: call it exactly once, with the goodbye, when the questions of this \
                          format are answered or the user wants to stop. Only what the user said; null for \
                          everything that was not discussed.",
            parameters: object(
                json!({
                    "session_type": one_of(&["check-in", "check-out"]),
                    "extracted_attributes": attributes(),
                    "risk_flags": object(
                        json!({
                            "high_stress": flag(), "tilt_risk": flag(), "overconfidence": flag(), "fatigue": flag(),
                            "revenge_trading_risk": flag(), "needs_attention": flag(),
                        }),
                        &[],
                    ),
                    "recommended_actions": object(
                        json!({
                            "suggest_pause": flag(),
                            "offer_extended_talk": flag(),
                            "practice_type": or_null(practice_type()),
                        }),
                        &[],
                    ),
                    "session_summary": text("One or two sentences in the language of the session.", 1000),
                    "recommended_next_action":
                        one_of(&["proceed_to_trade", "take_break", "do_practice", "seek_support", "none"]),
                }),
                &["session_type", "extracted_attributes", "session_summary"],
            ),
        },
        Spec {
            name: "get_user_history",
            description: "Look up the user's own earlier sessions, summed up in code. Call it when the user asks how \
                          the last days or weeks went.",
            parameters: object(json!({"days": or_null(whole(1, 365, "How far back; 14 where absent."))}), &[]),
        },
        Spec {
            name: "set_reminder",
            description: "Set a reminder that rings on this machine. Call it when the user asks to be reminded and \
                          has said when; if they have not, ask. Give `at` or `in_minutes`, not both.",
            parameters: object(
                json!({
                    "text": text("What to remind of, in the user's words.", 500),
                    "at": or_null(text("Local time: 15:30, tomorrow 09:00, friday 09:00 or 2026-03-04T15:30.", 40)),
                    "in_minutes": or_null(whole(1, i64::from(FURTHEST), "Minutes from now, at most a week.")),
                }),
                &["text"],
            ),
        },
        Spec {
            name: "get_market_context",
            description: "Look up what the user's own economic calendar holds for the coming hours. Call it when the \
                          user asks what is due today; never to judge a trade.",
            parameters: object(
                json!({"hours": or_null(whole(1, 168, "How far ahead; the rest of the trading day where absent."))}),
                &[],
            ),
        },
        Spec {
            name: "escalate_to_human",
            description: "Show helplines, the user's trusted contact and their safety plan. Call it in a crisis or \
                          when the user wants to talk to a person; it sends nothing by itself.",
            parameters: object(json!({"reason": or_null(text("Why, one sentence; not shown to the user.", 500))}), &[]),
        },
        Spec {
            name: "run_trigger",
            description: "Carry out one of the user's own if-then plans. Call it when the condition of a plan in the \
                          list has plainly come true; take the id from the list.",
            parameters: object(json!({"triggerId": text("The id from the list of plans.", 80)}), &["triggerId"]),
        },
        Spec {
            name: "calculate",
            description: "Exact arithmetic on the user's own figures; never calculate in your head. Call it when the \
                          user asks for a result in R, a percentage or a part, what is left of their limit, a sum, or the \
                          current run. It answers no question of how much to risk.",
            parameters: object(
                json!({
                    "what": one_of(&["r_multiple", "percent_of", "part_of", "left_of_limit", "sum", "streak"]),
                    "result": amount("r_multiple: the result of the trade, a loss with a minus."),
                    "risk": amount("r_multiple: what was risked."),
                    "amount": amount("percent_of: the part."),
                    "whole": amount("percent_of, part_of: the whole."),
                    "percent": amount("part_of: the percentage."),
                    "limit": amount("left_of_limit: the user's own limit."),
                    "used": amount("left_of_limit: what is lost of it, without a sign."),
                    "amounts": {
                        "type": ["array", "null"], "items": {"type": "string", "maxLength": 40},
                        "maxItems": MOST_AMOUNTS, "description": "sum: decimal numbers, losses with a minus.",
                    },
                    "results": {
                        "type": ["array", "null"], "items": one_of(&["win", "loss", "breakeven"]),
                        "maxItems": MOST_RESULTS, "description": "streak: newest first.",
                    },
                }),
                &["what"],
            ),
        },
    ]
}

fn attributes() -> Value {
    let level = |what: &str| or_null(whole(1, 10, what));
    let words = |what: &str| or_null(text(what, 500));
    object(
        json!({
            "stress_level": level("1 calm, 10 overwhelmed."),
            "energy_level": level("1 drained, 10 full of energy."),
            "trading_readiness": level("The user's own number."),
            "primary_emotion": or_null(text("One word.", 60)),
            "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1, "description": "Of primary_emotion."},
            "sleep_quality": or_null(one_of(&["poor", "fair", "good", "excellent"])),
            "external_stressors": {
                "type": ["array", "null"], "items": {"type": "string", "maxLength": 200}, "maxItems": 10,
            },
            "planned_approach": words("The plan, in the user's words."),
            "risk_appetite": or_null(one_of(&["low", "medium", "high"])),
            "session_result": or_null(one_of(&["win", "loss", "breakeven"])),
            "result_category": or_null(one_of(&["small", "medium", "large"])),
            "plan_adherence": or_null(one_of(&["followed", "partially", "deviated", "no_plan"])),
            "key_learnings": words("What the user takes along, in their words."),
            "regret_level": level("1 none, 10 strong."),
            "satisfaction": level("1 none, 10 full."),
        }),
        &[],
    )
}

fn practice_type() -> Value {
    one_of(&["breathing", "grounding", "visualization", "journaling", "physical", "pause"])
}

#[expect(clippy::needless_pass_by_value, reason = "written with json!")]
fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn one_of(names: &[&str]) -> Value {
    json!({"type": "string", "enum": names})
}

fn text(what: &str, longest: u32) -> Value {
    json!({"type": "string", "maxLength": longest, "description": what})
}

/// A decimal number as text, so that no digit is lost on the way.
fn amount(what: &str) -> Value {
    json!({"type": ["string", "null"], "maxLength": 40, "description": format!("{what} A decimal number.")})
}

fn whole(from: i64, to: i64, what: &str) -> Value {
    json!({"type": "integer", "minimum": from, "maximum": to, "description": what})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn or_null(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    if let Some(Value::Array(names)) = schema.get_mut("enum") {
        names.push(Value::Null);
    }
    schema
}
