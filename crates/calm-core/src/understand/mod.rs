//! Understanding: what a Russian or English trader said, with the words each reading rests on.
//!
//! It reads one utterance and knows nothing of the session, apart from the question that was
//! just asked. The words themselves are data (`lexicon/`); what follows from a reading is
//! the business of `turn`.

mod age;
mod amounts;
mod answer;
mod feelings;
mod gains;
pub mod hints;
pub mod lexicon;
mod memo;
mod mixed;
mod night;
mod numbers;
mod plan;
mod readings;
mod scales;
mod scope;
mod setup;
mod stressors;
mod sums;
mod tokens;
mod vocabulary;
mod wishes;

use serde::{Deserialize, Serialize};

use crate::context::SessionResult;
use crate::end_session::{PlanAdherence, ResultCategory, RiskAppetite, SleepQuality, is_ready};
use crate::lang::Lang;
use crate::question::Question;

pub use memo::to_remember;
pub(crate) use scales::{is_bare_mark, is_hours};
pub(crate) use scope::Scene;
pub use sums::{Sum, Unit, category, signed};
pub use tokens::normal;

/// Something the user said, and their own words for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading<T> {
    pub value: T,
    pub words: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Levels are 1–10.
    pub readiness: Option<Reading<u8>>,
    pub stress: Option<Reading<u8>>,
    pub energy: Option<Reading<u8>>,
    pub regret: Option<Reading<u8>>,
    pub satisfaction: Option<Reading<u8>>,
    /// Ready or not, said without a number.
    pub ready: Option<Reading<bool>>,
    pub sleep: Option<Reading<SleepQuality>>,
    /// In the order they were said.
    pub feelings: Vec<Reading<Felt>>,
    pub stressors: Vec<String>,
    pub plan: Option<Reading<String>>,
    /// What is traded, how and where, not called a plan: one where nothing better is said.
    pub setup: Option<Reading<String>>,
    pub risk_appetite: Option<Reading<RiskAppetite>>,
    /// Of the day that is being talked about.
    pub result: Option<Reading<SessionResult>>,
    /// Of yesterday or earlier.
    pub past_result: Option<Reading<SessionResult>>,
    /// The sum in the user's words, without its sign.
    pub amount: Option<String>,
    /// The same sum as a number.
    pub sum: Option<Sum>,
    /// How many trades were made.
    pub trades: Option<Reading<u32>>,
    pub result_category: Option<Reading<ResultCategory>>,
    pub plan_adherence: Option<Reading<PlanAdherence>>,
    pub learnings: Option<Reading<String>>,
    pub signs: Vec<Reading<Sign>>,
    pub intents: Vec<Reading<Intent>>,
    pub answer: Option<Reading<Answer>>,
    pub distress: Option<Reading<Distress>>,
    /// A break that the user decides on (`true`) or refuses.
    pub own_break: Option<Reading<bool>>,
    /// "Не знаю", "сложно сказать": an answer, but nothing to note down.
    pub unsure: bool,
    pub thanks: bool,
    /// "Я в порядке", "это я образно": takes back what sounded like a crisis.
    pub denies_distress: bool,
    /// What is touched on, beyond what could be read.
    pub mentions: Mentions,
}

/// What an utterance touches on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Names of the lexicon's `[topics]`.
    pub topics: Vec<&'static str>,
    /// How often something of `[critical]` is said of oneself and now.
    pub critical: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Felt {
    pub feeling: Feeling,
    pub strength: Strength,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    Mild,
    Plain,
    Strong,
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name used in records and in the lexicon.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            fn named(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|v| v.name() == name)
            }
        }
    };
}

named!(Feeling {
    Calm => "calm",
    Focused => "focused",
    Confidence => "confidence",
    Joy => "joy",
    Relief => "relief",
    Excitement => "excitement",
    Anxiety => "anxiety",
    Fear => "fear",
    Frustration => "frustration",
    Anger => "anger",
    Sadness => "sadness",
    Guilt => "guilt",
    Fatigue => "fatigue",
    Boredom => "boredom",
    Neutral => "neutral",
});

named!(
    /// A sign of risk in the user's own words.
    Sign {
        Tilt => "tilt",
        Revenge => "revenge",
        Overconfidence => "overconfidence",
        WantsMore => "wants_more",
        Fatigue => "fatigue",
        HighStress => "high_stress",
        Borrowing => "borrowing",
        SelfBlame => "self_blame",
    }
);

