//! What a message is about, in one word.

use serde::{Deserialize, Serialize};

use crate::lang::Lang;
use crate::question::Question;
use crate::understand::{Intent, Said, Sign};

/// Named in records, in short-term memory and, in the session's language, in labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Wishing to win it back, tilt, trading on borrowed money.
    Chasing,
    Advice,
    Practice,
    /// Whether the plan was kept.
    Discipline,
    Learnings,
    Result,
    Plan,
    Risk,
    Sleep,
    Stressors,
    Readiness,
    Feelings,
}

impl Topic {
    pub const ALL: [Topic; 12] = [
        Topic::Chasing,
        Topic::Advice,
        Topic::Practice,
        Topic::Discipline,
        Topic::Learnings,
        Topic::Result,
        Topic::Plan,
        Topic::Risk,
        Topic::Sleep,
        Topic::Stressors,
        Topic::Readiness,
        Topic::Feelings,
    ];

    /// The first of [`Topic::ALL`] that the message speaks of; small talk and a crisis are about none.
    pub fn of(said: &Said) -> Option<Topic> {
        if said.distress.is_some() {
            return None;
        }
        Topic::ALL.into_iter().find(|topic| topic.is_spoken_of(said))
    }

    fn is_spoken_of(self, said: &Said) -> bool {
        let names = |name| said.mentions.topics.contains(&name);
        match self {
            Topic::Chasing => [Sign::Revenge, Sign::Tilt, Sign::Borrowing].into_iter().any(|sign| said.shows(sign)),
            Topic::Advice => said.intends(Intent::AsksAdvice),
            Topic::Practice => said.intends(Intent::WantsPractice) || names("practice"),
            Topic::Learnings => said.learnings.is_some(),
            Topic::Discipline => said.plan_adherence.is_some(),
            Topic::Result => said.result.is_some() || said.past_result.is_some() || said.sum.is_some(),
            Topic::Risk => said.risk_appetite.is_some() || names("risk"),
            Topic::Plan => said.plan.is_some() || names("plan"),
            Topic::Sleep => said.sleep.is_some(),
            Topic::Stressors => !said.stressors.is_empty(),
            Topic::Readiness => said.readiness.is_some() || said.ready.is_some(),
            Topic::Feelings => !said.feelings.is_empty() || said.stress.is_some() || said.energy.is_some(),
        }
    }

    /// The topic that an answer to `question` is about, whatever its words.
    pub fn asked_by(question: Question) -> Option<Topic> {
        Some(match question {
            Question::Readiness => Topic::Readiness,
            Question::Sleep => Topic::Sleep,
            Question::Stressors => Topic::Stressors,
            Question::Plan => Topic::Plan,
            Question::RiskAppetite => Topic::Risk,
            Question::Result | Question::GoOn | Question::Satisfaction => Topic::Result,
            Question::Feelings | Question::Probe => Topic::Feelings,
            Question::PlanComparison => Topic::Discipline,
            Question::Learnings => Topic::Learnings,
            Question::Practice | Question::AfterPractice => Topic::Practice,
            Question::HowAreYou | Question::HowWasIt | Question::More | Question::Safety => return None,
        })
    }

    /// The name used in records.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Chasing => "chasing",
            Topic::Advice => "advice",
            Topic::Practice => "practice",
            Topic::Learnings => "learnings",
            Topic::Discipline => "discipline",
            Topic::Result => "result",
            Topic::Risk => "risk",
            Topic::Plan => "plan",
            Topic::Sleep => "sleep",
            Topic::Stressors => "stressors",
            Topic::Readiness => "readiness",
            Topic::Feelings => "feelings",
        }
    }

    pub fn named(name: &str) -> Option<Topic> {
        Topic::ALL.into_iter().find(|topic| topic.name() == name)
    }

    /// For a person or a model to read, in lower case.
    pub fn word(self, lang: Lang) -> &'static str {
        match (lang, self) {
            (Lang::En, Topic::Stressors) => "outside pressure",
            (Lang::En, topic) => topic.name(),
            (Lang::Ru, Topic::Chasing) => "отыгрыш",
            (Lang::Ru, Topic::Advice) => "советы",
            (Lang::Ru, Topic::Practice) => "практика",
            (Lang::Ru, Topic::Learnings) => "выводы",
            (Lang::Ru, Topic::Discipline) => "дисциплина",
            (Lang::Ru, Topic::Result) => "результат",
            (Lang::Ru, Topic::Risk) => "риск",
            (Lang::Ru, Topic::Plan) => "план",
            (Lang::Ru, Topic::Sleep) => "сон",
            (Lang::Ru, Topic::Stressors) => "нагрузка",
            (Lang::Ru, Topic::Readiness) => "готовность",
            (Lang::Ru, Topic::Feelings) => "состояние",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::read;
    use rstest::rstest;

    #[rstest]
    #[case::result("закрыл день в минус двести", Lang::Ru, Some(Topic::Result))]
    #[case::chasing_outweighs_the_result("минус двести, хочу отыграться", Lang::Ru, Some(Topic::Chasing))]
    #[case::sleep("slept badly", Lang::En, Some(Topic::Sleep))]
    #[case::feelings("немного волнуюсь", Lang::Ru, Some(Topic::Feelings))]
    #[case::small_talk("ну да, бывает", Lang::Ru, None)]
    #[case::a_crisis_is_no_topic("I don't want to live anymore", Lang::En, None)]
    fn of_a_message(#[case] text: &str, #[case] lang: Lang, #[case] expected: Option<Topic>) {
        assert_eq!(Topic::of(&read(text, lang, None)), expected);
    }

    #[test]
    fn names_are_read_back() {
        for topic in Topic::ALL {
            assert_eq!(Topic::named(topic.name()), Some(topic));
        }
    }
}
