//! Precision and recall of the guard, rule by rule, on the sentences in `tests/guard`.
//!
//! `cargo run -q -p calm-core --example guard [-- develop|later]`: every miss and false hit of that
//! part is listed. The check half is never listed, so that nobody tunes on it.

#[allow(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
#[path = "../tests/guard/corpus.rs"]
mod corpus;

use calm_core::Lang;

fn main() {
    let listed = std::env::args().nth(1).filter(|arg| arg != "check");
    for lang in Lang::ALL {
        for part in ["develop", "check", "later"] {
            let figures = corpus::measure(lang, part);
            println!("{lang} {part}");
            print!("{figures}");
            if listed.as_deref() == Some(part) {
                for line in &figures.wrong {
                    println!("    {line}");
                }
            }
        }
    }
    println!("{:.0} µs a sentence", corpus::micros_a_sentence());
}
