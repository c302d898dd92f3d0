//! Good replies and calls, in whatever clothes they come.

use super::*;

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
