//! Precision and recall of the guard, rule by rule, on the sentences in `tests/guard`.
//!
//! `cargo run -q -p calm-core --example guard [-- develop]`: with `develop`, every miss and false hit of that
//! half is listed. The check half is never listed, so that nobody tunes on it.

#[allow(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
#[path = "../tests/guard/corpus.rs"]
mod corpus;

use calm_core::Lang;

fn main() {
    let listed = std::env::args().nth(1).is_some_and(|arg| arg == "develop");
    for lang in Lang::ALL {
        for part in ["develop", "check"] {
            let figures = corpus::measure(lang, part);
            println!("{lang} {part}");
            print!("{figures}");
            if listed && part == "develop" {
                for line in &figures.wrong {
                    println!("    {line}");
                }
            }
        }
    }
    println!("{:.0} µs a sentence", corpus::micros_a_sentence());
}
