//! The whole ear: voice activity, then words and feeling side by side.
//!
//! A clip without speech never reaches the recogniser. A clip longer than half a minute is cut at pauses.

use crate::segments::{LONGEST, cut};
use crate::{
    AsrError, Clip, Draft, Emotion, EmotionModel, Language, OnnxError, Recognizer, Tongue, Transcript, Vad, Whisper,
    WhisperOnnx, millis, seconds, start_onnxruntime,
};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

/// A pause longer than this is not worth transcribing through.
const LONGEST_PAUSE: usize = millis(2_000);

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

    /// Writes down a finished segment of an utterance that goes on; it began at sample `at`.
    ///
    /// # Errors
    /// Recognition failed; the draft is as it was.
    pub fn settle(
        &mut self,
        draft: &mut Draft,
        samples: &[f32],
        at: usize,
        language: &Language,
    ) -> Result<(), HearError> {
        Ok(settle(self.recognizer.as_mut(), draft, samples, at, language)?)
    }

    /// Listens to a whole clip.
    ///
    /// # Errors
    /// Detection or recognition failed. A failing emotion model only leaves the feeling out: it is not worth the words.
    pub fn hear(&mut self, clip: &Clip, language: Language) -> Result<Heard, HearError> {
        let speech = self.vad.speech(&clip.samples).map_err(HearError::Vad)?;
        let windows = windows(&speech, &clip.samples);
        self.finish(Draft::default(), clip, &windows, &speech, language)
    }

    /// Writes down what a draft still lacks of its utterance (`rest`), and measures the feeling in all of its `speech`.
    ///
    /// # Errors
    /// As [`Ear::hear`].
    pub fn finish(
        &mut self,
        draft: Draft,
        clip: &Clip,
        rest: &[Range<usize>],
        speech: &[Range<usize>],
        language: Language,
    ) -> Result<Heard, HearError> {
        let Self { recognizer, emotion, .. } = self;
        let speech: Vec<f32> = speech.iter().flat_map(|range| &clip.samples[range.clone()]).copied().collect();
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
            let words = rest.iter().try_fold(draft, |mut draft, range| {
                settle(recognizer.as_mut(), &mut draft, &clip.samples[range.clone()], range.start, &language)?;
                Ok::<_, AsrError>(draft)
            });
            let feeling = feeling.and_then(|thread| thread.join().ok()).unwrap_or((None, 0));
            (words, feeling)
        });
        let draft = words?;
        let asr_ms = draft.asr_ms;
        Ok(Heard {
            transcript: draft.into_transcript(language),
            emotion: feeling,
            speech_seconds: seconds(speech.len()),
            seconds: clip.seconds(),
            asr_ms,
            ser_ms,
        })
    }
}

fn settle(
    recognizer: &mut dyn Recognizer,
    draft: &mut Draft,
    samples: &[f32],
    at: usize,
    language: &Language,
) -> Result<(), AsrError> {
    let started = Instant::now();
    let part = recognizer.transcribe(samples, draft.language(language))?;
    draft.settle(part, seconds(at), seconds(samples.len()));
    draft.asr_ms += elapsed_ms(started).max(1);
    Ok(())
}

/// Packs stretches of speech into windows that the recogniser can take, cut at pauses where there are any.
fn windows(speech: &[Range<usize>], samples: &[f32]) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for range in speech {
        let mut rest = range.clone();
        if let Some(last) = windows.last_mut()
            && rest.start - last.end <= LONGEST_PAUSE
            && rest.end - last.start <= LONGEST
        {
            last.end = rest.end;
            continue;
        }
        while rest.len() > LONGEST {
            let cut = cut(samples, &rest);
            windows.push(rest.start..cut);
            rest.start = cut;
        }
        windows.push(rest);
    }
    windows
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
            prop_assert!(windows.iter().all(|w| !w.is_empty() && w.len() <= LONGEST));
            prop_assert!(windows.windows(2).all(|pair| pair[0].end <= pair[1].start));
            let held = |i: usize| windows.iter().any(|w| w.contains(&i));
            for range in speech {
                prop_assert!(range.step_by(SECOND / 4).all(held));
            }
        }
    }
}
