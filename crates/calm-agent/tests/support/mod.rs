//! A model server that says what a script tells it, chunk by chunk, and refuses every malformed request.
//!
//! Other crates may include this file by its path; it needs `serde_json` alone.
#![allow(dead_code, clippy::unwrap_used)]

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(10);

/// What one request is answered with.
pub struct Answer {
    status: u16,
    headers: Vec<String>,
    steps: Vec<Step>,
    chunked: bool,
    /// The steps are everything, the head included.
    raw: bool,
}

enum Step {
    Bytes(Vec<u8>),
    /// The same bytes so many times, for as long as anybody reads them.
    Many(Vec<u8>, usize),
    Pause(Duration),
    Gate(Receiver<()>),
    /// Nothing more is sent; the other side has to hang up.
    UntilClosed,
    HangUp,
}

/// Opens what waits for it in an answer.
#[derive(Clone)]
pub struct Gate(Sender<()>);

impl Gate {
    pub fn open(&self) {
        self.0.send(()).ok();
    }
}

/// A piece of a streamed reply, as it stands behind `data:`.
pub fn delta(text: &str) -> Value {
    json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": { "content": text } }] })
}

pub fn finish(reason: &str) -> Value {
    json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

/// A piece of a native call.
pub fn call_delta(call: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] })
}

pub fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// A whole, good, streamed reply, one word after the other.
pub fn says(text: &str) -> Answer {
    starts(text).event(&finish("stop")).done()
}

/// The beginning of a streamed reply; what follows is up to the script.
pub fn starts(text: &str) -> Answer {
    text.split_inclusive(' ').fold(stream(), |answer, word| answer.event(&delta(word)))
}

/// An empty stream to add to.
pub fn stream() -> Answer {
    Answer { headers: vec!["Content-Type: text/event-stream".into()], chunked: true, ..status(200) }
}

/// A reply that only calls a tool, through the API, in two pieces.
pub fn calls(name: &str, arguments: &Value) -> Answer {
    let arguments = arguments.to_string();
    let half = (0..=arguments.len() / 2).rev().find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
    let first = json!({ "index": 0, "id": "call_a", "type": "function",
        "function": { "name": name, "arguments": arguments[..half] } });
    let second = json!({ "index": 0, "function": { "arguments": arguments[half..] } });
    stream().event(&call_delta(&first)).event(&call_delta(&second)).event(&finish("tool_calls")).done()
}

/// A reply in one piece.
pub fn whole(text: &str) -> Answer {
    whole_message(&json!({ "role": "assistant", "content": text }), "stop")
}

pub fn whole_message(message: &Value, reason: &str) -> Answer {
    let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
    status(200).header("Content-Type: application/json").text(&json!({ "choices": [choice] }).to_string())
}

pub fn models(names: &[&str]) -> Answer {
    let data: Vec<Value> = names.iter().map(|name| json!({ "id": name, "object": "model" })).collect();
    status(200).text(&json!({ "object": "list", "data": data }).to_string())
}

/// An answer without a body, until one is added.
pub fn status(status: u16) -> Answer {
    Answer { status, headers: Vec::new(), steps: Vec::new(), chunked: false, raw: false }
}

/// A refusal in the words of OpenAI's API.
pub fn refuses(code: u16, message: &str) -> Answer {
    status(code).text(&json!({ "error": { "message": message, "type": "invalid_request_error" } }).to_string())
}

/// Bytes in place of an HTTP answer.
pub fn raw(bytes: &[u8]) -> Answer {
    Answer { raw: true, ..status(0) }.bytes(bytes)
}

/// The connection is closed before a byte is sent.
pub fn hangs_up() -> Answer {
    raw(b"").hang_up()
}

