//! How the talk is told to a server.

use super::*;

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
