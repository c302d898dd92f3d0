//! Measures the understanding on labelled utterances and prints a table.
//!
//! `cargo xtask understanding [--lang ru|en] [--part develop|check|crisis|later|fresh] [--sessions] [--misses]`

#[path = "../tests/understanding/corpus.rs"]
mod corpus;
#[path = "../tests/understanding/measure.rs"]
mod measure;
#[path = "../tests/understanding/sessions.rs"]
mod sessions;

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use calm_core::Lang;
use corpus::Part;
use measure::{Measured, Tally};

struct Options {
    langs: Vec<Lang>,
    parts: Vec<Part>,
    sessions: bool,
    misses: bool,
}

fn main() -> ExitCode {
    let done = options(env::args().skip(1)).and_then(|options| run(&options));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn options(args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options =
        Options { langs: vec![Lang::Ru, Lang::En], parts: vec![Part::Develop], sessions: false, misses: false };
    let mut args = args.peekable();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--misses" => options.misses = true,
            "--sessions" => options.sessions = true,
            "--lang" => options.langs = vec![value()?.parse().map_err(|_| "--lang is ru or en".to_owned())?],
            "--part" => {
                let name = value()?;
                let part = Part::ALL.into_iter().find(|p| p.name() == name);
                options.parts = vec![part.ok_or("--part is develop or check")?];
            }
            other => return Err(format!("{other} is not known; --lang, --part, --sessions and --misses are")),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), String> {
    calm_core::understand::prepare();
    for lang in &options.langs {
        for part in &options.parts {
            if options.sessions {
                let measured = sessions::measure(&sessions::scripts(*lang, *part)?);
                println!("{lang} {}: {} sessions, {} faultless", part.name(), measured.utterances, measured.faultless);
                print(&measured);
                if options.misses {
                    print_misses(&measured);
                }
                continue;
            }
            let utterances = corpus::utterances(*lang, *part)?;
            if utterances.is_empty() {
                println!("{lang} {}: no utterances", part.name());
                continue;
            }
            let started = Instant::now();
            let measured = measure::measure(*lang, &utterances);
            let each = started.elapsed() / u32::try_from(utterances.len()).unwrap_or(u32::MAX);
            println!(
                "{lang} {}: {} utterances, {} faultless, {} µs each",
                part.name(),
                measured.utterances,
                measured.faultless,
                each.as_micros()
            );
            print(&measured);
            if options.misses {
                print_misses(&measured);
            }
        }
    }
    Ok(())
}

fn print(measured: &Measured) {
    println!(
        "{:<22}{:>5}{:>7}{:>8}{:>7}{:>11}{:>8}",
        "attribute", "n", "found", "missed", "false", "precision", "recall"
    );
    let mut all = Tally::default();
    for (attribute, tally) in &measured.tallies {
        all.add(tally);
        row(attribute, tally);
    }
    row("all", &all);
}

fn row(attribute: &str, tally: &Tally) {
    println!(
        "{attribute:<22}{:>5}{:>7}{:>8}{:>7}{:>11.3}{:>8.3}",
        tally.n,
        tally.found,
        tally.missed,
        tally.false_readings,
        tally.precision(),
        tally.recall()
    );
}

fn print_misses(measured: &Measured) {
    let mut misses: Vec<_> = measured.misses.iter().collect();
    misses.sort_by(|a, b| a.attribute.cmp(&b.attribute));
    for miss in misses {
        println!("{:<16} {} → {} | [{}] {}", miss.attribute, miss.expected, miss.read, miss.asked, miss.text);
    }
}
