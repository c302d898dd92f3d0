//! One or two sentences about a session, for the history: only what was said, as a person would note it down.
//!
//! The first says how it was, the second what was planned or learned and what comes next.

use crate::context::SessionResult;
use crate::end_session::{Attributes, NextAction, PlanAdherence, RiskFlags, SleepQuality};
use crate::lang::Lang;
use crate::session::Kind;
use crate::understand::signed;

/// What there is to tell.
pub struct Told<'a> {
    pub kind: Kind,
    pub known: &'a Attributes,
    /// The day's sum in the user's words, without its sign.
    pub amount: Option<&'a str>,
    /// After a day on which nothing was traded.
    pub no_trades: bool,
    pub flags: &'a RiskFlags,
    pub next: NextAction,
    /// Nothing about trading then (SPEC H5).
    pub in_crisis: bool,
}

pub fn of(lang: Lang, told: &Told<'_>) -> String {
    if told.in_crisis {
        return crisis(lang, told.known);
    }
    let first = match told.kind {
        Kind::CheckIn => before_trading(lang, told.known),
        Kind::CheckOut => after_trading(lang, told),
    };
    match second(lang, told) {
        Some(second) => format!("{first}. {second}."),
        None => format!("{first}."),
    }
}

fn crisis(lang: Lang, known: &Attributes) -> String {
    let felt = known.primary_emotion.as_deref().and_then(|emotion| feeling(lang, emotion));
    match (lang, felt) {
        (Lang::Ru, Some(felt)) => format!("Тяжёлый разговор, {felt}. Сейчас важнее всего живой человек рядом."),
        (Lang::Ru, None) => "Тяжёлый разговор. Сейчас важнее всего живой человек рядом.".to_owned(),
        (Lang::En, Some(felt)) => {
            format!("A hard conversation, {felt}. What matters now is a person close by.")
        }
        (Lang::En, None) => "A hard conversation. What matters now is a person close by.".to_owned(),
    }
}

fn before_trading(lang: Lang, known: &Attributes) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(known.primary_emotion.as_deref().and_then(|e| feeling(lang, e)).map(str::to_owned));
    parts.extend(known.sleep_quality.map(|s| sleep(lang, s).to_owned()));
    parts.extend(stressor(lang, known));
    parts.extend(known.trading_readiness.map(|n| level(lang, "готовность", "readiness", n)));
    parts.extend(known.stress_level.map(|n| level(lang, "стресс", "stress", n)));
    let nothing = parts.is_empty();
    let felt = known.primary_emotion.is_some();
    match lang {
        Lang::Ru if nothing => "Короткий разговор перед торговлей, почти без слов".to_owned(),
        Lang::En if nothing => "A short talk before trading, with few words".to_owned(),
        Lang::Ru if felt => format!("Перед торговлей {}", parts.join(", ")),
        Lang::Ru => format!("Перед торговлей: {}", parts.join(", ")),
        Lang::En => format!("Before trading: {}", parts.join(", ")),
    }
}

fn after_trading(lang: Lang, told: &Told<'_>) -> String {
    let known = told.known;
    let mut parts: Vec<String> = Vec::new();
    parts.extend(known.session_result.map(|r| match told.amount {
        Some(amount) if r != SessionResult::Breakeven => {
            // "День в минус (минус двести)" would say it twice.
            let in_words = amount.starts_with(char::is_alphabetic);
            let sum = if in_words { amount.to_owned() } else { signed(amount, r, lang) };
            format!("{} ({sum})", result(lang, r))
        }
        _ => result(lang, r).to_owned(),
    }));
    if told.no_trades {
        parts.push(if lang == Lang::Ru { "день без сделок" } else { "a day without trades" }.to_owned());
    }
    parts.extend(known.plan_adherence.map(|p| adherence(lang, p).to_owned()));
    parts.extend(known.primary_emotion.as_deref().and_then(|e| feeling(lang, e)).map(str::to_owned));
    parts.extend(stressor(lang, known));
    parts.extend(known.stress_level.map(|n| level(lang, "стресс", "stress", n)));
    parts.extend(known.satisfaction.map(|n| level(lang, "своей работе", "own work", n)));
    match (known.session_result.is_some() || told.no_trades, parts.is_empty(), lang) {
        (_, true, Lang::Ru) => "Короткий разговор после торговли, почти без слов".to_owned(),
        (_, true, Lang::En) => "A short talk after trading, with few words".to_owned(),
        (true, false, _) => capitalised(&parts.join(", ")),
        (false, false, Lang::Ru) => format!("После торговли: {}", parts.join(", ")),
        (false, false, Lang::En) => format!("After trading: {}", parts.join(", ")),
    }
}

