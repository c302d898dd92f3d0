//! Whisper-base through ONNX Runtime: about three times as fast as whisper.cpp on a CPU, with the same words.
//!
//! The graphs are ours (`models/asr`), the weights OpenAI's. The encoder looks at as much time as the clip has and a
//! second more, ten seconds at least: with less in view the decoder begins to go round in circles. It decodes greedily;
//! what it is not sure of, or what goes round, is tried again with the whole half minute in view and then with a little
//! chance.

mod graphs;
mod vocabulary;
mod writing;

use crate::asr::{AsrError, Language, Recognizer, Segment, Tongue, Transcript, hint};
use crate::onnx::OnnxError;
use crate::{millis, seconds};
use graphs::{Graphs, Heard};
use std::path::Path;
use vocabulary::{END_OF_TEXT, NO_SPEECH, NO_TIMESTAMPS, PREVIOUS, START, TEXT_TOKENS, TRANSCRIBE, Token, Vocabulary};
use writing::{Draft, Pen};

const DECODER: &str = "whisper-base-decoder.onnx";
const VOCABULARY: &str = "whisper-base-vocabulary.bin";

/// Decoding stops gaining here, and the window needs a core too.
const THREADS: usize = 2;
/// The encoder's frame.
const FRAME: usize = millis(20);
const WHOLE_WINDOW: usize = millis(30_000);
const LEAST_IN_VIEW: usize = millis(10_000);
/// Silence after the last word.
const MARGIN: usize = millis(1_000);
/// Tried in this order until a draft convinces; 0 takes the likeliest token each time.
const SECOND_TRIES: [f32; 3] = [0.0, 0.4, 0.8];
/// Below this nobody speaks, if the words are not likely either: no second try would find any.
const SPEECH: f32 = 0.4;

/// Whisper-base, loaded. Dropping it gives about 150 MB back.
pub struct WhisperOnnx {
    graphs: Graphs,
    vocabulary: Vocabulary,
    signs: Vec<Token>,
    blanks: Vec<Token>,
    hint_ru: Vec<Token>,
    hint_en: Vec<Token>,
}

impl WhisperOnnx {
    /// Loads the graphs, the decoder's and the vocabulary from beside the encoder's. ONNX Runtime must have been started.
    ///
    /// # Errors
    /// A file is missing or damaged, or this ONNX Runtime lacks an operator of the graphs.
    pub fn load(encoder: &Path) -> Result<Self, AsrError> {
        let bytes = std::fs::read(encoder.with_file_name(VOCABULARY)).map_err(|_| AsrError::ModelMissing)?;
        let vocabulary = Vocabulary::read(bytes)?;
        let graphs = Graphs::load(encoder, &encoder.with_file_name(DECODER), THREADS).map_err(|error| match error {
            OnnxError::ModelMissing => AsrError::ModelMissing,
            other => AsrError::Model(other.to_string()),
        })?;
        let mut recognizer = Self {
            signs: vocabulary.signs(),
            blanks: vocabulary.blanks(),
            hint_ru: vocabulary.tokens(hint(Tongue::Ru)),
            hint_en: vocabulary.tokens(hint(Tongue::En)),
            graphs,
            vocabulary,
        };
        // The first run of a graph plans its memory; the first utterance should not pay for it.
        recognizer.glance(&[0.0; MARGIN], Tongue::En)?;
        Ok(recognizer)
    }

    fn hear(&mut self, samples: &[f32], in_view: usize) -> Result<Heard, AsrError> {
        let mut audio = samples[..samples.len().min(in_view)].to_vec();
        audio.resize(in_view, 0.0);
        self.graphs.encode(audio)
    }

