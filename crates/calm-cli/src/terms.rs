//! What records call by a name of the program's, in words: one table a language.
//!
//! A term that a table lacks does not compile.

use calm_app::core::context::SessionResult;
use calm_app::core::end_session::{
    EndSession, NextAction, PlanAdherence, ResultCategory, RiskAppetite, RiskFlags, SleepQuality,
};
use calm_app::{Format, Kind, Lang};

pub struct Terms {
    check_in: &'static str,
    check_out: &'static str,
    short: &'static str,
    medium_format: &'static str,
    unlimited: &'static str,

    pub stress: &'static str,
    pub energy: &'static str,
    pub readiness: &'static str,
    emotion: &'static str,
    sleep: &'static str,
    burdens: &'static str,
    plan: &'static str,
    risk: &'static str,
    result: &'static str,
    keeping: &'static str,
    lesson: &'static str,
    regret: &'static str,
    satisfaction: &'static str,

    poor: &'static str,
    fair: &'static str,
    good: &'static str,
    excellent: &'static str,
    low: &'static str,
    medium: &'static str,
    high: &'static str,
    win: &'static str,
    loss: &'static str,
    breakeven: &'static str,
    small: &'static str,
    of_medium_size: &'static str,
    large: &'static str,
    followed: &'static str,
    partially: &'static str,
    deviated: &'static str,
    no_plan: &'static str,

    high_stress: &'static str,
    tilt_risk: &'static str,
    overconfidence: &'static str,
    fatigue: &'static str,
    revenge: &'static str,
    attention: &'static str,

    next: &'static str,
    proceed: &'static str,
    take_break: &'static str,
    practice: &'static str,
    support: &'static str,
    nothing: &'static str,

    /// Records' names of feelings, the guide's and the voice's.
    feelings: [&'static str; FEELINGS.len()],
}

const FEELINGS: [&str; 18] = [
    "calm",
    "focused",
    "confidence",
    "joy",
    "relief",
    "excitement",
    "anxiety",
    "fear",
    "frustration",
    "anger",
    "sadness",
    "guilt",
    "fatigue",
    "boredom",
    "neutral",
    "surprise",
    "disgust",
    "unclear",
];

static RU: Terms = Terms {
    check_in: "чек-ин",
    check_out: "чек-аут",
    short: "короткий",
    medium_format: "обычный",
    unlimited: "без ограничений",
    stress: "стресс",
    energy: "энергия",
    readiness: "готовность",
    emotion: "чувство",
    sleep: "сон",
    burdens: "фоном",
    plan: "план",
    risk: "риск",
    result: "день",
    keeping: "план",
    lesson: "вывод",
    regret: "сожаление",
    satisfaction: "довольство собой",
    poor: "плохой",
    fair: "средний",
    good: "хороший",
    excellent: "отличный",
    low: "низкий",
    medium: "обычный",
    high: "высокий",
    win: "плюс",
    loss: "минус",
    breakeven: "ноль",
    small: "небольшой",
    of_medium_size: "средний",
    large: "крупный",
    followed: "соблюдён",
    partially: "соблюдён частично",
    deviated: "нарушен",
    no_plan: "не было",
    high_stress: "сильное напряжение",
    tilt_risk: "похоже на тильт",
    overconfidence: "самоуверенность",
    fatigue: "усталость",
    revenge: "тянет отыграться",
    attention: "нужно внимание",
    next: "дальше",
    proceed: "торговля по плану",
    take_break: "пауза",
    practice: "практика",
    support: "поддержка живого человека",
    nothing: "ничего особенного",
    feelings: [
        "спокойствие",
        "собранность",
        "уверенность",
        "радость",
        "облегчение",
        "азарт",
        "тревога",
        "страх",
        "досада",
        "злость",
        "грусть",
        "вина",
        "усталость",
        "скука",
        "ровно",
        "удивление",
        "отвращение",
        "неясно",
    ],
};

static EN: Terms = Terms {
    check_in: "check-in",
    check_out: "check-out",
    short: "short",
    medium_format: "medium",
    unlimited: "unlimited",
    stress: "stress",
    energy: "energy",
    readiness: "readiness",
    emotion: "feeling",
    sleep: "sleep",
    burdens: "in the background",
    plan: "plan",
    risk: "risk",
    result: "day",
    keeping: "plan",
    lesson: "takeaway",
    regret: "regret",
    satisfaction: "own work",
    poor: "poor",
    fair: "fair",
    good: "good",
    excellent: "excellent",
    low: "low",
    medium: "usual",
    high: "high",
    win: "up",
    loss: "down",
    breakeven: "flat",
    small: "small",
    of_medium_size: "medium",
    large: "large",
    followed: "kept",
    partially: "partly kept",
    deviated: "broken",
    no_plan: "none",
    high_stress: "high stress",
    tilt_risk: "looks like tilt",
    overconfidence: "overconfidence",
    fatigue: "fatigue",
    revenge: "a pull to win it back",
    attention: "needs attention",
    next: "next",
    proceed: "trading by the plan",
    take_break: "a break",
    practice: "a practice",
    support: "support from a person",
    nothing: "nothing special",
    feelings: [
        "calm",
        "focus",
        "confidence",
        "joy",
        "relief",
        "excitement",
        "anxiety",
        "fear",
        "frustration",
        "anger",
        "sadness",
        "guilt",
        "fatigue",
        "boredom",
        "neutral",
        "surprise",
        "disgust",
        "unclear",
    ],
};

impl Terms {
    pub fn of(lang: Lang) -> &'static Terms {
        match lang {
            Lang::Ru => &RU,
            Lang::En => &EN,
        }
    }

