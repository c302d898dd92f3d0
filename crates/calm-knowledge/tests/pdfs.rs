//! PDFs as programs write them. The files in `documents/` are ours; its README says what made each.
#![allow(clippy::unwrap_used)]

mod common;

use calm_knowledge::{Document, DocumentError, Warning, read};
use common::{HELVETICA, showing, stream, texts};
use rstest::rstest;

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/documents/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn document(name: &str) -> Document {
    read(name, &file(name)).unwrap()
}

const MORNING: &str = "Перед открытием\n\n\
    Первые полчаса после открытия я только смотрю. Объём высокий, спред широкий, а решение приходит раньше, \
    чем успеваешь подумать.\n\n\
    Ёжик, щётка, подъезд и объём — проверка редких букв. «Кавычки», тире и № 7.";
const LOSS: &str = "После убытка\n\n\
    Два убытка подряд — повод закрыть терминал на двадцать минут: пройтись, выпить воды, записать, что было.\n\n\
    Не больше трёх сделок в день, риск на сделку — 0,5 % от счёта.";
const HOURS: &str = "Office hours\n\n\
    The first efficient fix is to offer yourself a difficult pause: five minutes off the screen, and a plan put on \
    paper. Flight or fight is not a strategy.\n\n\
    Risk per trade stays under 0.5% of the account.";

#[rstest]
#[case::a_browser("browser.pdf")]
#[case::a_report_generator("report.pdf")]
#[case::a_page_layout_library("sheet.pdf")]
#[case::locked_against_changes_only("readonly.pdf")]
#[case::the_same_with_an_old_cipher("readonly-old.pdf")]
fn the_text_of_each_page_comes_out_to_the_letter(#[case] name: &str) {
    let document = document(name);
    assert_eq!(document.title, "Мои правила");
    assert_eq!(document.language.as_deref(), Some("ru"));
    assert_eq!(texts(&document), [MORNING, LOSS, HOURS]);
    let places: Vec<_> = document.parts.iter().filter_map(|part| part.place.as_deref()).collect();
    assert_eq!(places, ["page 1", "page 2", "page 3"]);
    assert_eq!(document.warnings, []);
}

#[test]
fn a_typeset_book_loses_its_hyphens_and_its_running_heads() {
    let document = document("typeset.pdf");
    assert_eq!(texts(&document)[0], format!("{MORNING}\n\n{LOSS}"));
    let list = "Как я выхожу из сделки\n\n\
        1. Стоп стоит до входа, и я его не двигаю.\n\n\
        2. Цель — там, где рынок уже разворачивался.\n\n\
        3. Если не понимаю, что происходит, выхожу по рынку и записываю причину, даже когда кажется, что цена вот-вот \
        вернётся и всё-таки даст заработать на том же самом движении.";
    assert_eq!(texts(&document)[1], format!("{HOURS}\n\n{list}"));
}

#[test]
fn columns_are_read_one_after_the_other() {
    let text = "A plan is written before the open, when nothing moves yet and nobody is in a hurry. It names the levels, \
        the size and the loss that ends the day. During the session the plan is read, not rewritten: whoever changes it \
        while a position is open is no longer planning but hoping. After the close one line is enough to say whether it \
        was followed.";
    assert_eq!(texts(&document("columns.pdf")), [text]);
}

#[rstest]
#[case("locked.pdf", DocumentError::Encrypted)]
#[case("scan.pdf", DocumentError::Scanned { pages: 2 })]
fn what_cannot_be_read_is_said(#[case] name: &str, #[case] error: DocumentError) {
    assert_eq!(read(name, &file(name)), Err(error));
}

#[test]
fn the_error_of_a_scan_tells_what_to_do() {
    let error = read("scan.pdf", &file("scan.pdf")).unwrap_err().to_string();
    assert_eq!(error, "the PDF is a scan: 2 pages of pictures and no text; run it through text recognition first");
}

#[test]
fn a_scanned_page_among_others_is_a_warning() {
    let document = document("partly-scan.pdf");
    assert_eq!(texts(&document), [MORNING, HOURS]);
    assert_eq!(document.parts[1].place.as_deref(), Some("page 3"));
    assert_eq!(document.warnings, [Warning::Picture { page: 2 }]);
    assert_eq!(document.warnings[0].to_string(), "page 2: a picture without text, left out");
    assert_eq!(document.title, "partly-scan");
}

fn first_text(file: &[u8]) -> String {
    read("a.pdf", file).unwrap().parts.remove(0).text
}

