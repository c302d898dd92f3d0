//! Reading against label, attribute by attribute: what was found, missed and made up.

use std::collections::BTreeMap;

use calm_core::understand::{self, Said, main_feeling};
use calm_core::{Lang, read};
use serde_json::Value;

use super::corpus::Utterance;

/// How one attribute fared over a part of the corpus.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    /// Labels.
    pub n: u32,
    pub found: u32,
    pub missed: u32,
    /// Readings that no label asks for, wrong values among them.
    pub false_readings: u32,
}

impl Tally {
    /// 0–1; a thing never read is never read wrongly.
    pub fn precision(&self) -> f64 {
        share(self.found, self.found + self.false_readings)
    }

    /// 0–1.
    pub fn recall(&self) -> f64 {
        share(self.found, self.n)
    }

    pub fn add(&mut self, other: &Tally) {
        self.n += other.n;
        self.found += other.found;
        self.missed += other.missed;
        self.false_readings += other.false_readings;
    }
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 1.0 } else { f64::from(part) / f64::from(whole) }
}

pub struct Miss {
    pub attribute: String,
    pub text: String,
    pub asked: &'static str,
    pub expected: String,
    pub read: String,
}

#[derive(Default)]
pub struct Measured {
    pub tallies: BTreeMap<String, Tally>,
    pub misses: Vec<Miss>,
    /// Utterances, and those of them with nothing wrong.
    pub utterances: u32,
    pub faultless: u32,
}

pub fn measure(lang: Lang, utterances: &[Utterance]) -> Measured {
    let mut measured = Measured::default();
    for utterance in utterances {
        let before = measured.misses.len();
        judge(lang, utterance, &mut measured);
        measured.utterances += 1;
        measured.faultless += u32::from(measured.misses.len() == before);
    }
    measured
}

fn judge(lang: Lang, utterance: &Utterance, measured: &mut Measured) {
    let said = read(&utterance.text, lang, utterance.asked);
    let mut sheet = Sheet { utterance, measured };
    sheet.levels(&said);
    let check_in = utterance.is_check_in();

    sheet.exact("ready", utterance.ready.map(|r| r.to_string()), said.ready.as_ref().map(|r| r.value.to_string()));
    sheet.exact("sleep", utterance.sleep.clone(), said.sleep.as_ref().map(|r| name(r.value)));
    sheet.exact("risk_appetite", utterance.risk_appetite.clone(), said.risk_appetite.as_ref().map(|r| name(r.value)));
    let (result, past) =
        (said.result.as_ref().map(|r| name(r.value)), said.past_result.as_ref().map(|r| name(r.value)));
    if check_in {
        // Before trading every result is an earlier one; so does the session take it.
        sheet.exact("past_result", utterance.past_result.clone().or(utterance.result.clone()), result.or(past));
        // A session keeps the setup where no plan was told.
        let plan = said.plan.as_ref().or(said.setup.as_ref());
        sheet.holds("plan", utterance.plan.as_deref(), plan.map(|p| p.value.clone()));
    } else {
        sheet.exact("result", utterance.result.clone(), result);
        sheet.exact("past_result", utterance.past_result.clone(), past);
        sheet.exact("size", utterance.size.clone(), said.result_category.as_ref().map(|r| name(r.value)));
        let adherence = said.plan_adherence.as_ref().map(|r| name(r.value));
        sheet.exact("plan_adherence", utterance.plan_adherence.clone(), adherence);
        sheet.holds("amount", utterance.amount.as_deref(), said.amount.clone());
    }
    sheet.holds("learning", utterance.learning.as_deref(), said.learnings.as_ref().map(|l| l.value.clone()));
    let stressors = (!said.stressors.is_empty()).then(|| said.stressors.join("; "));
    sheet.holds("stressor", utterance.stressor.as_deref(), stressors);

    let felt = main_feeling(&said.feelings).map(|f| f.value.feeling.name().to_owned());
    let fair = utterance.feeling.as_ref().map(|f| f.names()).unwrap_or_default();
    // "Fine" may be labelled as an even mood, and need not be.
    let felt = felt.filter(|f| f != "neutral" || fair.contains(&"neutral"));
    sheet.any_of("feeling", &fair, felt);
    let answer = said.answer.as_ref().map(|a| a.value.name().to_owned());
    sheet.exact("answer", utterance.answer.clone(), answer);

    let signs = said.signs.iter().map(|s| s.value.name());
    sheet.set("signs", "sign", &utterance.signs, &signs.collect::<Vec<_>>());
    let intents = said.intents.iter().map(|i| i.value.name());
    sheet.set("intents", "intent", &utterance.intents, &intents.collect::<Vec<_>>());
    let distress: Vec<&str> = said.distress.iter().map(|d| d.value.name()).collect();
    let wanted: Vec<String> = utterance.distress.iter().cloned().collect();
    sheet.set("distress", "distress", &wanted, &distress);
}

