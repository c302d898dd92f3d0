//! What is taken out of a reply, and what is left, however it is cut.
#![allow(clippy::unwrap_used)]

use calm_agent::Reasoning;
use calm_agent::reply::{Options, Read, Reader};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

fn options(reasoning: Reasoning) -> Options {
    Options { reasoning, tools: vec!["suggest_practice".into(), "end_session".into()], data: false }
}

/// The reading, and what was handed on while it came.
fn read_in<'a>(options: Options, pieces: impl IntoIterator<Item = &'a str>) -> (Read, String) {
    let mut reader = Reader::new(options);
    let mut shown = String::new();
    for piece in pieces {
        shown.push_str(reader.push(piece));
    }
    let (read, last) = reader.finish(true);
    shown.push_str(&last);
    (read, shown)
}

/// The same whole, letter by letter, and in two at every place.
fn read(reply: &str) -> Read {
    let (whole, shown) = read_in(options(Reasoning::Marked), [reply]);
    if !whole.reasoning_shown {
        assert_eq!(shown, whole.text);
    }
    let mut letters = [0; 4];
    let mut reader = Reader::new(options(Reasoning::Marked));
    let mut shown = String::new();
    for letter in reply.chars() {
        shown.push_str(reader.push(letter.encode_utf8(&mut letters)));
    }
    let (by_letters, last) = reader.finish(true);
    shown.push_str(&last);
    assert_eq!((&by_letters.text, &by_letters.calls), (&whole.text, &whole.calls), "letter by letter");
    if !by_letters.reasoning_shown {
        assert_eq!(shown, whole.text, "letter by letter");
    }
    for (cut, _) in reply.char_indices() {
        let (left, right) = reply.split_at(cut);
        let (in_two, _) = read_in(options(Reasoning::Marked), [left, right]);
        assert_eq!((&in_two.text, &in_two.calls), (&whole.text, &whole.calls), "cut at {cut}");
    }
    whole
}

