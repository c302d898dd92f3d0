//! Replies of a scripted server, good and bad.
#![allow(clippy::unwrap_used)]

mod support;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use calm_agent::{
    ApiKey, Call, Cancel, Chat, ChatMessage, Completion, Endpoint, EndpointError, Finish, Http, HttpSettings, Learned,
    Ledger, NotRecorded, Note, Outgoing, Phase, Reach, Reasoning, Receipt, Timeouts, ToolChoice, ToolMode, ToolSpec,
};
use rstest::rstest;
use serde_json::{Value, json};
use support::*;

#[derive(Default)]
struct Book {
    rows: Mutex<Vec<Outgoing>>,
    answers: Mutex<Vec<(i64, u16)>>,
    broken: bool,
}

impl Ledger for Book {
    fn about_to_send(&self, outgoing: &Outgoing) -> Result<Receipt, NotRecorded> {
        if self.broken {
            return Err(NotRecorded);
        }
        let mut rows = self.rows.lock().unwrap();
        rows.push(outgoing.clone());
        Ok(Receipt(rows.len() as i64))
    }

    fn answered(&self, receipt: Receipt, status: u16) {
        self.answers.lock().unwrap().push((receipt.0, status));
    }
}

fn settings() -> HttpSettings {
    HttpSettings { first_wait: Duration::from_millis(20), ..HttpSettings::default() }
}

fn http() -> Http {
    Http::new(settings(), Arc::<Book>::default())
}

fn endpoint(server: &Server) -> Endpoint {
    Endpoint {
        name: "scripted".into(),
        base_url: server.base_url(),
        model: "small".into(),
        key: None,
        tools: ToolMode::Native,
        streaming: true,
        json_schema: true,
        context_tokens: None,
        timeouts: Timeouts::default(),
        temperature: Some(0.6),
        max_tokens: Some(400),
        learned: Learned { reasoning: Reasoning::Marked, ..Learned::default() },
    }
}

fn tools() -> Vec<ToolSpec> {
    ["suggest_practice", "end_session"]
        .map(|name| ToolSpec {
            name: name.into(),
            description: "A tool.".into(),
            parameters: json!({ "type": "object" }),
        })
        .into()
}

fn talk() -> Vec<ChatMessage> {
    vec![ChatMessage::System("Ты — Calm.".into()), ChatMessage::User("Злюсь на рынок".into())]
}

fn chat<'a>(messages: &'a [ChatMessage], tools: &'a [ToolSpec]) -> Chat<'a> {
    Chat { messages, tools, tool_choice: ToolChoice::Auto, fields: &["turn", "memories"], schema: None }
}

/// The reply, and what was handed on while it came.
fn ask_with(http: &Http, endpoint: &Endpoint) -> (Result<Completion, EndpointError>, String) {
    let mut shown = String::new();
    let reply = http.chat(endpoint, &chat(&talk(), &tools()), &Cancel::new(), &mut |text| {
        shown.push_str(text);
        ControlFlow::Continue(())
    });
    (reply, shown)
}

fn ask(endpoint: &Endpoint) -> (Result<Completion, EndpointError>, String) {
    ask_with(&http(), endpoint)
}

/// A good reply, of which all that was handed on is its text.
fn reply_of(server: &Server) -> Completion {
    let (reply, shown) = ask(&endpoint(server));
    let reply = reply.expect("a reply");
    assert_eq!(shown, reply.text);
    reply
}

fn reply_to(answer: Answer) -> Completion {
    reply_of(&Server::new([answer]))
}

const SAID: &str = "Понимаю, тяжёлое утро. Что сейчас сильнее — злость или усталость? 🙂";

