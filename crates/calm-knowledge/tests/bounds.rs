//! Hostile and damaged PDFs: no panic, not even a silent one, and never much memory.
//!
//! One test, because it counts the memory of the whole process and listens to every panic.
#![allow(clippy::unwrap_used)]

mod common;

use calm_knowledge::{chunks, read};
use common::{HELVETICA, page, pages, pdf, stream, zlib};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counted;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static PANICS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator and only counts.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the same layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: memory and layout came from the same allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

const SHOW: &[u8] = b"BT /F 12 Tf (x) Tj ET";
const TREE: &[u8] = b"<</Type/Pages/Count 1/Kids[3 0 R]>>";

fn nested(open: &str, close: &str) -> Vec<u8> {
    [open.repeat(100_000), close.repeat(100_000)].concat().into_bytes()
}

fn form(content: &[u8], next: usize) -> Vec<u8> {
    stream(&format!("/Subtype/Form/Resources<</Font<</F 5 0 R>>/XObject<</X {next} 0 R>>>>"), content)
}

/// Table of objects as a packed stream, described by `figures`.
fn table(figures: &str) -> Vec<u8> {
    let entries = format!("/Type/XRef/Size 3/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/DecodeParms<<{figures}>>");
    let object = stream(&entries, &zlib(&[b'0'; 1000]));
    [b"%PDF-1.5\n1 0 obj", &object[..], b"endobj\nstartxref\n9\n%%EOF"].concat()
}

/// A page tree that lies in a stream of objects, which unpacks to 80 MB, with something before it.
fn packed_objects(before: &str) -> Vec<u8> {
    let objects = [b"2 0 <</Type/Pages/Kids[]>>", &vec![b' '; 80 << 20][..]].concat();
    let head = format!("%PDF-1.5\n{before}\n");
    let catalogue = b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n";
    let packed = [b"3 0 obj", &stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &zlib(&objects))[..], b"endobj\n"];
    let mut file = [head.as_bytes(), catalogue, &packed.concat()].concat();
    let at = |offset: usize| [1, (offset >> 16) as u8, (offset >> 8) as u8, offset as u8, 0];
    let (first, third, fourth) = (at(head.len()), at(head.len() + catalogue.len()), at(file.len()));
    let entries = [[0; 5], first, [2, 0, 0, 3, 0], third, fourth].concat();
    let start = file.len();
    file.extend([b"4 0 obj", &stream("/Type/XRef/Size 5/W[1 3 1]/Root 1 0 R", &entries)[..]].concat());
    file.extend(format!("endobj\nstartxref\n{start}\n%%EOF").into_bytes());
    file
}

fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let show = || stream("", SHOW);
    let null = || b"null".to_vec();
    let bomb = zlib(&SHOW.repeat(4 << 20));
    let packed = |bytes: &[u8]| stream("/Filter/FlateDecode", bytes);
    let twice = zlib(&zlib(&vec![b' '; 100 << 20]));
    let sums_up: Vec<Vec<u8>> = [b"<</Type/Catalog/Pages 2 0 R>>".to_vec(), TREE.to_vec()]
        .into_iter()
        .chain(vec![packed(&zlib(&vec![b' '; 40 << 20])); 40])
        .collect();
    let mut chain: Vec<Vec<u8>> = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec(), TREE.to_vec()];
    chain.extend((4..20_000).map(|next| format!("{next} 0 R").into_bytes()));
    let mut forms = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec(), TREE.to_vec()];
    forms.push(b"<</Type/Page/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>".to_vec());
    forms.extend([stream("", b"/X Do"), HELVETICA.to_vec()]);
    forms.extend((7..60).map(|next| form(&b"/X Do ".repeat(10), next)));
    let deep_pages = [b"<</Type/Catalog/Pages 2 0 R>>".to_vec()]
        .into_iter()
        .chain((3..20_000).map(|next| format!("<</Type/Pages/Kids[{next} 0 R]>>").into_bytes()))
        .collect::<Vec<_>>();
    let kids = [b"<</Type/Pages/Kids[", &b"<<>>".repeat(450_000)[..], b"]>>"].concat();
    let wide = b"<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</W[0 4294967295 500]>>]>>";
    vec![
        ("a page that unpacks to 40 MB", page(packed(&zlib(&SHOW.repeat(2 << 20))), HELVETICA, null())),
        ("a page that unpacks to 80 MB", page(packed(&bomb), HELVETICA, null())),
        ("packed twice", page(stream("/Filter[/FlateDecode/FlateDecode]", &twice), HELVETICA, null())),
        ("1.6 GB in 40 streams", pdf(&sums_up)),
        ("80 MB of objects", packed_objects("")),
        ("80 MB of objects that only seem encrypted", packed_objects("% /Encrypt")),
        ("arrays in arrays", page(stream("", &nested("[", "]")), HELVETICA, null())),
        ("an object of arrays", page(show(), HELVETICA, nested("[", "]"))),
        ("a font of dictionaries", page(show(), &nested("<</A", ">>"), null())),
        ("a font of open dictionaries", page(show(), &nested("<</A [", ""), null())),
        ("parentheses", page(stream("", &[b"(", &nested("(", ")")[..], b") Tj"].concat()), HELVETICA, null())),
        ("states saved", page(stream("", &[&b"q ".repeat(500_000)[..], SHOW].concat()), HELVETICA, null())),
        ("a form that draws itself", page(stream("", b"/X Do"), HELVETICA, form(b"/X Do /X Do", 6))),
        ("forms that draw ten forms each", pdf(&forms)),
        ("a page tree that holds itself", pages(b"<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]>>", show(), HELVETICA, null())),
        ("a page tree as deep as the file", pdf(&deep_pages)),
        ("pages without end", pages(&kids, show(), HELVETICA, null())),
        ("references to references", pdf(&chain)),
        ("a font as wide as four thousand million letters", page(show(), wide, null())),
        ("rows of a hundred thousand million columns", table("/Predictor 2/BitsPerComponent 4/Columns 99999999999")),
        ("rows of no columns", table("/Predictor 2/Columns 0")),
        ("more colours than a byte counts", table("/Predictor 12/Colors 32/BitsPerComponent 16")),
        ("objects that never close", [b"%PDF-1.4\n", &b"1 0 obj<<(".repeat(200_000)[..]].concat()),
        ("streams that never close", [b"%PDF-1.4\n", &b"1 0 obj<<>>stream\n".repeat(100_000)[..]].concat()),
        ("comments that never close", [b"%PDF-1.4\n", &b"1 0 obj%".repeat(200_000)[..]].concat()),
        ("only a mark", b"%PDF-".to_vec()),
    ]
}

/// The same damage on every run: a file cut off, bytes changed, a piece lost, figures changed.
fn damaged(file: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below.max(1)
    };
    let mut file = file.to_vec();
    match seed % 4 {
        0 => file.truncate(random(file.len())),
        1 => (0..[1, 10, 100, 1000][random(4)]).for_each(|_| {
            let at = random(file.len());
            file[at] = random(256) as u8;
        }),
        2 => {
            let from = random(file.len());
            let to = (from + random(2000)).min(file.len());
            file.drain(from..to);
        }
        _ => {
            let digits: Vec<usize> = (0..file.len()).filter(|&at| file[at].is_ascii_digit()).collect();
            (0..30).for_each(|_| file[digits[random(digits.len())]] = b"0123456789-"[random(11)]);
        }
    }
    file
}

#[test]
fn nothing_panics_and_memory_stays_small() {
    std::panic::set_hook(Box::new(|panic| {
        PANICS.fetch_add(1, Relaxed);
        eprintln!("{:?} {panic}", std::thread::current().name());
    }));
    for (name, file) in hostile() {
        PEAK.store(NOW.load(Relaxed), Relaxed);
        let before = NOW.load(Relaxed);
        let read = read("a.pdf", &file).map(|document| chunks(&document).len());
        let used = (PEAK.load(Relaxed) - before) >> 20;
        eprintln!("{name}: {} KB, {used} MB used, {read:?}", file.len() / 1024);
        assert!(used < 400, "{name}: {used} MB");
    }
    let folder = format!("{}/tests/documents", env!("CARGO_MANIFEST_DIR"));
    let (mut read_at_all, mut tried) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "pdf") {
            continue;
        }
        let file = std::fs::read(&path).unwrap();
        for seed in 0..24 {
            tried += 1;
            read_at_all += usize::from(read("a.pdf", &damaged(&file, seed)).is_ok_and(|d| !chunks(&d).is_empty()));
        }
    }
    assert_eq!(PANICS.load(Relaxed), 0);
    // Most damage leaves something to read: a parser that only refuses would pass everything above.
    assert!(read_at_all * 3 > tried, "{read_at_all} of {tried}");
}
