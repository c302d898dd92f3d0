//! What a server cannot do is done otherwise.

use super::*;

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
