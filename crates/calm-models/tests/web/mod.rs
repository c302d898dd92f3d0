//! A file server on the loopback interface that misbehaves on request, and a plain client for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use calm_models::{Body, Transport, TransportError};

/// How the server answers one request.
#[derive(Debug, Clone, Copy)]
pub enum Answer {
    /// As asked: the range, or the whole.
    Honest,
    /// The whole file with status 200, whatever range was asked for.
    IgnoresRange,
    /// As asked, but the line is cut after so many bytes.
    CutAfter(usize),
    /// As asked, `Content-Length` missing, and the line is cut after so many bytes: looks like a proper end.
    EndsEarly(usize),
    Status(u16),
}

pub struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<u64>>>,
}

impl Server {
    /// Serves `file`; `answers` are used in turn, the last one for ever.
    pub fn start(file: Vec<u8>, answers: &'static [Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let address = listener.local_addr().expect("its address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let from = read_request(&stream);
                let mut seen = seen.lock().expect("no panic under the lock");
                let answer = answers.get(seen.len()).or(answers.last()).copied().expect("an answer");
                seen.push(from);
                drop(seen);
                respond(stream, &file, from, answer);
            }
        });
        Self { address, asked }
    }

    pub fn url(&self) -> String {
        format!("http://{}/model.bin", self.address)
    }

    /// From which byte each request wanted the file.
    pub fn asked(&self) -> Vec<u64> {
        self.asked.lock().expect("no panic under the lock").clone()
    }
}

fn read_request(stream: &TcpStream) -> u64 {
    let mut from = 0;
    for line in BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some(range) = line.strip_prefix("Range: bytes=").and_then(|range| range.strip_suffix('-')) {
            from = range.parse().expect("a number");
        }
    }
    from
}

fn respond(mut stream: TcpStream, file: &[u8], from: u64, answer: Answer) {
    let (total, start) = (file.len(), usize::try_from(from).expect("small"));
    let honest = |length: bool| {
        let length = if length { format!("Content-Length: {}\r\n", total - start) } else { String::new() };
        match start {
            0 => format!("HTTP/1.1 200 OK\r\n{length}\r\n"),
            _ => format!("HTTP/1.1 206 Partial\r\n{length}Content-Range: bytes {start}-{}/{total}\r\n\r\n", total - 1),
        }
    };
    let (head, body) = match answer {
        Answer::Status(status) => (format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n"), &[][..]),
        _ if start >= total => ("HTTP/1.1 416 No\r\nContent-Length: 0\r\n\r\n".to_owned(), &[][..]),
        Answer::Honest => (honest(true), &file[start..]),
        Answer::IgnoresRange => (format!("HTTP/1.1 200 OK\r\nContent-Length: {total}\r\n\r\n"), file),
        Answer::CutAfter(bytes) => (honest(true), &file[start..(start + bytes).min(total)]),
        Answer::EndsEarly(bytes) => (honest(false), &file[start..(start + bytes).min(total)]),
    };
    // The client may have gone away: that is its business.
    if stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).is_err() {
        eprintln!("the client left early");
    }
}

/// HTTP/1.1 as far as the server above speaks it.
#[derive(Default)]
pub struct Plain {
    pub offline: bool,
    pub delay: Duration,
}

impl Transport for Plain {
    fn get(&self, url: &str, from: u64) -> Result<Body, TransportError> {
        if self.offline {
            return Err(TransportError::Offline);
        }
        thread::sleep(self.delay);
        let lost = |error: std::io::Error| TransportError::Unreachable(error.to_string());
        let (host, path) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("a plain address");
        let mut stream = TcpStream::connect(host).map_err(lost)?;
        let range = if from > 0 { format!("Range: bytes={from}-\r\n") } else { String::new() };
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\n{range}\r\n").map_err(lost)?;
        let mut reader = BufReader::new(stream);
        let mut head = Vec::new();
        for line in reader.by_ref().lines() {
            match line.map_err(lost)? {
                line if line.is_empty() => break,
                line => head.push(line),
            }
        }
        let status = head.first().and_then(|line| line.split(' ').nth(1)).expect("a status");
        let field = |name: &str| head.iter().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let length = field("Content-Length: ").map(|length| length.parse::<u64>().expect("a number"));
        let starts_at = match status {
            "200" => 0,
            "206" => from,
            "416" => return Err(TransportError::NoSuchRange),
            other => return Err(TransportError::Refused { status: other.parse().expect("a number") }),
        };
        let reader = Counted { inner: reader, left: length };
        Ok(Body { total: length.map(|length| starts_at + length), starts_at, reader: Box::new(reader) })
    }

    fn allow_program(&self, _program: &str, _what: &str) -> Result<(), TransportError> {
        if self.offline { Err(TransportError::Offline) } else { Ok(()) }
    }
}

/// Fails like a real client when fewer bytes come than were announced.
struct Counted<R> {
    inner: R,
    left: Option<u64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.inner.read(buffer)?;
        if let Some(left) = &mut self.left {
            if length == 0 && *left > 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            *left -= length as u64;
        }
        Ok(length)
    }
}