/// One utterance's labels against one utterance's readings.
struct Sheet<'u> {
    utterance: &'u Utterance,
    measured: &'u mut Measured,
}

impl Sheet<'_> {
    fn levels(&mut self, said: &Said) {
        let u = self.utterance;
        for (attribute, label, reading) in [
            ("readiness", u.readiness, &said.readiness),
            ("stress", u.stress, &said.stress),
            ("energy", u.energy, &said.energy),
            ("regret", u.regret, &said.regret),
            ("satisfaction", u.satisfaction, &said.satisfaction),
        ] {
            let text = |level: u8| level.to_string();
            self.exact(attribute, label.map(text), reading.as_ref().map(|r| text(r.value)));
        }
    }

    fn exact(&mut self, attribute: &str, label: Option<String>, reading: Option<String>) {
        let right = label == reading;
        self.enter(attribute, attribute, label, reading, right);
    }

    fn any_of(&mut self, attribute: &str, labels: &[&str], reading: Option<String>) {
        let right = reading.as_deref().map_or(labels.is_empty(), |r| labels.contains(&r));
        let label = (!labels.is_empty()).then(|| labels.join("|"));
        self.enter(attribute, attribute, label, reading, right);
    }

    /// Right when every word of the fragment is in the reading.
    fn holds(&mut self, attribute: &str, label: Option<&str>, reading: Option<String>) {
        let right = match (label, &reading) {
            (None, None) => true,
            (Some(fragment), Some(reading)) => {
                let reading = words(reading).join(" ");
                words_of(fragment).all(|word| reading.contains(&word))
            }
            _ => false,
        };
        self.enter(attribute, attribute, label.map(str::to_owned), reading, right);
    }

    /// Each name of a list is an attribute of its own.
    fn set(&mut self, list: &str, prefix: &str, labels: &[String], readings: &[&str]) {
        let mut names: Vec<&str> = labels.iter().map(String::as_str).chain(readings.iter().copied()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let label = labels.iter().any(|l| l == name).then(|| name.to_owned());
            let reading = readings.contains(&name).then(|| name.to_owned());
            let right = label == reading;
            self.enter(list, &format!("{prefix}:{name}"), label, reading, right);
        }
    }

    fn enter(&mut self, opens: &str, attribute: &str, label: Option<String>, reading: Option<String>, right: bool) {
        if self.utterance.open.iter().any(|o| o == opens) || label.is_none() && reading.is_none() {
            return;
        }
        let tally = self.measured.tallies.entry(attribute.to_owned()).or_default();
        tally.n += u32::from(label.is_some());
        if right {
            tally.found += 1;
            return;
        }
        tally.missed += u32::from(label.is_some());
        tally.false_readings += u32::from(reading.is_some());
        self.measured.misses.push(Miss {
            attribute: attribute.to_owned(),
            text: self.utterance.text.clone(),
            asked: self.utterance.asked.map_or("-", |q| q.name()),
            expected: label.unwrap_or_else(|| "-".into()),
            read: reading.unwrap_or_else(|| "-".into()),
        });
    }
}

fn name(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        other => format!("{other:?}"),
    }
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(understand::normal)
}

fn words(text: &str) -> Vec<String> {
    words_of(text).collect()
}
