//! `calm transcribe`: files in, words out; nothing is stored.

use std::path::PathBuf;
use std::process::ExitCode;

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
