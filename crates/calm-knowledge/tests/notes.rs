//! Notes, lists of questions, and plain texts.
#![allow(clippy::unwrap_used)]

use calm_knowledge::{Document, DocumentError, LARGEST_FILE, LONGEST_TEXT, Part, read};
use rstest::rstest;

fn document(name: &str, text: &str) -> Document {
    read(name, text.as_bytes()).unwrap()
}

fn part(place: Option<&str>, question: Option<&str>, text: &str) -> Part {
    Part { place: place.map(str::to_owned), question: question.map(str::to_owned), text: text.to_owned() }
}

fn failure(name: &str, text: &str) -> String {
    read(name, text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn headings_become_places() {
    let note = "---\ntitle: \"Правила\"\nlanguage: ru\nversion: 1\n---\n\
        Главное — не спешить.\n\n# Утро\n\nСначала вода.\n\n## План ##\n\n1. Уровни\n2. Стоп\n\n### Размер\n\n# День\n## Пауза\nДвадцать минут.\n";
    let document = document("a.md", note);
    assert_eq!((document.title.as_str(), document.language.as_deref()), ("Правила", Some("ru")));
    assert_eq!(
        document.parts,
        [
            part(None, None, "Главное — не спешить."),
            part(Some("Утро"), None, "Сначала вода."),
            part(Some("Утро › План"), None, "1. Уровни\n2. Стоп"),
            part(Some("Утро › План"), None, "Размер"),
            part(Some("День › Пауза"), None, "Двадцать минут."),
        ]
    );
}

#[rstest]
#[case::the_first_heading("# Правила входа\n\nЖду пробоя.", "Правила входа", None)]
#[case::the_name_of_the_file("Жду пробоя.", "мои заметки", None)]
#[case::not_a_heading_in_the_middle("Вступление.\n\n# Вход\n\nЖду пробоя.", "мои заметки", Some("Вход"))]
fn titles(#[case] note: &str, #[case] title: &str, #[case] place: Option<&str>) {
    let document = document("docs/мои заметки.md", note);
    assert_eq!(document.title, title);
    assert_eq!(document.parts.last(), Some(&part(place, None, "Жду пробоя.")));
}

#[rstest]
#[case::code("# T\n\n```\n# not a heading\n```\ntext", &["```\n# not a heading\n```\ntext"])]
#[case::tilde_code("# T\n~~~~\n```\n# no\n~~~~\nx", &["~~~~\n```\n# no\n~~~~\nx"])]
#[case::hashtag("#жадность и #страх", &["#жадность и #страх"])]
#[case::language_name("# T\n## C#\nx", &["x"])]
#[case::tags_stay_text("{{include base/tone.md}} {{user.name}}\n<system>x</system> {currentTime}", &[
    "{{include base/tone.md}} {{user.name}}\n<system>x</system> {currentTime}"])]
#[case::ruler_without_front_matter("---\n\ntext\n\nmore", &["---\n\ntext\n\nmore"])]
#[case::windows_line_ends("\u{FEFF}# T\r\n\r\none\r\ntwo\r\n", &["one\ntwo"])]
#[case::only_a_heading("# Ничего", &["Ничего"])]
fn the_text_stays_as_written(#[case] note: &str, #[case] texts: &[&str]) {
    let document = document("a.md", note);
    assert_eq!(document.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>(), texts);
}

#[rstest]
#[case("Q: When do I stop?\nA: After two losses.\n\nQ: How long?\nA: Twenty minutes.")]
#[case("Question: When do I stop?\n\nAnswer: After two losses.\nQuestion: How long?\nAnswer: Twenty minutes.")]
#[case("**Q1:** When do I stop?\n**A1:** After two losses.\n**Q2:** How long?\n**A2:** Twenty minutes.")]
#[case("- Q: When do\n  I stop?\n- A: After two losses.\n- Q: How long?\n- A:\nTwenty minutes.")]
#[case("### Q: When do I stop?\nA: After two losses.\n### Q: How long?\nA: Twenty minutes.")]
fn pairs(#[case] note: &str) {
    let pairs =
        [part(None, Some("When do I stop?"), "After two losses."), part(None, Some("How long?"), "Twenty minutes.")];
    assert_eq!(document("a.md", note).parts, pairs);
}

#[rstest]
#[case("В: Когда я останавливаюсь?\nО: После двух убытков.\n\nИ без споров.")]
#[case("Вопрос: Когда я останавливаюсь?\nОтвет: После двух убытков.\n\nИ без споров.")]
#[case("**вопрос**: Когда я останавливаюсь?\n**ответ**: После двух убытков.\n\nИ без споров.")]
fn russian_pairs(#[case] note: &str) {
    let pair = part(None, Some("Когда я останавливаюсь?"), "После двух убытков.\n\nИ без споров.");
    assert_eq!(document("a.md", note).parts, [pair]);
}

#[test]
fn pairs_keep_the_heading_above_and_the_text_around() {
    let note = "Вступление.\n\n## Риск\n\nВ: Сколько?\nО: Полпроцента.\n\n## Прочее\n\nТекст.";
    assert_eq!(
        document("a.md", note).parts,
        [
            part(None, None, "Вступление."),
            part(Some("Риск"), Some("Сколько?"), "Полпроцента."),
            part(Some("Прочее"), None, "Текст."),
        ]
    );
}

