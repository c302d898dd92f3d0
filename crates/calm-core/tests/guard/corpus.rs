//! The judged sentences, and how the guard does on them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use calm_core::Lang;
use calm_core::guard::{Rule, check_sentence};
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Corpus {
    #[serde(default)]
    own: Vec<Own>,
    #[serde(flatten)]
    by_label: BTreeMap<String, Vec<String>>,
}

/// What may and may not be said to somebody who wrote `words`.
#[derive(Deserialize)]
struct Own {
    words: Vec<String>,
    #[serde(default)]
    pass: Vec<String>,
    #[serde(default)]
    advice: Vec<String>,
}

#[derive(Default, Clone, Copy)]
pub struct Row {
    /// Sentences with this label.
    pub labelled: usize,
    /// Of these: stopped by any rule, and by this one.
    pub stopped: usize,
    pub named: usize,
    /// Good sentences that this rule stopped.
    pub false_hits: usize,
}

pub struct Figures {
    pub rows: BTreeMap<Rule, Row>,
    pub good: usize,
    pub good_stopped: usize,
    /// Misses and false hits, to read.
    pub wrong: Vec<String>,
}

impl Figures {
    pub fn bad(&self) -> usize {
        self.rows.values().map(|r| r.labelled).sum()
    }

    pub fn stopped(&self) -> usize {
        self.rows.values().map(|r| r.stopped).sum()
    }

    /// Share of the sentences with this label that are not shown.
    pub fn recall(&self, rule: Rule) -> f64 {
        self.rows.get(&rule).map_or(0.0, |r| share(r.stopped, r.labelled))
    }

    pub fn false_hits(&self) -> f64 {
        share(self.good_stopped, self.good)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rule, row) in &self.rows {
            let right = share(row.named, row.named + row.false_hits);
            writeln!(
                f,
                "  {:13} n {:3}  recall {:.3}  named so {:.3}  precision {:.3}",
                rule.name(),
                row.labelled,
                share(row.stopped, row.labelled),
                share(row.named, row.labelled),
                right
            )?;
        }
        let all = (self.stopped(), self.bad());
        writeln!(f, "  bad   n {:3}  stopped {} = {:.3}", all.1, all.0, share(all.0, all.1))?;
        writeln!(f, "  good  n {:3}  stopped {} = {:.3}", self.good, self.good_stopped, self.false_hits())
    }
}

impl Corpus {
    /// The sentences by their label: `good` or the name of a rule.
    #[allow(dead_code, reason = "what the guard learns from")]
    pub fn labelled(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.by_label.iter().map(|(label, lines)| (label.as_str(), lines.as_slice()))
    }
}

pub fn read(lang: Lang, part: &str) -> Corpus {
    let path = format!("{}/tests/guard/{lang}/{part}.toml", env!("CARGO_MANIFEST_DIR"));
    toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()
}

/// Label (`None` for good ones), what stands before, the sentence, the user's words.
fn sentences(corpus: &Corpus) -> Vec<(Option<Rule>, &str, &str, Vec<&str>)> {
    let rule = |label: &str| Rule::ALL.into_iter().find(|rule| rule.name() == label);
    let mut all = Vec::new();
    for (label, lines) in &corpus.by_label {
        assert!(label == "good" || rule(label).is_some(), "{label} is no rule");
        for line in lines {
            let (before, sentence) = line.split_once(" // ").unwrap_or(("", line));
            all.push((rule(label), before, sentence, Vec::new()));
        }
    }
    for own in &corpus.own {
        let words: Vec<&str> = own.words.iter().map(String::as_str).collect();
        all.extend(own.pass.iter().map(|s| (None, "", s.as_str(), words.clone())));
        all.extend(own.advice.iter().map(|s| (Some(Rule::Advice), "", s.as_str(), words.clone())));
    }
    all
}

pub fn measure(lang: Lang, part: &str) -> Figures {
    let corpus = read(lang, part);
    let mut figures = Figures {
        rows: Rule::ALL.into_iter().map(|rule| (rule, Row::default())).collect(),
        good: 0,
        good_stopped: 0,
        wrong: Vec::new(),
    };
    for (label, before, sentence, own) in sentences(&corpus) {
        let hits = check_sentence(before, sentence, lang, &own);
        match label {
            Some(rule) => {
                let row = figures.rows.entry(rule).or_default();
                row.labelled += 1;
                row.stopped += usize::from(!hits.is_empty());
                row.named += usize::from(hits.iter().any(|h| h.rule == rule));
                if hits.is_empty() {
                    figures.wrong.push(format!("missed {}: {sentence}", rule.name()));
                }
            }
            None => {
                figures.good += 1;
                figures.good_stopped += usize::from(!hits.is_empty());
                for hit in &hits {
                    figures.rows.entry(hit.rule).or_default().false_hits += 1;
                    figures.wrong.push(format!("false {} ({}): {sentence}", hit.rule.name(), hit.words));
                }
            }
        }
    }
    figures
}

/// Mean over the check half, to be read from a release build.
#[allow(dead_code, reason = "the tests assert no times")]
pub fn micros_a_sentence() -> f64 {
    let (mut n, mut spent) = (0, 0.0);
    for lang in Lang::ALL {
        let corpus = read(lang, "check");
        let all = sentences(&corpus);
        let started = Instant::now();
        for (_, before, sentence, own) in &all {
            assert!(check_sentence(before, sentence, lang, own).len() < 100);
        }
        spent += started.elapsed().as_secs_f64() * 1e6;
        n += all.len();
    }
    spent / n as f64
}
