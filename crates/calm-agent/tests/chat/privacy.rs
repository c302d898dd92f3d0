//! Keys, the ledger, and how far a request may go.

use super::*;

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
