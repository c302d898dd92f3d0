//! One or two sentences about a session, for the history: only what was said, in plain words.

use crate::context::SessionResult;
use crate::end_session::{Attributes, NextAction, PlanAdherence, RiskFlags, SleepQuality};
use crate::lang::Lang;
use crate::session::Kind;
use crate::understand::lexicon::Lexicon;

/// The first sentence says how it was, the second what comes next, if anything does.
pub fn of(lang: Lang, kind: Kind, known: &Attributes, flags: &RiskFlags, next: NextAction) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(known.session_result.map(|r| result(lang, r).to_owned()));
    parts.extend(known.plan_adherence.map(|p| adherence(lang, p).to_owned()));
    parts.extend(known.primary_emotion.as_deref().map(|e| Lexicon::of(lang).word(e).unwrap_or(e).to_owned()));
    parts.extend(known.sleep_quality.map(|s| sleep(lang, s).to_owned()));
    parts.extend(known.trading_readiness.map(|n| level(lang, "готовность", "readiness", n)));
    parts.extend(known.stress_level.map(|n| level(lang, "стресс", "stress", n)));
    if kind == Kind::CheckIn {
        parts.extend(known.planned_approach.as_ref().map(|p| match lang {
            Lang::Ru => format!("план: «{p}»"),
            Lang::En => format!("plan: “{p}”"),
        }));
    }
    let opening = match (lang, kind) {
        (Lang::Ru, Kind::CheckIn) => "Перед торговлей",
        (Lang::Ru, Kind::CheckOut) => "После торговли",
        (Lang::En, Kind::CheckIn) => "Before trading",
        (Lang::En, Kind::CheckOut) => "After trading",
    };
    let nothing = match lang {
        Lang::Ru => "почти ничего не сказано",
        Lang::En => "little was said",
    };
    let told = if parts.is_empty() { nothing.to_owned() } else { parts.join(", ") };
    match ahead(lang, flags, next) {
        Some(ahead) => format!("{opening}: {told}. {ahead}."),
        None => format!("{opening}: {told}."),
    }
}

fn level(lang: Lang, ru: &str, en: &str, value: u8) -> String {
    match lang {
        Lang::Ru => format!("{ru} {value} из 10"),
        Lang::En => format!("{en} {value} out of 10"),
    }
}

fn result(lang: Lang, result: SessionResult) -> &'static str {
    match (lang, result) {
        (Lang::Ru, SessionResult::Win) => "день в плюс",
        (Lang::Ru, SessionResult::Loss) => "день в минус",
        (Lang::Ru, SessionResult::Breakeven) => "день в ноль",
        (Lang::En, SessionResult::Win) => "an up day",
        (Lang::En, SessionResult::Loss) => "a down day",
        (Lang::En, SessionResult::Breakeven) => "a flat day",
    }
}

fn adherence(lang: Lang, kept: PlanAdherence) -> &'static str {
    match (lang, kept) {
        (Lang::Ru, PlanAdherence::Followed) => "план соблюдён",
        (Lang::Ru, PlanAdherence::Partially) => "план соблюдён частично",
        (Lang::Ru, PlanAdherence::Deviated) => "план нарушен",
        (Lang::Ru, PlanAdherence::NoPlan) => "плана не было",
        (Lang::En, PlanAdherence::Followed) => "the plan was kept",
        (Lang::En, PlanAdherence::Partially) => "the plan was partly kept",
        (Lang::En, PlanAdherence::Deviated) => "the plan was broken",
        (Lang::En, PlanAdherence::NoPlan) => "there was no plan",
    }
}

fn sleep(lang: Lang, quality: SleepQuality) -> &'static str {
    match (lang, quality) {
        (Lang::Ru, SleepQuality::Poor) => "сон плохой",
        (Lang::Ru, SleepQuality::Fair) => "сон нормальный",
        (Lang::Ru, SleepQuality::Good) => "сон хороший",
        (Lang::Ru, SleepQuality::Excellent) => "сон отличный",
        (Lang::En, SleepQuality::Poor) => "poor sleep",
        (Lang::En, SleepQuality::Fair) => "fair sleep",
        (Lang::En, SleepQuality::Good) => "good sleep",
        (Lang::En, SleepQuality::Excellent) => "excellent sleep",
    }
}

fn ahead(lang: Lang, flags: &RiskFlags, next: NextAction) -> Option<&'static str> {
    Some(match (lang, next) {
        (_, NextAction::None) => return None,
        (Lang::Ru, NextAction::ProceedToTrade) => "Дальше — торговля по правилам",
        (Lang::Ru, NextAction::TakeBreak) if flags.revenge_trading_risk => {
            "Было желание отыграться, дальше лучше пауза"
        }
        (Lang::Ru, NextAction::TakeBreak) => "Дальше лучше пауза",
        (Lang::Ru, NextAction::DoPractice) => "Дальше — короткая практика",
        (Lang::Ru, NextAction::SeekSupport) => "Сейчас важнее всего живая поддержка",
        (Lang::En, NextAction::ProceedToTrade) => "Next: trading by the rules",
        (Lang::En, NextAction::TakeBreak) if flags.revenge_trading_risk => {
            "There was a wish to win it back, so a break comes first"
        }
        (Lang::En, NextAction::TakeBreak) => "Next: a break",
        (Lang::En, NextAction::DoPractice) => "Next: a short practice",
        (Lang::En, NextAction::SeekSupport) => "What matters now is support from a person",
    })
}
