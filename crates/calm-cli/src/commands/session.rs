//! `calm session`: one session, from the given turns, from typed lines or from the microphone.

use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock};

use calm_app::aloud::Reader;
use calm_app::conductor::Listener;
use calm_app::ears::{self, Ears, FROM_FILE};
use calm_app::listening;
use calm_app::settings::Settings;
use calm_app::voice::Clip;
use calm_app::{AppError, AppEvent, Begin, Clock, Conductor, Lang};
use serde_json::json;

use super::House;
use crate::args::{Given, SessionArgs};
use crate::asking;
use crate::bilingual::both;
use crate::failure::Failure;
use crate::output::Output;
use crate::words::Words;

/// A turn that was given on the command line.
enum Turn {
    Typed(String),
    Spoken(Clip),
}

pub fn run(house: &House, args: &SessionArgs, out: &Output) -> Result<ExitCode, Failure> {
    let turns = read_turns(&args.turns)?;
    let paths = house.paths()?;
    let mut ears = Ears::new(&paths.models, true);
    if args.mic || turns.iter().any(|turn| matches!(turn, Turn::Spoken(_))) {
        ears.check()?;
    }
    let clock = args.now.map_or(Clock::System, Clock::Fixed);
    // Not over an open microphone, which would hear it.
    let reader = (turns.is_empty() && !args.mic).then(|| Reader::new(&Settings::default()));
    let people = Arc::new(OnceLock::new());
    let words = Words::of(house.lang()).with_people(Arc::clone(&people));
    let mut conductor = house.open(clock, printer(out.json(), words, reader.clone()))?;
    let lang = conductor.language();
    people.set(Words::people(lang, &conductor.help(lang)?, conductor.settings())).ok();
    ears.follow(conductor.settings());
    reader.iter().for_each(|reader| reader.follow(conductor.settings()));
    begin(&mut conductor, args)?;

    if args.resume {
        hear_leftovers(&mut conductor, &mut ears, !turns.is_empty())?;
    }
    let interactive = turns.is_empty();
    let mut turns = turns.into_iter();
    while let Some(turn) = turns.next() {
        if conductor.running().is_none() {
            break;
        }
        conductor.more_waits(turns.len() > 0);
        match turn {
            Turn::Typed(text) => conductor.say(&text)?,
            Turn::Spoken(clip) => {
                let spoken = ears.hear(&clip, FROM_FILE, None)?;
                match conductor.hear(&spoken) {
                    Err(silent @ AppError::NothingHeard) => conductor.report(&silent),
                    other => other?,
                }
            }
        }
    }
    if interactive && args.mic {
        super::listen::converse(&mut conductor, &Mutex::new(ears), out, lang)?;
    } else if interactive {
        converse(&mut conductor, out, reader.as_ref())?;
    }
    if args.stay {
        conductor.set_aside();
    } else {
        conductor.leave()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn begin(conductor: &mut Conductor, args: &SessionArgs) -> Result<(), AppError> {
    match args.kind {
        Some(kind) => conductor.begin(&Begin {
            seed: args.seed,
            backend: args.backend.clone(),
            model: args.model.clone(),
            ..Begin::new(kind, args.format, "terminal")
        }),
        None => conductor.resume(),
    }
}

/// Every recording is read before the session begins: a bad one leaves no trace.
fn read_turns(given: &[Given]) -> Result<Vec<Turn>, Failure> {
    given
        .iter()
        .map(|given| match given {
            Given::Say(text) if text.trim().is_empty() => {
                Err(Failure::bad_input(both!("--say: текст пустой", "--say: the text is empty")))
            }
            Given::Say(text) => Ok(Turn::Typed(text.clone())),
            Given::Audio(file) => Ok(Turn::Spoken(ears::decode(file)?)),
        })
        .collect()
}

/// Recordings that a crash or a fault left in the spool become turns now.
fn hear_leftovers(conductor: &mut Conductor, ears: &mut Ears, turns_follow: bool) -> Result<(), AppError> {
    let Some(session) = conductor.running() else { return Ok(()) };
    let mut leftovers = listening::leftovers(conductor.store(), session)?.into_iter();
    while let Some(left) = leftovers.next() {
        if conductor.running().is_none() {
            break;
        }
        conductor.more_waits(leftovers.len() > 0 || turns_follow);
        let spoken = ears.hear(&left.clip, listening::DEFAULT_MICROPHONE, Some(left.recording))?;
        match conductor.hear(&spoken) {
            Err(AppError::NothingHeard) => {}
            Err(unclear @ AppError::NoWords) => conductor.report(&unclear),
            other => other?,
        }
    }
    Ok(())
}

/// Typed lines until the session or the input ends.
fn converse(conductor: &mut Conductor, out: &Output, reader: Option<&Reader>) -> Result<(), Failure> {
    let prompt = std::io::stdin().is_terminal() && !out.json();
    let mut input = BufReader::new(std::io::stdin().lock());
    while conductor.running().is_some() {
        if prompt {
            eprint!("  > ");
            std::io::stderr().flush().ok();
        }
        let mut line = String::new();
        let read = input.read_line(&mut line);
        reader.iter().for_each(|reader| reader.hush());
        match read {
            Ok(0) => break,
            Ok(_) if line.trim().is_empty() => {}
            Ok(_) => {
                // A script's lines come together; nobody is kept waiting for lines that may never come.
                conductor.more_waits(!input.buffer().trim_ascii().is_empty());
                conductor.say(&line)?;
            }
            Err(_) => return Err(asking::not_text()),
        }
    }
    Ok(())
}

fn printer(json: bool, mut words: Words, reader: Option<Reader>) -> Listener {
    let out = Output::new(json);
    Box::new(move |event: &AppEvent| {
        if let (AppEvent::Reply { text, .. }, Some(reader)) = (event, &reader) {
            reader.say(text, words.lang);
        }
        match event {
            // A reply that is still being written is for the window.
            AppEvent::ReplyPart { .. } => return,
            AppEvent::HandedOver { code, detail } if json => {
                let message = Words::of(Lang::En).handed_over(code, detail.as_deref());
                return out.event("error", &json!({"code": code, "message": message}));
            }
            _ if json => return out.object(event),
            _ => {}
        }
        for line in words.event(event) {
            out.line(&line);
        }
    })
}
