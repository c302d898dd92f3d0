//! The client against real sockets on the loopback interface.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use calm_agent::{Http, HttpError, HttpSettings, Ledger, NotRecorded, Outgoing, Reach, Receipt};
use rstest::rstest;

#[derive(Default)]
struct Book(Mutex<Vec<Outgoing>>);

impl Book {
    fn urls(&self) -> Vec<String> {
        self.0.lock().expect("no panic under the lock").iter().map(|outgoing| outgoing.url.clone()).collect()
    }
}

impl Ledger for Book {
    fn about_to_send(&self, outgoing: &Outgoing) -> Result<Receipt, NotRecorded> {
        self.0.lock().expect("no panic under the lock").push(outgoing.clone());
        Ok(Receipt(0))
    }

    fn answered(&self, _: Receipt, _: u16) {}
}

fn client(book: &Arc<Book>) -> Http {
    let settings = HttpSettings { idle_timeout: Duration::from_millis(700), ..HttpSettings::default() };
    Http::new(settings, Arc::clone(book) as Arc<dyn Ledger>)
}

/// Answers request after request with what `answer` makes of its head; returns the server's address.
fn serve(answer: impl Fn(&str, &mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
    let address = listener.local_addr().expect("its address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let reader = BufReader::new(stream.try_clone().expect("a second handle"));
            let lines: Vec<String> = reader.lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            answer(&lines.join("\n").to_lowercase(), &mut stream);
        }
    });
    format!("http://{address}")
}

fn says(text: &'static str) -> String {
    serve(move |_, stream| stream.write_all(text.as_bytes()).expect("the client listens"))
}

fn read(http: &Http, url: &str, from: u64) -> (Option<u64>, u64, String) {
    let download = http.get_range(url, from).expect("an answer");
    let (total, starts_at) = (download.total, download.starts_at);
    let mut body = String::new();
    download.into_reader().read_to_string(&mut body).expect("a whole body");
    (total, starts_at, body)
}

#[test]
fn a_file_and_the_rest_of_a_file() {
    let base = serve(|head, stream| {
        let answer = if head.contains("range: bytes=4-") {
            "HTTP/1.1 206 Partial\r\nContent-Range: bytes 4-9/10\r\nContent-Length: 6\r\nConnection: close\r\n\r\n456789"
        } else {
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789"
        };
        stream.write_all(answer.as_bytes()).expect("the client listens");
    });
    let book = Arc::new(Book::default());
    let http = client(&book);
    assert_eq!(read(&http, &base, 0), (Some(10), 0, "0123456789".to_owned()));
    assert_eq!(read(&http, &base, 4), (Some(10), 4, "456789".to_owned()));
    assert_eq!(book.urls().len(), 2);
}

#[test]
fn a_server_that_ignores_the_range_is_noticed() {
    let base = says("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");
    assert_eq!(read(&client(&Arc::default()), &base, 2), (Some(3), 0, "abc".to_owned()));
}

#[rstest]
#[case::beyond_the_end("HTTP/1.1 416 No\r\nContent-Length: 0\r\n\r\n", "the server has no such part of the file")]
#[case::not_found("HTTP/1.1 404 No\r\nContent-Length: 6\r\n\r\nsecret", "the server answered 404")]
#[case::a_part_of_nowhere(
    "HTTP/1.1 206 Partial\r\nContent-Length: 0\r\n\r\n",
    "the server has no such part of the file"
)]
#[case::passed_on_to_nowhere("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", "the server answered 302")]
#[case::passed_on_to_a_file(
    "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "this is no address of a web server"
)]
#[case::not_http("hello\r\n\r\n", "the server cannot be reached: ")]
fn a_refusal_is_told_in_our_words(#[case] answer: &'static str, #[case] expected: &str) {
    let base = says(answer);
    let error = client(&Arc::default()).get_range(&base, 1).expect_err("refused").to_string();
    assert!(error.starts_with(expected), "{error}");
    assert!(!error.contains("secret") && !error.contains("127.0.0.1"), "{error}");
}

#[test]
fn every_address_of_a_redirect_stands_in_the_ledger_without_its_secrets() {
    let last = says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
    let target = format!("{last}/file?signature=s3cret");
    let first = serve(move |_, stream| {
        let answer =
            format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.write_all(answer.as_bytes()).expect("the client listens");
    });
    let book = Arc::new(Book::default());
    assert_eq!(read(&client(&book), &format!("{first}/start"), 0).2, "ok");
    assert_eq!(book.urls(), [format!("{first}/start"), format!("{last}/file?signature=…")]);
}

