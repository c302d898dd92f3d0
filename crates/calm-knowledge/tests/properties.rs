//! What holds for every document, sensible or not.
#![allow(clippy::unwrap_used)]

mod common;

use calm_knowledge::{CHUNK_CHARACTERS, Document, Part, active_facts, chunks, facts_to_answers, read};
use proptest::prelude::*;

/// Something like a document: words, marks of markdown and pairs, blank lines, very long words.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[а-яёa-zA-Я]{1,12}[.,!?:;»]{0,1} {0,2}",
        2 => "\n{1,4}",
        1 => Just("\n# ".to_owned()),
        1 => Just("\n### ".to_owned()),
        1 => Just("\nQ: ".to_owned()),
        1 => Just("\nA: ".to_owned()),
        1 => Just("\n## Active facts\n".to_owned()),
        1 => Just("\n- ".to_owned()),
        1 => Just("\n```\n".to_owned()),
        1 => "[яq\u{301}😀]{1,400}",
        1 => "[ -~«»—№😀\u{AD}\u{A0}]{0,20}",
        1 => Just("{{user.name}} {currentTime} <b>".to_owned()),
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn check(document: &Document) {
    let chunks = chunks(document);
    let mut rest = &chunks[..];
    for part in document.parts.iter().filter(|part| !part.text.trim().is_empty()) {
        let wanted = letters(&part.text);
        let mut found = String::new();
        let count = rest.iter().take_while(|chunk| {
            let more = found.len() < wanted.len();
            found.push_str(if more { &chunk.text } else { "" });
            found = letters(&found);
            more
        });
        let (mine, others) = rest.split_at(count.count());
        assert_eq!(found, wanted);
        for chunk in mine {
            let length = chunk.text.chars().count();
            assert!(length > 0 && length <= *CHUNK_CHARACTERS.end(), "{length} characters");
            assert!(mine.len() == 1 || length >= *CHUNK_CHARACTERS.start(), "{length} characters");
            assert_eq!(chunk.text.trim(), chunk.text);
            assert_eq!((&chunk.place, &chunk.question), (&part.place, &part.question));
        }
        rest = others;
    }
    assert!(rest.is_empty());
    assert!(chunks.iter().enumerate().all(|(index, chunk)| chunk.seq == index));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn chunks_lose_nothing_and_keep_their_size(text in markdown()) {
        for name in ["a.txt", "a.md", "a.csv"] {
            if let Ok(document) = read(name, text.as_bytes()) {
                check(&document);
            }
        }
    }

    #[test]
    fn words_are_cut_only_when_they_must_be(words_of in prop::collection::vec("[а-яa-z]{1,30}[.!?]{0,1}", 1..200)) {
        let text = words_of.join(" ");
        let document = read("a.txt", text.as_bytes()).unwrap();
        let cut: Vec<String> = chunks(&document).iter().flat_map(|chunk| words(&chunk.text)).collect();
        prop_assert_eq!(cut, words(&text));
    }

    #[test]
    fn long_texts_make_no_short_chunks(words_of in prop::collection::vec("[а-яa-z]{1,40}[.!?]{0,1}\n{0,2}|я{1,300}", 60..200)) {
        let document = read("a.txt", words_of.join(" ").as_bytes()).unwrap();
        prop_assume!(document.parts[0].text.chars().count() > 1000);
        for chunk in chunks(&document) {
            prop_assert!(CHUNK_CHARACTERS.contains(&chunk.text.chars().count()));
        }
    }

    #[test]
    fn a_note_loses_no_word(text in markdown()) {
        if let Ok(document) = read("a.md", text.as_bytes()) {
            let all = document.parts.iter().flat_map(|part| [&part.place, &part.question].into_iter().flatten().chain([&part.text]));
            let all: String = all.chain([&document.title]).flat_map(|text| text.chars().chain([' '])).collect();
            for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().all(|c| ('а'..='я').contains(&c))) {
                prop_assert!(all.contains(word), "{} is lost", word);
            }
        }
    }

    #[test]
    fn facts_are_bounded_by_the_file(text in markdown()) {
        if let Some(facts) = active_facts(&text) {
            prop_assert_eq!(facts.characters, facts.text.chars().count());
            prop_assert!(!facts.text.trim().is_empty());
        }
        for part in facts_to_answers(&text) {
            prop_assert!(!part.question.unwrap().is_empty());
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), name in "[a-z]{0,3}(\\.(md|txt|csv|pdf|docx))?") {
        if let Ok(document) = read(&name, &bytes) {
            check(&document);
        }
    }

    #[test]
    fn no_page_content_panics(content in "(([0-9.-]{1,6} ){0,6}(q|Q|cm|BT|ET|Tf|Tc|Tz|TL|Td|TD|Tm|T\\*|BI|EMC) |/F 9 Tf |\\([a-z ]{0,9}\\) (Tj|'|\") |\\[\\(a\\)-900\\(b\\)\\] TJ |/X Do ){0,60}") {
        let form = common::stream("/Subtype/Form", content.replace("/X Do", "").as_bytes());
        let file = common::page(common::stream("", content.as_bytes()), common::HELVETICA, form);
        if let Ok(document) = read("a.pdf", &file) {
            check(&document);
        }
    }

    #[test]
    fn parts_made_elsewhere_are_cut_too(text in "\\PC{0,3000}|[ \n\t]{0,50}|(\\s|\\S){0,2000}") {
        check(&Document {
            title: String::new(),
            language: None,
            parts: vec![Part { place: None, question: None, text }],
            warnings: Vec::new(),
        });
    }
}