#[rstest]
#[case::no_answer("Q: a?\nA: b\n\nQ: c?\n\nQ: d?\nA: e", "line 4: the question has no answer")]
#[case::empty_answer("Q: a?\nA: b\nQ: c?\nA:\n", "line 3: the question has no answer")]
#[case::after_front_matter("---\ntitle: T\n---\nQ: a?\nA: b\nQ: c?", "line 6: the question has no answer")]
fn mistakes_among_pairs_name_the_line(#[case] note: &str, #[case] error: &str) {
    assert_eq!(failure("a.md", note), error);
}

#[test]
fn a_text_that_only_mentions_a_question_is_a_text() {
    let note = "О: это буква.\nQ: is a letter too.\n\nДальше.";
    assert_eq!(
        document("a.md", note).parts,
        [part(None, None, "О: это буква."), part(None, None, "Q: is a letter too.\n\nДальше.")]
    );
}

#[test]
fn a_question_of_a_page_is_an_error_without_its_words() {
    let error = failure("a.md", &format!("x\nQ: {}\nA: b", "секрет ".repeat(100)));
    assert_eq!(error, "line 2: the question is longer than 600 characters");
}

#[rstest]
#[case::comma("When do I stop?,\"After two losses,\nalways.\"\nHow long?,Twenty minutes.\n")]
#[case::semicolon(
    "question;answer\r\nWhen do I stop?;\"After two losses,\nalways.\"\r\n;\r\nHow long?;Twenty minutes.;\r\n"
)]
#[case::tab("Вопрос\tОтвет\nWhen do I stop?\t\"After two losses,\nalways.\"\nHow long?\tTwenty minutes.\n")]
fn tables(#[case] table: &str) {
    let pairs = [
        part(None, Some("When do I stop?"), "After two losses,\nalways."),
        part(None, Some("How long?"), "Twenty minutes."),
    ];
    assert_eq!(document("faq.csv", table).parts, pairs);
}

#[rstest]
#[case::three("a,b\nc,d,e\n", "line 2: the row has more than two columns: a question and an answer are read")]
#[case::one("a;b\n\nc\n", "line 3: the question has no answer")]
#[case::no_question("a;b\n;c\n", "line 2: the answer has no question")]
fn mistakes_in_a_table_name_the_line(#[case] table: &str, #[case] error: &str) {
    assert_eq!(failure("a.csv", table), error);
}

#[test]
fn a_table_of_windows_1251() {
    let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode("Вопрос;Ответ\r\nКогда стоп?;После двух убытков подряд.\r\n");
    let document = read("вопросы.csv", &bytes).unwrap();
    assert_eq!(document.parts, [part(None, Some("Когда стоп?"), "После двух убытков подряд.")]);
    assert_eq!(document.title, "вопросы");
    assert_eq!(document.language.as_deref(), Some("ru"));
}

#[test]
fn a_plain_text_is_one_part() {
    let document = document("C:\\Users\\Иван\\дневник.txt", "\n# не заголовок\nQ: не вопрос\nA: не ответ\n\n");
    assert_eq!(document.parts, [part(None, None, "# не заголовок\nQ: не вопрос\nA: не ответ")]);
    assert_eq!(document.title, "дневник");
}

#[rstest]
#[case::empty("a.txt", b"", "the file holds no text")]
#[case::blank("a.md", b" \n\n\t", "the file holds no text")]
#[case::front_matter_only("a.md", b"---\ntitle: x\n---\n", "the file holds no text")]
#[case::word(
    "план.docx",
    b"PK\x03\x04",
    "not a document of a known kind (md, txt, csv and pdf are read; save other documents as one of these)"
)]
#[case::not_a_pdf("a.pdf", b"<html>secret</html>", "the file: it is named a PDF and is something else")]
#[case::program("a.txt", &[0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 3, 0, 0x3E, 0, 1, 0, 9], "the file: it is not a text, or its encoding is not known; save it as UTF-8")]
fn refusals(#[case] name: &str, #[case] bytes: &[u8], #[case] error: &str) {
    assert_eq!(read(name, bytes).unwrap_err().to_string(), error);
}

#[test]
fn sizes_are_bounded() {
    let error = read("a.pdf", &vec![b' '; LARGEST_FILE + 1]).unwrap_err();
    assert_eq!(error.to_string(), "the file is too large: 21 MB, where 20 MB are read");
    let longest = "слово ".repeat(LONGEST_TEXT / 6);
    assert!(read("a.txt", longest.as_bytes()).is_ok());
    let error = read("a.txt", format!("{longest}слово ").as_bytes()).unwrap_err();
    assert!(matches!(error, DocumentError::TooLong(_)), "{error}");
}

#[test]
fn a_document_is_json_and_back() {
    let document = document("a.md", "# T\n\nQ: a?\nA: b");
    let json = serde_json::to_string(&document).unwrap();
    assert_eq!(json, r#"{"title":"T","language":null,"parts":[{"place":null,"question":"a?","text":"b"}]}"#);
    assert_eq!(serde_json::from_str::<Document>(&json).unwrap(), document);
}
