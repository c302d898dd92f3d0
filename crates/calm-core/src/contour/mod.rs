//! The contour: a first impression of the message, in a handful of labels (SPEC C1, C2, C4).
//!
//! It reads memory and never writes it, so every rule fits a table test.
//! Whether to act on a label is the prompt's business, not ours.

mod familiarity;
mod short_term;
mod topic;
mod user_model;

use serde::{Deserialize, Serialize};

pub use familiarity::FamiliarityCache;
pub use short_term::{Anchor, Figure, ShortTerm, figures};
pub use topic::Topic;
pub use user_model::{MISSED, WENT_WELL, trust_after};

use crate::lang::Lang;
use crate::session::Kind;
use crate::understand::{Feeling, Intent, Said, Sign, main_feeling};
use crate::voice::VoiceAnalysis;

/// At most this many labels travel with a prompt.
const LABELS: usize = 5;
const LONG_MESSAGE: usize = 50;
const MANY_ANCHORS: usize = 3;
const CURT_MESSAGE: usize = 2;
const NEGATIVE_STREAK: u32 = 2;
/// Familiarity is a rank among this user's own messages, so one in ten is beyond each of these.
const WELL_KNOWN: f32 = 0.9;
const STRANGE: f32 = 0.1;
/// One critical word is enough to go slowly.
const CRITICAL: f32 = 0.4;

/// What memory and the session know before the message is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    pub kind: Kind,
    /// 0–1, from experiences like this one.
    pub familiarity: f32,
    /// 0–1, learnt from Sufler's scores.
    pub trust: f32,
    /// Topics anchored in short-term memory.
    pub anchors: usize,
    /// Topics of this talk where replies scored badly, the newest first.
    pub risk_topics: Vec<Topic>,
    /// Turns in a row with a heavy mood, before this one.
    pub negative_streak: u32,
}

/// What long-term memory knows before the message is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Mind {
    /// 0–1; see [`Background::familiarity`].
    pub familiarity: f32,
    /// 0–1.
    pub trust: f32,
    /// Every topic where replies scored badly, the newest first.
    pub risk_topics: Vec<Topic>,
}

impl Default for Mind {
    fn default() -> Mind {
        Mind { familiarity: 0.5, trust: 0.5, risk_topics: Vec::new() }
    }
}

impl Background {
    /// With what the talk itself has left in short-term memory.
    pub fn of_talk(kind: Kind, mind: &Mind, talk: &ShortTerm, message: Option<Topic>) -> Background {
        let concerns = |topic: &&Topic| Some(**topic) == message || talk.touches(**topic);
        let mut risk_topics: Vec<Topic> = mind.risk_topics.iter().filter(concerns).copied().collect();
        // What is spoken of now comes first.
        risk_topics.sort_by_key(|topic| Some(*topic) != message);
        Background {
            kind,
            familiarity: mind.familiarity,
            trust: mind.trust,
            anchors: talk.anchors().len(),
            risk_topics,
            negative_streak: talk.heavy(),
        }
    }

    pub fn new(kind: Kind) -> Background {
        Background { kind, familiarity: 0.5, trust: 0.5, anchors: 0, risk_topics: Vec::new(), negative_streak: 0 }
    }
}

/// 0–1 where a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateVector {
    pub familiarity: f32,
    pub criticality: f32,
    pub complexity: f32,
    pub mood: Mood,
    pub confidence: Confidence,
    pub genre: Method,
    pub method: Method,
    pub risk_topics: Vec<Topic>,
    pub trust: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mood {
    Neutral,
    Calm,
    Bright,
    Anxious,
    Angry,
    Low,
    Tired,
    Distressed,
}

/// What the conversation is doing right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    Dialogue,
    CheckIn,
    CheckOut,
    Plan,
    Review,
    Practice,
    Risk,
    Distress,
}

