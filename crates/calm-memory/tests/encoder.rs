//! The encoder says what the package says that its weights come from, and nothing makes it panic.

mod common;
#[path = "common/synthetic.rs"]
mod synthetic;

use std::sync::LazyLock;

use calm_memory::{DIMENSIONS, EMBEDDING_BYTES, Embedding, Encoder, EncoderError};
use common::{ENCODER, model_files};
use proptest::prelude::*;
use rstest::rstest;
use serde::Deserialize;
use synthetic::{FIVE_PIECES, zeros};

/// A sentence, or one that is repeated.
#[derive(Deserialize)]
#[serde(untagged)]
enum Sentence {
    Once(String),
    Times(String, usize),
}

/// tests/encoder/reference.py writes the other two files from this one.
fn sentences() -> Vec<String> {
    let sentences: Vec<Sentence> =
        serde_json::from_str(include_str!("encoder/sentences.json")).expect("a list of sentences");
    let whole = |sentence| match sentence {
        Sentence::Once(text) => text,
        Sentence::Times(text, times) => text.repeat(times),
    };
    sentences.into_iter().map(whole).collect()
}

#[test]
fn texts_are_read_as_the_same_pieces() {
    let expected: Vec<&str> = include_str!("encoder/pieces.txt").lines().collect();
    let sentences = sentences();
    assert_eq!((sentences.len(), expected.len()), (200, 200));
    for (sentence, expected) in sentences.iter().zip(expected) {
        let pieces: Vec<String> = ENCODER.pieces(sentence).iter().map(u32::to_string).collect();
        assert_eq!(pieces.join(" "), expected, "{sentence:?}");
    }
}

#[test]
fn texts_lie_where_the_package_puts_them() {
    let vectors = include_bytes!("encoder/vectors.i16").as_chunks::<{ 2 * DIMENSIONS }>().0;
    let sentences = sentences();
    assert_eq!(vectors.len(), sentences.len());
    let mut greatest = 0.0_f32;
    for (sentence, vector) in sentences.iter().zip(vectors) {
        let embedding = ENCODER.encode(sentence);
        for (component, expected) in embedding.components().iter().zip(vector.as_chunks::<2>().0) {
            let difference = (component - f32::from(i16::from_le_bytes(*expected)) / 32767.0).abs();
            assert!(difference <= 1e-4, "{sentence:?}: {difference}");
            greatest = greatest.max(difference);
        }
    }
    println!("greatest difference in a component: {greatest:.2e}, n = {}", sentences.len());
}

#[rstest]
#[case::empty("")]
#[case::spaces("  \t\n\u{a0}")]
#[case::nothing_to_see("\u{200b}")]
fn nothing_said_has_one_place(#[case] text: &str) {
    assert_eq!(ENCODER.encode(text), ENCODER.encode(" "));
}

#[test]
fn what_follows_the_first_four_thousand_characters_does_not_count() {
    let said = "опять без плана ".repeat(300);
    let longer = said.clone() + &"и ещё раз ".repeat(1000);
    assert_eq!(ENCODER.encode(&said), ENCODER.encode(&longer));
}

#[test]
fn the_same_thought_in_another_language_is_nearer_than_another_thought() {
    let said = ENCODER.encode("я снова вошёл в рынок без плана");
    let same = ENCODER.encode("I entered the market without a plan again");
    let other = ENCODER.encode("tomorrow I will cook dinner for my parents");
    assert!(said.dot(&same) > said.dot(&other) + 0.2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_text_has_a_place(text in "\\PC{0,200}|[\\s\\S]{0,60}") {
        let embedding = ENCODER.encode(&text);
        let length = embedding.dot(&embedding).sqrt();
        prop_assert!((length - 1.0).abs() < 1e-3, "{length}");
    }

    #[test]
    fn an_embedding_comes_back_from_its_bytes(text in "\\PC{0,80}") {
        let embedding = ENCODER.encode(&text);
        let bytes = embedding.to_bytes();
        let back = Embedding::from_bytes(&bytes).expect("our own bytes");
        prop_assert!(back.dot(&embedding) > 0.9999);
        prop_assert_eq!(&back.to_bytes()[4..], &bytes[4..], "a second time loses nothing more");
    }

    #[test]
    fn any_bytes_are_an_embedding_of_length_one_or_none(bytes in prop::collection::vec(any::<u8>(), EMBEDDING_BYTES)) {
        if let Some(embedding) = Embedding::from_bytes(&bytes) {
            prop_assert!((embedding.dot(&embedding) - 1.0).abs() < 1e-3);
        }
        prop_assert!(Embedding::from_bytes(&bytes[1..]).is_none());
    }
}

#[test]
fn bytes_without_a_direction_are_no_embedding() {
    let mut bytes = [0; EMBEDDING_BYTES];
    bytes[..4].copy_from_slice(&1.0_f32.to_le_bytes());
    assert!(Embedding::from_bytes(&bytes).is_none(), "all zero");
    bytes[9] = 1;
    assert!(Embedding::from_bytes(&bytes).is_some());
    for scale in [f32::NAN, f32::INFINITY, 0.0, -1.0] {
        bytes[..4].copy_from_slice(&scale.to_le_bytes());
        assert!(Embedding::from_bytes(&bytes).is_none(), "{scale}");
    }
}

static ZEROS: LazyLock<Vec<u8>> = LazyLock::new(zeros);

#[test]
fn weights_that_point_nowhere_still_give_an_embedding() {
    let encoder = Encoder::new(&ZEROS, FIVE_PIECES).expect("sound");
    assert_eq!(encoder.pieces("a aж"), [1, 3, 4, 3, 4, 0, 2]);
    let embedding = encoder.encode("a");
    assert_eq!(embedding.dot(&embedding), 1.0);
}

#[test]
fn more_pieces_than_the_weights_know_are_refused() {
    let model = b"\x0a\x03\x0a\x01a".repeat(18);
    assert!(matches!(Encoder::new(&ZEROS, &model), Err(EncoderError::Vocabulary(_))));
}

#[test]
fn files_of_another_kind_are_refused() {
    let (weights, vocabulary) = model_files();
    assert!(matches!(Encoder::new(&vocabulary, &vocabulary), Err(EncoderError::Weights { .. })));
    assert!(matches!(Encoder::new(&weights[..weights.len() / 2], &vocabulary), Err(EncoderError::Weights { .. })));
    assert!(matches!(Encoder::new(&ZEROS, &weights), Err(EncoderError::Vocabulary(_))));
}

/// What happens to bytes on the way: a few are changed, and the end may be missing.
fn damage(bytes: &[u8], changes: &[(prop::sample::Index, u8)], end: Option<prop::sample::Index>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (index, byte) in changes {
        let index = index.index(bytes.len());
        bytes[index] = *byte;
    }
    if let Some(end) = end {
        bytes.truncate(end.index(bytes.len()));
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn damaged_weights_are_an_error_or_an_encoder(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        end in any::<Option<prop::sample::Index>>(),
    ) {
        if let Ok(encoder) = Encoder::new(&damage(&ZEROS, &changes, end), FIVE_PIECES) {
            encoder.encode("a aж");
        }
    }

    #[test]
    fn a_damaged_vocabulary_is_an_error_or_an_encoder(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        end in any::<Option<prop::sample::Index>>(),
        text in "\\PC{0,20}",
    ) {
        if let Ok(encoder) = Encoder::new(&ZEROS, &damage(FIVE_PIECES, &changes, end)) {
            encoder.encode(&text);
        }
    }
}
