//! `calm transcribe`: files in, words out; nothing is stored.

use std::path::PathBuf;
use std::process::ExitCode;

use calm_app::ears::{self, Ears};
use calm_app::voice::{Clip, Tongue};
use serde::Serialize;

use super::House;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Serialize)]
#[serde(tag = "type", rename = "transcript")]
struct Transcript<'a> {
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

pub fn transcribe(house: &House, files: &[PathBuf], out: &Output) -> Result<ExitCode, Failure> {
    let clips = decode_all(files)?;
    let mut ears = Ears::new(&house.paths()?.models, false);
    for (file, clip) in &clips {
        let heard = ears.listen(clip)?;
        if out.json() {
            out.object(&Transcript {
                file,
                language: code(heard.transcript.language),
                seconds: heard.seconds,
                segments: heard
                    .transcript
                    .segments
                    .iter()
                    .map(|s| Segment { start: s.start, end: s.end, text: s.text.clone() })
                    .collect(),
                asr_ms: heard.asr_ms,
                text: heard.transcript.text,
            });
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

/// All files are read before anything is printed: one bad file is one line and nothing else.
pub fn decode_all(files: &[PathBuf]) -> Result<Vec<(String, Clip)>, Failure> {
    files.iter().map(|file| Ok((file.display().to_string(), ears::decode(file)?))).collect()
}

fn code(language: Tongue) -> &'static str {
    match language {
        Tongue::Ru => "ru",
        Tongue::En => "en",
    }
}
