//! `calm transcribe`: files in, or what the spool still holds, and words out; nothing is stored.

use std::path::PathBuf;
use std::process::ExitCode;

use calm_app::ears::{self, Ears};
use calm_app::voice::{self, Clip, Tongue};
use calm_app::{Conductor, Settings, listening};
use serde::Serialize;

use super::House;
use crate::args::TranscribeArgs;
use crate::bilingual::say;
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

pub fn transcribe(house: &House, args: &TranscribeArgs, out: &Output) -> Result<ExitCode, Failure> {
    let clips = if args.kept { Vec::new() } else { decode_all(&args.files)? };
    let mut ears = Ears::new(&house.paths()?.models, false);
    let mut conductor = house.as_it_is()?;
    if let Some(conductor) = &conductor {
        // As in a session: a better model may catch what another did not.
        ears.follow(&Settings { voice_analysis: false, ..conductor.settings().clone() });
    }
    let clips = match &mut conductor {
        Some(conductor) if args.kept => kept(conductor)?,
        _ => clips,
    };
    drop(conductor);
    let lang = house.lang();
    if clips.is_empty() && !out.json() {
        out.line(&say!(
            lang,
            "все записи уже стали словами, в запасе ничего нет",
            "every recording has become a turn: none is kept"
        ));
    }
    for (file, clip) in &clips {
        let heard = ears.listen(clip)?;
        if out.json() {
            out.object(&Transcript::of(file, heard.transcript, heard.seconds, heard.asr_ms));
        } else {
            let silence = say!(lang, "(речи нет)", "(no speech)");
            let text = if heard.transcript.text.is_empty() { &silence } else { &heard.transcript.text };
            if clips.len() > 1 {
                out.line(&format!("{file}: {text}"));
            } else {
                out.line(text);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What waits in the spool.
fn kept(conductor: &mut Conductor) -> Result<Vec<(String, Clip)>, Failure> {
    let zone = conductor.settings().zone();
    let left = listening::all_leftovers(conductor.store())?;
    let named = |one: listening::Leftover| {
        let began = one.started_at.to_zoned_datetime(zone.clone());
        (began.strftime("%F %T").to_string(), one.clip)
    };
    Ok(left.into_iter().map(named).collect())
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
