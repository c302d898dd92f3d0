//! The guard: what a reply of Calm must not contain, whoever wrote it (SPEC A3, H8, H9).
//!
//! It finds and quotes; replacing the sentence is the caller's business. The patterns are data
//! (`[guard]` in the lexicon).

use serde::Serialize;

use crate::lang::Lang;
use crate::understand::Scene;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// An instrument, a direction, a size, a forecast, a way to win it back.
    Advice,
    Promise,
    Diagnosis,
    /// "It's only money."
    Minimising,
    /// Mentions hearing something in the voice.
    Voice,
    /// Claims to be a person.
    HumanClaim,
    /// Guilt or fear of missing out.
    Pressure,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuardHit {
    pub rule: Rule,
    /// The words of the reply that the rule is about.
    pub words: String,
}

/// Every hit in a reply, in the order of the text; empty when the reply may be shown.
///
/// A denial is no hit ("я не человек"), with one exception: minimising words often begin with "не".
pub fn check(reply: &str, lang: Lang) -> Vec<GuardHit> {
    let scene = Scene::of(reply, lang);
    scene
        .hits("guard")
        .filter_map(|hit| {
            let rule = rule_named(hit.name)?;
            let denied = scene.negated(hit) && rule != Rule::Minimising;
            (!denied).then(|| GuardHit { rule, words: scene.words(&hit.at) })
        })
        .collect()
}

fn rule_named(name: &str) -> Option<Rule> {
    match name {
        "advice" => Some(Rule::Advice),
        "promise" => Some(Rule::Promise),
        "diagnosis" => Some(Rule::Diagnosis),
        "minimising" => Some(Rule::Minimising),
        "voice" => Some(Rule::Voice),
        "human_claim" => Some(Rule::HumanClaim),
        "pressure" => Some(Rule::Pressure),
        _ => None,
    }
}

/// Sentences that tell people what they must do; Sufler minds them, the guard does not.
pub(crate) fn lectures(reply: &str, lang: Lang) -> bool {
    let scene = Scene::of(reply, lang);
    scene.hits("guard").any(|h| h.name == "lecture")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::order("Покупай на откате, сейчас самое время.", Lang::Ru, &[Rule::Advice])]
    #[case::forecast("Думаю, рынок завтра вырастет.", Lang::Ru, &[Rule::Advice])]
    #[case::win_back("Спокойно, отыграешься завтра.", Lang::Ru, &[Rule::Advice])]
    #[case::promise("Гарантирую, станет легче.", Lang::Ru, &[Rule::Promise])]
    #[case::diagnosis("Похоже на тревожное расстройство.", Lang::Ru, &[Rule::Diagnosis])]
    #[case::minimising("Не переживай, это всего лишь деньги.", Lang::Ru, &[Rule::Minimising, Rule::Minimising])]
    #[case::voice("Слышу в твоём голосе напряжение.", Lang::Ru, &[Rule::Voice])]
    #[case::honest("Я не человек, я ИИ.", Lang::Ru, &[])]
    #[case::warm("Понимаю, минус двести. Отдохни сегодня.", Lang::Ru, &[])]
    #[case::order_en("You should buy the dip now.", Lang::En, &[Rule::Advice, Rule::Advice])]
    #[case::win_back_en("Tomorrow you can win it back.", Lang::En, &[Rule::Advice])]
    #[case::minimising_en("Don’t worry, it's just money.", Lang::En, &[Rule::Minimising, Rule::Minimising])]
    #[case::pressure_en("Don't leave, I'll miss you.", Lang::En, &[Rule::Pressure, Rule::Pressure])]
    #[case::human_en("I'm a real person.", Lang::En, &[Rule::HumanClaim])]
    #[case::honest_en("No, I'm not a human, I'm an AI.", Lang::En, &[])]
    #[case::warm_en("A loss is an event, not a grade.", Lang::En, &[])]
    fn hits(#[case] reply: &str, #[case] lang: Lang, #[case] expected: &[Rule]) {
        let rules: Vec<Rule> = check(reply, lang).into_iter().map(|h| h.rule).collect();
        assert_eq!(rules, expected);
    }
}
