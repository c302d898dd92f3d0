//! What Sufler's scores teach about this user: trust, and whether a topic went well (SPEC C2).

/// A reply scored so low has missed the person; its topic is one of frustration.
pub const MISSED: u8 = 2;
/// From here on a topic is one that goes well.
pub const WENT_WELL: u8 = 4;

/// Trust, 0–1, after a reply that Sufler scored 1–5.
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

    proptest! {
        #[test]
        fn trust_stays_between_nothing_and_full(scores in proptest::collection::vec(0_u8..=9, 0..400)) {
            let mut trust = 0.5;
            for score in scores {
                trust = trust_after(trust, score);
                prop_assert!((0.0..=1.0).contains(&trust));
            }
        }

        #[test]
        fn equal_scores_lead_to_their_share(score in 1_u8..=5) {
            let trust = (0..200).fold(0.5, |trust, _| trust_after(trust, score));
            prop_assert!((trust - f32::from(score) / 5.0).abs() < 1e-3);
        }
    }
}