    pub fn kind(&self, kind: Kind) -> &'static str {
        match kind {
            Kind::CheckIn => self.check_in,
            Kind::CheckOut => self.check_out,
        }
    }

    pub fn format(&self, format: Format) -> &'static str {
        match format {
            Format::Short => self.short,
            Format::Medium => self.medium_format,
            Format::Unlimited => self.unlimited,
        }
    }

    /// A name that the table does not know is shown as it is.
    pub fn feeling<'a>(&self, name: &'a str) -> &'a str {
        FEELINGS.iter().zip(self.feelings).find(|(known, _)| **known == name).map_or(name, |(_, word)| word)
    }

    pub fn outcome(&self, result: SessionResult) -> &'static str {
        match result {
            SessionResult::Win => self.win,
            SessionResult::Loss => self.loss,
            SessionResult::Breakeven => self.breakeven,
        }
    }

    fn size(&self, size: ResultCategory) -> &'static str {
        match size {
            ResultCategory::Small => self.small,
            ResultCategory::Medium => self.of_medium_size,
            ResultCategory::Large => self.large,
        }
    }

    fn slept(&self, quality: SleepQuality) -> &'static str {
        match quality {
            SleepQuality::Poor => self.poor,
            SleepQuality::Fair => self.fair,
            SleepQuality::Good => self.good,
            SleepQuality::Excellent => self.excellent,
        }
    }

    fn appetite(&self, risk: RiskAppetite) -> &'static str {
        match risk {
            RiskAppetite::Low => self.low,
            RiskAppetite::Medium => self.medium,
            RiskAppetite::High => self.high,
        }
    }

    fn kept(&self, kept: PlanAdherence) -> &'static str {
        match kept {
            PlanAdherence::Followed => self.followed,
            PlanAdherence::Partially => self.partially,
            PlanAdherence::Deviated => self.deviated,
            PlanAdherence::NoPlan => self.no_plan,
        }
    }

    fn action(&self, next: NextAction) -> &'static str {
        match next {
            NextAction::ProceedToTrade => self.proceed,
            NextAction::TakeBreak => self.take_break,
            NextAction::DoPractice => self.practice,
            NextAction::SeekSupport => self.support,
            NextAction::None => self.nothing,
        }
    }

    /// What a session leaves behind, in one line: what was said, what it points to, and what comes next.
    pub fn left_behind(&self, ending: &EndSession) -> String {
        let said = &ending.extracted_attributes;
        let level = |name: &str, value: Option<u8>| value.map(|value| format!("{name} {value}/10"));
        let word = |name: &str, value: Option<&str>| value.map(|value| format!("{name}: {value}"));
        let result = said.session_result.map(|result| match said.result_category {
            Some(size) => format!("{}: {}, {}", self.result, self.outcome(result), self.size(size)),
            None => format!("{}: {}", self.result, self.outcome(result)),
        });
        let burdens = said.external_stressors.as_ref().map(|burdens| burdens.join(", "));
        let parts = [
            word(self.emotion, said.primary_emotion.as_deref().map(|name| self.feeling(name))),
            level(self.stress, said.stress_level),
            level(self.energy, said.energy_level),
            level(self.readiness, said.trading_readiness),
            word(self.sleep, said.sleep_quality.map(|quality| self.slept(quality))),
            word(self.burdens, burdens.as_deref()),
            word(self.plan, said.planned_approach.as_deref()),
            word(self.risk, said.risk_appetite.map(|risk| self.appetite(risk))),
            result,
            word(self.keeping, said.plan_adherence.map(|kept| self.kept(kept))),
            word(self.lesson, said.key_learnings.as_deref()),
            level(self.regret, said.regret_level),
            level(self.satisfaction, said.satisfaction),
        ];
        let mut parts: Vec<String> = parts.into_iter().flatten().collect();
        if ending.risk_flags.needs_attention {
            // Somebody in a hard hour is shown no figures (SPEC H5).
            parts.clear();
        }
        parts.extend(self.flags(&ending.risk_flags).map(str::to_owned));
        parts.push(format!("{}: {}", self.next, self.action(ending.recommended_next_action)));
        parts.join(" · ")
    }

    fn flags(&self, flags: &RiskFlags) -> impl Iterator<Item = &'static str> {
        [
            (flags.high_stress, self.high_stress),
            (flags.tilt_risk, self.tilt_risk),
            (flags.overconfidence, self.overconfidence),
            (flags.fatigue, self.fatigue),
            (flags.revenge_trading_risk, self.revenge),
            (flags.needs_attention, self.attention),
        ]
        .into_iter()
        .filter_map(|(raised, word)| raised.then_some(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calm_app::core::understand::Feeling;

    #[test]
    fn every_feeling_has_a_word_of_its_own() {
        for feeling in Feeling::ALL {
            let word = RU.feeling(feeling.name());
            assert!(word.chars().all(|c| ('\u{400}'..='\u{4ff}').contains(&c)), "{word}");
        }
    }

    #[test]
    fn what_a_session_leaves_behind_is_told_in_words() {
        let mut ending: EndSession = serde_json::from_value(serde_json::json!({
            "session_type": "check-out",
            "extracted_attributes": {
                "primary_emotion": "anger",
                "session_result": "loss",
                "result_category": "small",
                "plan_adherence": "no_plan",
                "satisfaction": 3,
            },
            "session_summary": "",
            "recommended_next_action": "take_break",
        }))
        .unwrap();
        ending.risk_flags.tilt_risk = true;
        let told = "чувство: злость · день: минус, небольшой · план: не было · довольство собой 3/10 · похоже на тильт · дальше: пауза";
        assert_eq!(RU.left_behind(&ending), told);
        assert!(!EN.left_behind(&ending).contains('_'));
        ending.risk_flags.needs_attention = true;
        assert_eq!(RU.left_behind(&ending), "похоже на тильт · нужно внимание · дальше: пауза");
    }
}