/// Reads one message that `said` was read from.
pub fn sense(text: &str, said: &Said, voice: Option<&VoiceAnalysis>, background: &Background) -> StateVector {
    let words = text.split_whitespace().count();
    let digits = text.chars().any(|c| c.is_ascii_digit());
    let mood = mood(said, voice);
    let method = method(said, words, digits, background.kind);
    StateVector {
        familiarity: background.familiarity.clamp(0.0, 1.0),
        criticality: criticality(said, words, background.negative_streak),
        complexity: complexity(digits, words, background.anchors),
        mood,
        confidence: confidence(background),
        genre: method,
        method,
        risk_topics: background.risk_topics.clone(),
        trust: background.trust.clamp(0.0, 1.0),
    }
}

fn complexity(digits: bool, words: usize, anchors: usize) -> f32 {
    let parts = [(digits, 0.3), (words > LONG_MESSAGE, 0.3), (anchors > MANY_ANCHORS, 0.2)];
    parts.iter().filter(|(applies, _)| *applies).fold(0.0, |sum, (_, weight)| sum + weight)
}

fn criticality(said: &Said, words: usize, negative_streak: u32) -> f32 {
    if said.distress.is_some() {
        return 1.0;
    }
    let named = said.mentions.critical as f32 * 0.4;
    // Few words after several heavy turns say more than they contain.
    let curt = words <= CURT_MESSAGE && negative_streak >= NEGATIVE_STREAK;
    (named + if curt { 0.3 } else { 0.0 }).min(1.0)
}

fn confidence(background: &Background) -> Confidence {
    if background.trust < 0.3 {
        Confidence::Low
    } else if background.trust > 0.7 {
        Confidence::High
    } else if background.familiarity >= WELL_KNOWN {
        // An unremarkable trust and a well-known topic.
        Confidence::High
    } else if background.familiarity < STRANGE {
        Confidence::Low
    } else {
        Confidence::Medium
    }
}

/// Words first; a voice counts when it is sure and nothing was said about a feeling.
pub fn mood(said: &Said, voice: Option<&VoiceAnalysis>) -> Mood {
    if said.distress.is_some() {
        return Mood::Distressed;
    }
    if let Some(felt) = main_feeling(&said.feelings) {
        return match felt.value.feeling {
            Feeling::Anxiety | Feeling::Fear => Mood::Anxious,
            Feeling::Anger | Feeling::Frustration => Mood::Angry,
            Feeling::Sadness | Feeling::Guilt => Mood::Low,
            Feeling::Fatigue => Mood::Tired,
            Feeling::Calm | Feeling::Focused => Mood::Calm,
            Feeling::Joy | Feeling::Relief | Feeling::Excitement | Feeling::Confidence => Mood::Bright,
            Feeling::Boredom | Feeling::Neutral => Mood::Neutral,
        };
    }
    let Some(voice) = voice else { return Mood::Neutral };
    if voice.stress_level.is_some_and(|s| s > 7) {
        return Mood::Anxious;
    }
    if voice.confidence < VoiceAnalysis::CONFIDENCE_FLOOR {
        return Mood::Neutral;
    }
    match voice.primary_emotion.as_str() {
        "joy" => Mood::Bright,
        "anger" => Mood::Angry,
        "sadness" => Mood::Low,
        "fear" => Mood::Anxious,
        _ => Mood::Neutral,
    }
}

fn method(said: &Said, words: usize, digits: bool, kind: Kind) -> Method {
    if said.distress.is_some() {
        return Method::Distress;
    }
    if words <= CURT_MESSAGE && !digits {
        return Method::Dialogue;
    }
    let topic = |name| said.mentions.topics.contains(&name);
    let risky = said.shows(Sign::Revenge) || said.shows(Sign::Tilt) || said.shows(Sign::Borrowing);
    if risky || said.intends(Intent::AsksAdvice) {
        return Method::Risk;
    }
    if topic("practice") {
        return Method::Practice;
    }
    match kind {
        Kind::CheckIn if said.plan.is_some() && said.feelings.is_empty() => Method::Plan,
        Kind::CheckIn if said.readiness.is_some() || !said.feelings.is_empty() || said.sleep.is_some() => {
            Method::CheckIn
        }
        Kind::CheckOut if said.learnings.is_some() => Method::Review,
        Kind::CheckOut if said.result.is_some() || said.plan_adherence.is_some() || !said.feelings.is_empty() => {
            Method::CheckOut
        }
        _ if topic("plan") => Method::Plan,
        _ if topic("review") => Method::Review,
        _ if topic("risk") => Method::Risk,
        _ => Method::Dialogue,
    }
}

