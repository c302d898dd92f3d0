//! Short-term memory: what the talk is about now, and an anchor for everything that it has left behind (SPEC M1).
//!
//! Rebuilt by hearing the session's turns once more, so a restart loses nothing of it.

use serde::Serialize;

use super::topic::Topic;
use crate::context::SessionResult;
use crate::lang::Lang;
use crate::understand::{Said, signed};

/// Figures kept of one topic.
const MOST_FIGURES: usize = 6;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShortTerm {
    topic: Option<Topic>,
    figures: Vec<Figure>,
    anchors: Vec<Anchor>,
    /// Utterances heard.
    turns: u32,
    heavy: u32,
}

/// A topic that the talk has left, with the numbers that were said about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Anchor {
    pub topic: Topic,
    pub figures: Vec<Figure>,
    /// The last utterance about it; 1 for the first one of the session.
    pub turn: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "of", content = "value")]
pub enum Figure {
    /// In the user's words, with its sign where the day had one: "-500 $".
    Amount(String),
    Trades(u32),
    /// These are on a scale of 1–10.
    Readiness(u8),
    Stress(u8),
    Energy(u8),
    Regret(u8),
    Satisfaction(u8),
}

impl ShortTerm {
    /// Takes in one utterance; a change of topic leaves an anchor behind.
    pub fn hear(&mut self, topic: Option<Topic>, said: &Said, heavy: bool) {
        if let Some(topic) = topic
            && self.topic != Some(topic)
        {
            self.leave();
            self.topic = Some(topic);
        }
        self.turns += 1;
        for figure in figures(said) {
            // "No, six hundred" takes the place of "five hundred".
            self.figures.retain(|known| std::mem::discriminant(known) != std::mem::discriminant(&figure));
            self.figures.push(figure);
        }
        self.figures.truncate(MOST_FIGURES);
        self.heavy = if heavy { self.heavy + 1 } else { 0 };
    }

    fn leave(&mut self) {
        let figures = std::mem::take(&mut self.figures);
        let Some(topic) = self.topic else { return };
        // Back and forth between two topics is one anchor each, not twenty.
        self.anchors.retain(|anchor| anchor.topic != topic || anchor.figures != figures && !figures.is_empty());
        self.anchors.push(Anchor { topic, figures, turn: self.turns });
    }

    pub fn topic(&self) -> Option<Topic> {
        self.topic
    }

    /// The oldest first.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Turns in a row with a heavy mood, the newest among them.
    pub fn heavy(&self) -> u32 {
        self.heavy
    }

    /// Whether the talk is about `topic`, or has been.
    pub fn touches(&self, topic: Topic) -> bool {
        self.topic == Some(topic) || self.anchors.iter().any(|anchor| anchor.topic == topic)
    }

    /// Every number of the talk, the newest of its kind, for a look back.
    pub fn figures(&self) -> Vec<&Figure> {
        let mut found: Vec<&Figure> = Vec::new();
        for figure in self.anchors.iter().flat_map(|anchor| &anchor.figures).chain(&self.figures) {
            found.retain(|known| std::mem::discriminant(*known) != std::mem::discriminant(figure));
            found.push(figure);
        }
        found
    }

