//! A document of any kind, and a PDF with any content: every chunk of it has its size and its text.
#![no_main]

use calm_knowledge::{CHUNK_CHARACTERS, active_facts, chunks, facts_to_answers, read};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    match kind {
        b'%' => check("a.pdf", bytes),
        b'c' => check("a.csv", rest),
        b't' => check("a.txt", rest),
        kind if kind % 2 == 0 => check("a.pdf", &page(rest)),
        _ => {
            check("a.md", rest);
            let text = String::from_utf8_lossy(rest);
            active_facts(&text);
            facts_to_answers(&text);
        }
    }
});

fn check(name: &str, bytes: &[u8]) {
    if let Ok(document) = read(name, bytes) {
        for chunk in chunks(&document) {
            let characters = chunk.text.chars().count();
            assert!(characters > 0 && characters <= *CHUNK_CHARACTERS.end());
        }
    }
}

/// A page that shows one half of the bytes, in a font that the other half describes.
fn page(bytes: &[u8]) -> Vec<u8> {
    let (content, font) = bytes.split_at(bytes.len() / 2);
    let head = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]>>endobj \
        3 0 obj<</Type/Page/Contents 4 0 R/Resources<</Font<</F 5 0 R/G 7 0 R>>/XObject<</X 4 0 R>>>>>>endobj 4 0 obj<<\
        /Subtype/Form>>stream\nBT /F 9 Tf ";
    let fonts = b"\nendstream endobj 5 0 obj<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 6 0 R>>endobj \
        7 0 obj<</Type/Font/Subtype/Type1/Encoding 8 0 R>>endobj 8 0 obj ";
    let map = b" endobj 6 0 obj<<>>stream\n";
    [head, content, fonts, font, map, font, b"\nendstream endobj trailer<</Root 1 0 R>>"].concat()
}