impl Mood {
    /// Whether a turn like this makes the negative streak longer.
    pub fn is_negative(self) -> bool {
        matches!(self, Mood::Anxious | Mood::Angry | Mood::Low | Mood::Tired | Mood::Distressed)
    }

    fn label(self, lang: Lang) -> Option<&'static str> {
        Some(match (lang, self) {
            (_, Mood::Neutral | Mood::Calm) => return None,
            (Lang::Ru, Mood::Bright) => "подъём",
            (Lang::Ru, Mood::Anxious) => "тревожно",
            (Lang::Ru, Mood::Angry) => "злится",
            (Lang::Ru, Mood::Low) => "подавлен",
            (Lang::Ru, Mood::Tired) => "устал",
            (Lang::Ru, Mood::Distressed) => "тяжело",
            (Lang::En, Mood::Bright) => "bright",
            (Lang::En, Mood::Anxious) => "anxious",
            (Lang::En, Mood::Angry) => "angry",
            (Lang::En, Mood::Low) => "low",
            (Lang::En, Mood::Tired) => "tired",
            (Lang::En, Mood::Distressed) => "distressed",
        })
    }
}

/// Parts of a prompt that are not wanted every time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionalBlocks {
    /// Notes and documents.
    pub knowledge: bool,
    /// Personal if-then plans.
    pub plans: bool,
    /// What earlier talks left.
    pub memory: bool,
}

impl Method {
    /// What is worth a model's attention now (SPEC C5): small talk needs nothing, a crisis nothing of the past.
    pub fn blocks(self) -> OptionalBlocks {
        let (knowledge, plans, memory) = match self {
            Method::Dialogue | Method::Distress => (false, false, false),
            Method::CheckIn | Method::CheckOut => (false, true, true),
            Method::Practice => (true, true, false),
            Method::Plan | Method::Review | Method::Risk => (true, true, true),
        };
        OptionalBlocks { knowledge, plans, memory }
    }

    fn label(self, lang: Lang) -> Option<&'static str> {
        Some(match (lang, self) {
            (_, Method::Dialogue) => return None,
            (_, Method::CheckIn) => "CHECK-IN",
            (_, Method::CheckOut) => "CHECK-OUT",
            (Lang::Ru, Method::Plan) => "ПЛАН",
            (Lang::Ru, Method::Review) => "РАЗБОР",
            (Lang::Ru, Method::Practice) => "ПРАКТИКА",
            (Lang::Ru, Method::Risk) => "РИСК",
            (Lang::Ru, Method::Distress) => "КРИЗИС",
            (Lang::En, Method::Plan) => "PLAN",
            (Lang::En, Method::Review) => "REVIEW",
            (Lang::En, Method::Practice) => "PRACTICE",
            (Lang::En, Method::Risk) => "RISK",
            (Lang::En, Method::Distress) => "DISTRESS",
        })
    }
}

impl Confidence {
    fn label(self) -> &'static str {
        match self {
            Confidence::Low => "LOW",
            Confidence::Medium => "MEDIUM",
            Confidence::High => "HIGH",
        }
    }
}

impl StateVector {
    pub fn is_critical(&self) -> bool {
        self.criticality >= CRITICAL
    }

    /// The talk has become long and branched (the anchors' share of the complexity).
    pub fn is_long(&self) -> bool {
        // 0.2 is the only part that is no multiple of 0.3.
        ((self.complexity * 10.0).round() as u32) % 3 == 2
    }

