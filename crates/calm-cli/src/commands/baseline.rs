//! `calm baseline`: what is known of the user's calm voice at each microphone.

use std::path::PathBuf;
use std::process::ExitCode;

use calm_app::affect;
use calm_app::ears::{Ears, FROM_FILE};
use calm_app::voice::Baseline;
use calm_app::voice::baseline::ENOUGH;
use serde_json::json;

use super::House;
use super::hear::decode_all;
use crate::args::{BaselineAction, BaselineArgs};
use crate::failure::Failure;
use crate::output::{Output, counted};

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
    let shown = asked.map(|(name, baseline)| show(name, baseline, out)).count();
    if shown == 0 && !out.json() {
        out.line(&format!("no calm voice is known yet: `calm baseline enrol FILE...` with {ENOUGH} calm recordings"));
    }
    Ok(())
}

/// Every file is measured before anything is kept: one that will not do leaves no trace.
fn enrol(house: &House, microphone: &str, files: &[PathBuf], out: &Output) -> Result<(), Failure> {
    let clips = decode_all(files)?;
    for (number, (file, clip)) in clips.iter().enumerate() {
        if let Some((first, _)) = clips[..number].iter().find(|(_, earlier)| earlier == clip) {
            return Err(Failure::bad_input(format!(
                "{file}: the same recording as {first}: a voice varies, and that is learned too"
            )));
        }
    }
    let mut ears = Ears::new(&house.paths()?.models, true);
    let mut voices = Vec::new();
    for (file, clip) in &clips {
        let measured = ears.measure(clip)?;
        voices.push(measured.emotion.ok_or_else(|| {
            let spoken = measured.speech_seconds;
            Failure::bad_input(format!("{file}: {spoken:.1} seconds of speech: two are needed"))
        })?);
    }
    let baseline = affect::enrol(house.quiet()?.store(), microphone, &voices)?;
    show(microphone, &baseline, out);
    Ok(())
}

fn reset(house: &House, microphone: Option<&str>, out: &Output) -> Result<(), Failure> {
    let known = match house.existing()? {
        Some(mut conductor) => affect::forget(conductor.store(), microphone)?,
        None => Vec::new(),
    };
    if let (Some(microphone), true) = (microphone, known.is_empty()) {
        return Err(Failure::bad_input(format!("no calm voice is known at {microphone:?}")));
    }
    known.iter().for_each(|name| show(name, &Baseline::default(), out));
    if known.is_empty() && !out.json() {
        out.line("no calm voice is known: there is nothing to forget");
    }
    Ok(())
}

fn show(microphone: &str, baseline: &Baseline, out: &Output) {
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
    let clips = counted(baseline.clips() as usize, "calm clip");
    out.line(&if missing > 0 {
        format!("{microphone:<24} {clips:>14}   calibrating: {missing} more and there are levels")
    } else {
        let (mean, deviation) = (baseline.mean(), baseline.deviation());
        format!("{microphone:<24} {clips:>14}   arousal logit {mean:.2}, deviation {deviation:.2}")
    });
}
