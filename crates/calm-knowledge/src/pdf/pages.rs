//! Pages to parts of a document: without what is printed on every page, and with the sentences whole that run over a
//! page break.

use super::lines;
use crate::{Part, clean};
use std::collections::HashMap;

/// Characters of a running head; longer ones are text.
const LONGEST_HEAD: usize = 120;
/// Pages that must show the same line first or last before it counts as printed on every page.
const FEWEST_PAGES: usize = 3;
/// Characters of a sentence that may be carried to the page before.
const LONGEST_REST: usize = 400;

/// `pages` are numbers, from 1, and the paragraphs of each page.
pub(super) fn parts(mut pages: Vec<(usize, Vec<String>)>) -> Vec<Part> {
    remove_heads(&mut pages);
    for index in 1..pages.len() {
        let (before, after) = pages.split_at_mut(index);
        let ((page, above), (next, below)) = (&mut before[index - 1], &mut after[0]);
        if *page + 1 != *next {
            continue;
        }
        if let (Some(last), Some(first)) = (above.last_mut(), below.first_mut()) {
            carry_over(last, first);
        }
        below.retain(|paragraph| !paragraph.is_empty());
    }
    let parts = pages.into_iter().map(|(page, paragraphs)| Part {
        place: Some(format!("page {page}")),
        question: None,
        text: clean::text(&paragraphs.join("\n\n")).trim().to_owned(),
    });
    parts.filter(|part| !part.text.is_empty()).collect()
}

/// Page numbers go; of a running head the first stays.
fn remove_heads(pages: &mut [(usize, Vec<String>)]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, paragraphs) in pages.iter() {
        let ends = [paragraphs.first(), paragraphs.last()];
        let mut ends: Vec<String> = ends.into_iter().flatten().filter_map(|line| pattern(line)).collect();
        ends.dedup();
        ends.into_iter().for_each(|end| *counts.entry(end).or_default() += 1);
    }
    let enough = FEWEST_PAGES.max(pages.len() / 5);
    counts.retain(|end, &mut count| count >= if end.contains(char::is_alphabetic) { enough } else { 2 });
    let mut seen: Vec<String> = Vec::new();
    for (_, paragraphs) in pages.iter_mut() {
        let mut is_head = |line: Option<&String>| {
            let Some(head) = line.and_then(|line| pattern(line)).filter(|head| counts.contains_key(head)) else {
                return false;
            };
            let again = seen.contains(&head) || !head.contains(char::is_alphabetic);
            seen.push(head);
            seen.dedup();
            again
        };
        if paragraphs.len() > 1 && is_head(paragraphs.last()) {
            paragraphs.pop();
        }
        if paragraphs.len() > 1 && is_head(paragraphs.first()) {
            paragraphs.remove(0);
        }
    }
}

/// A line with its figures made alike, where it could be a running head.
fn pattern(line: &str) -> Option<String> {
    let short = line.chars().take(LONGEST_HEAD + 1).count() <= LONGEST_HEAD;
    short.then(|| {
        let mut pattern: Vec<char> = line.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        pattern.dedup_by(|a, b| *a == '0' && *b == '0');
        pattern.into_iter().collect()
    })
}

/// The rest of a sentence stays on the page where it begins.
fn carry_over(last: &mut String, first: &mut String) {
    let open = !last.trim_end().ends_with(['.', '!', '?', '…', ':', '»', '”', ')']);
    if !open || !first.starts_with(char::is_lowercase) {
        return;
    }
    let end = first.char_indices().take(LONGEST_REST).find(|(at, c)| {
        let rest = &first[at + c.len_utf8()..];
        matches!(c, '.' | '!' | '?' | '…') && (rest.is_empty() || rest.starts_with(' '))
    });
    if let Some((at, c)) = end {
        let rest = first.split_off(at + c.len_utf8());
        lines::join(last, first);
        *first = rest.trim_start().to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pages: &[&[&str]]) -> Vec<String> {
        let pages = pages.iter().map(|page| page.iter().map(|&paragraph| paragraph.to_owned()).collect());
        parts(pages.enumerate().map(|(index, page)| (index + 1, page)).collect()).into_iter().map(|p| p.text).collect()
    }

    #[test]
    fn page_numbers_go_and_one_running_head_stays() {
        let texts = read(&[
            &["Дневник трейдера", "Первая.", "— 9 —"],
            &["Дневник трейдера", "Вторая.", "— 10 —"],
            &["Дневник трейдера", "Третья.", "— 11 —"],
        ]);
        assert_eq!(texts, ["Дневник трейдера\n\nПервая.", "Вторая.", "Третья."]);
    }

    #[test]
    fn two_pages_that_begin_alike_are_text() {
        assert_eq!(read(&[&["План", "а"], &["План", "б"], &["Итог", "в"]])[1], "План\n\nб");
    }

    #[test]
    fn a_sentence_over_the_break_stays_whole() {
        let texts = read(&[&["Риск на сделку не боль-"], &["ше процента. Дальше — другое."]]);
        assert_eq!(texts, ["Риск на сделку не больше процента.", "Дальше — другое."]);
    }

    #[test]
    fn nothing_is_carried_over_a_missing_page() {
        let page = |number, text: &str| (number, vec![text.to_owned()]);
        let texts = parts(vec![page(1, "Риск не"), page(3, "больше процента.")]);
        assert_eq!(texts[0].text, "Риск не");
    }
}
