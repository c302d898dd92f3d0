//! Speaking into the microphone from the terminal: turns of a session, or `calm listen`, which keeps nothing.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use calm_app::affect;
use calm_app::core::VoiceAnalysis;
use calm_app::ears::Ears;
use calm_app::listening::{self, DEFAULT_MICROPHONE, Recorded, Sound, Turn, record};
use calm_app::voice::{Baseline, Emotion, Notice};
use calm_app::{AppError, Conductor, Lang, Settings};
use serde_json::json;

use super::House;
use super::hear::Transcript;
use crate::args::ListenArgs;
use crate::bilingual::{rounded, say};
use crate::failure::Failure;
use crate::output::Output;
use crate::plain::visible;
use crate::terms::Terms;
use crate::words::Words;

/// Turn after turn until the session ends.
pub fn converse(conductor: &mut Conductor, ears: &Mutex<Ears>, out: &Output, lang: Lang) -> Result<(), Failure> {
    while conductor.running().is_some() {
        let turn = Turn::open(ears, conductor.settings(), conductor.language())?;
        let recording = conductor.start_recording()?;
        let mut meter = Meter::new(out, lang);
        let mut spool =
            |seq, pcm: &[i16]| -> Result<(), AppError> { Ok(conductor.store().append_chunk(recording, seq, pcm)?) };
        let Recorded { take, fault } =
            record(turn, &AtomicBool::new(false), &mut spool, &mut |sound| meter.show(&sound));
        meter.clear();
        let spoken = lock(ears).take(&take, recording)?;
        match conductor.hear(&spoken) {
            Err(silent @ (AppError::NothingHeard | AppError::NoWords)) => {
                if fault.is_none() {
                    conductor.report(&silent);
                }
            }
            other => other?,
        }
        // What was said until then is a turn; the session stays open for the next start.
        if let Some(fault) = fault {
            return Err(fault.into());
        }
    }
    Ok(())
}

/// `calm listen`: what is said, and how, until Ctrl-C or for so many turns. Nothing is stored.
pub fn run(house: &House, args: &ListenArgs, out: &Output) -> Result<ExitCode, Failure> {
    let ears = Mutex::new(Ears::new(&house.paths()?.models, true));
    lock(&ears).check()?;
    let (settings, baseline) = match house.existing()? {
        Some(mut conductor) => {
            let settings = conductor.settings().clone();
            let microphone = settings.microphone.as_deref().unwrap_or(DEFAULT_MICROPHONE);
            let baseline = affect::baseline(conductor.store(), microphone)?;
            (settings, baseline)
        }
        None => (Settings::fresh(house.lang()), Baseline::default()),
    };
    let lang = house.lang();
    lock(&ears).follow(&settings);
    for _ in 0..args.turns.unwrap_or(u32::MAX) {
        let turn = Turn::open(&ears, &settings, lang)?;
        let mut meter = Meter::new(out, lang);
        let mut nowhere = |_, _: &[i16]| Ok::<(), AppError>(());
        let Recorded { take, fault } =
            record(turn, &AtomicBool::new(false), &mut nowhere, &mut |sound| meter.show(&sound));
        meter.clear();
        let heard = lock(&ears).finish(&take)?;
        if heard.transcript.text.is_empty() {
            return Err(fault.unwrap_or(AppError::NothingHeard).into());
        }
        if out.json() {
            out.object(&Transcript::of("microphone", heard.transcript, heard.seconds, heard.asr_ms));
        } else {
            out.line(&heard.transcript.text);
        }
        if let Some(emotion) = &heard.emotion {
            show_voice(emotion, &baseline, lang, out);
        }
        if let Some(fault) = fault {
            return Err(fault.into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show_voice(emotion: &Emotion, baseline: &Baseline, lang: Lang, out: &Output) {
    let voice = affect::analyse(emotion, baseline);
    if out.json() {
        return out.event("voice", &json!({"voice_analysis": voice, "speech_seconds": emotion.speech_seconds}));
    }
    let feeling = Terms::of(lang).feeling(&voice.primary_emotion);
    let sure = rounded(voice.confidence.into(), 2, lang);
    out.line(&format!("  {feeling} {sure}   {}", levels(&voice, lang)));
}

/// Stress and energy, where the calm voice is known.
pub fn levels(voice: &VoiceAnalysis, lang: Lang) -> String {
    match (voice.stress_level, voice.energy_level) {
        (Some(stress), Some(energy)) => {
            say!(lang, "стресс {stress}/10, энергия {energy}/10", "stress {stress}/10, energy {energy}/10")
        }
        _ => say!(lang, "калибровка: оценок ещё нет", "calibrating: no level yet"),
    }
}

fn lock(ears: &Mutex<Ears>) -> std::sync::MutexGuard<'_, Ears> {
    ears.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A level meter with the newest words, one line on stderr that is drawn over. With `--json` words and notices are
/// events, and there is no meter.
struct Meter<'a> {
    out: &'a Output,
    lang: Lang,
    drawn: bool,
    level: u8,
    words: String,
}

/// Of the words that are still being spoken, so many characters fit beside the meter.
const NEWEST: usize = 46;

impl Meter<'_> {
    fn new(out: &Output, lang: Lang) -> Meter<'_> {
        let drawn = !out.json() && std::io::stderr().is_terminal();
        Meter { out, lang, drawn, level: 0, words: String::new() }
    }

    fn show(&mut self, sound: &Sound<'_>) {
        match sound {
            Sound::Live if self.out.json() => self.out.event("listening", &json!({})),
            Sound::Live => self.draw(),
            Sound::Level(level) if *level / 5 != self.level => {
                self.level = *level / 5;
                self.draw();
            }
            Sound::Level(_) | Sound::Over => {}
            Sound::Words(words) if self.out.json() => self.out.event("partial", &json!({"text": words})),
            Sound::Words(words) => {
                let from = words.chars().count().saturating_sub(NEWEST);
                let newest: String = words.chars().skip(from).collect();
                self.words = visible(&newest).into_owned();
                self.draw();
            }
            Sound::Notice(notice) => self.tell(*notice),
        }
    }

    fn draw(&self) {
        if self.drawn {
            let listening = say!(self.lang, "слушаю", "listening");
            let bar = "▮".repeat(usize::from(self.level));
            eprint!("\r{listening} {bar:<20} {:<NEWEST$}", self.words);
        }
    }

    fn tell(&self, notice: Notice) {
        self.clear();
        if self.out.json() {
            let message = Words::of(Lang::En).notice(notice);
            self.out.event("notice", &json!({"code": listening::code(notice), "message": message}));
        } else {
            eprintln!("{}", Words::of(self.lang).notice(notice));
        }
    }

    fn clear(&self) {
        if self.drawn {
            eprint!("\r{:78}\r", "");
        }
    }
}
