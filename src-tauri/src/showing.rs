//! What the conductor reports, as the window shows it.

use calm_app::core::context::SessionResult;
use calm_app::core::{Deltas, EndSession, Question};
use calm_app::history::{Line, Page};
use calm_app::{AppError, AppEvent, Conductor};
use serde::Serialize;

use crate::wire::{
    Chip, NextAction, PracticeCard, PracticeSheet, Sense, SessionLine, SessionPage, SessionView, Summary, VoiceReading,
    Who, WireDelta, WireEvent, WireTurn,
};

/// The window's events for one of ours; some of ours are not for the window.
pub fn event(event: &AppEvent) -> Vec<WireEvent> {
    match event {
        AppEvent::SessionStarted { session_id, session_type, format, language, .. } => {
            let session = SessionView {
                id: session_id.to_string(),
                kind: (*session_type).into(),
                format: (*format).into(),
                language: (*language).into(),
                turns: Vec::new(),
                asks_scale: false,
                ended: None,
            };
            vec![WireEvent::SessionStarted { session }]
        }
        AppEvent::UserTurn { text, voice_analysis, .. } => {
            let voice = voice_analysis.as_ref().map(|voice| VoiceReading {
                stress: voice.stress_level,
                energy: voice.energy_level,
                emotion: (!voice.calibrating).then(|| voice.primary_emotion.clone()),
                calibrating: voice.calibrating,
            });
            vec![WireEvent::UserTurn { text: text.clone(), voice }]
        }
        AppEvent::Reply { text, asks, offers, begins, guard, .. } => {
            let practice = offers.as_ref().map(|practice| PracticeCard {
                id: practice.id.clone(),
                name: practice.name.clone(),
                description: practice.description.clone(),
                minutes: practice.minutes(),
            });
            let rule = |hit: &serde_json::Value| hit.get("rule").and_then(|rule| rule.as_str()).map(str::to_owned);
            let guard = guard.iter().filter_map(rule).collect();
            let begins = begins.as_ref().map(|practice| Box::new(PracticeSheet::from(practice.as_ref())));
            let reply = WireEvent::Reply { text: text.clone(), guard, asks_scale: asks_scale(*asks), practice };
            let agreed = begins.map(|practice| WireEvent::Practice { practice });
            [Some(reply), agreed].into_iter().flatten().collect()
        }
        AppEvent::SessionEnded { forced, arguments, deltas } => {
            vec![WireEvent::SessionEnded { forced: *forced, summary: summary(arguments, deltas) }]
        }
        AppEvent::Error { code, message } => {
            vec![WireEvent::Error { code: (*code).to_owned(), detail: message.clone() }]
        }
        AppEvent::ReplyPart { text } => vec![WireEvent::ReplyPart { text: text.clone() }],
        AppEvent::HandedOver { code, .. } => {
            vec![WireEvent::Error { code: "handed_over".to_owned(), detail: (*code).to_owned() }]
        }
        AppEvent::Contour { labels, state, recalled, .. } => {
            Sense::of(labels, state, recalled).map(|sense| WireEvent::Sensed { sense }).into_iter().collect()
        }
        AppEvent::Sufler { score, reasons } => {
            vec![WireEvent::Judged { score: *score, reasons: reasons.clone() }]
        }
        AppEvent::ToolResult { .. } => Vec::new(),
    }
}

/// The session that runs, with everything said so far.
pub fn running(conductor: &mut Conductor) -> Result<Option<SessionView>, AppError> {
    let Some(id) = conductor.running() else { return Ok(None) };
    let asks_scale = asks_scale(conductor.asked());
    let Some(page) = conductor.page(id)? else { return Ok(None) };
    Ok(Some(SessionView {
        id: id.to_string(),
        kind: page.session_type.into(),
        format: page.format.into(),
        language: page.language.into(),
        turns: turns(&page),
        asks_scale,
        ended: None,
    }))
}

pub fn line(line: &Line) -> SessionLine {
    SessionLine {
        id: line.session_id.to_string(),
        kind: line.session_type.into(),
        started_at: line.started_at.to_string(),
        readiness: line.trading_readiness,
        stress: line.stress_level,
        result: line.session_result.map(|r| name(&r)),
        text: line.session_summary.clone().unwrap_or_default(),
    }
}

