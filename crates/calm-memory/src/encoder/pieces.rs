//! Text as numbered pieces: SentencePiece's unigram segmentation.
//!
//! Our own, because the encoder learnt from one exact segmentation: kitoken 0.11 gives other pieces to a tab, a
//! zero-width space and a run of unknown characters (21 of the 200 sentences of our test), and brings 80 crates along.
//!
//! Kudo, 2018, "Subword Regularization", arXiv:1804.10959; layout of the file: `sentencepiece_model.proto`.

use super::EncoderError;
use super::charsmap::Charsmap;
use super::wire::{Fields, Malformed, Value};

const UNKNOWN: u32 = 0;
const BEGIN: u32 = 1;
const END: u32 = 2;

/// 128,000 in the model that we know.
const MAX_PIECES: usize = 1 << 20;

/// An unknown character costs this much more than the rarest piece, as in SentencePiece.
const UNKNOWN_PENALTY: f64 = 10.0;

/// Every piece, in the order of its bytes, so that those with a common beginning lie together.
pub struct Vocabulary {
    text: Vec<u8>,
    /// Where each piece begins in `text`, and the end of the last one.
    bounds: Vec<u32>,
    ids: Vec<u32>,
    /// Logarithms of probabilities.
    scores: Vec<f32>,
    unknown_score: f64,
    charsmap: Charsmap,
    count: usize,
}

struct Piece<'a> {
    text: &'a str,
    score: f32,
    id: u32,
}

impl Vocabulary {
    /// Reads a SentencePiece model.
    pub fn read(model: &[u8]) -> Result<Self, EncoderError> {
        let mut pieces = Vec::new();
        let mut charsmap = Charsmap::default();
        for field in Fields::of(model) {
            match field? {
                (1, Value::Bytes(_)) if pieces.len() == MAX_PIECES => {
                    return Err(EncoderError::Vocabulary("more pieces than in any model"));
                }
                (1, Value::Bytes(message)) => pieces.push(piece(message, pieces.len() as u32)?),
                (3, Value::Bytes(normaliser)) => {
                    for field in Fields::of(normaliser) {
                        if let (2, Value::Bytes(bytes)) = field? {
                            let fault = EncoderError::Vocabulary("half a table of replacements");
                            charsmap = Charsmap::read(bytes).ok_or(fault)?;
                        }
                    }
                }
                _ => {}
            }
        }
        if pieces.len() <= END as usize {
            return Err(EncoderError::Vocabulary("fewer pieces than there are marks"));
        }
        Ok(Self::of(pieces, charsmap))
    }

    fn of(mut pieces: Vec<Piece<'_>>, charsmap: Charsmap) -> Self {
        let count = pieces.len();
        let rarest = pieces.iter().fold(f32::INFINITY, |least, piece| least.min(piece.score));
        pieces.retain(|piece| !piece.text.is_empty());
        pieces.sort_unstable_by_key(|piece| (piece.text, std::cmp::Reverse(piece.id)));
        // Of two equal ones the later counts.
        pieces.dedup_by_key(|piece| piece.text);
        let mut text = Vec::with_capacity(pieces.iter().map(|piece| piece.text.len()).sum());
        let mut bounds = vec![0];
        for piece in &pieces {
            text.extend_from_slice(piece.text.as_bytes());
            bounds.push(text.len() as u32);
        }
        Self {
            text,
            bounds,
            ids: pieces.iter().map(|piece| piece.id).collect(),
            scores: pieces.iter().map(|piece| piece.score).collect(),
            unknown_score: f64::from(rarest) - UNKNOWN_PENALTY,
            charsmap,
            count,
        }
    }

    /// How many numbers a piece can have.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The most probable pieces of `text`, no more than `most` of them, between the marks of its beginning and end.
    /// Text of nothing but spaces is one unknown piece.
    pub fn encode(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = vec![BEGIN];
        let segments = self.segment(&self.charsmap.normalise(text));
        match segments.is_empty() {
            true => ids.push(UNKNOWN),
            false => ids.extend(segments.iter().take(most)),
        }
        ids.push(END);
        ids
    }

    /// Viterbi over byte positions. On a tie the piece that starts earlier wins, as in SentencePiece.
    fn segment(&self, text: &str) -> Vec<u32> {
        #[derive(Clone, Copy)]
        struct Best {
            score: f64,
            start: usize,
            id: u32,
        }
        let nothing = Best { score: f64::NEG_INFINITY, start: 0, id: UNKNOWN };
        let mut best = vec![nothing; text.len() + 1];
        best[0].score = 0.0;
        for (start, first) in text.char_indices() {
            let before = best[start].score;
            let single = start + first.len_utf8();
            let mut single_known = false;
            let mut offer = |end: usize, score: f64, id| {
                if score > best[end].score {
                    best[end] = Best { score, start, id };
                }
            };
            self.beginnings(&text.as_bytes()[start..], |length, index| {
                single_known |= start + length == single;
                offer(start + length, before + f64::from(self.scores[index]), self.ids[index]);
            });
            if !single_known {
                offer(single, before + self.unknown_score, UNKNOWN);
            }
        }
        let mut ids = Vec::new();
        let mut end = text.len();
        while end > 0 {
            ids.push(best[end].id);
            end = best[end].start;
        }
        ids.reverse();
        ids
    }

    /// Calls `found` with length and index of every piece that `text` begins with, short ones first.
    fn beginnings(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        let (mut from, mut to) = (0, self.ids.len());
        for (depth, &byte) in text.iter().enumerate() {
            let next = |index: usize| self.piece(index).get(depth).copied();
            from = first_index(from, to, |index| next(index) >= Some(byte));
            to = first_index(from, to, |index| next(index) > Some(byte));
            if from == to {
                return;
            }
            if self.piece(from).len() == depth + 1 {
                found(depth + 1, from);
            }
        }
    }

    fn piece(&self, index: usize) -> &[u8] {
        &self.text[self.bounds[index] as usize..self.bounds[index + 1] as usize]
    }
}

/// The first index of `from..to` for which `holds`, which is false up to there and true from there on; else `to`.
fn first_index(mut from: usize, mut to: usize, holds: impl Fn(usize) -> bool) -> usize {
    while from < to {
        let middle = from.midpoint(to);
        match holds(middle) {
            true => to = middle,
            false => from = middle + 1,
        }
    }
    from
}

fn piece(message: &[u8], id: u32) -> Result<Piece<'_>, EncoderError> {
    let mut piece = Piece { text: "", score: 0.0, id };
    for field in Fields::of(message) {
        match field? {
            (1, Value::Bytes(text)) => {
                let fault = |_| EncoderError::Vocabulary("a piece that is no text");
                piece.text = std::str::from_utf8(text).map_err(fault)?;
            }
            (2, Value::Fixed32(score)) => piece.score = f32::from_le_bytes(score),
            _ => {}
        }
    }
    match piece.score.is_finite() {
        true => Ok(piece),
        false => Err(EncoderError::Vocabulary("a probability that is none")),
    }
}

impl From<Malformed> for EncoderError {
    fn from(_: Malformed) -> Self {
        Self::Vocabulary("a field that ends in the middle")
    }
}
