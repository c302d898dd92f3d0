//! Answers that answer nothing, and are answers all the same: "не знаю", "дальше", "это я пошутил".

use crate::question::Question;
use crate::understand::{Answer, Feeling, Said, Scene, Sign};

/// Longer than this is a story in which such words only happen to stand.
const FEW_WORDS: usize = 8;

const GREETING: usize = 3;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Manner {
    /// "Hard to say."
    pub unsure: bool,
    /// Would rather not answer this one; no refusal to talk.
    pub skips: bool,
    pub thanks: bool,
    /// "It was a joke."
    pub false_alarm: bool,
    /// "I'm all right, forget it", or a denial of what sounded like a crisis.
    pub denies: bool,
    /// "Okay, thanks": enough for now.
    pub settles: bool,
    /// "Нормально", and no more.
    light: bool,
    /// Says hello, and nothing of how it is.
    pub greets: bool,
    /// "That's the anger talking": the impulse is seen for what it is.
    pub sees_through: bool,
    /// "Not until it's back": one word more for a wish that was already said.
    pub insists: bool,
    /// Names somebody who is near.
    pub near: bool,
    /// "Nothing", "no plan": an answer that leaves nothing to note down.
    pub nothing: bool,
}

impl Manner {
    pub fn of(scene: &Scene<'_>, said: &Said) -> Manner {
        let short = scene.tokens.len() <= FEW_WORDS;
        let any = |name: &str| scene.hits("manner").any(|hit| hit.name == name);
        Manner {
            unsure: short && said.unsure,
            skips: short && any("skips"),
            thanks: short && said.thanks,
            false_alarm: any("false_alarm"),
            denies: said.denies_distress || any("denies") || scene.hits("distress").any(|hit| scene.negated(hit)),
            settles: short && any("settles"),
            light: scene.tokens.len() <= GREETING && any_light(scene),
            greets: scene.tokens.len() <= GREETING && any("greets"),
            sees_through: any("sees_through"),
            insists: any("insists"),
            near: scene.hits("manner").any(|hit| hit.name == "near" && !scene.negated(hit)),
            nothing: scene.hits("nothing").next().is_some(),
        }
    }

    /// Takes back what was read only because the whole answer was taken for one.
    pub fn undo(self, asked: Option<Question>, said: &mut Said) {
        // "Нормально" is no worry, and a loan is no lesson.
        if self.light && asked == Some(Question::Stressors) {
            said.stressors.clear();
        }
        let of_risk = said.signs.iter().filter(|s| s.value != Sign::Fatigue && s.value != Sign::HighStress);
        if said.learnings.as_ref().is_some_and(|l| of_risk.into_iter().any(|s| l.value.contains(&s.words))) {
            said.learnings = None;
        }
        if !self.skips && !self.unsure {
            return;
        }
        match asked {
            Some(Question::Stressors) => said.stressors.clear(),
            Some(Question::Plan) => said.plan = None,
            Some(Question::Learnings) => said.learnings = None,
            Some(Question::PlanComparison) => {
                let by_answer = said.answer.as_ref().map(|answer: &crate::understand::Reading<Answer>| &answer.words);
                if said.plan_adherence.as_ref().map(|p| &p.words) == by_answer {
                    said.plan_adherence = None;
                }
            }
            _ => {}
        }
    }
}

fn any_light(scene: &Scene<'_>) -> bool {
    let heavy = |name: &str| Feeling::ALL.iter().any(|f| f.name() == name && f.is_heavy());
    let mut felt = scene.hits("feelings").peekable();
    felt.peek().is_some() && felt.all(|hit| !heavy(hit.name) && !scene.negated(hit))
}
