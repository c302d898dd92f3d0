//! Real models on real recordings: what is said arrives as words, and what is not said does not.
#![allow(clippy::unwrap_used)]

mod common;

use calm_voice::{Clip, Ear, Feeling, Language, Tongue, Vad, VadEvent, start_onnxruntime};
use common::{clip, ggml_models, models, word_error_rate};
use rstest::rstest;
use std::sync::{LazyLock, Mutex, MutexGuard};

static EAR: LazyLock<Mutex<Ear>> = LazyLock::new(|| Mutex::new(Ear::load(&models()).unwrap()));

/// One ear for all tests of this file: two at a time would fight for the cores.
fn ear() -> MutexGuard<'static, Ear> {
    EAR.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

static WHISPER_CPP: LazyLock<Mutex<Ear>> = LazyLock::new(|| Mutex::new(Ear::load(&ggml_models()).unwrap()));

fn whisper_cpp() -> MutexGuard<'static, Ear> {
    WHISPER_CPP.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn either() -> Language {
    Language::Auto(vec![Tongue::Ru, Tongue::En])
}

const STATE_RU: &str = "Привет. Спал плохо. Сегодня мне немного тревожно после вчерашнего убытка. Но у меня есть план. \
    Только две сделки, и в каждой будет стоп.";
const READINESS_RU: &str = "Моя готовность сегодня восемь из десяти.";
const CHECK_OUT_RU: &str = "Закрыл день в минус двести долларов. Торговал по плану, стопы не двигал. Я немного злюсь \
    на себя, но спокойно отпускаю этот день.";
const CHECK_IN_EN: &str = "Hello. I slept badly, and I feel a little nervous after yesterday's loss. But I have a \
    plan. I will take two trades, with a stop on each of them. My readiness is eight out of ten.";
const CHECK_OUT_EN: &str = "The day is closed. I lost two hundred dollars today. I followed my plan and I kept my \
    stops. I feel a bit angry, but I can let it go.";

#[rstest]
#[case::check_in("checkin_ru.flac", Tongue::Ru, &[STATE_RU, READINESS_RU].join(" "))]
#[case::state("checkin_ru_1.flac", Tongue::Ru, STATE_RU)]
#[case::readiness("checkin_ru_2.flac", Tongue::Ru, READINESS_RU)]
#[case::check_out("checkout_ru.flac", Tongue::Ru, CHECK_OUT_RU)]
#[case::check_in_en("checkin_en.flac", Tongue::En, CHECK_IN_EN)]
#[case::check_out_en("checkout_en.flac", Tongue::En, CHECK_OUT_EN)]
fn what_was_said_is_written_down(
    #[case] file: &str,
    #[case] tongue: Tongue,
    #[case] spoken: &str,
    #[values(ear, whisper_cpp)] mut ear: impl FnMut() -> MutexGuard<'static, Ear>,
) {
    let heard = ear().hear(&clip(file), either()).unwrap();
    let text = &heard.transcript.text;
    assert_eq!(heard.transcript.language, tongue);
    let wer = word_error_rate(spoken, text);
    assert!(wer <= 0.15, "word error rate {wer:.2}: {text}");
}

/// Whisper writes "Субтитры сделал…" out of these if it is asked.
#[rstest]
#[case::silence("silence.flac")]
#[case::noise("noise.flac")]
fn nothing_is_written_when_nobody_speaks(#[case] file: &str) {
    let heard = ear().hear(&clip(file), either()).unwrap();
    assert_eq!(heard.transcript.text, "");
    assert_eq!((heard.asr_ms, heard.emotion, heard.speech_seconds), (0, None, 0.0), "the recogniser ran");
}

#[rstest]
#[case::nothing(0)]
#[case::one_sample(1)]
#[case::less_than_a_frame(300)]
fn a_clip_that_is_hardly_there_is_silence(#[case] samples: usize) {
    let heard = ear().hear(&Clip { samples: vec![0.01; samples] }, either()).unwrap();
    assert_eq!(heard.transcript.text, "");
}

#[test]
fn a_second_of_speech_says_nothing_about_a_mood() {
    let mut word = clip("checkin_ru_2.flac");
    word.samples.truncate(25_000);
    let heard = ear().hear(&word, Language::Fixed(Tongue::Ru)).unwrap();
    assert!(heard.speech_seconds > 0.5 && heard.speech_seconds < 2.0, "{heard:?}");
    assert!(!heard.transcript.text.is_empty());
    assert_eq!(heard.emotion, None);
}

