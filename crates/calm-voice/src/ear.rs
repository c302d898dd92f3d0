//! The whole ear: voice activity, then words and feeling side by side.
//!
//! A clip without speech never reaches the recogniser. A clip longer than half a minute is cut at pauses.

use crate::asr::join;
use crate::{
    AsrError, Clip, Emotion, EmotionModel, Language, OnnxError, Recognizer, Segment, Tongue, Transcript, Vad, Whisper,
    WhisperOnnx, millis, seconds, start_onnxruntime,
};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

/// What the recogniser takes at once; Whisper's own window is 30 s.
const LONGEST_WINDOW: usize = millis(29_000);
/// A pause longer than this is not worth transcribing through.
const LONGEST_PAUSE: usize = millis(2_000);
/// Speech without a pause is cut in the quietest tenth of a second of this last part of a window.
const CUT_WITHIN: usize = millis(8_000);
const CUT_STEP: usize = millis(100);

/// Where the models are.
#[derive(Clone, Debug)]
pub struct EarFiles {
    pub recognizer: RecognizerFiles,
    /// `silero-vad.onnx`.
    pub vad: PathBuf,
    /// `emotion.onnx`. Without it no feeling is measured: for a user who has not agreed to that.
    pub emotion: Option<PathBuf>,
    /// The ONNX Runtime library.
    pub onnxruntime: PathBuf,
}

/// Who writes down what is said.
#[derive(Clone, Debug)]
pub enum RecognizerFiles {
    /// Whisper-base through ONNX Runtime: the encoder's graph; the other files lie beside it.
    Onnx(PathBuf),
    /// A ggml model through whisper.cpp.
    Ggml(PathBuf),
}

