//! Multinomial logistic regression with L2, by L-BFGS: the same lines give the same weights.

use std::collections::VecDeque;

use calm_core::linear::Feature;
use calm_core::linear::features::BUCKETS;

const ROUNDS: usize = 120;
const MEMORY: usize = 8;

/// A run of words and what it is: `None` is none of the kinds.
pub struct Example<'l> {
    pub features: &'l [Feature],
    pub is_russian: bool,
    pub kind: Option<usize>,
    /// The weights of all examples add up to one.
    pub weight: f64,
}

/// Weights by bucket, then the two biases, Russian first.
#[derive(Clone)]
pub struct Learned<const K: usize>(Vec<f64>);

impl<const K: usize> Learned<K> {
    /// `l2` is the weight of the squared length against the mean loss.
    pub fn of(examples: &[Example<'_>], l2: f64) -> Learned<K> {
        Learned(vec![0.0; (BUCKETS + 2) * K]).onward(examples, l2)
    }

    /// From where the last learning ended.
    pub fn onward(&self, examples: &[Example<'_>], l2: f64) -> Learned<K> {
        Learned(minimise(self.0.clone(), |at| loss::<K>(examples, at, l2)))
    }

    pub fn weights(&self) -> Vec<[f32; K]> {
        self.0[..BUCKETS * K].chunks_exact(K).map(|w| std::array::from_fn(|k| w[k] as f32)).collect()
    }

    pub fn biases(&self) -> [[f32; K]; 2] {
        [0, 1].map(|language| std::array::from_fn(|k| self.0[(BUCKETS + language) * K + k] as f32))
    }

    pub fn logits(&self, features: &[Feature], is_russian: bool) -> [f32; K] {
        logits::<K>(&self.0, features, is_russian).map(|l| l as f32)
    }
}

/// Examples of a kind and the others count alike in each language, however many of each there are.
pub fn balance(examples: &mut [Example<'_>]) {
    for is_russian in [true, false] {
        let total = |of: fn(&Option<usize>) -> bool| {
            let some = examples.iter().filter(|e| e.is_russian == is_russian && of(&e.kind));
            some.map(|e| e.weight).sum::<f64>().max(1.0)
        };
        let (kinds, rest) = (total(Option::is_some), total(Option::is_none));
        let half = (kinds + rest) / 2.0;
        for example in examples.iter_mut().filter(|e| e.is_russian == is_russian) {
            example.weight *= half / if example.kind.is_some() { kinds } else { rest };
        }
    }
    let sum: f64 = examples.iter().map(|e| e.weight).sum();
    examples.iter_mut().for_each(|e| e.weight /= sum);
}

fn logits<const K: usize>(weights: &[f64], features: &[Feature], is_russian: bool) -> [f64; K] {
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
fn loss<const K: usize>(examples: &[Example<'_>], weights: &[f64], l2: f64) -> (f64, Vec<f64>) {
    let features = &weights[..BUCKETS * K];
    let mut total = l2 / 2.0 * features.iter().map(|w| w * w).sum::<f64>();
    let mut gradient: Vec<f64> = weights.iter().map(|w| w * l2).collect();
    gradient[BUCKETS * K..].fill(0.0);
    for example in examples {
        let logits = logits::<K>(weights, example.features, example.is_russian);
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
