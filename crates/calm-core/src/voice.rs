//! What the voice tells, on the user's own scale (SPEC S3, V4).

use serde::{Deserialize, Serialize};

/// One utterance's analysis, as events and the record carry it.
///
/// The levels are `None` until the user's baseline exists; then `calibrating` is true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VoiceAnalysis {
    /// 1–10 against the user's own baseline.
    pub stress_level: Option<u8>,
    /// 1–10 against the user's own baseline.
    pub energy_level: Option<u8>,
    /// `neutral`, `joy`, `anger`, `sadness`, `fear`, or `unclear` below the confidence floor.
    pub primary_emotion: String,
    /// 0–1, of the emotion.
    pub confidence: f32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calibrating: bool,
}

impl VoiceAnalysis {
    /// The emotion is named only from this confidence on (ser recipe: the class head is overconfident).
    pub const CONFIDENCE_FLOOR: f32 = 0.6;
}
