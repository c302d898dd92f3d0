//! What this user sounds like when calm, on this microphone.
//!
//! Arousal differs more between people than between moods, so a level is a distance from one's own calm. Rule:
//! `u = (z − μ) / σ`, where σ leans on a common spread of 1.5 until the user's own is known; stress is `4 + 2.3·u·g`
//! and energy `4 + 2.3·u`, where `g` takes up to half away as the voice sounds joyful. Which clips count as calm is
//! the caller's decision; [`Baseline::learn_from`] only refuses a voice that is a high level itself.

use crate::Emotion;
use serde::{Deserialize, Serialize};

/// Calm clips without which no level is given.
pub const ENOUGH: u32 = 5;
/// The spread that users have in common, and how many clips it weighs as much as.
const COMMON_DEVIATION: f64 = 1.5;
const COMMON_WEIGHT: f64 = 5.0;
/// The level of a calm voice, and the steps per standard deviation above it.
pub const CALM_LEVEL: f64 = 4.0;
pub const STEPS: f64 = 2.3;
/// How much of the distance certain joy takes away from stress.
const JOY: f64 = 0.5;
/// A stress above this is called high (SPEC S5).
const HIGH: u8 = 7;

/// How a voice compares with the user's own calm, figure by figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The arousal logit of this voice.
    pub z: f64,
    /// Of the calm clips.
    pub mean: f64,
    /// Of the calm clips and the common spread.
    pub sigma: f64,
    /// Standard deviations above calm.
    pub u: f64,
    /// What joy leaves of `u` in stress, 0.5–1.
    pub g: f64,
    /// 1–10.
    pub stress: u8,
    /// 1–10.
    pub energy: u8,
}

/// Running mean and variance of the arousal logit over calm clips.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Calm clips learned from.
    n: u32,
    mean: f64,
    /// Sample variance; 0 below two clips.
    variance: f64,
}

impl Baseline {
    /// Takes in the arousal logit of a calm clip. What is not a number is ignored.
    pub fn learn(&mut self, arousal_logit: f32) {
        let z = f64::from(arousal_logit);
        if !z.is_finite() {
            return;
        }
        let before = f64::from(self.n);
        self.n = self.n.saturating_add(1);
        let squares = self.variance * (before - 1.0).max(0.0);
        let off = z - self.mean;
        self.mean += off / (before + 1.0);
        self.variance = (squares + off * (z - self.mean)) / before.max(1.0);
    }

    /// How many calm clips are known.
    pub fn clips(&self) -> u32 {
        self.n
    }

    /// Whether [`Baseline::levels`] gives numbers.
    pub fn ready(&self) -> bool {
        self.n >= ENOUGH && self.mean.is_finite() && self.variance.is_finite()
    }

    /// Mean of the arousal logit over the calm clips.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Standard deviation over the calm clips; 0 below two of them.
    pub fn deviation(&self) -> f64 {
        self.variance.max(0.0).sqrt()
    }

    /// Stress and energy on the user's own scale, 1–10 each; a calm voice is at 4. `None` until five clips are known.
    pub fn levels(&self, emotion: &Emotion) -> Option<(u8, u8)> {
        self.compare(emotion).map(|comparison| (comparison.stress, comparison.energy))
    }

    /// As [`Baseline::levels`], with the figures that led there.
    pub fn compare(&self, emotion: &Emotion) -> Option<Comparison> {
        let z = f64::from(emotion.arousal_logit);
        if !self.ready() || !z.is_finite() {
            return None;
        }
        let n = f64::from(self.n);
        let common = COMMON_WEIGHT * COMMON_DEVIATION * COMMON_DEVIATION;
        let variance = ((n - 1.0) * self.variance.max(0.0) + common) / (n + COMMON_WEIGHT - 1.0);
        let sigma = variance.sqrt();
        let u = (z - self.mean) / sigma;
        let g = 1.0 - JOY * f64::from(emotion.probs[1]).clamp(0.0, 1.0);
        let level = |u: f64| (CALM_LEVEL + STEPS * u).round().clamp(1.0, 10.0) as u8;
        Some(Comparison { z, mean: self.mean, sigma, u, g, stress: level(u * g), energy: level(u) })
    }

