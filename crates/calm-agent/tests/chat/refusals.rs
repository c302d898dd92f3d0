//! Errors, retries, and servers that are not there.

use super::*;

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
