//! `calm emotion`: files in, figures of the voice out; nothing is stored.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use calm_app::core::VoiceAnalysis;
use calm_app::ears::Ears;
use calm_app::voice::baseline::{CALM_LEVEL, ENOUGH, STEPS};
use calm_app::voice::emotion::TEMPERATURE;
use calm_app::voice::{Baseline, Comparison, Emotion};
use calm_app::{Lang, affect};
use serde::Serialize;

use super::House;
use super::hear::decode_all;
use crate::args::EmotionArgs;
use crate::bilingual::{CALM_CLIP, WINDOW, number, rounded, say};
use crate::columns::padded;
use crate::failure::Failure;
use crate::output::Output;
use crate::terms::Terms;

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
        let lang = house.lang();
        let name = Path::new(file.as_str()).file_name().map_or(file.clone(), |n| n.to_string_lossy().into_owned());
        let name = padded(&name, 24);
        let seconds = rounded(measured.speech_seconds.into(), 1, lang);
        out.line(&match (emotion, &voice) {
            (Some(emotion), Some(voice)) => {
                let arousal = rounded(emotion.arousal.into(), 2, lang);
                let feeling = Terms::of(lang).feeling(&voice.primary_emotion);
                let sure = rounded(voice.confidence.into(), 2, lang);
                let levels = super::listen::levels(voice, lang);
                say!(
                    lang,
                    "{name} речи {seconds:>5} с   активация {arousal}   {feeling} {sure}   {levels}",
                    "{name} {seconds:>5} s speech   arousal {arousal}   {feeling} {sure}   {levels}"
                )
            }
            _ => say!(
                lang,
                "{name} речи {seconds:>5} с   для оценки мало",
                "{name} {seconds:>5} s speech   not enough speech"
            ),
        });
        if let Some(emotion) = emotion.filter(|_| args.explain) {
            explain(emotion, &baseline, lang, out);
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
fn explain(emotion: &Emotion, baseline: &Baseline, lang: Lang, out: &Output) {
    let two = |value: f64| rounded(value, 2, lang);
    let each: Vec<String> = emotion.windows.iter().map(|one| two(one.arousal_logit.into())).collect();
    // A comma would stand beside commas.
    let (separator, each) = match lang {
        Lang::Ru => (";", each.join("; ")),
        Lang::En => (",", each.join(", ")),
    };
    let length = rounded(emotion.windows.first().map_or(0.0, |one| one.seconds).into(), 1, lang);
    let (windows, z) = (WINDOW.counted(emotion.windows.len(), lang), two(emotion.arousal_logit.into()));
    out.line(&say!(
        lang,
        "  {windows} по {length} с, активация (логит) {each}: медиана z = {z}",
        "  {windows} of {length} s, arousal logit {each}: median z = {z}"
    ));
    let terms = Terms::of(lang);
    let probs = affect::probabilities(emotion);
    let probs: Vec<String> =
        probs.iter().map(|(name, p)| format!("{} {}", terms.feeling(name), two((*p).into()))).collect();
    let probs = probs.join(&format!("{separator} "));
    let [temperature, floor] = [TEMPERATURE, VoiceAnalysis::CONFIDENCE_FLOOR].map(|value| number(&value, lang));
    out.line(&if emotion.confidence < VoiceAnalysis::CONFIDENCE_FLOOR {
        say!(
            lang,
            "  {probs} при температуре {temperature}; ниже {floor} чувство неясно",
            "  {probs} at temperature {temperature}; unclear below {floor}"
        )
    } else {
        say!(
            lang,
            "  {probs} при температуре {temperature}; названо от {floor}",
            "  {probs} at temperature {temperature}; named from {floor}"
        )
    });
    let count = baseline.clips() as usize;
    let Some(c) = baseline.compare(emotion) else {
        out.line(&say!(
            lang,
            "  спокойных записей {count} из {ENOUGH}: калибровка",
            "  {count} of {ENOUGH} calm clips: calibrating"
        ));
        return;
    };
    let clips = CALM_CLIP.counted(count, lang);
    let [mean, deviation, sigma] = [c.mean, baseline.deviation(), c.sigma].map(two);
    let common = number(&"1.5", lang);
    out.line(&say!(
        lang,
        "  {clips}: среднее = {mean}, разброс {deviation}, вместе с общим {common} сигма = {sigma}",
        "  {clips}: mean = {mean}, deviation {deviation}, with the common {common} sigma = {sigma}"
    ));
    let ([u, g], half) = ([c.u, c.g].map(two), number(&"0.5", lang));
    out.line(&say!(
        lang,
        "  u = (z - среднее) / сигма = {u}, g = 1 - {half} P(радость) = {g}",
        "  u = (z - mean) / sigma = {u}, g = 1 - {half} P(joy) = {g}"
    ));
    let [at_stress, at_energy] = [c.u * c.g, c.u].map(|u| two(CALM_LEVEL + STEPS * u));
    let (stress, energy) = (c.stress, c.energy);
    let [level, steps] = [CALM_LEVEL, STEPS].map(|value| number(&value, lang));
    out.line(&say!(
        lang,
        "  стресс = {level} + {steps} u g = {at_stress} -> {stress}, энергия = {level} + {steps} u = {at_energy} -> {energy}",
        "  stress = {level} + {steps} u g = {at_stress} -> {stress}, energy = {level} + {steps} u = {at_energy} -> {energy}"
    ));
}