#[test]
fn a_reply_as_it_comes() {
    let (answer, gate) = stream().says("Понимаю, ").gate();
    let server = Server::new([answer.says("тяжёлое утро.").event(&finish("stop")).done()]);
    let mut pieces = Vec::new();
    let reply = http().chat(&endpoint(&server), &chat(&talk(), &tools()), &Cancel::new(), &mut |text| {
        pieces.push(text.to_owned());
        // The rest is not even sent before the beginning was heard.
        gate.open();
        ControlFlow::Continue(())
    });
    let reply = reply.expect("a reply");
    assert_eq!(pieces.concat(), "Понимаю, тяжёлое утро.");
    assert_eq!(pieces[0], "Понимаю,");
    assert_eq!((reply.text.as_str(), reply.finish), ("Понимаю, тяжёлое утро.", Finish::Stop));
    assert!(reply.first_token.is_some() && reply.calls.is_empty() && reply.notes.is_empty(), "{reply:?}");

    let sent = server.seen()[0].json();
    assert_eq!(sent["messages"][1], json!({ "role": "user", "content": "Злюсь на рынок" }));
    assert_eq!((&sent["temperature"], &sent["max_tokens"], &sent["stream"]), (&json!(0.6), &json!(400), &json!(true)));
    assert_eq!(sent["tools"][1]["function"]["name"], "end_session");
}

#[test]
fn cut_at_every_byte_it_is_the_same_reply() {
    let call =
        json!({ "index": 0, "id": "a", "function": { "name": "end_session", "arguments": "{\"mood\":\"спокойно\"}" } });
    let text = [delta(SAID), call_delta(&call), finish("tool_calls")].iter().map(event).collect::<String>();
    let http = http();
    let server = Server::new([]);
    let endpoint = endpoint(&server);
    for cut in (1..text.len()).step_by(3) {
        let (left, right) = text.as_bytes().split_at(cut);
        server.then(stream().bytes(left).bytes(right).done());
        let (reply, shown) = ask_with(&http, &endpoint);
        let reply = reply.expect("a reply");
        assert_eq!((shown.as_str(), reply.calls.len(), reply.finish), (SAID, 1, Finish::Tools), "cut at {cut}");
        assert_eq!(reply.calls[0].arguments, json!({ "mood": "спокойно" }));
    }
}

#[rstest]
#[case::windows_lines(stream().text(&event(&delta(SAID)).replace('\n', "\r\n")).text("data: [DONE]\r\n\r\n"), &[])]
#[case::no_space(stream().text(&event(&delta(SAID)).replace("data: ", "data:")).done(), &[])]
#[case::keep_alive(stream().text(": wait\n\n").says(SAID).text(": still here\n\n").done(), &[])]
#[case::no_done_mark(stream().says(SAID).event(&finish("stop")), &[])]
#[case::hangs_up_after_the_end(stream().says(SAID).event(&finish("stop")).hang_up(), &[])]
#[case::stays_after_the_end(stream().says(SAID).event(&finish("stop")).until_closed(), &[])]
#[case::no_end_at_all(stream().says(SAID), &[Note::NoEndMark])]
#[case::not_streamed(whole(SAID), &[Note::NotStreamed])]
#[case::garbage_between(stream().says(SAID).text("data: {oops\n\n").done(), &[Note::Garbled])]
#[case::reasoning_apart(
    stream().event(&json!({"choices":[{"delta":{"reasoning_content":"He is angry."}}]})).says(SAID).done(),
    &[Note::ReasoningStripped]
)]
#[case::reasoning_in_tags(stream().says("<thi").says("nk>He is angry.</th").says("ink>\n\n").says(SAID).done(), &[Note::ReasoningStripped])]
#[case::content_in_parts(
    whole_message(&json!({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": SAID}]}), "stop"),
    &[Note::ReasoningStripped, Note::NotStreamed]
)]
#[case::usage_at_the_end(stream().says(SAID).event(&finish("stop")).event(&json!({"choices": [], "usage": {}})).done(), &[])]
fn a_good_reply_in_odd_clothes(#[case] answer: Answer, #[case] notes: &[Note]) {
    let reply = reply_to(answer);
    assert_eq!((reply.text.as_str(), reply.finish, &reply.notes[..]), (SAID, Finish::Stop, notes));
}

#[test]
fn a_reply_at_its_limit_says_so() {
    let reply = reply_to(starts("И тогда").event(&finish("length")).done());
    assert_eq!((reply.text.as_str(), reply.finish), ("И тогда", Finish::Length));
}

fn named(name: &str, arguments: impl Into<Value>) -> Value {
    let arguments: Value = arguments.into();
    json!({ "name": name, "arguments": arguments })
}

#[rstest]
#[case::in_pieces(calls("end_session", &json!({"mood": "calm"})))]
#[case::at_once_without_number_or_identity(
    stream().event(&call_delta(&json!({"function": named("end_session", json!("{\"mood\":\"calm\"}"))}))).done()
)]
#[case::arguments_as_an_object(
    stream().event(&call_delta(&json!({"index": 0, "function": named("end_session", json!({"mood": "calm"}))}))).done()
)]
#[case::old_api(
    stream().event(&json!({"choices":[{"delta":{"function_call": named("end_session", json!("{\"mood\":\"calm\"}"))}}]})).done()
)]
#[case::name_repeated(
    stream()
        .event(&call_delta(&json!({"index": 0, "id": "a", "function": named("end_session", json!("{\"mood\":"))})))
        .event(&call_delta(&json!({"index": 0, "id": "a", "function": named("end_session", json!("\"calm\"}"))})))
        .done()
)]
#[case::not_streamed(
    whole_message(&json!({"content": null, "tool_calls": [{"id": "a", "function": named("end_session", json!("{\"mood\":\"calm\"}"))}]}), "tool_calls")
)]
#[case::in_the_text(says("{\"tool\": \"end_session\", \"arguments\": {\"mood\": \"calm\"}}"))]
fn a_call_however_it_comes(#[case] answer: Answer) {
    let reply = reply_to(answer);
    let calls: Vec<(&str, &Value)> = reply.calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
    assert_eq!(calls, [("end_session", &json!({ "mood": "calm" }))]);
    assert_eq!((reply.text.as_str(), reply.finish), ("", Finish::Tools));
    assert!(!reply.calls[0].id.is_empty());
}