named!(
    /// What the user wants of Calm.
    Intent {
        Stop => "stop",
        Minor => "minor",
        OtherLanguage => "language",
        AsksAdvice => "advice",
        AsksHuman => "human",
        AsksInstructions => "instructions",
        Reflect => "reflect",
        WantsPractice => "practice",
        WantsReminder => "reminder",
        AsksHistory => "history",
        AsksCalculation => "calculation",
        AsksCalendar => "calendar",
        WantsPerson => "person",
    }
);

named!(Answer {
    Yes => "yes",
    No => "no",
});

named!(
    /// Severe distress (SPEC A4, H4).
    Distress {
        SelfHarm => "self_harm",
        Ruin => "ruin",
        Panic => "panic",
    }
);

impl Feeling {
    /// Hard to carry, as opposed to good or indifferent.
    pub fn is_heavy(self) -> bool {
        matches!(
            self,
            Feeling::Anxiety
                | Feeling::Fear
                | Feeling::Frustration
                | Feeling::Anger
                | Feeling::Sadness
                | Feeling::Guilt
                | Feeling::Fatigue
        )
    }
}

/// The feeling to answer to: the first heavy one, else the first that says more than "fine".
pub fn main_feeling(feelings: &[Reading<Felt>]) -> Option<&Reading<Felt>> {
    let first = |wanted: fn(Feeling) -> bool| feelings.iter().find(move |f| wanted(f.value.feeling));
    first(Feeling::is_heavy).or_else(|| first(|f| f != Feeling::Neutral)).or_else(|| feelings.first())
}

impl Said {
    pub fn intends(&self, intent: Intent) -> bool {
        self.intents.iter().any(|i| i.value == intent)
    }

    pub fn shows(&self, sign: Sign) -> bool {
        self.signs.iter().any(|s| s.value == sign)
    }

    pub fn ready_to_trade(&self) -> bool {
        let level = self.readiness.as_ref().map(|r| is_ready(r.value, self.stress.as_ref().map(|s| s.value)));
        level.or_else(|| self.ready.as_ref().map(|r| r.value)).unwrap_or(false)
    }

    pub fn answers(&self, answer: Answer) -> bool {
        self.answer.as_ref().is_some_and(|a| a.value == answer)
    }

    /// Nothing at all could be read out of it.
    pub fn is_empty(&self) -> bool {
        *self == Said { mentions: self.mentions.clone(), ..Said::default() }
    }
}

/// Reads one utterance; `asked` is the question it may be the answer to.
pub fn read(text: &str, lang: Lang, asked: Option<Question>) -> Said {
    let spoken = spoken_language(text, lang);
    let mut said = readings::read(text, spoken, asked);
    mixed::complete(&mut said, text, spoken, asked);
    if said.distress.is_none() {
        // Safety does not depend on guessing the language right; the one that was spoken has been asked.
        let others = Lang::ALL.into_iter().filter(|lang| *lang != spoken);
        said.distress = readings::distress_in(text, others);
    }
    // Who answers "are you safe?" is in a crisis already: "nobody is here" is an answer, no second one.
    if said.distress.is_none() && asked != Some(Question::Safety) {
        said.distress = hints::distress(text, &said);
    }
    said
}

/// What the patterns alone hear; [`read`] listens to the hints as well.
pub fn distress_by_patterns(text: &str) -> Option<Reading<Distress>> {
    readings::distress_in(text, Lang::ALL)
}

/// The question that a reply asks, whoever wrote it; the last one where it asks several.
pub fn question_in(reply: &str, lang: Lang) -> Option<Question> {
    let scene = Scene::of(reply, lang);
    let asked = |at: usize| scene.tokens.gap_before(scene.tokens.sentence_end(at)).contains('?');
    scene.hits("asks").rfind(|hit| asked(hit.at.start)).and_then(|hit| Question::named(hit.name))
}

/// Loads the lexicons, which otherwise happens at the first reading (some milliseconds).
pub fn prepare() {
    for lang in Lang::ALL {
        lexicon::Lexicon::of(lang);
    }
}

/// The session's language, unless most letters are of the other alphabet.
pub(crate) fn spoken_language(text: &str, session: Lang) -> Lang {
    let (mut cyrillic, mut latin) = (0_usize, 0_usize);
    for c in text.chars() {
        cyrillic += usize::from(tokens::is_cyrillic(c));
        latin += usize::from(c.is_ascii_alphabetic());
    }
    match session {
        Lang::Ru if latin > 2 * cyrillic && latin > 3 => Lang::En,
        Lang::En if cyrillic > 2 * latin && cyrillic > 3 => Lang::Ru,
        same => same,
    }
}
