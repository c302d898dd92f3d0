//! PDFs written by hand, byte by byte, where no program would write them so.
#![allow(dead_code)]

use std::io::Write;

/// A PDF of these objects, numbered from 1; the first is the catalogue.
pub fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        writeln!(file, "{} 0 obj", index + 1).unwrap();
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for offset in offsets {
        writeln!(file, "{offset:010} 00000 n ").unwrap();
    }
    write!(file, "trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1).unwrap();
    file
}

pub fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<</Length {}{entries}>>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// What a page needs around its content (object 4) and its font (object 5); object 6 is a form named X.
pub fn page(content: Vec<u8>, font: &[u8], form: Vec<u8>) -> Vec<u8> {
    pages(&b"<</Type/Pages/Count 1/Kids[3 0 R]>>"[..], content, font, form)
}

pub fn pages(tree: &[u8], content: Vec<u8>, font: &[u8], form: Vec<u8>) -> Vec<u8> {
    pdf(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        tree.to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>"
            .to_vec(),
        content,
        font.to_vec(),
        form,
    ])
}

pub const HELVETICA: &[u8] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";

/// One page with these operators and the font F.
pub fn showing(operators: &[u8], font: &[u8]) -> Vec<u8> {
    page(stream("", operators), font, b"null".to_vec())
}

/// The parts' texts, in a row.
pub fn texts(document: &calm_knowledge::Document) -> Vec<&str> {
    document.parts.iter().map(|part| part.text.as_str()).collect()
}
