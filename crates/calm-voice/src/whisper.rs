//! Whisper through whisper.cpp: any ggml model file.
//!
//! Decoding is greedy with temperature fallback. Two things are ours: the encoder looks only at as much time as the
//! clip has, which halves the work, and text that goes round in circles is decoded again with everything in view.

use crate::asr::{AsrError, Language, Recognizer, Segment, Tongue, Transcript, hint, join, loops, straightened};
use crate::cores::free_threads;
use crate::{millis, seconds};
use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::Path;
use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperError, WhisperSegment, WhisperState,
    WhisperTokenId,
};

/// More threads than two wait for each other longer than they compute, and the window needs a core too.
const MOST_THREADS: usize = 2;
/// Encoder positions, 50 a second. Below 500 the decoder begins to invent; 1500 is all that the model has.
const CONTEXT: RangeInclusive<usize> = 500..=1500;
/// Positions past the end of the clip, so that the last word is followed by silence.
const CONTEXT_MARGIN: usize = 128;
/// Whisper reads windows of this many seconds.
const WINDOW_SECONDS: f32 = 30.0;
/// Shorter clips are filled up with silence: whisper.cpp ignores what is under 0.1 s and guesses under a second.
const SHORTEST: usize = millis(1_000);
/// Nobody says more in a second than this many tokens; what goes past it is a loop.
const TOKENS_PER_SECOND: f32 = 15.0;
const TOKENS_MARGIN: f32 = 40.0;

/// A loaded Whisper model with its working memory. Dropping it gives both back.
pub struct Whisper {
    state: WhisperState,
    hint_ru: Vec<WhisperTokenId>,
    hint_en: Vec<WhisperTokenId>,
    multilingual: bool,
    threads: usize,
}

impl Whisper {
    /// Loads a ggml model and runs it once on silence, so that the first utterance does not pay for cold memory.
    ///
    /// # Errors
    /// The file is missing or is not a complete ggml Whisper model.
    pub fn load(model: &Path) -> Result<Self, AsrError> {
        // Without the hook whisper.cpp writes to stderr; with it, to nowhere.
        whisper_rs::install_logging_hooks();
        if !model.is_file() {
            return Err(AsrError::ModelMissing);
        }
        let refused = |error: WhisperError| AsrError::Model(error.to_string());
        let context = WhisperContext::new_with_params(model, WhisperContextParameters::default()).map_err(refused)?;
        let mut whisper = Self {
            state: context.create_state().map_err(refused)?,
            hint_ru: context.tokenize(hint(Tongue::Ru), 224).map_err(refused)?,
            hint_en: context.tokenize(hint(Tongue::En), 224).map_err(refused)?,
            multilingual: context.is_multilingual(),
            threads: free_threads(MOST_THREADS),
        };
        // This also leaves the encoder at its narrowest, which is what language detection then uses.
        whisper.decode(&[0.0; SHORTEST], Tongue::En, *CONTEXT.start(), false, Care::Quick)?;
        Ok(whisper)
    }

    /// The likelier of the allowed languages, by the first ten seconds or more.
    fn detect(&mut self, samples: &[f32], allowed: &[Tongue]) -> Result<Tongue, AsrError> {
        let allowed = if allowed.is_empty() { &[Tongue::Ru, Tongue::En] } else { allowed };
        if let [only] = allowed {
            return Ok(*only);
        }
        if !self.multilingual {
            return Ok(Tongue::En);
        }
        self.state.pcm_to_mel(samples, self.threads).map_err(failed)?;
        let (_, probabilities) = self.state.lang_detect(0, self.threads).map_err(failed)?;
        let probability = |tongue: &Tongue| {
            whisper_rs::get_lang_id(tongue.code())
                .and_then(|id| probabilities.get(usize::try_from(id).ok()?).copied())
                .unwrap_or(0.0)
        };
        let likeliest = allowed.iter().max_by(|a, b| probability(a).total_cmp(&probability(b)));
        Ok(likeliest.copied().unwrap_or(Tongue::En))
    }

