//! `cargo xtask bench`: what must be reached, what was measured, what stands beside it.
//!
//! The figures come from `benches/` of `calm-app`, `calm-memory` and the window, built for release, which print one JSON
//! object a line; the bounds live here, so that a slow row cannot move its own goal.

use crate::node::Node;
use crate::packages::Stage;
use crate::setup::System;
use crate::{beside, command, models, place, say, ui};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Deserialize;
use std::path::PathBuf;
use std::process::Stdio;

#[derive(Args)]
pub struct Options {
    /// Measure only the rows whose name contains this
    name: Option<String>,
    /// Also time faster-whisper on the same clip; fetches half a gigabyte once
    #[arg(long)]
    beside: bool,
    #[command(flatten)]
    system: System,
}

/// A figure that must be reached.
struct Row {
    id: &'static str,
    what: &'static str,
    must: f64,
    unit: &'static str,
}

const ROWS: [Row; 19] = [
    Row { id: "asr_10s", what: "ASR, 10 s clip, ONNX Runtime", must: 0.07, unit: "× clip" },
    Row { id: "asr_cpp_10s", what: "ASR, 10 s clip, whisper-rs", must: 0.2, unit: "× clip" },
    Row { id: "ser_5s", what: "SER, 5 s", must: 40.0, unit: "ms" },
    Row { id: "commit_turn_p99", what: "committing a turn, p99", must: 10.0, unit: "ms" },
    Row { id: "guide_reply_p99", what: "guide's reply, p99", must: 5.0, unit: "ms" },
    Row { id: "end_to_text_10s", what: "end of speech → final text", must: 0.8, unit: "s" },
    Row { id: "render_checkin", what: "rendering a check-in", must: 200.0, unit: "µs" },
    Row { id: "contour_10k_p99", what: "contour, 10,000 experiences", must: 0.2, unit: "ms" },
    Row { id: "encode_20_words_ms", what: "embedding 20 words", must: 2.0, unit: "ms" },
    Row { id: "search_100k_p99_ms", what: "recall of 100,000, p99", must: 20.0, unit: "ms" },
    Row { id: "index_100k_mb", what: "memory of that index", must: 120.0, unit: "MB" },
    Row { id: "lint_shipped", what: "linting the shipped prompts", must: 100.0, unit: "ms" },
    Row { id: "search_history_p99", what: "searching 100,000 turns, p99", must: 50.0, unit: "ms" },
    Row { id: "insights_10k", what: "insights over 10,000 sessions and 20,000 trades", must: 300.0, unit: "ms" },
    Row { id: "window_shown", what: "window shown after start", must: 1.5, unit: "s" },
    Row { id: "window_rooms_10k", what: "slowest room, 10,000 sessions", must: 300.0, unit: "ms" },
    Row { id: "window_growth_mb", what: "more memory after 1,000 doors", must: 20.0, unit: "MB" },
    Row { id: "idle_with_window_mb", what: "idle memory, window open", must: 180.0, unit: "MB" },
    Row { id: "idle_in_tray_mb", what: "idle memory, in the tray", must: 60.0, unit: "MB" },
];

/// What measures them.
const BENCHES: [(&str, &str); 3] = [("calm-app", "rows"), ("calm-memory", "memory"), ("calmtrader", "window")];

/// What a bench program prints for one row.
#[derive(Debug, Deserialize, PartialEq)]
struct Measured {
    id: String,
    /// In the row's unit.
    value: f64,
    /// How many times it was measured.
    n: u64,
    /// For recognisers: what was heard, so that another can be timed on the same.
    clip: Option<Clip>,
    /// What stands beside it.
    #[serde(default)]
    beside: Vec<Beside>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Clip {
    path: PathBuf,
    language: String,
    /// What ours took, in seconds.
    seconds: f64,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Beside {
    name: String,
    /// Ours divided by theirs.
    ratio: f64,
}

/// `cargo xtask bench`
pub fn run(options: &Options) -> Result<()> {
    options.system.install(Stage::Test)?;
    models::fetch_required()?;
    ui::build(&Node::find()?)?;
    say::headline("Bench, release build");
    let mut lines = String::new();
    for (package, bench) in BENCHES {
        let mut cargo = command::cargo();
        cargo.args(["bench", "--locked", "--package", package, "--bench", bench]);
        cargo.args(["--"]).args(&options.name);
        cargo.env(place::MODELS_DIR, place::models()?);
        let output = cargo.stderr(Stdio::inherit()).output().context("cargo could not be started")?;
        if !output.status.success() {
            bail!("cargo bench failed ({})", output.status);
        }
        lines += &String::from_utf8_lossy(&output.stdout);
    }
    let mut measured = read(&lines);
    if measured.is_empty() {
        bail!("nothing was measured");
    }
    if options.beside {
        for one in &mut measured {
            let Some(clip) = &one.clip else { continue };
            let ratio = clip.seconds / beside::faster_whisper(&clip.path, &clip.language)?;
            one.beside.push(Beside { name: "faster-whisper int8".to_owned(), ratio });
        }
    }
    println!("{}", table(&measured));
    let slow = measured.iter().filter(|one| reached(one) == Some(false)).count();
    if slow > 0 {
        bail!("{slow} of {} rows are slower than they must be", measured.len());
    }
    Ok(())
}

fn read(lines: &str) -> Vec<Measured> {
    lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn row(measured: &Measured) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.id == measured.id)
}

/// `None` for a row without a bound. A figure that is no number has not been reached.
fn reached(measured: &Measured) -> Option<bool> {
    row(measured).map(|row| measured.value <= row.must)
}

fn table(measured: &[Measured]) -> String {
    let mut table = format!("{:<30} {:>14} {:>16} {:>6}  {:<7} beside\n", "what", "measured", "must", "n", "");
    for one in measured {
        let (what, unit) = row(one).map_or((one.id.as_str(), ""), |row| (row.what, row.unit));
        let must = row(one).map_or(String::new(), |row| format!("≤ {} {unit}", row.must));
        let verdict = match reached(one) {
            Some(true) => "reached",
            Some(false) => "SLOW",
            None => "",
        };
        let beside: Vec<String> = one.beside.iter().map(|it| format!("{:.2} × {}", it.ratio, it.name)).collect();
        let value = format!("{:.3} {unit}", one.value);
        table += &format!("{what:<30} {value:>14} {must:>16} {:>6}  {verdict:<7} {}\n", one.n, beside.join(", "));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = r#"
running 4 rows
{"id":"ser_5s","value":23.4,"n":50}
{"id":"asr_10s","value":0.31,"n":5,"beside":[{"name":"faster-whisper int8","ratio":0.9}]}
{"id":"new_row","value":1.0,"n":1}
"#;

    #[test]
    fn a_slow_row_is_called_slow_and_noise_is_skipped() {
        let measured = read(LINES);
        assert_eq!(measured.len(), 3);
        let verdicts: Vec<_> = measured.iter().map(reached).collect();
        assert_eq!(verdicts, [Some(true), Some(false), None]);
        let table = table(&measured);
        assert!(table.contains("SLOW") && table.contains("0.90 × faster-whisper int8"), "{table}");
    }

    #[test]
    fn no_number_is_not_reached() {
        let nan = Measured { id: "ser_5s".into(), value: f64::NAN, n: 1, clip: None, beside: vec![] };
        assert_eq!(reached(&nan), Some(false));
    }
}