#[derive(Debug, thiserror::Error)]
pub enum HearError {
    #[error("voice detection: {0}")]
    Vad(#[source] OnnxError),
    #[error("speech recognition: {0}")]
    Asr(#[from] AsrError),
    #[error("emotion model: {0}")]
    Emotion(#[source] OnnxError),
}

/// What was heard in one clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// With empty text if nobody spoke.
    pub transcript: Transcript,
    /// `None` under two seconds of speech, without a model, or if the model failed.
    pub emotion: Option<Emotion>,
    pub speech_seconds: f32,
    pub seconds: f32,
    /// Time spent on words; 0 if the recogniser did not run.
    pub asr_ms: u64,
    /// Time spent on the feeling, at the same time as the words.
    pub ser_ms: u64,
}

/// Detector, recogniser and emotion model, loaded. Dropping it gives the memory back; loading takes about a second.
pub struct Ear {
    vad: Vad,
    recognizer: Box<dyn Recognizer>,
    emotion: Option<EmotionModel>,
}

impl Ear {
    /// Starts ONNX Runtime if need be and loads the models.
    ///
    /// # Errors
    /// A file is missing or damaged; the error says which part needed it.
    pub fn load(files: &EarFiles) -> Result<Self, HearError> {
        start_onnxruntime(&files.onnxruntime).map_err(HearError::Vad)?;
        let vad = Vad::load(&files.vad).map_err(HearError::Vad)?;
        let emotion = match &files.emotion {
            Some(model) => Some(EmotionModel::load(model).map_err(HearError::Emotion)?),
            None => None,
        };
        let recognizer: Box<dyn Recognizer> = match &files.recognizer {
            RecognizerFiles::Onnx(encoder) => Box::new(WhisperOnnx::load(encoder)?),
            RecognizerFiles::Ggml(model) => Box::new(Whisper::load(model)?),
        };
        Ok(Self { vad, recognizer, emotion })
    }

    /// A first look at words that are still being spoken.
    ///
    /// # Errors
    /// Recognition failed.
    pub fn glance(&mut self, clip: &Clip, tongue: Tongue) -> Result<String, HearError> {
        Ok(self.recognizer.glance(&clip.samples, tongue)?)
    }

    /// Listens to a whole clip.
    ///
    /// # Errors
    /// Detection or recognition failed. A failing emotion model only leaves the feeling out: it is not worth the words.
    pub fn hear(&mut self, clip: &Clip, language: Language) -> Result<Heard, HearError> {
        let Self { vad, recognizer, emotion } = self;
        let ranges = vad.speech(&clip.samples).map_err(HearError::Vad)?;
        let speech: Vec<f32> = ranges.iter().flat_map(|range| &clip.samples[range.clone()]).copied().collect();
        let windows = windows(&ranges, &clip.samples);

        let (words, (feeling, ser_ms)) = std::thread::scope(|scope| {
            let feeling = emotion.as_mut().filter(|_| !speech.is_empty()).map(|model| {
                scope.spawn(|| {
                    let started = Instant::now();
                    let feeling = model.measure(&speech).unwrap_or_else(|error| {
                        tracing::warn!(%error, "no feeling was measured");
                        None
                    });
                    (feeling, elapsed_ms(started))
                })
            });
            let words = transcribe(recognizer.as_mut(), &clip.samples, &windows, language);
            let feeling = feeling.and_then(|thread| thread.join().ok()).unwrap_or((None, 0));
            (words, feeling)
        });
        let (transcript, asr_ms) = words?;
        Ok(Heard {
            transcript,
            emotion: feeling,
            speech_seconds: seconds(speech.len()),
            seconds: clip.seconds(),
            asr_ms,
            ser_ms,
        })
    }
}

fn transcribe(
    recognizer: &mut dyn Recognizer,
    samples: &[f32],
    windows: &[Range<usize>],
    language: Language,
) -> Result<(Transcript, u64), AsrError> {
    let mut tongue = match &language {
        Language::Fixed(tongue) => *tongue,
        Language::Auto(allowed) => allowed.first().copied().unwrap_or(Tongue::En),
    };
    let mut language = language;
    let mut segments = Vec::new();
    let started = Instant::now();
    for window in windows {
        let part = recognizer.transcribe(&samples[window.clone()], language)?;
        let offset = seconds(window.start);
        segments.extend(part.segments.into_iter().map(|segment| Segment {
            start: segment.start + offset,
            end: segment.end + offset,
            ..segment
        }));
        // One clip, one language: later windows do not pay for finding it out again.
        tongue = part.language;
        language = Language::Fixed(tongue);
    }
    let asr_ms = if windows.is_empty() { 0 } else { elapsed_ms(started) };
    Ok((Transcript { text: join(&segments), language: tongue, segments }, asr_ms))
}

/// Packs stretches of speech into windows that the recogniser can take, cut at pauses where there are any.
fn windows(speech: &[Range<usize>], samples: &[f32]) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for range in speech {
        let mut rest = range.clone();
        if let Some(last) = windows.last_mut()
            && rest.start - last.end <= LONGEST_PAUSE
            && rest.end - last.start <= LONGEST_WINDOW
        {
            last.end = rest.end;
            continue;
        }
        while rest.len() > LONGEST_WINDOW {
            let latest = rest.start + LONGEST_WINDOW;
            let cut = quietest(samples, latest - CUT_WITHIN..latest);
            windows.push(rest.start..cut);
            rest.start = cut;
        }
        windows.push(rest);
    }
    windows
}

fn quietest(samples: &[f32], within: Range<usize>) -> usize {
    let energy = |start: usize| samples[start..start + CUT_STEP].iter().map(|s| s * s).sum::<f32>();
    within
        .clone()
        .step_by(CUT_STEP)
        .filter(|start| start + CUT_STEP <= within.end)
        .min_by(|a, b| energy(*a).total_cmp(&energy(*b)))
        .map_or(within.end, |start| start + CUT_STEP / 2)
}

fn elapsed_ms(since: Instant) -> u64 {
    since.elapsed().as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: usize = millis(1_000);

    #[test]
    fn short_pauses_stay_inside_a_window_and_long_ones_do_not() {
        let speech = [0..3 * SECOND, 4 * SECOND..6 * SECOND, 12 * SECOND..13 * SECOND];
        let samples = vec![0.1; 13 * SECOND];
        assert_eq!(windows(&speech, &samples), [0..6 * SECOND, 12 * SECOND..13 * SECOND]);
    }

    #[test]
    fn an_endless_sentence_is_cut_where_it_is_quietest() {
        let mut samples = vec![0.3; 50 * SECOND];
        samples[25 * SECOND..25 * SECOND + SECOND / 5].fill(0.001);
        let cut = windows(std::slice::from_ref(&(0..50 * SECOND)), &samples);
        assert_eq!(cut.len(), 2);
        assert!((25 * SECOND..25 * SECOND + SECOND / 5).contains(&cut[0].end));
    }

    proptest! {
        #[test]
        fn windows_hold_all_the_speech_and_fit(lengths in prop::collection::vec((1usize..60, 1usize..70), 0..12)) {
            let mut at = 0;
            let mut speech = Vec::new();
            for (pause, length) in lengths {
                at += pause * SECOND / 10;
                speech.push(at..at + length * SECOND);
                at += length * SECOND;
            }
            let samples = vec![0.1; at];
            let windows = windows(&speech, &samples);
            prop_assert!(windows.iter().all(|w| !w.is_empty() && w.len() <= LONGEST_WINDOW));
            prop_assert!(windows.windows(2).all(|pair| pair[0].end <= pair[1].start));
            let held = |i: usize| windows.iter().any(|w| w.contains(&i));
            for range in speech {
                prop_assert!(range.step_by(SECOND / 4).all(held));
            }
        }
    }
}
