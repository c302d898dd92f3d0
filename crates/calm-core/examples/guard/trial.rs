//! Cross-validation, thresholds and figures.

use std::fs;
use std::thread;

use calm_core::guard::learned::{KINDS, MAGIC};
use calm_core::linear::{score, write};

use crate::data::{self, Line, Source};
use crate::regression::{self, Example};

const K: usize = KINDS.len();
const FOLDS: usize = 6;
/// As `try` found it best.
const L2: f64 = 1e-5;
const L2_TRIED: [f64; 4] = [3e-6, 1e-5, 3e-5, 1e-4];

type Learned = regression::Learned<K>;

struct Judged<'l> {
    line: &'l Line,
    score: f32,
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

fn learn(lines: &[&Line], l2: f64) -> Learned {
    let mut examples: Vec<Example<'_>> = Vec::with_capacity(lines.len());
    for line in lines {
        examples.push(Example { features: &line.features, is_russian: line.is_russian, kind: line.kind, weight: 1.0 });
    }
    regression::balance(&mut examples);
    Learned::of(&examples, l2)
}

pub fn cross_validate(arguments: &[&str]) -> Result<(), String> {
    let given: Result<Vec<f64>, _> = arguments.iter().map(|a| a.parse::<f64>()).collect();
    let given = given.map_err(|e| e.to_string())?;
    let tried = if given.is_empty() { L2_TRIED.to_vec() } else { given };
    let lines = data::to_learn()?;
    let folds = folds(&lines);
    for l2 in tried {
        println!("== L2 {l2:e}");
        let judged = held_out(&lines, &folds, l2);
        table(&judged, arguments.len() == 1);
    }
    Ok(())
}

/// Families are dealt out in turn, so that every fold holds some of each kind.
fn folds(lines: &[Line]) -> Vec<usize> {
    let mut families: Vec<(Option<usize>, Source, &str)> = Vec::new();
    let place = |line: &Line, families: &[(Option<usize>, Source, &str)]| {
        families.iter().position(|f| f.0 == line.kind && f.1 == line.source && f.2 == line.family)
    };
    for line in lines {
        if place(line, &families).is_none() {
            families.push((line.kind, line.source, &line.family));
        }
    }
    lines.iter().map(|line| place(line, &families).unwrap_or(0) % FOLDS).collect()
}

fn held_out<'l>(lines: &'l [Line], folds: &[usize], l2: f64) -> Vec<Judged<'l>> {
    let one = |fold: usize| {
        let kept: Vec<&Line> = lines.iter().zip(folds).filter(|(_, f)| **f != fold).map(|(l, _)| l).collect();
        let learned = learn(&kept, l2);
        let held = lines.iter().zip(folds).filter(|(_, f)| **f == fold);
        let judge = |line: &'l Line| Judged { line, score: score(&learned.logits(&line.features, line.is_russian)) };
        held.map(|(line, _)| judge(line)).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for pair in (0..FOLDS).collect::<Vec<_>>().chunks(2) {
        thread::scope(|scope| {
            let running: Vec<_> = pair.iter().map(|f| scope.spawn(move || one(*f))).collect();
            for handle in running {
                all.extend(handle.join().unwrap_or_default());
            }
        });
    }
    all
}

fn table(judged: &[Judged<'_>], listed: bool) {
    for is_russian in [true, false] {
        let of: Vec<&Judged<'_>> = judged.iter().filter(|j| j.line.is_russian == is_russian).collect();
        let count = |kind: Option<usize>, source: Source, at: f32| {
            let some = of.iter().filter(|j| j.line.kind == kind && j.line.source == source);
            some.filter(|j| j.score >= at).count()
        };
        println!("{}, by family held out", if is_russian { "ru" } else { "en" });
        println!(
            "    at  advice promise diagnosis minimising (written for this) | advice of corpora | good: written, corpora, guide"
        );
        let none = f32::NEG_INFINITY;
        for at in [none, -1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0] {
            let kinds: Vec<String> = (0..K).map(|k| count(Some(k), Source::Advice, at).to_string()).collect();
            let good = [Source::Advice, Source::Corpus, Source::Guide].map(|s| count(None, s, at).to_string());
            let corpora = count(Some(0), Source::Corpus, at);
            println!("  {at:>5.2}  {:>24} | {corpora:>4} | {}", kinds.join("  "), good.join("  "));
        }
        if listed {
            let mut good: Vec<&&Judged<'_>> = of.iter().filter(|j| j.line.kind.is_none()).collect();
            good.sort_by(|a, b| b.score.total_cmp(&a.score));
            for j in good.iter().take(40) {
                println!("    good {:>5.2} {}", j.score, j.line.text);
            }
            let mut families: Vec<&str> = of
                .iter()
                .filter(|j| j.line.kind.is_some() && j.line.source == Source::Advice)
                .map(|j| j.line.family.as_str())
                .collect();
            families.dedup();
            families.sort_unstable();
            families.dedup();
            for family in families {
                let some: Vec<f32> =
                    of.iter().filter(|j| j.line.kind.is_some() && j.line.family == family).map(|j| j.score).collect();
                println!("    {family:<12} {} of {} at 1.0", some.iter().filter(|s| **s >= 1.0).count(), some.len());
            }
        }
    }
}