#[test]
fn a_circle_of_redirects_ends() {
    let base = says("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let error = client(&Arc::default()).get_range(&base, 0).expect_err("a circle");
    assert!(matches!(error, HttpError::Redirected), "{error}");
}

#[test]
fn offline_opens_no_connection_and_writes_no_ledger() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
    listener.set_nonblocking(true).expect("a mode");
    let url = format!("http://{}/", listener.local_addr().expect("its address"));
    let book = Arc::new(Book::default());
    let settings =
        HttpSettings { reach: Reach::Nothing, idle_timeout: Duration::from_millis(300), ..HttpSettings::default() };
    let http = Http::new(settings, Arc::clone(&book) as Arc<dyn Ledger>);

    assert!(matches!(http.get_range(&url, 0), Err(HttpError::Offline)));
    assert!(matches!(http.allow_program("pip", "silero-vad==6.2.3"), Err(HttpError::Offline)));
    assert_eq!(listener.accept().expect_err("nobody came").kind(), ErrorKind::WouldBlock);
    assert!(book.urls().is_empty());

    http.set_offline(false);
    assert!(http.get_range(&url, 0).is_err(), "nobody answers");
    listener.accept().expect("the switch is what held it back");
    http.set_offline(true);
    assert!(matches!(http.get_range(&url, 0), Err(HttpError::Offline)));
}

#[test]
fn the_ledger_hears_of_it_before_anything_is_opened() {
    struct Watch(TcpListener, Mutex<Vec<ErrorKind>>);
    impl Ledger for Watch {
        fn about_to_send(&self, _: &Outgoing) -> Result<Receipt, NotRecorded> {
            let kind = self.0.accept().map_or_else(|error| error.kind(), |_| ErrorKind::Other);
            self.1.lock().expect("no panic under the lock").push(kind);
            Ok(Receipt(0))
        }

        fn answered(&self, _: Receipt, _: u16) {}
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
    listener.set_nonblocking(true).expect("a mode");
    let url = format!("http://{}/", listener.local_addr().expect("its address"));
    let watch = Arc::new(Watch(listener, Mutex::default()));
    let settings = HttpSettings { idle_timeout: Duration::from_millis(300), ..HttpSettings::default() };
    let http = Http::new(settings, Arc::clone(&watch) as Arc<dyn Ledger>);
    assert!(http.get_range(&url, 0).is_err(), "nobody answers");
    assert_eq!(*watch.1.lock().expect("no panic under the lock"), [ErrorKind::WouldBlock], "no connection yet");
    watch.0.accept().expect("it came afterwards");
}

#[test]
fn a_program_that_sends_for_us_is_in_the_ledger() {
    let book = Arc::new(Book::default());
    client(&book).allow_program("pip", "silero-vad==6.2.3").expect("online");
    let noted = book.0.lock().expect("no panic under the lock").clone();
    let expected =
        Outgoing { method: "pip".into(), url: "silero-vad==6.2.3".into(), body: Arc::default(), fields: Vec::new() };
    assert_eq!(noted, [expected]);
}

#[test]
fn silence_ends_a_transfer_but_slowness_does_not() {
    let base = serve(|head, stream| {
        let head_of_answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n";
        stream.write_all(head_of_answer.as_bytes()).expect("the client listens");
        for letter in "slowly".bytes() {
            stream.write_all(&[letter]).expect("the client listens");
            if head.starts_with("get /stops") {
                // Held open until the client gives up.
                stream.read_to_end(&mut Vec::new()).expect("it closes");
                return;
            }
            thread::sleep(Duration::from_millis(200));
        }
    });
    let http = client(&Arc::default());
    let started = Instant::now();
    assert_eq!(read(&http, &base, 0).2, "slowly", "longer than the time-out altogether");
    assert!(started.elapsed() > Duration::from_millis(800));

    let mut reader = http.get_range(&format!("{base}/stops"), 0).expect("a beginning").into_reader();
    let error = reader.read_to_end(&mut Vec::new()).expect_err("silence");
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::TimedOut, "the server did not answer in time".to_owned())
    );
}

#[test]
fn a_body_that_is_cut_short_is_an_error() {
    let base = says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nhalf");
    let mut reader = client(&Arc::default()).get_range(&base, 0).expect("a beginning").into_reader();
    let mut body = Vec::new();
    let error = reader.read_to_end(&mut body).expect_err("cut short");
    assert_eq!(error.to_string(), "the connection was lost");
    assert_eq!(body, b"half");
}

#[test]
fn a_closed_port_and_a_wrong_address() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let http = client(&Arc::default());
    let error = http.get_range(&format!("http://{free}/"), 0).expect_err("nobody listens");
    assert!(matches!(error, HttpError::Unreachable(_)), "{error}");
    for address in ["", "file:///etc/passwd", "model.bin", "ftp://localhost/x"] {
        assert!(matches!(http.get_range(address, 0), Err(HttpError::Address)), "{address}");
    }
}

/// The certificate of nobody: TLS is set up with the system's roots, and says no without a panic.
#[test]
fn tls_to_a_server_that_speaks_none() {
    let base = says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").replace("http://", "https://");
    let error = client(&Arc::default()).get_range(&base, 0).expect_err("no TLS there");
    assert!(matches!(error, HttpError::Unreachable(_) | HttpError::Setup(_)), "{error}");
}
