//! Model servers on this machine.

mod support;

use std::sync::{Arc, Mutex};

use calm_agent::{
    EndpointError, Found, Http, HttpSettings, Ledger, NotRecorded, Outgoing, Preset, Reach, Receipt, discover_at,
};
use support::{Server, models, status};

#[derive(Default)]
struct Book(Mutex<Vec<String>>);

impl Ledger for Book {
    fn about_to_send(&self, outgoing: &Outgoing) -> Result<Receipt, NotRecorded> {
        self.0.lock().expect("no panic under the lock").push(format!("{} {}", outgoing.method, outgoing.url));
        Ok(Receipt(0))
    }

    fn answered(&self, _: Receipt, _: u16) {}
}

#[test]
fn who_answers_is_found_and_everyone_asked_is_in_the_ledger() {
    let ollama = Server::new([models(&["qwen2.5:7b", "nomic-embed-text"])]);
    let other = Server::new([status(200).text("<html>a router</html>")]);
    let book = Arc::new(Book::default());
    let http = Http::new(HttpSettings::default(), Arc::clone(&book) as Arc<dyn Ledger>);
    let places = [
        (Preset::Ollama, &*ollama.base_url()),
        (Preset::LmStudio, "http://127.0.0.1:1/v1"),
        (Preset::LlamaCpp, &*other.base_url()),
    ];
    let base_url = ollama.base_url();
    let found = Found { preset: Preset::Ollama, base_url: base_url.clone(), models: vec!["qwen2.5:7b".into()] };
    assert_eq!(discover_at(&http, &places), [found]);
    let mut asked = book.0.lock().expect("no panic under the lock").clone();
    asked.sort();
    let mut expected: Vec<String> = places.iter().map(|(_, base_url)| format!("GET {base_url}/models")).collect();
    expected.sort();
    assert_eq!(asked, expected);
}

#[test]
fn offline_nobody_is_asked() {
    let server = Server::new([]);
    let settings = HttpSettings { reach: Reach::Nothing, ..HttpSettings::default() };
    let http = Http::new(settings, Arc::<Book>::default());
    assert_eq!(discover_at(&http, &[(Preset::Ollama, &server.base_url())]), []);
    assert_eq!(http.models(&server.base_url(), None), Err(EndpointError::Offline));
    assert!(server.seen().is_empty());
}