#[rstest]
#[case::by_number(["{\"index\":0,\"id\":\"a\"", "{\"index\":1,\"id\":\"b\""])]
#[case::all_numbered_zero(["{\"index\":0,\"id\":\"a\"", "{\"index\":0,\"id\":\"b\""])]
#[case::without_numbers(["{\"id\":\"a\"", "{\"id\":\"b\""])]
#[case::without_anything(["{\"type\":\"function\"", "{\"type\":\"function\""])]
fn several_calls_stay_apart_and_in_order(#[case] heads: [&str; 2]) {
    let pieces = heads.iter().zip(["suggest_practice", "end_session"]).map(|(head, name)| {
        let call = format!("{head},\"function\":{{\"name\":\"{name}\",\"arguments\":\"{{\\\"n\\\":1}}\"}}}}");
        call_delta(&serde_json::from_str(&call).expect("a piece"))
    });
    let reply = reply_to(pieces.fold(stream(), |answer, piece| answer.event(&piece)).done());
    let names: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["suggest_practice", "end_session"]);
    assert!(reply.calls.iter().all(|call| call.arguments == json!({ "n": 1 })), "{:?}", reply.calls);
}

#[test]
fn broken_arguments_are_kept_as_they_are() {
    let reply = reply_to(calls("end_session", &json!("{mood")));
    assert_eq!(reply.calls[0].arguments, json!("\"{mood\""));
}

#[rstest]
#[case::a_web_page(status(200).header("Content-Type: text/html").text("<html>log in</html>"), EndpointError::NotAModel)]
#[case::other_json(status(200).text("{\"hello\": 1}{"), EndpointError::NotAModel)]
#[case::plain_words(status(200).text("data: hello\n\n"), EndpointError::NotAModel)]
#[case::key(refuses(401, "bad key sk-123"), EndpointError::KeyRefused { status: 401 })]
#[case::forbidden(status(403), EndpointError::KeyRefused { status: 403 })]
#[case::no_such_model(refuses(404, "no such model"), EndpointError::Refused { status: 404 })]
#[case::redirected(status(307).header("Location: http://127.0.0.1:9/v1/chat/completions"), EndpointError::Redirected)]
#[case::mid_sentence(starts("Понял, тяжёлая ").hang_up(), EndpointError::Severed { said: 14 })]
#[case::mid_sentence_politely(starts("Понял, тяжёлая "), EndpointError::Severed { said: 14 })]
#[case::error_in_the_stream(
    starts("Понял. ").event(&json!({"error": {"message": "CUDA out of memory", "code": 500}})),
    EndpointError::Failed
)]
#[case::key_in_the_stream(status(200).text("{\"error\":{\"code\":\"401\"}}"), EndpointError::KeyRefused { status: 401 })]
fn an_error_has_a_name_and_no_contents(#[case] answer: Answer, #[case] expected: EndpointError) {
    assert_eq!(ask(&endpoint(&Server::new([answer]))).0, Err(expected));
}

