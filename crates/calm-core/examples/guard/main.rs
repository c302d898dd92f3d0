//! Measures the guard and learns what its word lists do not catch.
//!
//! `cargo run -q -p calm-core --example guard [-- develop|later]`: precision and recall rule by rule on the
//! sentences in `tests/guard`; every miss and false hit of that part is listed. The other parts are never
//! listed, so that nobody tunes on them. `-- try` cross-validates (release), `-- train` writes
//! `advice/weights.bin`.

#[allow(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
#[path = "../../tests/guard/corpus.rs"]
mod corpus;
mod data;
#[path = "../hints/regression.rs"]
mod regression;
mod trial;

use std::env;
use std::process::ExitCode;

use calm_core::Lang;

const PARTS: [&str; 4] = ["develop", "later", "check", "oblique"];
/// Of these, the ones that may be read.
const LISTED: usize = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        [] => measure(None),
        ["train"] => trial::train(),
        ["try", l2 @ ..] => trial::cross_validate(l2),
        [part] if PARTS[..LISTED].contains(part) => measure(Some(part)),
        _ => Err("nothing, develop, later, train or try [L2…]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(listed: Option<&str>) -> Result<(), String> {
    for lang in Lang::ALL {
        for part in PARTS {
            let figures = corpus::measure(lang, part);
            println!("{lang} {part}");
            print!("{figures}");
            if listed == Some(part) {
                for line in &figures.wrong {
                    println!("    {line}");
                }
            }
        }
    }
    println!("{:.1} µs a sentence", corpus::micros_a_sentence());
    Ok(())
}