fn second(lang: Lang, told: &Told<'_>) -> Option<String> {
    let own = match (told.kind, lang) {
        (Kind::CheckIn, Lang::Ru) => told.known.planned_approach.as_ref().map(|p| format!("план — «{p}»")),
        (Kind::CheckIn, Lang::En) => told.known.planned_approach.as_ref().map(|p| format!("the plan: “{p}”")),
        (Kind::CheckOut, Lang::Ru) => told.known.key_learnings.as_ref().map(|l| format!("вывод — «{l}»")),
        (Kind::CheckOut, Lang::En) => told.known.key_learnings.as_ref().map(|l| format!("a takeaway: “{l}”")),
    };
    let parts: Vec<String> = own.into_iter().chain(ahead(lang, told.flags, told.next).map(str::to_owned)).collect();
    (!parts.is_empty()).then(|| capitalised(&parts.join("; ")))
}

fn stressor(lang: Lang, known: &Attributes) -> Option<String> {
    let stressor = known.external_stressors.as_ref()?.first()?;
    Some(match lang {
        Lang::Ru => format!("фоном «{stressor}»"),
        Lang::En => format!("“{stressor}” in the background"),
    })
}

fn level(lang: Lang, ru: &str, en: &str, value: u8) -> String {
    match lang {
        Lang::Ru => format!("{ru} {value} из 10"),
        Lang::En => format!("{en} {value} out of 10"),
    }
}

/// Names as records hold them: the guide's feelings and the voice's emotions.
fn feeling(lang: Lang, name: &str) -> Option<&'static str> {
    let (ru, en) = match name {
        "calm" => ("спокойно", "calm"),
        "focused" => ("собранно", "focused"),
        "confidence" => ("уверенно", "confident"),
        "joy" => ("радостно", "glad"),
        "relief" => ("с облегчением", "relieved"),
        "excitement" => ("азартно", "excited"),
        "anxiety" => ("тревожно", "anxious"),
        "fear" => ("страшно", "afraid"),
        "frustration" => ("досадно", "frustrated"),
        "anger" => ("внутри злость", "angry"),
        "sadness" => ("грустно", "sad"),
        "guilt" => ("с чувством вины", "guilty"),
        "fatigue" => ("сил мало", "tired"),
        "boredom" => ("скучно", "bored"),
        "neutral" => ("на душе ровно", "even"),
        _ => return None,
    };
    Some(match lang {
        Lang::Ru => ru,
        Lang::En => en,
    })
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
        (Lang::Ru, PlanAdherence::Followed) => "по плану",
        (Lang::Ru, PlanAdherence::Partially) => "местами мимо плана",
        (Lang::Ru, PlanAdherence::Deviated) => "мимо плана",
        (Lang::Ru, PlanAdherence::NoPlan) => "без плана",
        (Lang::En, PlanAdherence::Followed) => "by the plan",
        (Lang::En, PlanAdherence::Partially) => "partly by the plan",
        (Lang::En, PlanAdherence::Deviated) => "off the plan",
        (Lang::En, PlanAdherence::NoPlan) => "without a plan",
    }
}

fn sleep(lang: Lang, quality: SleepQuality) -> &'static str {
    match (lang, quality) {
        (Lang::Ru, SleepQuality::Poor) => "ночь плохая",
        (Lang::Ru, SleepQuality::Fair) => "ночь средняя",
        (Lang::Ru, SleepQuality::Good) => "ночь хорошая",
        (Lang::Ru, SleepQuality::Excellent) => "ночь отличная",
        (Lang::En, SleepQuality::Poor) => "slept badly",
        (Lang::En, SleepQuality::Fair) => "slept fairly",
        (Lang::En, SleepQuality::Good) => "slept well",
        (Lang::En, SleepQuality::Excellent) => "slept very well",
    }
}

fn ahead(lang: Lang, flags: &RiskFlags, next: NextAction) -> Option<&'static str> {
    Some(match (lang, next) {
        (_, NextAction::None) => return None,
        (Lang::Ru, NextAction::ProceedToTrade) => "дальше торговля по своим правилам",
        (Lang::Ru, NextAction::TakeBreak) if flags.revenge_trading_risk => "тянуло отыграться, поэтому сначала пауза",
        (Lang::Ru, NextAction::TakeBreak) => "дальше лучше пауза",
        (Lang::Ru, NextAction::DoPractice) => "дальше короткая практика",
        (Lang::Ru, NextAction::SeekSupport) => "сейчас нужна живая поддержка",
        (Lang::En, NextAction::ProceedToTrade) => "trading by the rules comes next",
        (Lang::En, NextAction::TakeBreak) if flags.revenge_trading_risk => {
            "there was a pull to win it back, so a break comes first"
        }
        (Lang::En, NextAction::TakeBreak) => "a break comes next",
        (Lang::En, NextAction::DoPractice) => "a short practice comes next",
        (Lang::En, NextAction::SeekSupport) => "support from a person comes first",
    })
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
