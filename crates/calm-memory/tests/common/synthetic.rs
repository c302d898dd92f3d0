//! A model as small as a model can be; also what the fuzzer begins with.

use std::io::{Cursor, Write};

/// An archive with every array that the weights have, all zero, and 17 pieces; a small one, for damaging.
pub fn zeros() -> Vec<u8> {
    let mut arrays: Vec<(String, &str, Vec<usize>)> = Vec::new();
    let mut add = |name: String, kind, shape: &[usize]| arrays.push((name, kind, shape.to_vec()));
    for n in [2, 3, 5] {
        add(format!("proj{n}"), "<f4", &[512, 256]);
        for name in ["proj_b", "ln_g", "ln_b", "b1_", "b2_"] {
            add(format!("{name}{n}"), "<f4", &[256]);
        }
        add(format!("w1_{n}"), "<f4", &[n * 256, 256]);
        add(format!("w2_{n}"), "<f4", &[n * 256, 256]);
    }
    for (name, shape) in [
        ("ln_g", &[1280][..]),
        ("ln_b", &[1280]),
        ("cnn_W", &[1280, 512]),
        ("cnn_b", &[512]),
        ("d0", &[512, 320]),
        ("d1", &[320, 320]),
        ("p1", &[512, 320]),
        ("d2", &[320, 512]),
        ("d3", &[512, 512]),
        ("p3", &[320, 512]),
        ("scale", &[17]),
        ("lo", &[17]),
    ] {
        add(name.to_owned(), "<f4", shape);
    }
    for part in 1..=17 {
        add(format!("q{part}"), "|u1", &[1, 512]);
    }
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, kind, shape) in arrays {
        zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).expect("a member");
        let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sides}), }}\n");
        let width = if kind == "<f4" { 4 } else { 1 };
        zip.write_all(b"\x93NUMPY\x01\0").expect("written");
        zip.write_all(&u16::try_from(header.len()).expect("short").to_le_bytes()).expect("written");
        zip.write_all(header.as_bytes()).expect("written");
        zip.write_all(&vec![0; shape.iter().product::<usize>() * width]).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}

/// `<unk>`, `<s>`, `</s>`, the mark of a space, and a letter.
pub const FIVE_PIECES: &[u8] = b"\x0a\x07\x0a\x05<unk>\x0a\x05\x0a\x03<s>\x0a\x06\x0a\x04</s>\
    \x0a\x0a\x0a\x03\xe2\x96\x81\x15\0\0\x80\xbf\x0a\x08\x0a\x01a\x15\0\0\0\xc0\
    \x1a\x0e\x12\x0c\x08\0\0\0\0\0\0\0\0\0\0\0";
