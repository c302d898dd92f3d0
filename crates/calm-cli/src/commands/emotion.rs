//! `calm emotion`: files in, figures of the voice out; nothing is stored.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use calm_app::affect;
use calm_app::core::VoiceAnalysis;
use calm_app::ears::Ears;
use calm_app::voice::baseline::{CALM_LEVEL, ENOUGH, STEPS};
use calm_app::voice::emotion::TEMPERATURE;
use calm_app::voice::{Baseline, Comparison, Emotion};
use serde::Serialize;

use super::House;
use super::hear::decode_all;
use crate::args::EmotionArgs;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Serialize)]
#[serde(tag = "type", rename = "emotion")]
struct Measured<'a> {
    file: &'a str,
    seconds: f32,
    speech_seconds: f32,
    arousal: Option<f32>,
    arousal_logit: Option<f32>,
    probs: Option<BTreeMap<&'static str, f32>>,
    primary_emotion: Option<String>,
    confidence: Option<f32>,
    stress_level: Option<u8>,
    energy_level: Option<u8>,
    baseline: Option<Known>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation>,
}

#[derive(Serialize)]
struct Known {
    clips: u32,
    ready: bool,
}

/// How the levels came about; without a baseline there is nothing to compare with.
#[derive(Serialize)]
struct Explanation {
    windows: Vec<Window>,
    temperature: f32,
    confidence_floor: f32,
    deviation: Option<f64>,
    comparison: Option<Comparison>,
}

#[derive(Serialize)]
struct Window {
    seconds: f32,
    arousal_logit: f32,
    /// As the model says them, before the temperature.
    probs: BTreeMap<&'static str, f32>,
}

pub fn run(house: &House, args: &EmotionArgs, out: &Output) -> Result<ExitCode, Failure> {
    let clips = decode_all(&args.files)?;
    let mut ears = Ears::new(&house.paths()?.models, true);
    let baseline = house.stored_baseline(&args.microphone)?;
    for (file, clip) in &clips {
        let measured = ears.measure(clip)?;
        let emotion = measured.emotion.as_ref();
        let voice = emotion.map(|e| affect::analyse(e, &baseline));
        if out.json() {
            out.object(&Measured {
                file,
                seconds: clip.seconds(),
                speech_seconds: measured.speech_seconds,
                arousal: emotion.map(|e| e.arousal),
                arousal_logit: emotion.map(|e| e.arousal_logit),
                probs: emotion.map(affect::probabilities),
                primary_emotion: voice.as_ref().map(|v| v.primary_emotion.clone()),
                confidence: voice.as_ref().map(|v| v.confidence),
                stress_level: voice.as_ref().and_then(|v| v.stress_level),
                energy_level: voice.as_ref().and_then(|v| v.energy_level),
                baseline: (baseline.clips() > 0).then(|| Known { clips: baseline.clips(), ready: baseline.ready() }),
                explain: emotion.filter(|_| args.explain).map(|e| explained(e, &baseline)),
            });
            continue;
        }
        let name = Path::new(file.as_str()).file_name().map_or(file.clone(), |n| n.to_string_lossy().into_owned());
        out.line(&match (emotion, &voice) {
            (Some(emotion), Some(voice)) => format!(
                "{name:<24} {:>5.1} s speech   arousal {:.2}   {} {:.2}   {}",
                measured.speech_seconds,
                emotion.arousal,
                voice.primary_emotion,
                voice.confidence,
                match (voice.stress_level, voice.energy_level) {
                    (Some(stress), Some(energy)) => format!("stress {stress}/10, energy {energy}/10"),
                    _ => "calibrating: no level yet".to_owned(),
                }
            ),
            _ => format!("{name:<24} {:>5.1} s speech   not enough speech", measured.speech_seconds),
        });
        if let Some(emotion) = emotion.filter(|_| args.explain) {
            explain(emotion, &baseline, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn explained(emotion: &Emotion, baseline: &Baseline) -> Explanation {
    let window = |window: &calm_app::voice::Window| Window {
        seconds: window.seconds,
        arousal_logit: window.arousal_logit,
        probs: affect::named(window.probs),
    };
    Explanation {
        windows: emotion.windows.iter().map(window).collect(),
        temperature: TEMPERATURE,
        confidence_floor: VoiceAnalysis::CONFIDENCE_FLOOR,
        deviation: baseline.ready().then(|| baseline.deviation()),
        comparison: baseline.compare(emotion),
    }
}

/// For a reader with a pencil: every line can be recalculated.
fn explain(emotion: &Emotion, baseline: &Baseline, out: &Output) {
    let each: Vec<String> = emotion.windows.iter().map(|one| format!("{:.2}", one.arousal_logit)).collect();
    let length = emotion.windows.first().map_or(0.0, |one| one.seconds);
    let windows = crate::output::counted(each.len(), "window");
    out.line(&format!(
        "  {windows} of {length:.1} s, arousal logit {}: median z = {:.2}",
        each.join(", "),
        emotion.arousal_logit
    ));
    let probs = affect::probabilities(emotion);
    let probs: Vec<String> = probs.iter().map(|(name, p)| format!("{name} {p:.2}")).collect();
    let (sure, floor) = (emotion.confidence, VoiceAnalysis::CONFIDENCE_FLOOR);
    let shown = if sure < floor { "unclear below" } else { "named from" };
    out.line(&format!("  {} at temperature {TEMPERATURE}; {shown} {floor}", probs.join(", ")));
    let Some(c) = baseline.compare(emotion) else {
        out.line(&format!("  {} of {ENOUGH} calm clips: calibrating", baseline.clips()));
        return;
    };
    let (clips, deviation) = (baseline.clips(), baseline.deviation());
    out.line(&format!(
        "  {clips} calm clips: mean = {:.2}, deviation {deviation:.2}, with the common 1.5 sigma = {:.2}",
        c.mean, c.sigma
    ));
    out.line(&format!("  u = (z - mean) / sigma = {:.2}, g = 1 - 0.5 P(joy) = {:.2}", c.u, c.g));
    let at = |u: f64| CALM_LEVEL + STEPS * u;
    out.line(&format!(
        "  stress = {CALM_LEVEL} + {STEPS} u g = {:.2} -> {}, energy = {CALM_LEVEL} + {STEPS} u = {:.2} -> {}",
        at(c.u * c.g),
        c.stress,
        at(c.u),
        c.energy
    ));
}
