//! Patience, cancelling, and replies without end.

use super::*;

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
