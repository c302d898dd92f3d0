//! The two graphs, run: sound into keys and values, and tokens into the likelihood of the next one.

use super::vocabulary::Token;
use crate::asr::AsrError;
use crate::onnx::{self, OnnxError};
use ort::memory::Allocator;
use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, Tensor, TensorRef};
use std::borrow::Cow;
use std::path::Path;

/// The decoder's layers, its heads, and the width of each.
const LAYERS: usize = 6;
const HEADS: usize = 8;
const HEAD: usize = 64;

/// What the decoder keeps of each layer.
const PAIR: [&str; 2] = ["key", "value"];

pub struct Graphs {
    encoder: Session,
    decoder: Session,
    names: Names,
}

/// One utterance as the decoder looks at it: keys and values for each layer.
pub struct Heard(Vec<DynValue>);

/// A text that is being written, token by token.
pub struct Written {
    past: Vec<DynValue>,
    length: usize,
}

struct Names {
    past: Vec<String>,
    cross: Vec<String>,
    present: Vec<String>,
}

impl Graphs {
    pub fn load(encoder: &Path, decoder: &Path, threads: usize) -> Result<Self, OnnxError> {
        let named = |prefix: &str| {
            let prefix = prefix.to_owned();
            let name = move |layer: usize| PAIR.map(|part| format!("{prefix}{part}_{layer}"));
            (0..LAYERS).flat_map(name).collect::<Vec<_>>()
        };
        let names = Names { past: named("past_"), cross: named("cross_"), present: named("") };
        Ok(Self {
            encoder: onnx::open_with(encoder, threads, &["audio"], &["cross_key_0"])?,
            decoder: onnx::open_with(decoder, threads, &["ids", "positions"], &["logits"])?,
            names,
        })
    }

    /// `samples`: a whole number of frames of 320, at most 480,000 samples.
    pub fn encode(&mut self, samples: Vec<f32>) -> Result<Heard, AsrError> {
        let audio = Tensor::from_array(([1, samples.len()], samples)).map_err(|error| failed(&error))?;
        let mut outputs = self.encoder.run(ort::inputs!["audio" => audio]).map_err(|error| failed(&error))?;
        let heard: Option<Vec<_>> = self.names.cross.iter().map(|name| outputs.remove(name)).collect();
        heard.map(Heard).ok_or_else(wrong)
    }

    /// An empty page.
    pub fn blank() -> Result<Written, AsrError> {
        let empty = || Ok(Tensor::<f32>::new(&Allocator::default(), [1, HEADS, 0, HEAD])?.into_dyn());
        let past: ort::Result<Vec<_>> = (0..LAYERS * PAIR.len()).map(|_| empty()).collect();
        Ok(Written { past: past.map_err(|error| failed(&error))?, length: 0 })
    }

    /// Adds `tokens`, and writes how likely each token is to come next (logits) into `next`.
    pub fn write(
        &mut self,
        heard: &Heard,
        written: &mut Written,
        tokens: &[Token],
        next: &mut Vec<f32>,
    ) -> Result<(), AsrError> {
        let ids: Vec<i64> = tokens.iter().map(|token| i64::from(*token)).collect();
        let positions: Vec<i64> = (written.length as i64..).take(tokens.len()).collect();
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = vec![
            (
                "ids".into(),
                TensorRef::from_array_view(([1, ids.len()], &ids[..])).map_err(|error| failed(&error))?.into(),
            ),
            (
                "positions".into(),
                TensorRef::from_array_view(([positions.len()], &positions[..])).map_err(|error| failed(&error))?.into(),
            ),
        ];
        inputs.extend(
            self.names.past.iter().map(|name| Cow::from(name.as_str())).zip(written.past.iter().map(Into::into)),
        );
        inputs.extend(self.names.cross.iter().map(|name| Cow::from(name.as_str())).zip(heard.0.iter().map(Into::into)));
        let mut outputs = self.decoder.run(inputs).map_err(|error| failed(&error))?;
        {
            let (_, logits) = outputs["logits"].try_extract_tensor::<f32>().map_err(|error| failed(&error))?;
            next.clear();
            next.extend_from_slice(logits);
        }
        let past: Option<Vec<_>> = self.names.present.iter().map(|name| outputs.remove(name)).collect();
        written.past = past.ok_or_else(wrong)?;
        written.length += tokens.len();
        Ok(())
    }
}

fn failed(error: &ort::Error) -> AsrError {
    AsrError::Run(error.message().to_owned())
}

fn wrong() -> AsrError {
    AsrError::Run("the graph has other outputs".to_owned())
}