    /// The likelier of the allowed languages, and how likely it is that somebody speaks at all.
    fn first_impression(&mut self, heard: &Heard, language: &Language) -> Result<(Tongue, f32), AsrError> {
        let mut logits = Vec::new();
        self.graphs.write(heard, &mut Graphs::blank()?, &[START], &mut logits)?;
        let probability = |token: Token| writing::probability(&logits, token);
        let tongue = match language {
            Language::Fixed(tongue) => *tongue,
            Language::Auto(allowed) => {
                let allowed = if allowed.is_empty() { &[Tongue::Ru, Tongue::En][..] } else { allowed };
                let likelier = |a: &&Tongue, b: &&Tongue| probability(a.token()).total_cmp(&probability(b.token()));
                allowed.iter().max_by(likelier).copied().unwrap_or(Tongue::En)
            }
        };
        Ok((tongue, 1.0 - probability(NO_SPEECH)))
    }

    fn draft(&mut self, heard: &Heard, tongue: Tongue, length: usize, pen: Pen) -> Result<Draft, AsrError> {
        let mut prompt = Vec::new();
        if pen.hint {
            prompt.push(PREVIOUS);
            prompt.extend(match tongue {
                Tongue::Ru => &self.hint_ru,
                Tongue::En => &self.hint_en,
            });
        }
        prompt.extend([START, tongue.token(), TRANSCRIBE, NO_TIMESTAMPS]);
        let (graphs, vocabulary, signs, blanks) = (&mut self.graphs, &self.vocabulary, &self.signs, &self.blanks);
        let mut page = Graphs::blank()?;
        let step = |tokens: &[Token], next: &mut Vec<f32>| graphs.write(heard, &mut page, tokens, next);
        let allow = |logits: &mut [f32], first: bool| {
            // Text or its end; nothing that is not spoken, and no beginning with nothing.
            logits[TEXT_TOKENS + 1..].fill(f32::NEG_INFINITY);
            signs.iter().for_each(|sign| logits[*sign as usize] = f32::NEG_INFINITY);
            if first {
                logits[END_OF_TEXT as usize] = f32::NEG_INFINITY;
                blanks.iter().for_each(|blank| logits[*blank as usize] = f32::NEG_INFINITY);
            }
        };
        writing::write(&prompt, seconds(length), pen.temperature, step, allow, |tokens| vocabulary.text(tokens))
    }
}

impl Recognizer for WhisperOnnx {
    fn transcribe(&mut self, samples: &[f32], language: Language) -> Result<Transcript, AsrError> {
        let mut heard = self.hear(samples, in_view(samples.len()))?;
        let (tongue, speech) = self.first_impression(&heard, &language)?;
        let mut best = self.draft(&heard, tongue, samples.len(), Pen { hint: true, temperature: 0.0 })?;
        for (index, temperature) in SECOND_TRIES.into_iter().enumerate() {
            if best.convinces() || (speech < SPEECH && !best.is_likely()) {
                break;
            }
            tracing::debug!(temperature, "an unlikely transcript; decoding again with the whole window in view");
            if index == 0 {
                heard = self.hear(samples, WHOLE_WINDOW)?;
            }
            let next = self.draft(&heard, tongue, samples.len(), Pen { hint: false, temperature })?;
            if next.better_than(&best) {
                best = next;
            }
        }
        let avg_logprob = Some(best.mean_log_probability());
        let text = best.words();
        let segments = match text.is_empty() {
            true => Vec::new(),
            false => vec![Segment {
                start: 0.0,
                end: seconds(samples.len()),
                text: text.clone(),
                no_speech: Some(1.0 - speech),
                avg_logprob,
            }],
        };
        Ok(Transcript { text, language: tongue, segments })
    }

    fn glance(&mut self, samples: &[f32], tongue: Tongue) -> Result<String, AsrError> {
        let heard = self.hear(samples, in_view(samples.len()))?;
        let draft = self.draft(&heard, tongue, samples.len(), Pen { hint: true, temperature: 0.0 })?;
        Ok(if draft.goes_round() { String::new() } else { draft.words() })
    }
}

/// How much the encoder looks at for a clip of so many samples.
fn in_view(samples: usize) -> usize {
    (samples + MARGIN).clamp(LEAST_IN_VIEW, WHOLE_WINDOW).next_multiple_of(FRAME)
}
