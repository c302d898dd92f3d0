//! What Calm can ask. One question travels with a reply, and the next answer is read in its light.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Opens a check-in.
    HowAreYou,
    /// Opens a check-out.
    HowWasIt,
    /// On a scale of 1–10.
    Readiness,
    Sleep,
    Stressors,
    Plan,
    RiskAppetite,
    /// Up, down or flat; never how much.
    Result,
    Feelings,
    /// Worded so that "yes" means the plan was kept.
    PlanComparison,
    Learnings,
    /// On a scale of 1–10.
    Satisfaction,
    /// The words say fine and the voice does not.
    Probe,
    /// After a win: go on, or let the day be good.
    GoOn,
    /// Consent to a practice; talking is offered in the same breath.
    Practice,
    AfterPractice,
    /// In a crisis: is the person safe right now.
    Safety,
    /// In the unlimited format: is there anything else.
    More,
}

impl Question {
    pub const ALL: [Question; 18] = [
        Question::HowAreYou,
        Question::HowWasIt,
        Question::Readiness,
        Question::Sleep,
        Question::Stressors,
        Question::Plan,
        Question::RiskAppetite,
        Question::Result,
        Question::Feelings,
        Question::PlanComparison,
        Question::Learnings,
        Question::Satisfaction,
        Question::Probe,
        Question::GoOn,
        Question::Practice,
        Question::AfterPractice,
        Question::Safety,
        Question::More,
    ];

    pub fn named(name: &str) -> Option<Question> {
        Question::ALL.into_iter().find(|question| question.name() == name)
    }

    /// The name used in records and in the guide's phrase files.
    pub fn name(self) -> &'static str {
        match self {
            Question::HowAreYou => "how_are_you",
            Question::HowWasIt => "how_was_it",
            Question::Readiness => "readiness",
            Question::Sleep => "sleep",
            Question::Stressors => "stressors",
            Question::Plan => "plan",
            Question::RiskAppetite => "risk_appetite",
            Question::Result => "result",
            Question::Feelings => "feelings",
            Question::PlanComparison => "plan_comparison",
            Question::Learnings => "learnings",
            Question::Satisfaction => "satisfaction",
            Question::Probe => "probe",
            Question::GoOn => "go_on",
            Question::Practice => "practice",
            Question::AfterPractice => "after_practice",
            Question::Safety => "safety",
            Question::More => "more",
        }
    }
}
