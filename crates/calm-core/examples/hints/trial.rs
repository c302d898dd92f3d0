//! Cross-validation, thresholds and figures.

use std::fs;
use std::path::Path;
use std::thread;

use calm_core::linear::{score, write};
use calm_core::understand::hints::{MAGIC, likeliest};
use calm_core::understand::{Distress, distress_by_patterns, hints};
use calm_core::{Lang, read};

use crate::corpus::Part;
use crate::data::{self, Line, Source};
use crate::learn::{Learned, learn, strongest};

const FOLDS: u64 = 5;
/// As `try` found it best.
const L2: f64 = 3e-6;
const L2_TRIED: [f64; 5] = [1e-6, 3e-6, 1e-5, 3e-5, 1e-4];

/// A line with what a model that never saw it says.
struct Judged<'l> {
    line: &'l Line,
    score: f32,
    kind: Distress,
}

pub fn train() -> Result<(), String> {
    let lines = data::to_learn()?;
    let all: Vec<&Line> = lines.iter().collect();
    let learned = learn(&all, L2);
    let bytes = write(&MAGIC, &learned.biases(), &learned.weights());
    let path = data::folder().join("weights.bin");
    fs::write(&path, &bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{} lines, {} bytes: {}", lines.len(), bytes.len(), path.display());
    Ok(())
}

pub fn cross_validate(arguments: &[String]) -> Result<(), String> {
    let given: Result<Vec<f64>, _> = arguments.iter().map(|a| a.parse::<f64>()).collect();
    let given = given.map_err(|e| e.to_string())?;
    let tried = if given.is_empty() { L2_TRIED.to_vec() } else { given };
    let lines = data::to_learn()?;
    for l2 in tried {
        println!("== L2 {l2:e}");
        let folds = held_out(&lines, l2, |line| fold(&line.group) as usize, FOLDS as usize);
        table("by opening words", &folds);
        if arguments.len() == 1 {
            committed(&folds);
        }
        let parts = [Part::Develop, Part::Check, Part::Crisis];
        let of = |line: &Line| parts.iter().position(|p| line.source == Source::Corpus(*p)).unwrap_or(3);
        let of = |line: &Line| if line.source == Source::Turn { fold(&line.group) as usize % 3 } else { of(line) };
        let others = held_out(&lines, l2, of, 3);
        let corpora: Vec<Judged<'_>> = others.into_iter().filter(|j| j.line.source != Source::Hints).collect();
        table("other writers' corpora", &corpora);
    }
    Ok(())
}

/// Each line of folds `0..folds` judged by what was learned from all the others; turns by the first.
fn held_out<'l>(lines: &'l [Line], l2: f64, fold_of: impl Fn(&Line) -> usize + Sync, folds: usize) -> Vec<Judged<'l>> {
    let one = |fold: usize| {
        let (held, kept): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|l| fold_of(l) == fold);
        let learned = learn(&kept, l2);
        held.into_iter().map(|line| judge(&learned, line)).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    let numbers: Vec<usize> = (0..folds).collect();
    for pair in numbers.chunks(2) {
        thread::scope(|scope| {
            let running: Vec<_> = pair.iter().map(|f| scope.spawn(move || one(*f))).collect();
            for handle in running {
                all.extend(handle.join().unwrap_or_default());
            }
        });
    }
    all
}

fn judge<'l>(learned: &Learned, line: &'l Line) -> Judged<'l> {
    let (_, logits) = strongest(learned, line);
    Judged { line, score: score(&logits), kind: likeliest(&logits) }
}

fn fold(group: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in group.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 20) % FOLDS
}

