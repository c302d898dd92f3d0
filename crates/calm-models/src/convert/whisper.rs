//! Which tensor of CTranslate2 becomes which tensor of whisper.cpp.
//!
//! CTranslate2 joins query, key and value in one matrix and gives the key a bias of zeros, which Whisper does not have.

use std::ops::Range;

use super::ConvertError;
use super::ct2::Weights;

/// Sizes that whisper.cpp reads from the head of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub vocabulary: usize,
    pub audio_positions: usize,
    pub text_positions: usize,
    pub width: usize,
    pub encoder_layers: usize,
    pub decoder_layers: usize,
    pub mel_bands: usize,
}

impl Sizes {
    pub fn of(weights: &Weights<'_>) -> Result<Self, ConvertError> {
        let first_conv = "encoder/conv1/weight";
        let mel_bands = *weights
            .get(first_conv)?
            .shape()
            .get(1)
            .ok_or_else(|| ConvertError::Unexpected { name: first_conv.to_owned(), what: "shape" })?;
        Ok(Self {
            vocabulary: weights.get("decoder/embeddings/weight")?.rows(),
            audio_positions: weights.get("encoder/position_encodings/encodings")?.rows(),
            text_positions: weights.get("decoder/position_encodings/encodings")?.rows(),
            width: weights.get("decoder/layer_norm/gamma")?.rows(),
            encoder_layers: weights.layers("encoder"),
            decoder_layers: weights.layers("decoder"),
            mel_bands,
        })
    }
}

/// One tensor of the new file: its name there, where its numbers are, and which rows of it.
#[derive(Debug)]
pub struct Placed {
    pub name: String,
    pub source: String,
    /// `None` takes all of it.
    pub rows: Option<Range<usize>>,
    pub shape: Shape,
}

/// What the shape in the new file is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    AsIs,
    /// The biases of the convolutions are added to a whole row: whisper.cpp wants them as columns.
    Column,
}

/// All tensors, in the order in which whisper.cpp's own converter writes them.
pub fn layout(sizes: &Sizes) -> Vec<Placed> {
    let mut plan = Plan { width: sizes.width, tensors: Vec::new() };
    for conv in ["conv1", "conv2"] {
        plan.whole(&format!("encoder.{conv}.weight"), &format!("encoder/{conv}/weight"));
        plan.push(format!("encoder.{conv}.bias"), format!("encoder/{conv}/bias"), None, Shape::Column);
    }
    plan.whole("encoder.positional_embedding", "encoder/position_encodings/encodings");
    plan.whole("decoder.positional_embedding", "decoder/position_encodings/encodings");
    plan.whole("decoder.token_embedding.weight", "decoder/embeddings/weight");
    plan.norm("encoder.ln_post", "encoder/layer_norm");
    plan.norm("decoder.ln", "decoder/layer_norm");
    for layer in 0..sizes.encoder_layers {
        plan.layer("encoder", layer);
    }
    for layer in 0..sizes.decoder_layers {
        plan.layer("decoder", layer);
        plan.cross_attention(layer);
    }
    plan.tensors
}

struct Plan {
    width: usize,
    tensors: Vec<Placed>,
}

impl Plan {
    fn push(&mut self, name: String, source: String, rows: Option<Range<usize>>, shape: Shape) {
        self.tensors.push(Placed { name, source, rows, shape });
    }

    fn whole(&mut self, name: &str, source: &str) {
        self.push(name.to_owned(), source.to_owned(), None, Shape::AsIs);
    }

    fn norm(&mut self, name: &str, source: &str) {
        self.whole(&format!("{name}.weight"), &format!("{source}/gamma"));
        self.whole(&format!("{name}.bias"), &format!("{source}/beta"));
    }

    fn linear(&mut self, name: &str, source: &str) {
        self.whole(&format!("{name}.weight"), &format!("{source}/weight"));
        self.whole(&format!("{name}.bias"), &format!("{source}/bias"));
    }

    /// One of the matrices that `source` joins; `part` counts from 0.
    fn part(&mut self, name: &str, source: &str, part: usize) {
        let rows = Some(part * self.width..(part + 1) * self.width);
        self.push(format!("{name}.weight"), format!("{source}/weight"), rows.clone(), Shape::AsIs);
        if !name.ends_with(".key") {
            self.push(format!("{name}.bias"), format!("{source}/bias"), rows, Shape::AsIs);
        }
    }

    fn layer(&mut self, side: &str, layer: usize) {
        let (to, from) = (format!("{side}.blocks.{layer}"), format!("{side}/layer_{layer}"));
        self.norm(&format!("{to}.attn_ln"), &format!("{from}/self_attention/layer_norm"));
        self.norm(&format!("{to}.mlp_ln"), &format!("{from}/ffn/layer_norm"));
        for (part, name) in ["query", "key", "value"].iter().enumerate() {
            self.part(&format!("{to}.attn.{name}"), &format!("{from}/self_attention/linear_0"), part);
        }
        self.linear(&format!("{to}.attn.out"), &format!("{from}/self_attention/linear_1"));
        self.linear(&format!("{to}.mlp.0"), &format!("{from}/ffn/linear_0"));
        self.linear(&format!("{to}.mlp.2"), &format!("{from}/ffn/linear_1"));
    }

    fn cross_attention(&mut self, layer: usize) {
        let (to, from) = (format!("decoder.blocks.{layer}"), format!("decoder/layer_{layer}/attention"));
        self.norm(&format!("{to}.cross_attn_ln"), &format!("{from}/layer_norm"));
        self.linear(&format!("{to}.cross_attn.query"), &format!("{from}/linear_0"));
        self.part(&format!("{to}.cross_attn.key"), &format!("{from}/linear_1"), 0);
        self.part(&format!("{to}.cross_attn.value"), &format!("{from}/linear_1"), 1);
        self.linear(&format!("{to}.cross_attn.out"), &format!("{from}/linear_2"));
    }
}
