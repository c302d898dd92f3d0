//! Multinomial logistic regression with L2, by L-BFGS: the same lines give the same weights.

use std::collections::VecDeque;

use calm_core::understand::hints::features::{BUCKETS, Feature};
use calm_core::understand::hints::model::{KINDS, Logits, score};

use crate::data::Line;

const K: usize = KINDS.len();
const ROUNDS: usize = 120;
const MEMORY: usize = 8;
/// An ordinary line counts as so many lines made to sound like a crisis: few are in the corpora, most are in life.
const ORDINARY: f64 = 2.0;

/// Weights by bucket, then the two biases, Russian first.
#[derive(Clone)]
pub struct Learned(Vec<f64>);

/// A window and what it is: `None` is no distress.
struct Example<'l> {
    features: &'l [Feature],
    is_russian: bool,
    kind: Option<usize>,
    weight: f64,
}

impl Learned {
    pub fn weights(&self) -> Vec<Logits> {
        self.0[..BUCKETS * K].chunks_exact(K).map(|w| std::array::from_fn(|k| w[k] as f32)).collect()
    }

    pub fn biases(&self) -> [Logits; 2] {
        [0, 1].map(|language| std::array::from_fn(|k| self.0[(BUCKETS + language) * K + k] as f32))
    }

    pub fn logits(&self, features: &[Feature], is_russian: bool) -> Logits {
        logits(&self.0, features, is_russian).map(|l| l as f32)
    }

    /// The window that sounds most like distress, and how much.
    pub fn strongest(&self, line: &Line) -> (usize, Logits) {
        let judged = line.windows.iter().map(|w| self.logits(w, line.is_russian)).enumerate();
        judged.max_by(|a, b| score(&a.1).total_cmp(&score(&b.1))).unwrap_or((0, [f32::NEG_INFINITY; 3]))
    }
}

/// `l2` is the weight of the squared length against the mean loss.
pub fn learn(lines: &[&Line], l2: f64) -> Learned {
    let zero = vec![0.0; (BUCKETS + 2) * K];
    let first = minimise(zero, |at| loss(&examples(lines, None), at, l2));
    if lines.iter().all(|l| l.windows.len() == 1 || l.kind.is_none()) {
        return Learned(first);
    }
    // Of a ramble only one window need be a cry for help: the one that sounds most like it.
    let first = Learned(first);
    let chosen = examples(lines, Some(&first));
    Learned(minimise(first.0.clone(), |at| loss(&chosen, at, l2)))
}

fn examples<'l>(lines: &[&'l Line], by: Option<&Learned>) -> Vec<Example<'l>> {
    let mut all: Vec<Example<'l>> = Vec::new();
    for line in lines {
        let kind = line.kind.and_then(|kind| KINDS.iter().position(|k| *k == kind));
        let best = by.map_or(0, |by| by.strongest(line).0);
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
    // Crises and the rest count alike in each language, however many lines of each there are.
    for is_russian in [true, false] {
        let total = |of: fn(&Option<usize>) -> bool| {
            let some = all.iter().filter(|e| e.is_russian == is_russian && of(&e.kind));
            some.map(|e| e.weight).sum::<f64>().max(1.0)
        };
        let (crises, rest) = (total(Option::is_some), total(Option::is_none));
        let half = (crises + rest) / 2.0;
        for example in all.iter_mut().filter(|e| e.is_russian == is_russian) {
            example.weight *= half / if example.kind.is_some() { crises } else { rest };
        }
    }
    let sum: f64 = all.iter().map(|e| e.weight).sum();
    all.iter_mut().for_each(|e| e.weight /= sum);
    all
}

fn logits(weights: &[f64], features: &[Feature], is_russian: bool) -> [f64; K] {
    let bias = BUCKETS + usize::from(!is_russian);
    let mut sums: [f64; K] = std::array::from_fn(|k| weights[bias * K + k]);
    for (bucket, value) in features {
        let at = *bucket as usize * K;
        for (sum, weight) in sums.iter_mut().zip(&weights[at..at + K]) {
            *sum += f64::from(*value) * weight;
        }
    }
    sums
}

/// The mean loss with its gradient.
fn loss(examples: &[Example<'_>], weights: &[f64], l2: f64) -> (f64, Vec<f64>) {
    let features = &weights[..BUCKETS * K];
    let mut total = l2 / 2.0 * features.iter().map(|w| w * w).sum::<f64>();
    let mut gradient: Vec<f64> = weights.iter().map(|w| w * l2).collect();
    gradient[BUCKETS * K..].fill(0.0);
    for example in examples {
        let logits = logits(weights, example.features, example.is_russian);
        let most = logits.iter().copied().fold(0.0, f64::max);
        let sum = (-most).exp() + logits.iter().map(|l| (l - most).exp()).sum::<f64>();
        total += example.weight * (most + sum.ln() - example.kind.map_or(0.0, |k| logits[k]));
        let bias = BUCKETS + usize::from(!example.is_russian);
        for k in 0..K {
            let share = (logits[k] - most).exp() / sum;
            let slope = example.weight * (share - f64::from(u8::from(example.kind == Some(k))));
            gradient[bias * K + k] += slope;
            for (bucket, value) in example.features {
                gradient[*bucket as usize * K + k] += slope * f64::from(*value);
            }
        }
    }
    (total, gradient)
}

fn minimise(start: Vec<f64>, loss: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> Vec<f64> {
    const FLAT: f64 = 1e-6;
    let mut at = start;
    let (mut value, mut gradient) = loss(&at);
    let mut steps: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    for _ in 0..ROUNDS {
        let mut direction = towards(&gradient, &steps);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            steps.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = dot(&direction, &gradient);
        }
        let mut reach = if steps.is_empty() { 1.0 / slope.abs().sqrt().max(1e-12) } else { 1.0 };
        let (mut next, mut tried);
        loop {
            next = at.iter().zip(&direction).map(|(a, d)| a + reach * d).collect::<Vec<f64>>();
            tried = loss(&next);
            if tried.0 <= value + 1e-4 * reach * slope || reach < 1e-10 {
                break;
            }
            reach /= 2.0;
        }
        let moved: Vec<f64> = next.iter().zip(&at).map(|(n, a)| n - a).collect();
        let turned: Vec<f64> = tried.1.iter().zip(&gradient).map(|(n, g)| n - g).collect();
        let curve = dot(&moved, &turned);
        if curve > 1e-12 {
            steps.push_back((moved, turned, 1.0 / curve));
            if steps.len() > MEMORY {
                steps.pop_front();
            }
        }
        let gained = value - tried.0;
        (at, value, gradient) = (next, tried.0, tried.1);
        if gained < FLAT * value.abs().max(1e-9) {
            break;
        }
    }
    at
}

/// The two loops of L-BFGS.
fn towards(gradient: &[f64], steps: &VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.to_vec();
    let mut alphas = Vec::with_capacity(steps.len());
    for (moved, turned, rho) in steps.iter().rev() {
        let alpha = rho * dot(moved, &q);
        add(&mut q, -alpha, turned);
        alphas.push(alpha);
    }
    if let Some((_, turned, rho)) = steps.back() {
        let scale = 1.0 / (rho * dot(turned, turned));
        q.iter_mut().for_each(|x| *x *= scale);
    }
    for ((moved, turned, rho), alpha) in steps.iter().zip(alphas.iter().rev()) {
        let beta = rho * dot(turned, &q);
        add(&mut q, alpha - beta, moved);
    }
    q.iter_mut().for_each(|x| *x = -*x);
    q
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += times * w);
}