    fn decode(
        &mut self,
        samples: &[f32],
        tongue: Tongue,
        context: usize,
        hint: bool,
        care: Care,
    ) -> Result<Vec<Segment>, AsrError> {
        let window = seconds(samples.len()).min(WINDOW_SECONDS);
        let best_of = if care == Care::Quick { 1 } else { 3 };
        let mut params = FullParams::new(SamplingStrategy::Greedy { best_of });
        if care == Care::Quick {
            // Speech that is cut off in the middle is never likely text; trying again would not make it so.
            params.set_temperature_inc(0.0);
        }
        params.set_n_threads(self.threads as i32);
        params.set_language(Some(tongue.code()));
        params.set_audio_ctx(context as i32);
        params.set_max_tokens((window * TOKENS_PER_SECOND + TOKENS_MARGIN) as i32);
        params.set_no_context(true);
        params.set_suppress_nst(true);
        params.set_print_special(false);
        params.set_print_progress(false);
        params.set_print_realtime(false);
        params.set_print_timestamps(false);
        if hint {
            params.set_tokens(match tongue {
                Tongue::Ru => &self.hint_ru,
                Tongue::En => &self.hint_en,
            });
        }
        self.state.full(params, samples).map_err(failed)?;

        let mut segments = Vec::new();
        for segment in self.state.as_iter() {
            let text = segment.to_str_lossy().map_err(failed)?.trim().to_owned();
            if !text.is_empty() {
                let [start, end] = [segment.start_timestamp(), segment.end_timestamp()]
                    .map(|centiseconds| (centiseconds as f32 / 100.0).clamp(0.0, seconds(samples.len())));
                let no_speech = Some(segment.no_speech_probability());
                segments.push(Segment {
                    start,
                    end: end.max(start),
                    text,
                    no_speech,
                    avg_logprob: likelihood(&segment),
                });
            }
        }
        Ok(segments)
    }
}

impl Recognizer for Whisper {
    fn transcribe(&mut self, samples: &[f32], language: Language) -> Result<Transcript, AsrError> {
        let samples = &long_enough(samples);
        self.threads = free_threads(MOST_THREADS);
        let tongue = match &language {
            Language::Fixed(tongue) => *tongue,
            Language::Auto(allowed) => self.detect(samples, allowed)?,
        };
        let mut segments = self.decode(samples, tongue, context_for(samples.len()), true, Care::Full)?;
        if loops(&join(&segments)) {
            tracing::debug!("the transcript went round in circles; decoding again with the whole window");
            segments = self.decode(samples, tongue, *CONTEXT.end(), false, Care::Full)?;
            segments.iter_mut().for_each(|segment| segment.text = straightened(&segment.text));
            segments.dedup_by(|next, kept| next.text == kept.text);
        }
        Ok(Transcript { text: join(&segments), language: tongue, segments })
    }

    fn glance(&mut self, samples: &[f32], tongue: Tongue) -> Result<String, AsrError> {
        // The microphone, the window and the speaker's other programs want the second core.
        self.threads = 1;
        let samples = &long_enough(samples);
        let segments = self.decode(samples, tongue, context_for(samples.len()), true, Care::Quick)?;
        let text = join(&segments);
        Ok(if loops(&text) { String::new() } else { text })
    }
}

/// How much a transcript is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    Quick,
    Full,
}

/// Mean log-probability of a segment's tokens.
fn likelihood(segment: &WhisperSegment<'_>) -> Option<f32> {
    let tokens = segment.n_tokens();
    let logarithms =
        (0..tokens).filter_map(|i| segment.get_token(i)).map(|token| token.token_probability().max(1e-10).ln());
    (tokens > 0).then(|| logarithms.sum::<f32>() / tokens as f32)
}

fn long_enough(samples: &[f32]) -> Cow<'_, [f32]> {
    if samples.len() >= SHORTEST {
        return Cow::Borrowed(samples);
    }
    let mut padded = samples.to_vec();
    padded.resize(SHORTEST, 0.0);
    Cow::Owned(padded)
}

fn context_for(samples: usize) -> usize {
    let needed = (seconds(samples) * 50.0).ceil() as usize + CONTEXT_MARGIN;
    needed.clamp(*CONTEXT.start(), *CONTEXT.end())
}

fn failed(error: WhisperError) -> AsrError {
    AsrError::Run(error.to_string())
}
