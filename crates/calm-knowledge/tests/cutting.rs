//! Chunks: their sizes, and where the cuts are.
#![allow(clippy::unwrap_used)]

use calm_knowledge::{CHUNK_CHARACTERS, Chunk, chunks, read};
use rstest::rstest;

fn cut(name: &str, text: &str) -> Vec<Chunk> {
    chunks(&read(name, text.as_bytes()).unwrap())
}

fn texts(text: &str) -> Vec<String> {
    cut("a.txt", text).into_iter().map(|chunk| chunk.text).collect()
}

/// `count` Russian sentences of 52 characters, each with its number.
fn sentences(count: usize) -> String {
    let sentence = |n: usize| format!("Сделка номер {n:02}: вход по плану, выход по стопу, всё.");
    let all: Vec<String> = (1..=count).map(sentence).collect();
    assert_eq!(all[0].chars().count(), 52);
    all.join(" ")
}

#[test]
fn a_short_document_is_one_chunk() {
    assert_eq!(texts(&sentences(3)), [sentences(3)]);
    assert_eq!(texts(&sentences(16)).len(), 1);
}

#[test]
fn characters_count_and_not_bytes() {
    // 17 sentences are 900 characters and 1,600 bytes.
    let text = sentences(17);
    assert_eq!((text.chars().count(), texts(&text).len()), (900, 1));
    assert_eq!(texts(&sentences(18)).len(), 2);
}

#[test]
fn a_long_paragraph_is_cut_between_sentences_into_like_pieces() {
    let chunks = texts(&sentences(36));
    assert_eq!(chunks.len(), 3);
    for chunk in &chunks {
        assert!(chunk.starts_with("Сделка") && chunk.ends_with("всё."), "{chunk}");
        assert!((500..=700).contains(&chunk.chars().count()));
    }
    assert_eq!(chunks.join(" "), sentences(36));
}

#[test]
fn paragraphs_come_before_sentences() {
    let [first, second] = [sentences(8), sentences(11)];
    assert_eq!(texts(&format!("{first}\n\n{second}")), [first, second]);
}

/// A sentence of so many characters.
fn sentence(characters: usize) -> String {
    let words: String = "И слово за словом, ".chars().cycle().take(characters - 1).collect();
    let mut sentence = words.trim_end().to_owned();
    while sentence.chars().count() < characters - 1 {
        sentence.push('м');
    }
    sentence + "."
}

#[test]
fn a_heading_stays_with_its_text() {
    // Cut after the heading, both chunks would have the wanted length.
    let (first, heading, second) = (sentence(558), "После двух убытков подряд, в любой день", sentence(600));
    let text = format!("{first}\n\n{heading}\n\n{second}");
    assert_eq!(texts(&text), [first, format!("{heading}\n\n{second}")]);
}

#[test]
fn initials_and_short_forms_end_no_sentence() {
    for name in ["А. С. Петров", "См. Приложение", "Mr. Market"] {
        // A cut at the full stop in the middle would make two equal chunks.
        let (before, after) = (sentence(116).replace('.', ""), sentence(480).to_lowercase());
        let (first, second) = (sentence(380), format!("{before} {name} {after}"));
        assert_eq!(texts(&format!("{first} {second}")), [first, second], "{name}");
    }
}

#[test]
fn a_sentence_is_cut_before_a_chunk_gets_too_short() {
    let chunks = texts(&[sentence(290), sentence(490), sentence(290)].join(" "));
    assert!(chunks.iter().all(|chunk| CHUNK_CHARACTERS.contains(&chunk.chars().count())));
}

#[test]
fn a_text_without_sentences_is_cut_between_words() {
    let text = "слово ".repeat(500);
    let chunks = texts(&text);
    assert!(chunks.iter().all(|chunk| CHUNK_CHARACTERS.contains(&chunk.chars().count())));
    assert_eq!(chunks.join(" "), text.trim());
}

#[test]
fn a_text_without_words_is_cut_all_the_same() {
    let text = "я".repeat(2500);
    let chunks = texts(&text);
    assert!(chunks.iter().all(|chunk| CHUNK_CHARACTERS.contains(&chunk.chars().count())));
    assert_eq!(chunks.concat(), text);
}

#[test]
fn accents_stay_on_their_letters() {
    // Without a composed form, so it reaches the cut as two characters.
    let text = "q\u{301}".repeat(1250);
    assert!(texts(&text).iter().all(|chunk| chunk.starts_with('q') && chunk.ends_with('\u{301}')));
}

#[test]
fn chunks_keep_place_and_order() {
    let note = format!("# T\n\n## Утро\n\n{}\n\n## Вечер\n\nКоротко.", sentences(20));
    let chunks = cut("a.md", &note);
    let places: Vec<_> = chunks.iter().map(|chunk| (chunk.seq, chunk.place.as_deref().unwrap())).collect();
    assert_eq!(places, [(0, "Утро"), (1, "Утро"), (2, "Вечер")]);
}

#[rstest]
#[case::short(5, 1)]
#[case::just_fits(17, 1)]
#[case::long(40, 3)]
fn an_answer_never_leaves_its_question(#[case] length: usize, #[case] count: usize) {
    let chunks = cut("a.md", &format!("Q: Почему?\nA: {}", sentences(length)));
    assert_eq!(chunks.len(), count);
    assert!(chunks.iter().all(|chunk| chunk.question.as_deref() == Some("Почему?")));
}

#[test]
fn hard_wrapped_lines_are_no_paragraphs() {
    let lines: Vec<String> =
        (0..40).map(|n| format!("строка {n} продолжается дальше и дальше без всякой точки, потому что её")).collect();
    let chunks = texts(&lines.join("\n"));
    assert!(chunks.iter().all(|chunk| CHUNK_CHARACTERS.contains(&chunk.chars().count())));
}

#[test]
fn a_desert_of_blank_lines_says_nothing() {
    let text = format!("{}{}{}", sentences(2), "\n \n".repeat(3000), sentences(2));
    assert_eq!(texts(&text), [format!("{}\n\n{}", sentences(2), sentences(2))]);
}
