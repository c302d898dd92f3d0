//! What Sufler's scores have taught about this user: trust, and the topics that go well or badly (SPEC C2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::topic::Topic;

/// A reply scored so low has missed the person.
pub const MISSED: u8 = 2;
/// From here on a topic is one that goes well.
const WENT_WELL: u8 = 4;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserModel {
    /// 0–1.
    pub trust: f32,
    /// Replies scored so far.
    pub scores: u32,
    /// Of the scores, 1–5; 0 before the first.
    pub mean: f32,
    pub topics: BTreeMap<Topic, TopicScores>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicScores {
    pub well: u32,
    pub badly: u32,
}

impl Default for UserModel {
    fn default() -> UserModel {
        UserModel { trust: 0.5, scores: 0, mean: 0.0, topics: BTreeMap::new() }
    }
}

impl UserModel {
    /// After a reply that Sufler scored 1–5.
    pub fn learn(&mut self, score: u8, topic: Option<Topic>) {
        let score = score.clamp(1, 5);
        self.trust = trust_after(self.trust, score);
        self.scores = self.scores.saturating_add(1);
        self.mean += (f32::from(score) - self.mean) / self.scores as f32;
        let Some(topic) = topic else { return };
        let of_topic = self.topics.entry(topic).or_default();
        of_topic.badly += u32::from(score <= MISSED);
        of_topic.well += u32::from(score >= WENT_WELL);
    }

    /// The most often first.
    pub fn frequent_topics(&self) -> Vec<Topic> {
        self.ranked(|scores| scores.well)
    }

    /// The most often first.
    pub fn frustration_topics(&self) -> Vec<Topic> {
        self.ranked(|scores| scores.badly)
    }

    fn ranked(&self, count: impl Fn(&TopicScores) -> u32) -> Vec<Topic> {
        let counted = self.topics.iter().map(|(topic, scores)| (count(scores), *topic));
        let mut ranked: Vec<(u32, Topic)> = counted.filter(|(count, _)| *count > 0).collect();
        ranked.sort_by_key(|(count, topic)| (std::cmp::Reverse(*count), *topic));
        ranked.into_iter().map(|(_, topic)| topic).collect()
    }
}

/// Trust after a reply that Sufler scored 1–5 (SPEC C2).
pub fn trust_after(trust: f32, score: u8) -> f32 {
    0.9 * trust + 0.1 * (f32::from(score.clamp(1, 5)) / 5.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trust_moves_slowly_towards_the_score() {
        assert!((trust_after(0.5, 5) - 0.55).abs() < 1e-6);
        assert!((trust_after(0.5, 1) - 0.47).abs() < 1e-6);
    }

    #[test]
    fn a_topic_is_remembered_by_how_it_went() {
        let mut model = UserModel::default();
        for (score, topic) in [(5, Topic::Plan), (2, Topic::Result), (1, Topic::Result), (3, Topic::Sleep)] {
            model.learn(score, Some(topic));
        }
        assert_eq!(model.frequent_topics(), [Topic::Plan]);
        assert_eq!(model.frustration_topics(), [Topic::Result]);
        assert!((model.mean - 2.75).abs() < 1e-5);
    }

    proptest! {
        #[test]
        fn trust_stays_between_nothing_and_full(scores in proptest::collection::vec(0_u8..=9, 0..400)) {
            let mut model = UserModel::default();
            for score in &scores {
                model.learn(*score, None);
                prop_assert!((0.0..=1.0).contains(&model.trust));
            }
            prop_assert_eq!(model.scores as usize, scores.len());
        }

        #[test]
        fn equal_scores_lead_to_their_share(score in 1_u8..=5) {
            let mut model = UserModel::default();
            (0..200).for_each(|_| model.learn(score, None));
            prop_assert!((model.trust - f32::from(score) / 5.0).abs() < 1e-3);
        }
    }
}