#[rstest]
#[case::bare(r#"{"tool": "suggest_practice", "arguments": {"minutes": 3}}"#)]
#[case::name_and_parameters(r#"{"name": "suggest_practice", "parameters": {"minutes": 3}}"#)]
#[case::arguments_in_a_string(r#"{"name": "suggest_practice", "arguments": "{\"minutes\": 3}"}"#)]
#[case::arguments_beside(r#"{"tool": "suggest_practice", "minutes": 3}"#)]
#[case::by_its_name(r#"{"suggest_practice": {"minutes": 3}}"#)]
#[case::as_in_the_api(r#"{"type": "function", "function": {"name": "suggest_practice", "arguments": {"minutes": 3}}}"#)]
#[case::list_in_an_object(r#"{"tool_calls": [{"name": "suggest_practice", "arguments": {"minutes": 3}}]}"#)]
#[case::list(r#"[{"name": "suggest_practice", "arguments": {"minutes": 3}}]"#)]
#[case::python("{'tool': 'suggest_practice', 'arguments': {'minutes': 3,},}")]
#[case::fenced("```json\n{\"tool\": \"suggest_practice\", \"arguments\": {\"minutes\": 3}}\n```")]
#[case::fenced_without_a_language("```\n{\"tool\": \"suggest_practice\", \"arguments\": {\"minutes\": 3}}```")]
#[case::inline("`{\"tool\": \"suggest_practice\", \"arguments\": {\"minutes\": 3}}`")]
#[case::qwen("<tool_call>\n{\"name\": \"suggest_practice\", \"arguments\": {\"minutes\": 3}}\n</tool_call>")]
#[case::qwen_unclosed("<tool_call>{\"name\": \"suggest_practice\", \"arguments\": {\"minutes\": 3}}")]
#[case::qwen_fenced(
    "<tool_call>\n```json\n{\"name\": \"suggest_practice\", \"arguments\": {\"minutes\": 3}}\n```\n</tool_call>"
)]
#[case::qwen_coder(
    "<tool_call>\n<function=suggest_practice>\n<parameter=minutes>\n3\n</parameter>\n</function>\n</tool_call>"
)]
#[case::glm("<tool_call>suggest_practice\n<arg_key>minutes</arg_key>\n<arg_value>3</arg_value>\n</tool_call>")]
#[case::llama("<function=suggest_practice>{\"minutes\": 3}</function>")]
#[case::llama_python("<|python_tag|>{\"name\": \"suggest_practice\", \"parameters\": {\"minutes\": 3}}<|eom_id|>")]
#[case::llama_call("<|python_tag|>suggest_practice.call(minutes=3)")]
#[case::llama_list("[suggest_practice(minutes=3)]")]
#[case::mistral("[TOOL_CALLS][{\"name\": \"suggest_practice\", \"arguments\": {\"minutes\": 3}}]")]
#[case::mistral_new("[TOOL_CALLS]suggest_practice[ARGS]{\"minutes\": 3}")]
#[case::namespace("functions.suggest_practice({\"minutes\": 3})")]
#[case::kimi(
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.suggest_practice:0<|tool_call_argument_begin|>{\"minutes\": 3}<|tool_call_end|><|tool_calls_section_end|>"
)]
#[case::deepseek(
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>suggest_practice\n```json\n{\"minutes\": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
)]
#[case::gpt_oss(
    "<|channel|>commentary to=functions.suggest_practice <|constrain|>json<|message|>{\"minutes\": 3}<|call|>"
)]
#[case::gpt_oss_named_with_the_role(
    "<|start|>assistant to=functions.suggest_practice<|channel|>commentary json<|message|>{\"minutes\": 3}<|call|>"
)]
#[case::invoke(
    "<function_calls><invoke name=\"suggest_practice\"><parameter name=\"minutes\">3</parameter></invoke></function_calls>"
)]
#[case::named("suggest_practice({\"minutes\": 3})")]
#[case::name_and_object("suggest_practice {\"minutes\": 3}")]
fn a_call_in_the_text(#[case] call: &str) {
    let expected = [("suggest_practice".to_owned(), json!({ "minutes": 3 }))];
    assert_eq!((read(call).text.as_str(), &read(call).calls[..]), ("", &expected[..]));

    let between = read(&format!("Давай подышим.\n\n{call}"));
    assert_eq!((between.text.as_str(), &between.calls[..]), ("Давай подышим.", &expected[..]));
    let unclosed = call.contains("unclosed") || call == "<|python_tag|>suggest_practice.call(minutes=3)";
    if !unclosed && !call.contains("<|eom_id|>") {
        let between = read(&format!("До {call} после."));
        assert_eq!((between.text.as_str(), &between.calls[..]), ("До  после.", &expected[..]));
    }
}

#[rstest]
#[case::braces("Множество {1, 2, 3} и {так далее}.")]
#[case::an_object_of_other_data("Вот данные: {\"readiness\": 7, \"mood\": \"спокойно\"}. Всё.")]
#[case::a_person("{\"name\": \"Иван\", \"age\": 7}")]
#[case::a_list("Варианты: [1], [два](ссылка) и [{\"a\": 1}]. Так?")]
#[case::less_than("Если стоп < 2 % и цель > 3 %, то <b>выход</b>.")]
#[case::code("Напиши `план` или ```\nплан\n``` так.")]
#[case::code_block("```rust\nfn main() {}\n```")]
#[case::functions("Функции. functions. и tools. — слова; suggest_practice — тоже.")]
#[case::word("[think_about] <thin> <tool> не тег")]
#[case::stars("**Дыши.** _Медленно._ # не заголовок")]
#[case::analysis("analysis of the day, and then: assistantship")]
#[case::a_quoted_line_break("{'\n'")]
#[case::a_brace_before_much_space("{                                        \"tool\": 1 и всё")]
#[case::open_brace("Скобка { не закрыта")]
#[case::nested("{\"a\": {\"b\": {\"c\": [1, {\"d\": \"}\"}]}}}")]
fn ordinary_text_stays(#[case] text: &str) {
    let text = text.replace("<tool> ", "");
    let read = read(&text);
    assert_eq!((read.text.as_str(), read.calls.len(), read.broken), (&*text, 0, false));
}

#[rstest]
#[case::cut_in_the_name("Давай. {\"tool\": \"suggest_pr")]
#[case::cut_in_the_arguments("Давай. {\"tool\": \"suggest_practice\", \"arguments\": {\"minutes\": ")]
#[case::cut_in_the_first_key("Давай. {\"to")]
#[case::cut_in_a_fence("Давай. ```json\n{\"tool\": \"x\"")]
#[case::cut_in_a_tag("Давай. <tool_call>{\"name\": \"x")]
#[case::nonsense_in_it("Давай. {\"tool\": \"x\", ???}")]
fn broken_calls_are_never_said(#[case] reply: &str) {
    let read = read(reply);
    assert_eq!(read.text, "Давай.");
    assert!(read.broken);
    assert!(read.calls.iter().all(|(_, arguments)| arguments.is_string()), "none of it can pass for arguments");
}