    /// The prompt fragment: only the labels that say something.
    pub fn labels(&self, lang: Lang) -> String {
        let [sure, genre, mood, risk] = match lang {
            Lang::Ru => ["УВЕР", "ЖАНР", "МООД", "РИСК"],
            Lang::En => ["CONF", "GENRE", "MOOD", "RISK"],
        };
        let mut labels = vec![format!("[{sure}: {}]", self.confidence.label())];
        labels.extend(self.genre.label(lang).map(|label| format!("[{genre}: {label}]")));
        labels.extend(self.mood.label(lang).map(|label| format!("[{mood}: {label}]")));
        labels.extend(self.risk_topics.first().map(|topic| format!("[{risk}: {}]", topic.word(lang).to_uppercase())));
        labels.truncate(LABELS);
        labels.join("  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::read;
    use rstest::rstest;

    fn sensed(text: &str, lang: Lang, background: &Background) -> StateVector {
        sense(text, &read(text, lang, None), None, background)
    }

    #[rstest]
    #[case::nothing(false, 10, 0, 0.0)]
    #[case::digits(true, 10, 0, 0.3)]
    #[case::fifty_words_are_not_long(false, 50, 0, 0.0)]
    #[case::everything(true, 51, 4, 0.8)]
    #[case::three_anchors_are_not_many(false, 10, 3, 0.0)]
    fn complexity_adds_up(#[case] digits: bool, #[case] words: usize, #[case] anchors: usize, #[case] expected: f32) {
        assert!((complexity(digits, words, anchors) - expected).abs() < 1e-6);
    }

    #[rstest]
    #[case::distrust(0.29, 0.9, Confidence::Low)]
    #[case::trust(0.71, 0.1, Confidence::High)]
    #[case::default(0.5, 0.5, Confidence::Medium)]
    #[case::at_the_edge(0.7, 0.5, Confidence::Medium)]
    fn confidence_from_trust(#[case] trust: f32, #[case] familiarity: f32, #[case] expected: Confidence) {
        let background = Background { trust, familiarity, ..Background::new(Kind::CheckIn) };
        assert_eq!(confidence(&background), expected);
    }

    #[rstest]
    #[case::checkin(
        "Спал плохо, немного волнуюсь, но план есть",
        Lang::Ru,
        Kind::CheckIn,
        "[УВЕР: MEDIUM]  [ЖАНР: CHECK-IN]  [МООД: тревожно]"
    )]
    #[case::nothing_to_say("Ну да", Lang::Ru, Kind::CheckIn, "[УВЕР: MEDIUM]")]
    #[case::revenge("Хочу отыграться прямо сейчас", Lang::Ru, Kind::CheckOut, "[УВЕР: MEDIUM]  [ЖАНР: РИСК]")]
    #[case::crisis(
        "I don’t want to live anymore",
        Lang::En,
        Kind::CheckOut,
        "[CONF: MEDIUM]  [GENRE: DISTRESS]  [MOOD: distressed]"
    )]
    #[case::english(
        "Closed the day down two hundred, I'm angry",
        Lang::En,
        Kind::CheckOut,
        "[CONF: MEDIUM]  [GENRE: CHECK-OUT]  [MOOD: angry]"
    )]
    fn labels(#[case] text: &str, #[case] lang: Lang, #[case] kind: Kind, #[case] expected: &str) {
        assert_eq!(sensed(text, lang, &Background::new(kind)).labels(lang), expected);
    }

    #[test]
    fn a_risk_topic_is_named() {
        let background = Background { risk_topics: vec![Topic::Result], ..Background::new(Kind::CheckIn) };
        assert!(sensed("Ну да", Lang::Ru, &background).labels(Lang::Ru).ends_with("[РИСК: РЕЗУЛЬТАТ]"));
    }

    #[test]
    fn few_words_after_heavy_turns_are_critical() {
        let calm = sensed("Ну да", Lang::Ru, &Background::new(Kind::CheckIn));
        let heavy = Background { negative_streak: 2, ..Background::new(Kind::CheckIn) };
        assert!(sensed("Ну да", Lang::Ru, &heavy).criticality > calm.criticality);
    }

    #[test]
    fn margin_call_is_critical() {
        let background = Background::new(Kind::CheckOut);
        assert!(sensed("Прилетел маржин-колл", Lang::Ru, &background).criticality >= 0.4);
        assert!(sensed("Got a margin call", Lang::En, &background).criticality >= 0.4);
    }
}
