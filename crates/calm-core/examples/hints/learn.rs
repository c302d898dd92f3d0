//! What of each line the hints are learned from.

use calm_core::linear::score;
use calm_core::understand::hints::KINDS;

use crate::data::Line;
use crate::regression::{self, Example};

const K: usize = KINDS.len();
/// An ordinary line counts as so many lines made to sound like a crisis: few are in the corpora, most are in life.
const ORDINARY: f64 = 2.0;

pub type Learned = regression::Learned<K>;

/// The window that sounds most like distress, and how much.
pub fn strongest(learned: &Learned, line: &Line) -> (usize, [f32; K]) {
    let judged = line.windows.iter().map(|w| learned.logits(w, line.is_russian)).enumerate();
    judged.max_by(|a, b| score(&a.1).total_cmp(&score(&b.1))).unwrap_or((0, [f32::NEG_INFINITY; K]))
}

/// `l2` is the weight of the squared length against the mean loss.
pub fn learn(lines: &[&Line], l2: f64) -> Learned {
    let first = Learned::of(&examples(lines, None), l2);
    if lines.iter().all(|l| l.windows.len() == 1 || l.kind.is_none()) {
        return first;
    }
    // Of a ramble only one window need be a cry for help: the one that sounds most like it.
    first.onward(&examples(lines, Some(&first)), l2)
}

fn examples<'l>(lines: &[&'l Line], by: Option<&Learned>) -> Vec<Example<'l>> {
    let mut all: Vec<Example<'l>> = Vec::new();
    for line in lines {
        let kind = line.kind.and_then(|kind| KINDS.iter().position(|k| *k == kind));
        let best = by.map_or(0, |by| strongest(by, line).0);
        let several = line.windows.len() > 1;
        if several && kind.is_some() && by.is_none() {
            continue;
        }
        for (i, features) in line.windows.iter().enumerate() {
            if kind.is_none() || i == best {
                let often = if line.ordinary { ORDINARY } else { 1.0 };
                let weight = if kind.is_none() { often } else { 1.0 };
                all.push(Example { features, is_russian: line.is_russian, kind, weight });
            }
        }
    }
    regression::balance(&mut all);
    all
}
