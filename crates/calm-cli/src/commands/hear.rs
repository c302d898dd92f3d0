//! `calm transcribe` and `calm emotion`: files in, words and figures out; nothing is stored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use calm_app::affect;
use calm_app::ears::{self, Ears};
use calm_app::voice::{self, Clip, Tongue};
use serde::Serialize;

use super::House;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Serialize)]
#[serde(tag = "type", rename = "transcript")]
pub struct Transcript<'a> {
    file: &'a str,
    text: String,
    language: &'static str,
    seconds: f32,
    segments: Vec<Segment>,
    asr_ms: u64,
}

#[derive(Serialize)]
struct Segment {
    start: f32,
    end: f32,
    text: String,
}

impl<'a> Transcript<'a> {
    pub fn of(file: &'a str, said: voice::Transcript, seconds: f32, asr_ms: u64) -> Transcript<'a> {
        let segments = said.segments.into_iter().map(|s| Segment { start: s.start, end: s.end, text: s.text });
        let language = code(said.language);
        Transcript { file, text: said.text, language, seconds, segments: segments.collect(), asr_ms }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "emotion")]
struct Emotion<'a> {
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
    baseline: Option<Baseline>,
}

#[derive(Serialize)]
struct Baseline {
    clips: u32,
    ready: bool,
}

pub fn transcribe(house: &House, files: &[PathBuf], out: &Output) -> Result<ExitCode, Failure> {
    let clips = decode_all(files)?;
    let mut ears = Ears::new(&house.paths()?.models, false);
    for (file, clip) in &clips {
        let heard = ears.listen(clip)?;
        if out.json() {
            out.object(&Transcript::of(file, heard.transcript, heard.seconds, heard.asr_ms));
        } else {
            let text = if heard.transcript.text.is_empty() { "(no speech)" } else { &heard.transcript.text };
            if clips.len() > 1 {
                out.line(&format!("{file}: {text}"));
            } else {
                out.line(text);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub fn emotion(house: &House, files: &[PathBuf], out: &Output) -> Result<ExitCode, Failure> {
    let clips = decode_all(files)?;
    let mut ears = Ears::new(&house.paths()?.models, true);
    let baseline = house.stored_baseline()?;
    for (file, clip) in &clips {
        let measured = ears.measure(clip)?;
        let voice = measured.emotion.as_ref().map(|e| affect::analyse(e, &baseline));
        if out.json() {
            out.object(&Emotion {
                file,
                seconds: clip.seconds(),
                speech_seconds: measured.speech_seconds,
                arousal: measured.emotion.as_ref().map(|e| e.arousal),
                arousal_logit: measured.emotion.as_ref().map(|e| e.arousal_logit),
                probs: measured.emotion.as_ref().map(affect::probabilities),
                primary_emotion: voice.as_ref().map(|v| v.primary_emotion.clone()),
                confidence: voice.as_ref().map(|v| v.confidence),
                stress_level: voice.as_ref().and_then(|v| v.stress_level),
                energy_level: voice.as_ref().and_then(|v| v.energy_level),
                baseline: (baseline.clips() > 0).then(|| Baseline { clips: baseline.clips(), ready: baseline.ready() }),
            });
            continue;
        }
        let name = Path::new(file.as_str()).file_name().map_or(file.clone(), |n| n.to_string_lossy().into_owned());
        out.line(&match (&measured.emotion, voice) {
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
    }
    Ok(ExitCode::SUCCESS)
}

/// All files are read before anything is printed: one bad file is one line and nothing else.
fn decode_all(files: &[PathBuf]) -> Result<Vec<(String, Clip)>, Failure> {
    files.iter().map(|file| Ok((file.display().to_string(), ears::decode(file)?))).collect()
}

fn code(language: Tongue) -> &'static str {
    match language {
        Tongue::Ru => "ru",
        Tongue::En => "en",
    }
}