impl Answer {
    pub fn header(mut self, line: &str) -> Self {
        self.headers.push(line.to_owned());
        self
    }

    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.steps.push(Step::Bytes(bytes.to_vec()));
        self
    }

    pub fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub fn event(self, data: &Value) -> Self {
        let event = event(data);
        self.text(&event)
    }

    pub fn says(self, text: &str) -> Self {
        self.event(&delta(text))
    }

    pub fn done(self) -> Self {
        self.text("data: [DONE]\n\n")
    }

    pub fn many(mut self, text: &str, times: usize) -> Self {
        self.steps.push(Step::Many(text.as_bytes().to_vec(), times));
        self
    }

    pub fn pause(mut self, time: Duration) -> Self {
        self.steps.push(Step::Pause(time));
        self
    }

    /// What is added after this is sent when the gate opens.
    pub fn gate(mut self) -> (Self, Gate) {
        let (sender, receiver) = channel();
        self.steps.push(Step::Gate(receiver));
        (self, Gate(sender))
    }

    pub fn until_closed(mut self) -> Self {
        self.steps.push(Step::UntilClosed);
        self
    }

    pub fn hang_up(mut self) -> Self {
        self.steps.push(Step::HangUp);
        self
    }
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("it was checked")
    }
}

#[derive(Default)]
struct Record {
    seen: Vec<Seen>,
    problems: Vec<String>,
    closed: usize,
}

struct Shared {
    answers: Mutex<VecDeque<Answer>>,
    record: Mutex<Record>,
    changed: Condvar,
}

/// Listens on a loopback port and answers each request with the next answer of its script.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let address = listener.local_addr().expect("its address");
        let answers = Mutex::new(answers.into_iter().collect());
        let shared = Arc::new(Shared { answers, record: Mutex::default(), changed: Condvar::new() });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = Arc::clone(&serving);
                thread::spawn(move || serve(&stream, &serving));
            }
        });
        Self { address, shared }
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn then(&self, answer: Answer) {
        self.shared.answers.lock().unwrap().push_back(answer);
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.shared.record.lock().unwrap().seen.clone()
    }

    /// Waits until the other side has hung up on an answer that was not at its end.
    pub fn was_hung_up_on(&self) -> bool {
        let record = self.shared.record.lock().unwrap();
        let (record, waited) =
            self.shared.changed.wait_timeout_while(record, PATIENCE, |record| record.closed == 0).unwrap();
        drop(record);
        !waited.timed_out()
    }

    /// What was wrong with the requests.
    pub fn problems(&self) -> Vec<String> {
        self.shared.record.lock().unwrap().problems.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !thread::panicking() {
            assert_eq!(self.problems(), Vec::<String>::new(), "the server had to refuse something");
        }
    }
}

fn serve(mut stream: &TcpStream, shared: &Shared) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    let seen = match request(stream) {
        Ok(Some(seen)) => seen,
        Ok(None) => return,
        Err(problem) => return refuse(stream, shared, problem),
    };
    if let Err(problem) = check(&seen) {
        return refuse(stream, shared, problem);
    }
    shared.record.lock().unwrap().seen.push(seen);
    let Some(answer) = shared.answers.lock().unwrap().pop_front() else {
        return refuse(stream, shared, "a request that the script does not know".into());
    };
    let length: usize =
        answer.steps.iter().map(|step| if let Step::Bytes(bytes) = step { bytes.len() } else { 0 }).sum();
    let how = if answer.chunked { "Transfer-Encoding: chunked".into() } else { format!("Content-Length: {length}") };
    let headers: String = answer.headers.iter().map(|line| format!("{line}\r\n")).collect();
    let head = format!("HTTP/1.1 {} Said\r\nConnection: close\r\n{how}\r\n{headers}\r\n", answer.status);
    if !answer.raw && stream.write_all(head.as_bytes()).is_err() {
        return closed(shared);
    }
    for step in answer.steps {
        let sent = match step {
            Step::Bytes(bytes) => send(stream, &bytes, answer.chunked),
            Step::Many(bytes, times) => (0..times).try_for_each(|_| send(stream, &bytes, answer.chunked)),
            Step::Pause(time) => {
                thread::sleep(time);
                Ok(())
            }
            Step::Gate(gate) => {
                gate.recv_timeout(PATIENCE).ok();
                Ok(())
            }
            Step::UntilClosed => match stream.read(&mut [0; 1]) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return,
                _ => return closed(shared),
            },
            Step::HangUp => return,
        };
        if sent.is_err() {
            return closed(shared);
        }
    }
    if answer.chunked && stream.write_all(b"0\r\n\r\n").is_err() {
        closed(shared);
    }
}

