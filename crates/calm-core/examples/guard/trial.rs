//! Cross-validation, thresholds and figures.

use std::fs;
use std::thread;

use calm_core::Lang;
use calm_core::guard::check_record;
use calm_core::guard::learned::{KINDS, MAGIC, taken_back};
use calm_core::linear::{score, write};

use crate::data::{self, Line, Source};
use crate::regression::{self, Example};

const K: usize = KINDS.len();
const FOLDS: usize = 6;
/// As `try` found it best.
const L2: f64 = 5e-6;
const L2_TRIED: [f64; 4] = [3e-6, 1e-5, 3e-5, 1e-4];

type Learned = regression::Learned<K>;

struct Judged<'l> {
    line: &'l Line,
    score: f32,
    /// By the word lists alone.
    listed: bool,
    taken_back: bool,
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
        let judge = |line: &'l Line| Judged {
            line,
            score: score(&learned.logits(&line.features, line.is_russian)),
            listed: !check_record(&line.text, if line.is_russian { Lang::Ru } else { Lang::En }).is_empty(),
            taken_back: taken_back(&line.text),
        };
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

/// Bad sentences stopped and good ones lost, by the lists and a model that never saw the family.
fn table(judged: &[Judged<'_>], listed: bool) {
    for is_russian in [true, false] {
        let lang = if is_russian { Lang::Ru } else { Lang::En };
        let of: Vec<&Judged<'_>> = judged.iter().filter(|j| j.line.is_russian == is_russian).collect();
        println!("{lang}, by family held out");
        println!("    at  written here: bad, good | corpora: bad, good | guide: good");
        let none = f32::INFINITY;
        for at in [none, 2.5, 2.25, 2.1, 2.0, 1.75, 1.5, 1.25, 1.0, 0.5] {
            let stopped = |bad: bool, source: Source| {
                let some = || of.iter().filter(move |j| j.line.kind.is_some() == bad && j.line.source == source);
                let hit = some().filter(|j| j.listed || j.score >= at && !j.taken_back).count();
                format!("{hit} of {}", some().count())
            };
            let (here, corpora) = (Source::Advice, Source::Corpus);
            println!(
                "  {at:>5.2}  {}, {} | {}, {} | {}",
                stopped(true, here),
                stopped(false, here),
                stopped(true, corpora),
                stopped(false, corpora),
                stopped(false, Source::Guide)
            );
        }
        if listed {
            let lost = |j: &&&Judged<'_>| j.line.kind.is_none() && (j.listed || !j.taken_back);
            let mut lost: Vec<&&Judged<'_>> = of.iter().filter(lost).collect();
            lost.sort_by(|a, b| b.listed.cmp(&a.listed).then(b.score.total_cmp(&a.score)));
            for j in lost.iter().take(30) {
                println!("    good {:>5.2} {}{}", j.score, j.line.text, if j.listed { " (by the lists)" } else { "" });
            }
        }
    }
}