fn table(title: &str, judged: &[Judged<'_>]) {
    for is_russian in [true, false] {
        let of: Vec<&Judged<'_>> = judged.iter().filter(|j| j.line.is_russian == is_russian).collect();
        let crises: Vec<&&Judged<'_>> = of.iter().filter(|j| j.line.kind.is_some()).collect();
        let hard: Vec<f32> = scores(&of, |l| l.kind.is_none() && !l.ordinary);
        let ordinary: Vec<f32> = scores(&of, |l| l.kind.is_none() && l.ordinary && l.source != Source::Turn);
        let turns: Vec<f32> = scores(&of, |l| l.source == Source::Turn);
        println!(
            "{title}, {}: {} crises, {} hard, {} ordinary, {} turns; AUC {:.4}",
            if is_russian { "ru" } else { "en" },
            crises.len(),
            hard.len(),
            ordinary.len(),
            turns.len(),
            auc(&crises.iter().map(|j| j.score).collect::<Vec<_>>(), &hard)
        );
        println!("  at     self_harm ruin  panic all   |right kind| hard%  n   | ordinary | turns");
        for share in [0.005, 0.01, 0.02, 0.03, 0.05] {
            let at = at_share(&hard, share);
            let found = |kind: Option<Distress>| {
                let of_kind = || crises.iter().filter(move |j| kind.is_none() || j.line.kind == kind);
                let hit = of_kind().filter(|j| j.score >= at).count();
                hit as f64 / of_kind().count().max(1) as f64
            };
            let right = crises.iter().filter(|j| j.score >= at && Some(j.kind) == j.line.kind).count();
            println!(
                "  {at:>6.2} {:.3}     {:.3} {:.3} {:.3} | {right:>4}    | {:.3} {:>3} | {:>3}      | {:>3}",
                found(Some(Distress::SelfHarm)),
                found(Some(Distress::Ruin)),
                found(Some(Distress::Panic)),
                found(None),
                over(&hard, at) as f64 / hard.len().max(1) as f64,
                over(&hard, at),
                over(&ordinary, at),
                over(&turns, at),
            );
        }
    }
}

/// What the committed thresholds would let through, of lines the model never saw.
fn committed(judged: &[Judged<'_>]) {
    for is_russian in [true, false] {
        let lang = if is_russian { Lang::Ru } else { Lang::En };
        let of = || judged.iter().filter(move |j| j.line.is_russian == is_russian);
        let heard = |j: &&Judged<'_>| j.score >= hints::demand(&j.line.text, &read(&j.line.text, lang, None));
        let share = |name: &str, of: &dyn Fn(&Line) -> bool| {
            let all: Vec<&Judged<'_>> =
                judged.iter().filter(|j| j.line.is_russian == is_russian && of(j.line)).collect();
            println!("  {lang} {name:<10} {:>4} of {:>4}", all.iter().copied().filter(heard).count(), all.len());
        };
        println!("at the committed threshold, {lang}:");
        share("crises", &|l| l.kind.is_some());
        share("hard", &|l| l.kind.is_none() && !l.ordinary);
        share("ordinary", &|l| l.kind.is_none() && l.ordinary);
        for j in of().filter(|j| j.line.kind.is_none() && j.line.ordinary).filter(heard) {
            println!("    {:.2} {}", j.score, j.line.text);
        }
    }
}

fn scores(judged: &[&Judged<'_>], of: impl Fn(&Line) -> bool) -> Vec<f32> {
    judged.iter().filter(|j| of(j.line)).map(|j| j.score).collect()
}

fn over(scores: &[f32], at: f32) -> usize {
    scores.iter().filter(|s| **s >= at).count()
}

/// The score that this share of them reaches.
fn at_share(scores: &[f32], share: f64) -> f32 {
    let mut sorted = scores.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.get((sorted.len() as f64 * share) as usize).map_or(0.0, |s| s + 1e-4)
}

fn auc(crises: &[f32], rest: &[f32]) -> f64 {
    let wins: usize = crises.iter().map(|c| rest.iter().filter(|r| c > *r).count()).sum();
    wins as f64 / (crises.len() * rest.len()).max(1) as f64
}

/// What the committed weights and the patterns find in a corpus file.
pub fn measure(path: &Path) -> Result<(), String> {
    let lines = data::utterances(path, Source::File)?;
    println!("{}: {} lines", path.display(), lines.len());
    let patterns = |l: &Line| {
        let said = read(&l.text, if l.is_russian { Lang::Ru } else { Lang::En }, None);
        said.distress
    };
    let by_patterns = |l: &Line| distress_by_patterns(&l.text).is_some();
    let both: Vec<bool> = lines.iter().map(|l| patterns(l).is_some()).collect();
    let hint: Vec<Option<(Distress, f32)>> = lines.iter().map(|l| hints::hint_of(&l.text)).collect();
    for kind in Distress::ALL {
        let of: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].kind == Some(*kind)).collect();
        let hinted = of.iter().filter(|i| hint[**i].is_some()).count();
        let found = of.iter().filter(|i| both[**i]).count();
        let known = of.iter().filter(|i| by_patterns(&lines[**i])).count();
        println!("  {:<10} n {:>3}  patterns {known:>3}  hints {hinted:>3}  both {found:>3}", kind.name(), of.len());
    }
    let rest = || (0..lines.len()).filter(|i| lines[*i].kind.is_none());
    let known = rest().filter(|i| by_patterns(&lines[*i])).count();
    let (hinted, found) = (rest().filter(|i| hint[*i].is_some()).count(), rest().filter(|i| both[*i]).count());
    println!("  none       n {:>3}  patterns {known:>3}  hints {hinted:>3}  both {found:>3}", rest().count());
    for i in (0..lines.len()).filter(|i| lines[*i].kind.is_none() && both[*i]) {
        println!("  false alarm ({}): {}", if by_patterns(&lines[i]) { "pattern" } else { "hint" }, lines[i].text);
    }
    let mut scored: Vec<(f32, bool)> = Vec::new();
    for line in &lines {
        scored.push((hints::strongest(&line.text).map_or(f32::NEG_INFINITY, |h| h.score), line.kind.is_some()));
    }
    println!("  hints alone: at, found, false alarms");
    for step in -4..=12 {
        let at = step as f32 * 0.5;
        let count = |crisis: bool| scored.iter().filter(|(s, c)| *c == crisis && *s >= at).count();
        println!("  {at:>5.1} {:>4} {:>4}", count(true), count(false));
    }
    Ok(())
}