#[test]
fn a_mood_is_measured_beside_the_words() {
    let heard = ear().hear(&clip("checkin_ru_2.flac"), Language::Fixed(Tongue::Ru)).unwrap();
    let emotion = heard.emotion.unwrap();
    assert!((emotion.probs.iter().sum::<f32>() - 1.0).abs() < 1e-3);
    assert!(emotion.probs.iter().all(|p| (0.0..=1.0).contains(p)) && (0.0..=1.0).contains(&emotion.arousal));
    let likeliest = Feeling::ALL.into_iter().zip(emotion.probs).max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap().0;
    assert_eq!(emotion.primary, likeliest);
    assert_eq!(emotion.speech_seconds, heard.speech_seconds);
}

/// A voice that is louder in no other way than its gain must not seem more aroused: people sit at different
/// distances from their microphones.
#[test]
fn turning_the_volume_down_does_not_calm_anybody() {
    let loud = clip("checkout_ru.flac");
    let quiet = Clip { samples: loud.samples.iter().map(|s| s * 0.25).collect() };
    let arousal = |clip: &Clip| ear().hear(clip, Language::Fixed(Tongue::Ru)).unwrap().emotion.unwrap().arousal_logit;
    let difference = arousal(&loud) - arousal(&quiet);
    assert!(difference.abs() < 1.5, "the logit moved by {difference}");
}

/// Longer than Whisper's window, so it is cut at pauses; the words on both sides of each cut have to survive.
#[rstest]
fn a_long_recording_keeps_all_its_words_and_their_places(
    #[values(ear, whisper_cpp)] mut ear: impl FnMut() -> MutexGuard<'static, Ear>,
) {
    let pause = [0.0; 8_000];
    let (one, two, three) = (clip("checkin_ru_1.flac"), clip("checkin_ru_2.flac"), clip("checkout_ru.flac"));
    let parts = [&one, &two, &three, &two, &one];
    let long = Clip { samples: parts.iter().flat_map(|part| part.samples.iter().chain(&pause)).copied().collect() };
    assert!(long.seconds() > 40.0);
    let heard = ear().hear(&long, either()).unwrap();
    let spoken = [STATE_RU, READINESS_RU, CHECK_OUT_RU, READINESS_RU, STATE_RU].join(" ");
    let wer = word_error_rate(&spoken, &heard.transcript.text);
    assert!(wer <= 0.15, "word error rate {wer:.2}: {}", heard.transcript.text);
    let segments = &heard.transcript.segments;
    assert!(segments.windows(2).all(|pair| pair[0].start <= pair[1].start && pair[0].end <= pair[1].end + 0.1));
    assert!(segments.last().unwrap().end > 40.0 && segments.last().unwrap().end <= long.seconds());
}

#[test]
fn only_the_users_languages_are_written() {
    let heard = ear().hear(&clip("checkin_en.flac"), Language::Auto(vec![Tongue::Ru])).unwrap();
    assert_eq!(heard.transcript.language, Tongue::Ru);
}

#[test]
fn the_detector_says_while_listening_what_it_says_afterwards() {
    let files = models();
    start_onnxruntime(&files.onnxruntime).unwrap();
    let mut vad = Vad::load(&files.vad).unwrap();
    let sentence = clip("checkin_ru_2.flac");
    let afterwards = vad.speech(&sentence.samples).unwrap();
    let [speech] = &afterwards[..] else { panic!("one sentence, but {afterwards:?}") };
    // The recording has 0.4 s of silence before the words and 0.6 s after them.
    assert!((1_600..8_000).contains(&speech.start), "{speech:?}");
    assert!(sentence.samples.len() - speech.end < 9_600, "{speech:?}");

    let mut events = Vec::new();
    for frame in sentence.samples.chunks_exact(512) {
        let step = vad.push(frame.try_into().unwrap()).unwrap();
        assert!((0.0..=1.0).contains(&step.probability));
        events.extend(step.event);
    }
    assert_eq!(events[0], VadEvent::Started { at: speech.start });
    assert_eq!(events.get(1), Some(&VadEvent::Ended { at: speech.end }));
}