#[test]
fn two_calls_in_one_fence() {
    let call = |n: u8| format!("{{\"tool\": \"end_session\", \"arguments\": {{\"n\": {n}}}}}");
    let read = read(&format!("Раз.\n```json\n{}\n{}\n```\nДва.", call(1), call(2)));
    assert_eq!(read.text, "Раз.\n\n\nДва.", "the line breaks around them are text");
    let numbers: Vec<&Value> = read.calls.iter().map(|(_, arguments)| &arguments["n"]).collect();
    assert_eq!(numbers, [1, 2]);
}

#[rstest]
#[case::think("<think>Хм. {\"tool\": \"end_session\"}</think>\n\nПривет.")]
#[case::upper_case("<THINK>Хм.</THINK>Привет.")]
#[case::mixed("<thinking>Хм.</think>Привет.")]
#[case::mistral("[THINK]Хм.[/THINK]Привет.")]
#[case::kimi("◁think▷Хм.◁/think▷Привет.")]
#[case::empty("<think>\n\n</think>\n\nПривет.")]
#[case::twice("<think>Раз.</think><think>Два.</think>Привет.")]
#[case::lone_closing("Хм. Он злится. {\"tool\": \"end_session\"}\n</think>\n\nПривет.")]
#[case::gpt_oss(
    "<|channel|>analysis<|message|>Хм.<|end|><|start|>assistant<|channel|>final<|message|>Привет.<|return|>"
)]
#[case::gpt_oss_without_marks("analysisWe need to greet.assistantfinalПривет.")]
#[case::end_mark("Привет.<|im_end|>\n<|im_start|>user\nЯ злюсь.")]
fn reasoning_goes(#[case] reply: &str) {
    let read = read(reply);
    assert_eq!((read.text.as_str(), read.calls.len()), ("Привет.", 0));
}

#[test]
fn unclosed_reasoning_is_all_reasoning() {
    let read = read("<think>Хм. Привет. {\"tool\": \"end_session\"}");
    assert_eq!((read.text.as_str(), read.calls.len(), read.reasoning_stripped), ("", 0, true));
}

#[test]
fn a_brace_in_a_sentence_is_decided_soon() {
    let mut reader = Reader::new(options(Reasoning::Marked));
    assert_eq!(reader.push("Множество {"), "Множество");
    assert_eq!(reader.push("1, 2"), " {1, 2");
    assert_eq!(reader.push(" и {\"tool\": \"end"), " и", "and a call is not shown while it may be one");
}

