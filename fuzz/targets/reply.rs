//! A model's reply, however it is cut: the same reading, nothing shown that is not left, and no panic.
#![no_main]

use calm_agent::Reasoning;
use calm_agent::reply::{Options, Reader};

libfuzzer_sys::fuzz_target!(|reply: (Vec<String>, u8)| {
    let (pieces, reasoning) = reply;
    let reasoning = [Reasoning::Marked, Reasoning::Unknown, Reasoning::Implicit][usize::from(reasoning % 3)];
    let read = |pieces: &[&str]| {
        let tools = vec!["suggest_practice".to_owned(), "end_session".to_owned()];
        let mut reader = Reader::new(Options { reasoning, tools, data: false });
        let mut shown = String::new();
        for piece in pieces {
            shown.push_str(reader.push(piece));
        }
        let (read, last) = reader.finish(true);
        shown.push_str(&last);
        assert!(read.reasoning_shown || shown == read.text);
        (read.text, read.calls)
    };
    let whole = pieces.concat();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert_eq!(read(&pieces), read(&[&whole]));
});