#[test]
fn russian_letters_by_the_names_of_their_glyphs() {
    let names: String = (10017..10050).chain(10065..10098).map(|number| format!("/afii{number} ")).collect();
    let font = format!("<</Type/Font/Subtype/Type1/BaseFont/Serif/Encoding<</Differences[160 {names}]>>>>");
    // Codes from 160 on: the alphabet with Ё in its place, then the small letters.
    let alphabet = "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя";
    let code = |letter| alphabet.chars().position(|c| c == letter).map_or(b' ', |at| 160 + at as u8);
    let text: Vec<u8> = "Ещё раз о риске".chars().map(code).collect();
    let content = [b"BT /F 12 Tf 72 700 Td (", &text[..], b") Tj ET"].concat();
    assert_eq!(first_text(&showing(&content, font.as_bytes())), "Ещё раз о риске");
}

#[test]
fn a_russian_font_that_calls_itself_western() {
    let text = "Два убытка подряд — повод закрыть терминал";
    let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(text);
    let content = [b"BT /F 12 Tf 72 700 Td (", &bytes[..], b") Tj ET"].concat();
    let font = b"<</Type/Font/Subtype/TrueType/BaseFont/TimesNewRomanCyr/Encoding/WinAnsiEncoding>>";
    assert_eq!(first_text(&showing(&content, font)), text);
}

#[test]
fn french_stays_french() {
    let content = b"BT /F 12 Tf 72 700 Td (D\xE9j\xE0 vu: \xE9t\xE9, h\xF4tel, na\xEFvet\xE9) Tj ET";
    assert_eq!(first_text(&showing(content, HELVETICA)), "Déjà vu: été, hôtel, naïveté");
}

#[test]
fn the_encoding_inside_a_tex_font_is_read() {
    let program = b"%!PS-AdobeFont-1.0: CMR10\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n\
        dup 14 /ff put\ndup 97 /a put\ndup 101 /e put\ndup 99 /c put\ndup 116 /t put\nreadonly def\ncurrentfile eexec\n\x80\x01";
    let font = b"<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+CMR10/FontDescriptor<</Flags 4/FontFile 6 0 R>>>>";
    let file = common::page(stream("", b"BT /F 10 Tf 72 700 Td (a\x0Eect) Tj ET"), font, stream("", program));
    assert_eq!(first_text(&file), "affect");
}

#[rstest]
#[case::kerning("[(Kern)20(ed)-15( words)] TJ", "Kerned words")]
#[case::spaces_by_steps("[(Two)-400(words)] TJ", "Two words")]
#[case::words_at_places("1 0 0 1 72 700 Tm (One) Tj 1 0 0 1 110 700 Tm (two) Tj", "One two")]
#[case::lines("(one) Tj 0 -14 Td (two) Tj T* (three) Tj", "one two three")]
#[case::hyphen("(the disci-) Tj 0 -14 Td (pline of it) Tj", "the discipline of it")]
#[case::hyphen_that_belongs("(a self-) Tj 0 -14 Td (made rule) Tj", "a self-made rule")]
#[case::range("(from 10-) Tj 0 -14 Td (20 points) Tj", "from 10- 20 points")]
#[case::paragraphs("(One.) Tj 0 -14 Td (More.) Tj 0 -14 Td (Yes.) Tj 0 -30 Td (Two.) Tj", "One. More. Yes.\n\nTwo.")]
#[case::raised_figure("(note) Tj 5 Ts /F 7 Tf (1) Tj 0 Ts /F 12 Tf ( here) Tj", "note1 here")]
#[case::drawn_twice_for_bold("(Bold) Tj 0.3 0 Td (Bold) Tj", "Bold")]
#[case::quoted("(say \\223stop\\224 \\(now\\)) Tj", "say “stop” (now)")]
#[case::actual_text("/Span <</ActualText(real)>> BDC (shown) Tj EMC ( text) Tj", "real text")]
#[case::page_number("(text) Tj /Artifact <</Type/Pagination>> BDC 0 -500 Td (17) Tj EMC", "text")]
#[case::upside("0 1 -1 0 300 100 Tm (turned) Tj ( text) Tj", "turned text")]
fn the_way_text_is_laid_out(#[case] operators: &str, #[case] text: &str) {
    let content = format!("BT /F 12 Tf 14 TL 72 700 Td {operators} ET");
    assert_eq!(first_text(&showing(content.as_bytes(), HELVETICA)), text);
}

#[test]
fn text_in_a_form_is_read() {
    let form =
        stream("/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F 5 0 R>>>>", b"BT /F 12 Tf 72 700 Td (inside) Tj ET");
    assert_eq!(first_text(&common::page(stream("", b"/X Do"), HELVETICA, form)), "inside");
}

#[test]
fn fonts_that_hide_their_letters_are_an_error_with_a_page() {
    let font = b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[<<>>]>>";
    let error = read("a.pdf", &showing(b"BT /F 12 Tf 72 700 Td <000100020003> Tj ET", font)).unwrap_err();
    assert!(error.to_string().starts_with("page 1: "), "{error}");
}

#[test]
fn an_empty_page_is_no_text() {
    assert_eq!(read("a.pdf", &showing(b"0 0 10 10 re f", HELVETICA)), Err(DocumentError::Empty));
}