    /// The anchors in one line, for a model that no longer sees those turns.
    pub fn line(&self, lang: Lang) -> Option<String> {
        let told: Vec<String> = self.anchors.iter().map(|anchor| anchor.in_words(lang)).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

impl Anchor {
    fn in_words(&self, lang: Lang) -> String {
        let figures: Vec<String> = self.figures.iter().map(|figure| figure.in_words(lang)).collect();
        let topic = self.topic.word(lang);
        if figures.is_empty() { topic.to_owned() } else { format!("{topic} ({})", figures.join(", ")) }
    }
}

impl Figure {
    pub fn in_words(&self, lang: Lang) -> String {
        let level = |ru: &str, en: &str, value: u8| match lang {
            Lang::Ru => format!("{ru} {value}/10"),
            Lang::En => format!("{en} {value}/10"),
        };
        match (self, lang) {
            // A sign before words is read by nobody: "−сто".
            (Figure::Amount(amount), _) => match (amount.strip_prefix('−'), amount.strip_prefix('+')) {
                (Some(lost), _) => signed(lost, SessionResult::Loss, lang),
                (_, Some(won)) if won.starts_with(char::is_alphabetic) => match lang {
                    Lang::Ru => format!("плюс {won}"),
                    Lang::En => format!("plus {won}"),
                },
                _ => amount.clone(),
            },
            // The number last, so that no ending has to agree with it.
            (Figure::Trades(count), Lang::Ru) => format!("сделок {count}"),
            (Figure::Trades(1), Lang::En) => "1 trade".to_owned(),
            (Figure::Trades(count), Lang::En) => format!("{count} trades"),
            (Figure::Readiness(value), _) => level("готовность", "readiness", *value),
            (Figure::Stress(value), _) => level("стресс", "stress", *value),
            (Figure::Energy(value), _) => level("силы", "energy", *value),
            (Figure::Regret(value), _) => level("сожаление", "regret", *value),
            (Figure::Satisfaction(value), _) => level("своей работе", "satisfaction", *value),
        }
    }
}

/// The numbers that an utterance gives about the user and the day.
pub fn figures(said: &Said) -> Vec<Figure> {
    let sign = match said.result.as_ref().or(said.past_result.as_ref()).map(|result| result.value) {
        Some(SessionResult::Loss) => "−",
        Some(SessionResult::Win) => "+",
        Some(SessionResult::Breakeven) | None => "",
    };
    let amount = said.amount.as_ref().map(|amount| Figure::Amount(format!("{sign}{amount}")));
    let trades = said.trades.as_ref().map(|trades| Figure::Trades(trades.value));
    let levels = [
        said.readiness.as_ref().map(|level| Figure::Readiness(level.value)),
        said.stress.as_ref().map(|level| Figure::Stress(level.value)),
        said.energy.as_ref().map(|level| Figure::Energy(level.value)),
        said.regret.as_ref().map(|level| Figure::Regret(level.value)),
        said.satisfaction.as_ref().map(|level| Figure::Satisfaction(level.value)),
    ];
    amount.into_iter().chain(trades).chain(levels.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::read;

    fn heard(lines: &[&str], lang: Lang) -> ShortTerm {
        let mut memory = ShortTerm::default();
        for line in lines {
            let said = read(line, lang, None);
            memory.hear(Topic::of(&said), &said, false);
        }
        memory
    }

    #[test]
    fn a_change_of_topic_leaves_an_anchor_with_its_numbers() {
        let memory = heard(&["закрыл день в минус 500 долларов, две сделки", "спал плохо"], Lang::Ru);
        assert_eq!(memory.topic(), Some(Topic::Sleep));
        let line = memory.line(Lang::Ru);
        assert_eq!(line.as_deref(), Some("результат (−500 долларов, сделок 2)"));
    }

    #[test]
    fn small_talk_changes_nothing() {
        let memory = heard(&["закрыл день в минус 500", "ну да", "бывает"], Lang::Ru);
        assert_eq!((memory.topic(), memory.anchors().len()), (Some(Topic::Result), 0));
    }

    #[test]
    fn the_newest_number_of_a_kind_counts() {
        let memory = heard(&["readiness is a six", "no, readiness is an eight", "slept badly"], Lang::En);
        assert_eq!(memory.figures(), [&Figure::Readiness(8)]);
    }

    #[test]
    fn going_back_and_forth_is_one_anchor_each() {
        let lines = ["slept badly", "i am anxious", "slept badly", "i am anxious", "slept badly"];
        assert_eq!(heard(&lines, Lang::En).anchors().len(), 2);
    }

    #[test]
    fn heavy_turns_are_counted_in_a_row() {
        let mut memory = ShortTerm::default();
        for heavy in [true, true, false, true] {
            memory.hear(None, &Said::default(), heavy);
        }
        assert_eq!(memory.heavy(), 1);
    }
}