fn send(mut stream: &TcpStream, bytes: &[u8], chunked: bool) -> std::io::Result<()> {
    if !chunked {
        return stream.write_all(bytes);
    }
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    stream.write_all(&chunk)
}

fn closed(shared: &Shared) {
    shared.record.lock().unwrap().closed += 1;
    shared.changed.notify_all();
}

fn refuse(mut stream: &TcpStream, shared: &Shared, problem: String) {
    shared.record.lock().unwrap().problems.push(problem);
    stream.write_all(b"HTTP/1.1 418 Malformed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").ok();
}

/// `None` for a connection on which nothing is asked.
fn request(stream: &TcpStream) -> Result<Option<Seen>, String> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return Ok(None);
    }
    let words: Vec<&str> = line.trim_end().split(' ').collect();
    let [method, path, "HTTP/1.1"] = words[..] else { return Err(format!("a request line of {} words", words.len())) };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).map_err(|error| error.to_string())?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").ok_or("a header without a value")?;
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or(Ok(0), |(_, value)| value.parse());
    let mut body = vec![0; length.map_err(|_| "a length that is no number")?];
    reader.read_exact(&mut body).map_err(|_| "a body shorter than its length")?;
    Ok(Some(Seen { method, path, headers, body }))
}

fn check(seen: &Seen) -> Result<(), String> {
    let expect =
        |holds: bool, what: &str| if holds { Ok(()) } else { Err(format!("{what} ({} {})", seen.method, seen.path)) };
    expect(seen.header("host").is_some(), "no host")?;
    if let Some(key) = seen.header("authorization") {
        expect(key.strip_prefix("Bearer ").is_some_and(|key| !key.is_empty()), "an odd authorization")?;
    }
    if seen.method == "GET" {
        expect(seen.path == "/v1/models", "no such page")?;
        return expect(seen.body.is_empty(), "a GET with a body");
    }
    expect(seen.method == "POST" && seen.path == "/v1/chat/completions", "no such page")?;
    expect(seen.header("content-type") == Some("application/json"), "no JSON by its header")?;
    let body: Value = serde_json::from_slice(&seen.body).map_err(|_| "no JSON")?;
    let body = body.as_object().ok_or("no object")?;
    let known = [
        "model",
        "messages",
        "stream",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "tools",
        "tool_choice",
        "response_format",
    ];
    for key in body.keys() {
        expect(known.contains(&key.as_str()), "a field that not every server knows")?;
    }
    expect(body["model"].as_str().is_some_and(|model| !model.is_empty()), "no model")?;
    expect(body.get("stream").is_some_and(Value::is_boolean), "no stream")?;
    expect(body.get("tools").is_none_or(|tools| tools.as_array().is_some_and(|tools| !tools.is_empty())), "no tools")?;
    messages(body["messages"].as_array().ok_or("no messages")?)
}

fn messages(messages: &[Value]) -> Result<(), String> {
    if messages.is_empty() {
        return Err("no message".into());
    }
    let mut called: Vec<&str> = Vec::new();
    for message in messages {
        if !message["content"].is_string() {
            return Err("a message without text".into());
        }
        match message["role"].as_str() {
            Some("system" | "user") => {}
            Some("assistant") => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    let function = &call["function"];
                    if call["type"] != "function" || !function["name"].is_string() || !function["arguments"].is_string()
                    {
                        return Err("a malformed call".into());
                    }
                    called.push(call["id"].as_str().ok_or("a call without an identity")?);
                }
            }
            Some("tool") if message["tool_call_id"].as_str().is_some_and(|id| called.contains(&id)) => {}
            _ => return Err("a message of nobody, or a result of no call".into()),
        }
    }
    Ok(())
}