#[test]
fn a_busy_server_is_asked_again_and_every_request_has_its_row() {
    let busy = || status(503).header("Retry-After: 0");
    let server = Server::new([busy(), hangs_up(), says(SAID)]);
    let book = Arc::new(Book::default());
    let (reply, shown) = ask_with(&Http::new(settings(), Arc::clone(&book) as Arc<dyn Ledger>), &endpoint(&server));
    let reply = reply.expect("the third time");
    assert_eq!((shown.as_str(), &reply.notes[..]), (SAID, &[Note::Retried(2)][..]));
    assert_eq!(*book.answers.lock().unwrap(), [(1, 503), (3, 200)]);

    let rows = book.rows.lock().unwrap();
    assert_eq!(rows.len(), 3);
    for (row, seen) in rows.iter().zip(server.seen()) {
        assert_eq!(*row.body, *seen.body, "what the ledger shows is what was sent");
        assert_eq!((row.method.as_str(), &row.fields[..]), ("POST", &["turn".to_owned(), "memories".to_owned()][..]));
        assert_eq!(row.url, format!("{}/chat/completions", server.base_url()));
    }
}

#[rstest]
#[case::too_many_requests(429)]
#[case::internal(500)]
#[case::bad_gateway(502)]
#[case::overloaded(503)]
#[case::gateway_timeout(504)]
fn two_retries_and_no_more(#[case] code: u16) {
    let server = Server::new((0..3).map(|_| status(code)));
    let error = ask(&endpoint(&server)).0.expect_err("busy for ever");
    let busy = EndpointError::Busy { status: code, retry_after: None };
    assert_eq!(error, if matches!(code, 429 | 503) { busy } else { EndpointError::Refused { status: code } });
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn a_long_wish_to_wait_ends_it_at_once() {
    let server = Server::new([status(429).header("Retry-After: 60")]);
    let error = ask(&endpoint(&server)).0.expect_err("nobody waits a minute");
    assert_eq!(error, EndpointError::Busy { status: 429, retry_after: Some(Duration::from_secs(60)) });
}

#[test]
fn an_absent_server_is_tried_three_times() {
    let server = Server::new([]);
    let absent = Endpoint { base_url: "http://127.0.0.1:1/v1".into(), ..endpoint(&server) };
    let book = Arc::new(Book::default());
    let (reply, _) = ask_with(&Http::new(settings(), Arc::clone(&book) as Arc<dyn Ledger>), &absent);
    assert!(matches!(reply, Err(EndpointError::Unreachable(_))), "{reply:?}");
    assert_eq!(book.rows.lock().unwrap().len(), 3);
}

#[test]
fn nothing_is_said_twice() {
    let server = Server::new([starts("Понял, тяжёлая ").hang_up(), says("Другое.")]);
    let (reply, shown) = ask(&endpoint(&server));
    assert_eq!((reply, shown.as_str()), (Err(EndpointError::Severed { said: 14 }), "Понял, тяжёлая"));
    assert_eq!(server.seen().len(), 1);
}

fn impatient(server: &Server) -> Endpoint {
    let timeouts = Timeouts {
        connect: Duration::from_millis(500),
        first_token: Duration::from_millis(150),
        idle: Duration::from_millis(150),
        whole: Duration::from_millis(600),
    };
    Endpoint { timeouts, ..endpoint(server) }
}

#[rstest]
#[case::no_answer(raw(b"").until_closed(), Phase::FirstToken)]
#[case::only_a_head(stream().until_closed(), Phase::FirstToken)]
#[case::only_comments(stream().many(": wait\n\n", 3).until_closed(), Phase::FirstToken)]
#[case::stalls(starts("Понял, ").until_closed(), Phase::Idle)]
fn silence_has_a_limit(#[case] answer: Answer, #[case] phase: Phase) {
    let server = Server::new([answer]);
    assert_eq!(ask(&impatient(&server)).0, Err(EndpointError::TimedOut(phase)));
    assert!(server.was_hung_up_on());
}

/// The port is open and nobody speaks: TLS belongs to the connection.
#[test]
fn a_connection_has_a_limit() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("https://{}/v1", silent.local_addr().unwrap());
    let timeouts = Timeouts { connect: Duration::from_millis(100), ..Timeouts::default() };
    let endpoint = Endpoint { base_url, timeouts, ..endpoint(&Server::new([])) };
    assert_eq!(ask(&endpoint).0, Err(EndpointError::TimedOut(Phase::Connect)));
}

