//! What sessions teach about the user's calm voice: over a real database, with figures as the emotion model gives them.
#![allow(clippy::unwrap_used)]

use calm_app::voice::{Emotion, Feeling};
use calm_app::{AppEvent, Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets, Settings, Spoken, affect};
use rstest::rstest;
use std::sync::{Arc, Mutex};

const MICROPHONE: &str = "default";
const CALM: &str = "Сегодня я спокоен";

struct House(tempfile::TempDir);

impl House {
    fn new() -> House {
        House(tempfile::tempdir().unwrap())
    }

    fn conductor(&self) -> (Conductor, Arc<Mutex<Vec<AppEvent>>>) {
        let paths = Paths { data: self.0.path().join("data"), models: self.0.path().join("models") };
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let listen = move |event: &AppEvent| listener.lock().unwrap().push(event.clone());
        let clock = Clock::Fixed("2026-03-04T09:00:00Z".parse().unwrap());
        let mut conductor = Conductor::open(paths, Secrets::File, clock, Box::new(listen)).unwrap();
        let settings = conductor.settings().clone();
        conductor.save_settings(Settings { language: Lang::Ru, ..settings }).unwrap();
        (conductor, heard)
    }

    /// A whole session, each turn spoken with a voice of this arousal; gives the stress levels that were reported.
    fn talk(&self, turns: &[(&str, f32)]) -> Vec<Option<u8>> {
        let (mut conductor, heard) = self.conductor();
        conductor.begin(&Begin::new(Kind::CheckIn, Format::Unlimited, "terminal").seeded(1)).unwrap();
        for (words, logit) in turns {
            conductor.hear(&spoken(words, *logit)).unwrap();
        }
        conductor.leave().unwrap();
        let heard = heard.lock().unwrap();
        let levels = heard.iter().filter_map(|event| match event {
            AppEvent::UserTurn { voice_analysis, .. } => voice_analysis.as_ref().map(|voice| voice.stress_level),
            _ => None,
        });
        levels.collect()
    }

    fn clips(&self) -> u32 {
        affect::baseline(self.conductor().0.store(), MICROPHONE).unwrap().clips()
    }
}

fn voice(arousal_logit: f32) -> Emotion {
    Emotion {
        probs: [1.0, 0.0, 0.0, 0.0, 0.0],
        arousal: 1.0 / (1.0 + (-arousal_logit).exp()),
        arousal_logit,
        primary: Feeling::Neutral,
        confidence: 0.9,
        speech_seconds: 5.0,
        windows: Vec::new(),
    }
}

fn spoken(words: &str, arousal_logit: f32) -> Spoken {
    Spoken {
        text: words.to_owned(),
        emotion: Some(voice(arousal_logit)),
        seconds: 6.0,
        speech_seconds: 5.0,
        asr_ms: 1,
        ser_ms: 1,
        microphone: MICROPHONE.to_owned(),
        recording: None,
        session: None,
    }
}

#[rstest]
#[case::called_calm(&[(CALM, -2.0), ("План на два входа", -2.2)], 2)]
#[case::not_called_anything(&[("План на два входа", -2.0)], 0)]
#[case::trouble_in_the_end(&[(CALM, -2.0), ("Хотя нет, я злюсь на вчерашний день", -1.0)], 0)]
fn only_a_session_that_the_user_calls_calm_teaches(#[case] turns: &[(&str, f32)], #[case] learned: u32) {
    let house = House::new();
    house.talk(turns);
    assert_eq!(house.clips(), learned);
}

#[test]
fn levels_come_with_the_fifth_calm_clip_and_not_before() {
    let house = House::new();
    let calm = [(CALM, -2.0), ("План прежний", -2.1)];
    assert_eq!(house.talk(&calm), [None, None]);
    assert_eq!(house.talk(&calm), [None, None]);
    assert_eq!(house.talk(&calm), [None, None], "four are known");
    assert_eq!(house.talk(&[("План на два входа", -2.05)]), [Some(4)], "six are known, and this is one's own calm");
}

#[test]
fn a_strained_voice_that_is_called_calm_is_not_learned_from() {
    let house = House::new();
    let (mut conductor, _) = house.conductor();
    affect::enrol(conductor.store(), MICROPHONE, &[-2.0, -2.2, -1.8, -2.1, -1.9].map(voice)).unwrap();
    drop(conductor);
    assert_eq!(house.talk(&[(CALM, 3.0)]), [Some(10)]);
    assert_eq!(house.clips(), 5, "or the next strained voice would seem calm");
    house.talk(&[(CALM, -1.5)]);
    assert_eq!(house.clips(), 6);
}