#[test]
fn a_model_that_opens_with_a_tag_streams_at_once() {
    let mut reader = Reader::new(options(Reasoning::Unknown));
    assert_eq!(reader.push("<think>Хм.</think>"), "");
    assert_eq!(reader.push("Привет. "), "Привет.");
}

/// Megabytes of what looks like the beginning of a call: each must cost what a megabyte costs.
#[rstest]
#[case::objects("{\"a\":")]
#[case::braces("{")]
#[case::key("{\"")]
#[case::apostrophes("{'a':'")]
#[case::lists("[{\"a\":[")]
#[case::fences("```json\n{\"a\":1")]
#[case::tags("<tool_call")]
#[case::call_tags("<tool_call>")]
#[case::think("<think>")]
#[case::channels("<|channel|>")]
#[case::names("functions.")]
#[case::spaces("{ ")]
#[case::blank(" ")]
#[case::calls("{\"tool\":\"x\"}")]
fn no_reply_takes_for_ever(#[case] unit: &str) {
    let reply = unit.repeat(400_000 / unit.len());
    for size in [1, 7, 4096, reply.len()] {
        let mut reader = Reader::new(options(Reasoning::Marked));
        for piece in reply.as_bytes().chunks(size) {
            reader.push(std::str::from_utf8(piece).unwrap());
        }
        let (read, _) = reader.finish(true);
        assert!(read.text.len() <= 256 * 1024 && read.calls.len() <= 64);
    }
}

fn fragments() -> impl Strategy<Value = Vec<String>> {
    let known = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "\"",
        "'",
        "`",
        "```",
        "```json\n",
        ":",
        ",",
        "\\",
        "<",
        ">",
        "</",
        "|",
        " ",
        "\n",
        "tool",
        "\"tool\": ",
        "\"name\"",
        "\"arguments\"",
        "{\"tool\": \"x\", \"arguments\": {}}",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "[TOOL_CALLS]",
        "functions.",
        "end_session",
        "suggest_practice(",
        "<|channel|>",
        "analysis",
        "                     ",
        "<|message|>",
        "<|end|>",
        "<function=",
        "Привет",
        "слово. ",
        "🙂",
        "◁",
        "7",
    ]);
    prop::collection::vec(prop_oneof![4 => known.prop_map(str::to_owned), 1 => ".{0,6}"], 0..24)
}

proptest! {
    /// Where the pieces end changes nothing, and what was shown is what is left.
    #[test]
    fn cuts_do_not_matter(fragments in fragments()) {
        let (whole, shown) = read_in(options(Reasoning::Marked), [fragments.concat().as_str()]);
        let (pieces, shown_in_pieces) = read_in(options(Reasoning::Marked), fragments.iter().map(String::as_str));
        prop_assert_eq!(&whole.text, &pieces.text);
        prop_assert_eq!(&whole.calls, &pieces.calls);
        if !whole.reasoning_shown { prop_assert_eq!(&shown, &whole.text); }
        if !pieces.reasoning_shown { prop_assert_eq!(&shown_in_pieces, &pieces.text); }
    }

    /// Text, a call, text: the call is read, and the rest is the text.
    #[test]
    fn the_rest_is_the_original_without_the_call(
        before in "[a-zа-яё .,!?–]{0,40}",
        after in "[a-zа-яё .,!?–]{0,40}",
        reason in "[^\u{0}-\u{1f}]{0,30}",
        fenced in any::<bool>(),
    ) {
        let call = json!({ "tool": "end_session", "arguments": { "reason": reason } });
        let written = if fenced { format!("```json\n{call}\n```") } else { call.to_string() };
        let (read, _) = read_in(options(Reasoning::Marked), [format!("{before}{written}{after}").as_str()]);
        prop_assert_eq!(&read.calls, &[("end_session".to_owned(), json!({ "reason": reason }))]);
        let expected = format!("{before}{after}");
        prop_assert_eq!(read.text, expected.trim());
    }
}
