//! `calm baseline`: what is known of the user's calm voice at each microphone.

use std::path::PathBuf;
use std::process::ExitCode;

use calm_app::ears::{Ears, FROM_FILE};
use calm_app::voice::Baseline;
use calm_app::voice::baseline::ENOUGH;
use calm_app::{Lang, affect};
use serde_json::json;

use super::House;
use super::data::traces;
use super::hear::decode_all;
use crate::args::{BaselineAction, BaselineArgs};
use crate::bilingual::{Both, CALM_CLIP, both, rounded, say};
use crate::columns::padded;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: BaselineArgs, out: &Output) -> Result<ExitCode, Failure> {
    match args.action.unwrap_or(BaselineAction::Show) {
        BaselineAction::Show => list(house, args.microphone.as_deref(), out)?,
        BaselineAction::Enrol { files } => {
            enrol(house, args.microphone.as_deref().unwrap_or(FROM_FILE), &files, out)?;
        }
        BaselineAction::Reset => reset(house, args.microphone.as_deref(), out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(house: &House, microphone: Option<&str>, out: &Output) -> Result<(), Failure> {
    let known = match house.existing()? {
        Some(mut conductor) => affect::baselines(conductor.store())?,
        None => Vec::new(),
    };
    let asked = known.iter().filter(|(name, _)| microphone.is_none_or(|microphone| microphone == name));
    let shown = asked.map(|(name, baseline)| show(name, baseline, house.lang(), out)).count();
    if shown == 0 && !out.json() {
        out.line(&say!(
            house.lang(),
            "твой спокойный голос ещё не знаком: `calm baseline enrol FILE...`, нужно {ENOUGH} спокойных записей",
            "no calm voice is known yet: `calm baseline enrol FILE...` with {ENOUGH} calm recordings"
        ));
    }
    Ok(())
}

/// Every file is measured before anything is kept: one that will not do leaves no trace.
fn enrol(house: &House, microphone: &str, files: &[PathBuf], out: &Output) -> Result<(), Failure> {
    let clips = decode_all(files)?;
    for (number, (file, clip)) in clips.iter().enumerate() {
        if let Some((first, _)) = clips[..number].iter().find(|(_, earlier)| earlier == clip) {
            return Err(Failure::bad_input(both!(
                "{file}: та же запись, что и {first}, а голос всегда чуть разный, и это тоже важно",
                "{file}: the same recording as {first}: a voice varies, and that is learned too"
            )));
        }
    }
    let mut ears = Ears::new(&house.paths()?.models, true);
    let mut voices = Vec::new();
    for (file, clip) in &clips {
        let measured = ears.measure(clip)?;
        voices.push(measured.emotion.ok_or_else(|| {
            let spoken = |lang| rounded(measured.speech_seconds.into(), 1, lang);
            let (ru, en) = (spoken(Lang::Ru), spoken(Lang::En));
            Failure::bad_input(Both {
                ru: format!("{file}: речи {ru} с, а нужно хотя бы две"),
                en: format!("{file}: {en} seconds of speech: two are needed"),
            })
        })?);
    }
    let baseline = affect::enrol(house.quiet()?.store(), microphone, &voices)?;
    show(microphone, &baseline, house.lang(), out);
    Ok(())
}

fn reset(house: &House, microphone: Option<&str>, out: &Output) -> Result<(), Failure> {
    let (known, left) = match house.existing()? {
        Some(mut conductor) => affect::forget(conductor.store(), microphone)?,
        None => (Vec::new(), None),
    };
    if let (Some(microphone), true) = (microphone, known.is_empty()) {
        return Err(Failure::bad_input(both!(
            "для микрофона «{microphone}» спокойный голос и так не знаком",
            "no calm voice is known at {microphone:?}"
        )));
    }
    known.iter().for_each(|name| show(name, &Baseline::default(), house.lang(), out));
    if known.is_empty() && !out.json() {
        out.line(&say!(
            house.lang(),
            "спокойный голос и так не знаком: забывать нечего",
            "no calm voice is known: there is nothing to forget"
        ));
    }
    traces(left.as_deref(), house.lang(), out);
    Ok(())
}

fn show(microphone: &str, baseline: &Baseline, lang: Lang, out: &Output) {
    let missing = ENOUGH.saturating_sub(baseline.clips());
    if out.json() {
        out.event(
            "baseline",
            &json!({
                "microphone": microphone,
                "clips": baseline.clips(),
                "ready": baseline.ready(),
                "missing": missing,
                "mean": (baseline.clips() > 0).then(|| baseline.mean()),
                "deviation": (baseline.clips() > 1).then(|| baseline.deviation()),
            }),
        );
        return;
    }
    let clips = CALM_CLIP.counted(baseline.clips() as usize, lang);
    let known = if missing > 0 {
        say!(lang, "калибровка: до оценок ещё {missing}", "calibrating: {missing} more and there are levels")
    } else {
        let [mean, deviation] = [baseline.mean(), baseline.deviation()].map(|value| rounded(value, 2, lang));
        say!(lang, "активация {mean} (логит), разброс {deviation}", "arousal logit {mean}, deviation {deviation}")
    };
    out.line(&format!("{} {clips:>20}   {known}", padded(microphone, 24)));
}