#[test]
fn the_whole_has_a_limit_even_when_it_never_stalls() {
    let slow =
        (0..100).fold(stream(), |answer, word| answer.says(&format!("{word} ")).pause(Duration::from_millis(40)));
    let server = Server::new([slow]);
    assert_eq!(ask(&impatient(&server)).0, Err(EndpointError::TimedOut(Phase::Whole)));
    assert!(server.was_hung_up_on());
}

#[test]
fn cancelled_in_the_middle_the_line_is_dropped() {
    let server = Server::new([starts("Понял, ").until_closed()]);
    let cancel = Cancel::new();
    let from_elsewhere = cancel.clone();
    let reply = http().chat(&endpoint(&server), &chat(&talk(), &[]), &cancel, &mut |_| {
        let from_elsewhere = from_elsewhere.clone();
        std::thread::spawn(move || from_elsewhere.cancel());
        ControlFlow::Continue(())
    });
    assert_eq!(reply, Err(EndpointError::Cancelled));
    assert!(server.was_hung_up_on());

    let reply = http().chat(&endpoint(&server), &chat(&talk(), &[]), &cancel, &mut |_| ControlFlow::Continue(()));
    assert_eq!(reply, Err(EndpointError::Cancelled), "and nothing more is started with it");
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_listener_who_has_heard_enough() {
    let server = Server::new([starts("Купи прямо сейчас, ").until_closed()]);
    let reply = http().chat(&endpoint(&server), &chat(&talk(), &[]), &Cancel::new(), &mut |_| ControlFlow::Break(()));
    let reply = reply.expect("what was said");
    assert_eq!((reply.text.as_str(), reply.finish, &reply.notes[..]), ("Купи", Finish::Cut, &[Note::Stopped][..]));
    assert!(server.was_hung_up_on());
}

#[test]
fn a_hundred_megabytes_are_cut_off_early() {
    let word = |word: usize| event(&delta(&format!("{} ", word * 7919 % 100_003)));
    let batch: String = (0..20_000).map(word).collect();
    let server = Server::new([stream().many(&batch, 100_000_000 / batch.len())]);
    let reply = reply_of(&server);
    assert_eq!(reply.finish, Finish::Cut);
    assert!(reply.notes.contains(&Note::Capped), "{:?}", reply.notes);
    assert!(reply.text.len() <= 256 * 1024);
    assert!(server.was_hung_up_on());
}

#[rstest]
#[case::one_line_without_end(stream().text("data: {\"choices\":[{\"delta\":{\"content\":\"").many(&"a".repeat(60_000), 2000))]
#[case::white_space(stream().many(&" \n".repeat(30_000), 2000))]
#[case::one_object(stream().text("{\"choices\":[{\"message\":{\"content\":\"").many(&"a".repeat(60_000), 2000))]
fn bytes_without_end_are_not_collected(#[case] answer: Answer) {
    let server = Server::new([answer, whole("")]);
    let (reply, shown) = ask(&endpoint(&server));
    assert!(shown.is_empty() && reply.is_err() || reply.is_ok_and(|reply| reply.text.is_empty()));
    assert!(server.was_hung_up_on());
}

#[test]
fn circles_are_cut() {
    let server = Server::new([stream().many(&event(&delta("Давай подышим вместе, медленно. ")), 1_000_000)]);
    let reply = reply_of(&server);
    assert_eq!((reply.finish, &reply.notes[..]), (Finish::Cut, &[Note::Repeated][..]));
    assert!(reply.text.len() < 300, "{}", reply.text);
    assert!(server.was_hung_up_on());
}

#[rstest]
#[case::empty_stream(stream().done())]
#[case::nothing_at_all(stream())]
#[case::only_an_end(stream().event(&finish("stop")).done())]
#[case::lost_call(stream().event(&finish("tool_calls")).done())]
fn a_useless_stream_is_asked_for_in_one_piece(#[case] answer: Answer) {
    let server = Server::new([answer, whole(SAID)]);
    let reply = reply_of(&server);
    assert_eq!((reply.text.as_str(), &reply.notes[..]), (SAID, &[Note::WithoutStreaming][..]));
    assert!(reply.learned.no_streaming);
    assert_eq!(server.seen()[1].json()["stream"], false);
}

#[test]
fn text_before_a_lost_call_is_not_said_again() {
    let call =
        json!({ "content": "Сейчас.", "tool_calls": [{ "id": "a", "function": named("end_session", json!("{}")) }] });
    let server =
        Server::new([starts("Минуту.").event(&finish("tool_calls")).done(), whole_message(&call, "tool_calls")]);
    let reply = reply_of(&server);
    assert_eq!((reply.text.as_str(), reply.calls.len()), ("Минуту.", 1));
}

#[test]
fn an_empty_reply_is_no_error() {
    let reply = reply_of(&Server::new([stream().done(), whole("")]));
    assert!(reply.text.is_empty() && reply.calls.is_empty() && !reply.learned.no_streaming);
}

#[rstest]
#[case::tools(400, "small does not support tools", Note::WithoutTools, "tools")]
#[case::tools_of_llama_cpp(500, "tools param requires --jinja flag", Note::WithoutTools, "tools")]
#[case::temperature(400, "Unsupported value: 'temperature'", Note::WithoutTemperature, "temperature")]
#[case::tokens(400, "Use 'max_completion_tokens' instead.", Note::MaxCompletionTokens, "max_tokens")]
fn what_a_server_refuses_is_left_out_once(
    #[case] code: u16,
    #[case] said: &str,
    #[case] note: Note,
    #[case] field: &str,
) {
    let server = Server::new([refuses(code, said), says(SAID), says(SAID)]);
    let first = endpoint(&server);
    let reply = ask(&first).0.expect("a reply");
    assert_eq!((reply.text.as_str(), &reply.notes[..]), (SAID, &[note][..]));
    ask(&Endpoint { learned: reply.learned, ..first }).0.expect("at once, with what was learned");
    let sent: Vec<bool> = server.seen().iter().map(|seen| seen.json().get(field).is_some()).collect();
    assert_eq!(sent, [true, false, false]);
}

#[rstest]
#[case::understood(None, "{\"readiness\": 7}")]
#[case::refused(Some(refuses(400, "response_format is not supported")), "Вот:\n```json\n{\"readiness\": 7}\n```")]
#[case::refused_without_a_reason(Some(refuses(422, "bad request")), "{readiness: 7,}")]
#[case::ignored(None, "Конечно! {\"readiness\": 7} Готово.")]
fn data_by_a_schema(#[case] refusal: Option<Answer>, #[case] said: &str) {
    let refused = refusal.is_some();
    let server = Server::new(refusal.into_iter().chain([says(said)]));
    let schema = json!({ "type": "object", "properties": { "readiness": { "type": "integer" } } });
    let messages = talk();
    let chat = Chat { schema: Some(&schema), ..chat(&messages, &[]) };
    let reply = http().chat(&endpoint(&server), &chat, &Cancel::new(), &mut |_| ControlFlow::Continue(()));
    let reply = reply.expect("a reply");
    assert_eq!(reply.json(), Some(json!({ "readiness": 7 })));
    assert_eq!(reply.learned.no_schema, refused);
    let seen = server.seen();
    assert_eq!(seen[0].json()["response_format"]["json_schema"]["schema"], schema);
    assert_eq!(seen.last().unwrap().json().get("response_format").is_some(), !refused);
}

#[test]
fn reasoning_without_an_opening_tag_is_never_shown() {
    let thinks =
        || starts("Okay, he is angry at the market. ").says("</think>\n\n").says(SAID).event(&finish("stop")).done();
    let server = Server::new([thinks(), thinks()]);
    let new = Endpoint { learned: Learned::default(), ..endpoint(&server) };
    let (reply, shown) = ask(&new);
    let reply = reply.expect("a reply");
    assert_eq!((shown.as_str(), reply.text.as_str()), (SAID, SAID), "not even the first time");
    assert_eq!(reply.learned.reasoning, Reasoning::Implicit);
    let (_, shown) = ask(&Endpoint { learned: reply.learned, ..new });
    assert_eq!(shown, SAID);
}

#[test]
fn a_model_that_begins_to_reason_is_noticed() {
    let server = Server::new([starts("Okay, he is angry. ").says("</think>").says(SAID).event(&finish("stop")).done()]);
    let (reply, shown) = ask(&endpoint(&server));
    let reply = reply.expect("a reply");
    assert!(shown.starts_with("Okay"), "it was known for marking its reasoning");
    assert_eq!((reply.text.as_str(), reply.learned.reasoning), (SAID, Reasoning::Implicit));
    assert!(reply.notes.contains(&Note::ReasoningShown));
}

#[test]
fn a_first_reply_is_held_back_and_the_second_is_not() {
    let server = Server::new([says(SAID), says(SAID)]);
    let new = Endpoint { learned: Learned::default(), ..endpoint(&server) };
    let http = http();
    let mut learned = Learned::default();
    for pieces_expected in [1..=1, 2..=100] {
        let mut pieces = 0;
        let reply = http.chat(&Endpoint { learned, ..new.clone() }, &chat(&talk(), &[]), &Cancel::new(), &mut |_| {
            pieces += 1;
            ControlFlow::Continue(())
        });
        learned = reply.expect("a reply").learned;
        assert!(pieces_expected.contains(&pieces), "{pieces}");
    }
}

#[rstest]
#[case::unclosed("<think>He is angry and", "stop")]
#[case::cut_off_while_it_may_have_reasoned("Okay, he is angry and", "length")]
fn all_reasoning_is_an_empty_reply(#[case] said: &str, #[case] reason: &str) {
    let server = Server::new([starts(said).event(&finish(reason)).done()]);
    let (reply, shown) = ask(&Endpoint { learned: Learned::default(), ..endpoint(&server) });
    let reply = reply.expect("a reply");
    assert_eq!((shown.as_str(), reply.text.as_str(), &reply.notes[..]), ("", "", &[Note::ReasoningStripped][..]));
}

#[test]
fn a_key_travels_in_one_header_and_shows_nowhere() {
    let server = Server::new([says(SAID)]);
    let book = Arc::new(Book::default());
    let secret = Endpoint { key: Some(ApiKey::new("sk-s3cret".into())), ..endpoint(&server) };
    ask_with(&Http::new(settings(), Arc::clone(&book) as Arc<dyn Ledger>), &secret).0.expect("a reply");
    assert_eq!(server.seen()[0].header("authorization"), Some("Bearer sk-s3cret"));
    let rows = book.rows.lock().unwrap();
    let written = format!("{rows:?} {} {secret:?}", String::from_utf8_lossy(&rows[0].body));
    assert!(!written.contains("s3cret"), "{written}");
}

#[rstest]
#[case::unencrypted("http://192.0.2.1/v1", "sk-1", EndpointError::UnsafeKey)]
#[case::no_header("https://192.0.2.1/v1", "sk\n1", EndpointError::UnsafeKey)]
#[case::password_in_the_address("https://me:sk@192.0.2.1/v1", "sk-1", EndpointError::Address)]
#[case::no_address("localhost:11434", "sk-1", EndpointError::Address)]
fn what_cannot_be_sent_safely_is_not_sent(#[case] base_url: &str, #[case] key: &str, #[case] expected: EndpointError) {
    let server = Server::new([]);
    let unsafe_one = Endpoint { base_url: base_url.into(), key: Some(ApiKey::new(key.into())), ..endpoint(&server) };
    let book = Arc::new(Book::default());
    let (reply, _) = ask_with(&Http::new(settings(), Arc::clone(&book) as Arc<dyn Ledger>), &unsafe_one);
    assert_eq!(reply, Err(expected));
    assert!(book.rows.lock().unwrap().is_empty());
}

#[test]
fn without_a_ledger_nothing_leaves() {
    let server = Server::new([]);
    let book = Arc::new(Book { broken: true, ..Book::default() });
    let (reply, _) = ask_with(&Http::new(settings(), book), &endpoint(&server));
    assert_eq!(reply, Err(EndpointError::NotRecorded(NotRecorded)));
    assert!(server.seen().is_empty());
}

#[rstest]
#[case::offline(Reach::Nothing, false)]
#[case::this_machine(Reach::Loopback, true)]
fn how_far_requests_go(#[case] reach: Reach, #[case] local: bool) {
    let server = Server::new([says(SAID)]);
    let book = Arc::new(Book::default());
    let http = Http::new(HttpSettings { reach, ..settings() }, Arc::clone(&book) as Arc<dyn Ledger>);
    let far = Endpoint { base_url: "https://192.0.2.1/v1".into(), ..endpoint(&server) };
    assert_eq!(ask_with(&http, &far).0, Err(EndpointError::Offline));
    assert_eq!(ask_with(&http, &endpoint(&server)).0.is_ok(), local);
    assert_eq!(book.rows.lock().unwrap().len(), usize::from(local));
}

#[test]
fn switched_off_between_two_tries_the_second_stays_at_home() {
    let (busy, gate) = status(503).gate();
    let server = Server::new([busy.text("busy")]);
    let http = Arc::new(http());
    let (switching, asking) = (Arc::clone(&http), endpoint(&server));
    let reply = std::thread::spawn(move || ask_with(&switching, &asking).0);
    while server.seen().is_empty() {
        std::thread::yield_now();
    }
    http.set_offline(true);
    gate.open();
    assert_eq!(reply.join().unwrap(), Err(EndpointError::Offline));
}

#[test]
fn earlier_calls_and_their_results_are_told_in_the_servers_own_way() {
    let call = Call { id: "c1".into(), name: "suggest_practice".into(), arguments: json!({ "minutes": 3 }) };
    let mut messages = talk();
    messages.insert(1, ChatMessage::Assistant { text: "Давай.".into(), calls: vec![call] });
    messages.insert(2, ChatMessage::Tool { call_id: "c1".into(), content: "done".into() });
    let server = Server::new([says(SAID), says(SAID)]);
    for mode in [ToolMode::Native, ToolMode::Text] {
        let endpoint = Endpoint { tools: mode, ..endpoint(&server) };
        let reply =
            http().chat(&endpoint, &chat(&messages, &tools()), &Cancel::new(), &mut |_| ControlFlow::Continue(()));
        reply.expect("a reply");
    }
    let sent: Vec<Value> = server.seen().iter().map(|seen| seen.json()).collect();
    assert_eq!(sent[0]["messages"][1]["tool_calls"][0]["function"]["arguments"], "{\"minutes\":3}");
    assert_eq!(sent[1].get("tools"), None);
    assert_eq!(
        sent[1]["messages"][1]["content"],
        "Давай.\n{\"arguments\":{\"minutes\":3},\"tool\":\"suggest_practice\"}"
    );
    assert_eq!(sent[1]["messages"][2]["role"], "user");
}

#[test]
fn the_oldest_talk_is_forgotten_first() {
    let mut messages = vec![ChatMessage::System("Ты — Calm.".into())];
    messages.extend((0..100).map(|turn| ChatMessage::User(format!("реплика номер {turn}"))));
    let server = Server::new([says(SAID), refuses(400, "the request exceeds the available context size"), says(SAID)]);
    let small = Endpoint { context_tokens: Some(700), ..endpoint(&server) };
    let ask = |endpoint: &Endpoint| {
        let reply = http().chat(endpoint, &chat(&messages, &[]), &Cancel::new(), &mut |_| ControlFlow::Continue(()));
        reply.expect("a reply").notes
    };
    assert!(matches!(ask(&small)[..], [Note::Forgotten(50..100)]));
    assert!(matches!(ask(&endpoint(&server))[..], [Note::Forgotten(40..60)]));
    for seen in [&server.seen()[0], &server.seen()[2]] {
        let sent = seen.json()["messages"].as_array().unwrap().clone();
        assert_eq!(sent[0]["role"], "system");
        assert_eq!(sent.last().unwrap()["content"], "реплика номер 99");
    }
}