    /// Learns from a voice that the user calls calm; says whether it did. Somebody whose voice is at a high level may
    /// say so and mean it, but is not the calm that others are measured against.
    pub fn learn_from(&mut self, emotion: &Emotion) -> bool {
        let strained = self.levels(emotion).is_some_and(|(stress, _)| stress > HIGH);
        if !strained {
            self.learn(emotion.arousal_logit);
        }
        !strained
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Feeling;
    use proptest::prelude::*;
    use rstest::rstest;

    fn voice(arousal_logit: f32, joy: f32) -> Emotion {
        Emotion {
            probs: [1.0 - joy, joy, 0.0, 0.0, 0.0],
            arousal: 0.5,
            arousal_logit,
            primary: Feeling::Neutral,
            confidence: 0.9,
            speech_seconds: 5.0,
            windows: Vec::new(),
        }
    }

    fn calm(logits: &[f32]) -> Baseline {
        let mut baseline = Baseline::default();
        logits.iter().for_each(|z| baseline.learn(*z));
        baseline
    }

    /// Five clips at −1 ± 0.5 make μ = −1, s² = 0.125, σ = √((4·0.125 + 11.25) / 9) = 1.143.
    #[rstest]
    #[case::as_calm_as_ever(-1.0, 0.0, (4, 4))]
    #[case::half_a_deviation(-0.43, 0.0, (5, 5))]
    #[case::one_deviation(0.143, 0.0, (6, 6))]
    #[case::two_deviations(1.286, 0.0, (9, 9))]
    #[case::joy_is_energy_and_half_the_stress(1.286, 1.0, (6, 9))]
    #[case::some_joy(1.286, 0.5, (7, 9))]
    #[case::below_calm(-2.143, 0.0, (2, 2))]
    #[case::clamped_above(9.0, 0.0, (10, 10))]
    #[case::clamped_below(-9.0, 0.0, (1, 1))]
    fn levels_are_distances_from_calm(#[case] z: f32, #[case] joy: f32, #[case] expected: (u8, u8)) {
        let baseline = calm(&[-1.5, -1.0, -0.5, -1.0, -1.0]);
        assert_eq!(baseline.levels(&voice(z, joy)), Some(expected));
    }

    #[rstest]
    #[case::nothing(&[])]
    #[case::four(&[-1.0, -1.1, -0.9, -1.0])]
    #[case::five_of_which_one_is_no_number(&[-1.0, -1.1, f32::NAN, -0.9, -1.0])]
    fn no_number_before_five_clips(#[case] logits: &[f32]) {
        let baseline = calm(logits);
        assert!(!baseline.ready());
        assert_eq!(baseline.levels(&voice(3.0, 0.0)), None);
    }

    #[test]
    fn a_monotonous_voice_still_has_a_spread() {
        // σ = √(11.25 / 9) = 1.118: without the common spread the smallest change would be a 10.
        assert_eq!(calm(&[-2.0; 5]).levels(&voice(-1.5, 0.0)), Some((5, 5)));
    }

    #[test]
    fn learning_one_by_one_gives_the_plain_mean_and_variance() {
        let logits: Vec<f32> = (0..50).map(|i| (i as f32 * 0.7).sin() * 2.0 - 1.0).collect();
        let baseline = calm(&logits);
        let mean = logits.iter().map(|z| f64::from(*z)).sum::<f64>() / 50.0;
        let variance = logits.iter().map(|z| (f64::from(*z) - mean).powi(2)).sum::<f64>() / 49.0;
        assert!((baseline.mean - mean).abs() < 1e-9);
        assert!((baseline.variance - variance).abs() < 1e-9);
    }

    #[test]
    fn what_is_stored_is_what_was_learned() {
        let baseline = calm(&[-1.5, -1.0, -0.5, -1.0, -1.0, 0.25]);
        let stored = serde_json::to_string(&baseline).expect("serialise");
        assert_eq!(serde_json::from_str::<Baseline>(&stored).expect("deserialise"), baseline);
    }

    #[rstest]
    #[case::negative_variance(r#"{"n":5,"mean":0.0,"variance":-100.0}"#)]
    #[case::no_spread(r#"{"n":4294967295,"mean":1e300,"variance":0.0}"#)]
    fn a_damaged_baseline_gives_a_level_or_none_but_no_panic(#[case] stored: &str) {
        let mut baseline: Baseline = serde_json::from_str(stored).expect("deserialise");
        baseline.learn(0.1);
        if let Some((stress, energy)) = baseline.levels(&voice(0.5, 0.2)) {
            assert!((1..=10).contains(&stress) && (1..=10).contains(&energy));
        }
    }

    #[test]
    fn a_strained_voice_does_not_become_the_new_calm() {
        let mut baseline = calm(&[-1.5, -1.0, -0.5, -1.0, -1.0]);
        let before = baseline.clone();
        assert!(!baseline.learn_from(&voice(2.0, 0.0)), "a stress of 10");
        assert_eq!(baseline, before);
        assert!(baseline.learn_from(&voice(-0.4, 0.0)));
        assert_eq!(baseline.clips(), 6);
    }

    #[test]
    fn before_there_is_a_scale_every_calm_clip_is_taken() {
        let mut baseline = calm(&[-1.0; 4]);
        assert!(baseline.learn_from(&voice(6.0, 0.0)));
        assert!(baseline.ready());
    }

    fn clips() -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-14.0f32..14.0, 5..60)
    }

    proptest! {
        #[test]
        fn levels_stay_on_the_scale_and_joy_draws_stress_towards_calm(
            logits in clips(),
            z in -14.0f32..14.0,
            joy in 0.0f32..=1.0,
        ) {
            let (baseline, heard) = (calm(&logits), voice(z, joy));
            let found = baseline.compare(&heard).unwrap();
            prop_assert!((1..=10).contains(&found.stress) && (1..=10).contains(&found.energy));
            prop_assert!((0.5..=1.0).contains(&found.g));
            prop_assert_eq!(Some((found.stress, found.energy)), baseline.levels(&heard));
            let without = baseline.compare(&voice(z, 0.0)).unwrap();
            prop_assert_eq!(found.energy, without.energy);
            prop_assert_eq!(without.stress, without.energy);
            let calmer = if found.u < 0.0 { found.stress >= without.stress } else { found.stress <= without.stress };
            prop_assert!(calmer, "{found:?}");
        }

        #[test]
        fn a_more_aroused_voice_is_never_calmer(logits in clips(), z in -14.0f32..14.0, more in 0.0f32..10.0) {
            let level = |z: f32| calm(&logits).levels(&voice(z, 0.2)).unwrap();
            let (low, high) = (level(z), level(z + more));
            prop_assert!(low.0 <= high.0 && low.1 <= high.1);
        }

        #[test]
        fn ones_own_mean_is_a_four(logits in clips()) {
            let baseline = calm(&logits);
            prop_assert_eq!(baseline.levels(&voice(baseline.mean as f32, 0.3)), Some((4, 4)));
        }

        #[test]
        fn sigma_lies_between_ones_own_spread_and_the_common_one(logits in clips(), z in -14.0f32..14.0) {
            let baseline = calm(&logits);
            let sigma = baseline.compare(&voice(z, 0.0)).unwrap().sigma;
            // With n − 1 and 5 as weights over n + 4, σ² is an average of the two.
            let (own, common) = (baseline.deviation(), COMMON_DEVIATION);
            prop_assert!(sigma >= own.min(common) - 1e-9 && sigma <= own.max(common) + 1e-9, "{own} {sigma}");
        }

        #[test]
        fn the_order_of_clips_does_not_matter(logits in clips()) {
            let forward = calm(&logits);
            let backward = calm(&logits.iter().rev().copied().collect::<Vec<_>>());
            prop_assert!((forward.mean - backward.mean).abs() < 1e-9);
            prop_assert!((forward.variance - backward.variance).abs() < 1e-6);
        }
    }
}
