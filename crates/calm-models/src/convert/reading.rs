//! Reads ggml files the way whisper.cpp does, to hold the writer against it.

use std::collections::BTreeMap;

use half::f16;

use super::ct2::Weights;
use super::ggml::{Precision, write_whisper};
use super::synthetic::{WIDTH, whisper};

const TOKENIZER: &[u8] = br#"{"model": {"vocab": {"a": 0, "b": 1}}}"#;

struct Loaded {
    head: Vec<i32>,
    tokens: Vec<Vec<u8>>,
    /// Type number, shape (fastest first), numbers.
    tensors: BTreeMap<String, (i32, Vec<usize>, Vec<f32>)>,
}

fn load(mut file: &[u8]) -> Loaded {
    fn bytes<'a>(file: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = file.split_at_checked(count).expect("the file is long enough");
        *file = rest;
        taken
    }
    fn int(file: &mut &[u8]) -> i32 {
        i32::from_le_bytes(bytes(file, 4).try_into().expect("four bytes"))
    }
    fn size(file: &mut &[u8]) -> usize {
        usize::try_from(int(file)).expect("not negative")
    }
    assert_eq!(int(&mut file), 0x6767_6d6c);
    let head: Vec<i32> = (0..11).map(|_| int(&mut file)).collect();
    let (bands, bins) = (size(&mut file), size(&mut file));
    bytes(&mut file, bands * bins * 4);
    let tokens = (0..size(&mut file))
        .map(|_| {
            let length = size(&mut file);
            bytes(&mut file, length).to_vec()
        })
        .collect();
    let mut tensors = BTreeMap::new();
    while !file.is_empty() {
        let (rank, name_length, kind) = (size(&mut file), size(&mut file), int(&mut file));
        let shape: Vec<usize> = (0..rank).map(|_| size(&mut file)).collect();
        let name = String::from_utf8(bytes(&mut file, name_length).to_vec()).expect("a name");
        let count: usize = shape.iter().product();
        let numbers = match kind {
            0 => bytes(&mut file, count * 4).as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            1 => bytes(&mut file, count * 2).as_chunks().0.iter().map(|b| f16::from_le_bytes(*b).to_f32()).collect(),
            8 => bytes(&mut file, count / 32 * 34)
                .chunks(34)
                .flat_map(|block| {
                    let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
                    block[2..].iter().map(move |byte| f32::from(byte.cast_signed()) * scale)
                })
                .collect(),
            other => panic!("{name} has type {other}"),
        };
        tensors.insert(name, (kind, shape, numbers));
    }
    Loaded { head, tokens, tensors }
}

fn written(weights: &Weights<'_>, precision: Precision) -> Loaded {
    let mut file = Vec::new();
    write_whisper(weights, TOKENIZER, precision, &mut file).expect("a whole model");
    load(&file)
}

#[test]
fn a_file_holds_every_tensor_under_whisper_cpps_names() {
    let source = whisper();
    let weights = Weights::read(&source).expect("sound weights");
    let exact = written(&weights, Precision::F16);
    let width = i32::try_from(WIDTH).expect("small");
    assert_eq!(exact.head, [10, 6, width, 1, 1, 4, width, 1, 1, 80, 1]);
    assert_eq!(exact.tokens[..2], [b"a".to_vec(), b"b".to_vec()]);
    // 4 convolution tensors, 3 tables, 2 norms of 2, and 15 or 24 tensors a layer.
    assert_eq!(exact.tensors.len(), 4 + 3 + 4 + 15 + 24);
    assert!(!exact.tensors.contains_key("encoder.blocks.0.attn.key.bias"), "Whisper's keys have no bias");

    let joined = weights.get("encoder/layer_0/self_attention/linear_0/weight").expect("there");
    let (_, shape, value) = &exact.tensors["encoder.blocks.0.attn.value.weight"];
    assert_eq!(shape, &[WIDTH, WIDTH]);
    assert_eq!(value, &joined.numbers_of(2 * WIDTH..3 * WIDTH).expect("the third part"));
    assert_eq!(exact.tensors["encoder.conv1.bias"].1, [1, WIDTH], "added to whole rows");
}

#[test]
fn eight_bits_differ_from_sixteen_by_less_than_a_step() {
    let source = whisper();
    let weights = Weights::read(&source).expect("sound weights");
    let (exact, coarse) = (written(&weights, Precision::F16), written(&weights, Precision::Q8));
    assert_eq!(coarse.head.last(), Some(&2_007));
    let mut quantised = 0;
    for (name, (kind, shape, numbers)) in &coarse.tensors {
        let (_, expected_shape, expected) = &exact.tensors[name];
        assert_eq!(shape, expected_shape, "{name}");
        let tolerance = if *kind == 8 { 1.0 / 127.0 } else { 0.0 };
        quantised += usize::from(*kind == 8);
        for (number, expected) in numbers.iter().zip(expected) {
            assert!((number - expected).abs() <= tolerance, "{name}: {number} for {expected}");
        }
    }
    assert_eq!(quantised, 1 + 6 + 10, "the embedding and every matrix of both layers");
}

#[test]
fn weights_that_lack_a_tensor_are_an_error() {
    let source = whisper();
    let renamed = b"decoder/layer_0/attention/linear_2/bias";
    let at = source.windows(renamed.len()).position(|window| window == renamed).expect("its name");
    let mut damaged = source.clone();
    damaged[at] = b'x';
    let weights = Weights::read(&damaged).expect("the format is sound");
    let error = write_whisper(&weights, TOKENIZER, Precision::Q8, &mut Vec::new()).expect_err("a hole");
    assert!(error.to_string().contains("decoder/layer_0/attention/linear_2/bias"), "{error}");
}