pub fn page(page: &Page) -> SessionPage {
    let said = page.arguments.as_ref().map(|a| &a.extracted_attributes);
    SessionPage {
        line: SessionLine {
            id: page.session_id.to_string(),
            kind: page.session_type.into(),
            started_at: page.started_at.to_string(),
            readiness: said.and_then(|s| s.trading_readiness),
            stress: said.and_then(|s| s.stress_level),
            result: said.and_then(|s| s.session_result).map(|r| name(&r)),
            text: page.arguments.as_ref().map(|a| a.session_summary.clone()).unwrap_or_default(),
        },
        turns: turns(page),
        summary: page.arguments.as_ref().map(|a| summary(a, &page.deltas.clone().unwrap_or_default())),
    }
}

fn turns(page: &Page) -> Vec<WireTurn> {
    let user = |text: &String| WireTurn { who: Who::User, text: text.clone() };
    let calm = |text: &String| WireTurn { who: Who::Calm, text: text.clone() };
    page.turns.iter().flat_map(|turn| turn.user.iter().map(user).chain([calm(&turn.calm)])).collect()
}

fn asks_scale(asked: Option<Question>) -> bool {
    matches!(asked, Some(Question::Readiness | Question::Satisfaction))
}

/// The card at the end: what was discussed, in the order in which it reads.
fn summary(ending: &EndSession, deltas: &Deltas) -> Summary {
    let said = &ending.extracted_attributes;
    let chips = [
        ("readiness", said.trading_readiness.map(|v| v.to_string())),
        ("stress", said.stress_level.map(|v| v.to_string())),
        ("energy", said.energy_level.map(|v| v.to_string())),
        ("emotion", said.primary_emotion.clone()),
        ("sleep", said.sleep_quality.map(|v| name(&v))),
        ("session_result", said.session_result.map(|v| name(&v))),
        ("result_category", said.result_category.map(|v| name(&v))),
        ("plan_adherence", said.plan_adherence.map(|v| name(&v))),
        ("risk_appetite", said.risk_appetite.map(|v| name(&v))),
        ("regret_level", said.regret_level.map(|v| v.to_string())),
        ("satisfaction", said.satisfaction.map(|v| v.to_string())),
        ("planned_approach", said.planned_approach.clone()),
        ("key_learnings", said.key_learnings.clone()),
        ("external_stressors", said.external_stressors.as_ref().map(|all| all.join(", "))),
    ];
    Summary {
        chips: chips.into_iter().filter_map(|(key, value)| Some(Chip { key: key.to_owned(), value: value? })).collect(),
        next_action: next_action(ending),
        text: ending.session_summary.clone(),
        deltas: changes(deltas),
    }
}

/// The attribute that a chip shows.
pub fn attribute(chip: &str) -> &str {
    match chip {
        "readiness" => "trading_readiness",
        "stress" => "stress_level",
        "energy" => "energy_level",
        "emotion" => "primary_emotion",
        "sleep" => "sleep_quality",
        same => same,
    }
}

fn changes(deltas: &Deltas) -> Vec<WireDelta> {
    let levels = [("stress", deltas.stress), ("energy", deltas.energy)].into_iter().filter_map(|(key, change)| {
        let change = change?;
        Some(WireDelta { key: key.to_owned(), before: change.before.to_string(), after: change.after.to_string() })
    });
    let outcome = deltas.readiness_and_result.map(|both| WireDelta {
        key: "readiness_and_result".to_owned(),
        before: both.readiness.to_string(),
        after: name::<SessionResult>(&both.result),
    });
    levels.chain(outcome).collect()
}

fn next_action(ending: &EndSession) -> NextAction {
    use calm_app::core::end_session::NextAction as Next;
    match ending.recommended_next_action {
        Next::ProceedToTrade => NextAction::ProceedToTrade,
        Next::TakeBreak => NextAction::TakeBreak,
        Next::DoPractice => NextAction::DoPractice,
        Next::SeekSupport => NextAction::SeekSupport,
        Next::None => NextAction::None,
    }
}

/// The value's name in the specification.
fn name<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use calm_app::core::understand::Feeling;

    #[test]
    fn the_window_has_words_for_every_feeling() {
        for messages in [include_str!("../../ui/messages/ru.json"), include_str!("../../ui/messages/en.json")] {
            for feeling in Feeling::ALL {
                let key = format!("\"emotion_{}\"", feeling.name());
                assert!(messages.contains(&key), "{key} is missing");
            }
        }
    }
}
