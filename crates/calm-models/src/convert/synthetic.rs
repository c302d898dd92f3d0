//! Small weights for tests, written the way CTranslate2 writes them.

use half::f16;

fn string(out: &mut Vec<u8>, text: &str) {
    out.extend(u16::try_from(text.len() + 1).expect("a short name").to_le_bytes());
    out.extend(text.as_bytes());
    out.push(0);
}

fn number(out: &mut Vec<u8>, value: usize) {
    out.extend(u32::try_from(value).expect("a small number").to_le_bytes());
}

/// A `model.bin` of f16 tensors (name, shape, numbers) and aliases (alias, name).
pub fn model_bin(tensors: &[(&str, &[usize], &[f32])], aliases: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    number(&mut out, 6);
    string(&mut out, "WhisperSpec");
    number(&mut out, 3);
    number(&mut out, tensors.len());
    for (name, shape, numbers) in tensors {
        string(&mut out, name);
        out.push(u8::try_from(shape.len()).expect("a small rank"));
        shape.iter().for_each(|size| number(&mut out, *size));
        out.push(4);
        number(&mut out, numbers.len() * 2);
        numbers.iter().for_each(|value| out.extend(f16::from_f32(*value).to_le_bytes()));
    }
    number(&mut out, aliases.len());
    for (alias, name) in aliases {
        string(&mut out, alias);
        string(&mut out, name);
    }
    out
}

/// Width of [`whisper`]: one head.
pub const WIDTH: usize = 64;

/// A whole Whisper in miniature: one layer a side, random weights, a key without bias.
pub fn whisper() -> Vec<u8> {
    let mut shapes: Vec<(String, Vec<usize>)> = vec![
        ("encoder/conv1/weight".into(), vec![WIDTH, 80, 3]),
        ("encoder/conv1/bias".into(), vec![WIDTH]),
        ("encoder/conv2/weight".into(), vec![WIDTH, WIDTH, 3]),
        ("encoder/conv2/bias".into(), vec![WIDTH]),
        ("encoder/position_encodings/encodings".into(), vec![6, WIDTH]),
        ("decoder/position_encodings/encodings".into(), vec![4, WIDTH]),
        ("decoder/embeddings/weight".into(), vec![10, WIDTH]),
    ];
    let mut norm = |at: &str| {
        shapes.push((format!("{at}/gamma"), vec![WIDTH]));
        shapes.push((format!("{at}/beta"), vec![WIDTH]));
    };
    for side in ["encoder", "decoder"] {
        norm(&format!("{side}/layer_norm"));
        norm(&format!("{side}/layer_0/self_attention/layer_norm"));
        norm(&format!("{side}/layer_0/ffn/layer_norm"));
    }
    norm("decoder/layer_0/attention/layer_norm");
    let mut linear = |at: &str, rows: usize, columns: usize| {
        shapes.push((format!("{at}/weight"), vec![rows, columns]));
        shapes.push((format!("{at}/bias"), vec![rows]));
    };
    for side in ["encoder", "decoder"] {
        linear(&format!("{side}/layer_0/self_attention/linear_0"), 3 * WIDTH, WIDTH);
        linear(&format!("{side}/layer_0/self_attention/linear_1"), WIDTH, WIDTH);
        linear(&format!("{side}/layer_0/ffn/linear_0"), 4 * WIDTH, WIDTH);
        linear(&format!("{side}/layer_0/ffn/linear_1"), WIDTH, 4 * WIDTH);
    }
    linear("decoder/layer_0/attention/linear_0", WIDTH, WIDTH);
    linear("decoder/layer_0/attention/linear_1", 2 * WIDTH, WIDTH);
    linear("decoder/layer_0/attention/linear_2", WIDTH, WIDTH);
    let mut seed = 1u32;
    let mut random = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as f32 / 32_768.0 - 1.0
    };
    let numbers: Vec<Vec<f32>> =
        shapes.iter().map(|(_, shape)| (0..shape.iter().product()).map(&mut random).collect()).collect();
    let tensors: Vec<(&str, &[usize], &[f32])> =
        shapes.iter().zip(&numbers).map(|((name, shape), numbers)| (name.as_str(), &shape[..], &numbers[..])).collect();
    model_bin(&tensors, &[])
}
