//! What of a model's words may be seen: judged sentence by sentence while they come (SPEC A3, A5).
//!
//! A sentence is let through, left out, or stops the reply. What happens after a stop (one repair, then the
//! guide) is the turn's business.

use std::ops::ControlFlow;

use calm_core::Lang;
use calm_core::guard::{self, GuardHit};
use calm_core::sentences::Sentences;
use calm_prompts::lint::{self, Finding, Linter, Rule, Severity};
use serde_json::{Value, json};

/// Longest reply, in characters: read aloud it takes most of a minute.
const LONGEST: usize = 700;
/// Words from which on a sentence said again counts as said again; "Понимаю." may come twice.
const REPEATS_FROM: usize = 4;

/// Why a reply may not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The guard or the linter has something against a sentence.
    Forbidden,
    WrongLanguage,
    /// The same words again.
    Repeats,
    /// Long enough; nothing is wrong with it.
    Long,
}

/// The rules of one turn.
pub struct Rules {
    pub language: Lang,
    /// Answers in the user's language are fine.
    pub any_language: bool,
    pub linter: Linter,
    pub prohibited: Vec<String>,
    /// What the user said in this session, newest last: their own rules may be quoted to them.
    pub own_words: Vec<String>,
    /// What the reply answers: "I think so" is advice after one question and none after another.
    pub heard: String,
    /// The reply closes the talk: nothing is asked in it.
    pub last: bool,
    /// Sentences of the replies before, as [`seen`] writes them.
    pub said_before: Vec<String>,
}

/// One reply on its way to the user.
pub struct Gate<'r> {
    rules: &'r Rules,
    sentences: Sentences,
    shown: Vec<String>,
    asked: bool,
    stop: Option<Stop>,
    hits: Vec<Value>,
    /// The words that stopped it, for the repair.
    stopped_by: Option<String>,
}

impl<'r> Gate<'r> {
    /// `shown` are the sentences that this turn has shown already.
    pub fn new(rules: &'r Rules, shown: &[String]) -> Gate<'r> {
        let asked = shown.iter().any(|sentence| sentence.ends_with('?'));
        let sentences = Sentences::default();
        Gate { rules, sentences, shown: shown.to_vec(), asked, stop: None, hits: Vec::new(), stopped_by: None }
    }

    /// Takes a piece; `show` gets every sentence that passes. Breaks when the reply may not go on.
    pub fn push(&mut self, piece: &str, show: &mut dyn FnMut(&str)) -> ControlFlow<()> {
        for sentence in self.sentences.push(piece) {
            self.judge(&sentence, show);
            if self.stop.is_some() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Nothing more comes.
    pub fn finish(&mut self, show: &mut dyn FnMut(&str)) {
        if let (None, Some(rest)) = (self.stop, self.sentences.finish()) {
            self.judge(&rest, show);
        }
    }

    pub fn shown(&self) -> &[String] {
        &self.shown
    }

    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Hits for the record: the rule and the words.
    pub fn hits(&self) -> &[Value] {
        &self.hits
    }

    pub fn stopped_by(&self) -> Option<&str> {
        self.stopped_by.as_deref()
    }

    fn judge(&mut self, sentence: &str, show: &mut dyn FnMut(&str)) {
        let sentence = plain(sentence);
        if !sentence.chars().any(char::is_alphanumeric) {
            return;
        }
        if let Some(stop) = self.against(&sentence) {
            self.stop = Some(stop);
            self.stopped_by = Some(sentence);
            return;
        }
        // One question at a time, and nothing after it: the talk is the user's now.
        let closing_question = self.rules.last && sentence.ends_with('?');
        if self.asked || closing_question || self.is_repetition(&sentence) {
            return;
        }
        self.asked = sentence.ends_with('?');
        show(&sentence);
        self.shown.push(sentence);
        let length: usize = self.shown.iter().map(|s| s.chars().count() + 1).sum();
        if length > LONGEST {
            self.stop = Some(Stop::Long);
        }
    }

    fn against(&mut self, sentence: &str) -> Option<Stop> {
        let rules = self.rules;
        let before = self.shown.last().unwrap_or(&rules.heard);
        let own: Vec<&str> = rules.own_words.iter().map(String::as_str).collect();
        let hits: Vec<GuardHit> = guard::check_sentence(before, sentence, rules.language, &own);
        self.hits.extend(hits.iter().map(|hit| json!(hit)));
        let language = lint::Lang::from_code(rules.language.code()).unwrap_or(lint::Lang::En);
        let findings = rules.linter.reply(sentence, language, &rules.prohibited);
        // What the user never wants to hear again is no matter of taste here.
        let against = |it: &&Finding| it.severity == Severity::HardFail || it.rule == Rule::AgentBannedTerm;
        let hard = findings.iter().find(against);
        self.hits.extend(hard.map(|finding| json!({"rule": finding.rule.name(), "words": sentence})));
        if !hits.is_empty() || hard.is_some() {
            return Some(Stop::Forbidden);
        }
        if !rules.any_language && rules.language.is_not_of(sentence) {
            return Some(Stop::WrongLanguage);
        }
        let repeated = self.shown.iter().filter(|shown| seen(shown) == seen(sentence)).count();
        (repeated > 0 && words(sentence) >= REPEATS_FROM).then_some(Stop::Repeats)
    }

    fn is_repetition(&self, sentence: &str) -> bool {
        words(sentence) >= REPEATS_FROM && self.rules.said_before.contains(&seen(sentence))
    }
}

/// A sentence as repetitions are looked for: letters and digits only.
pub fn seen(sentence: &str) -> String {
    let words: Vec<String> = sentence.split_whitespace().map(calm_core::understand::normal).collect();
    words.join(" ").chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).collect()
}

fn words(sentence: &str) -> usize {
    sentence.split_whitespace().count()
}

/// Without marks of typesetting, speaker's names and labels: Calm speaks in plain sentences.
fn plain(sentence: &str) -> String {
    let mut text = sentence.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '>' | '*' | '-' | '•'));
    for speaker in ["Calm:", "Кальм:", "Assistant:", "assistant:", "Ассистент:"] {
        text = text.strip_prefix(speaker).unwrap_or(text);
    }
    let text: String = text.chars().filter(|c| !matches!(c, '*' | '`' | '_')).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use calm_prompts::lint::{Options, Surface};
    use rstest::rstest;

    use super::*;

    fn rules(language: Lang) -> Rules {
        Rules {
            language,
            any_language: false,
            linter: Linter::new(&Options { surface: Surface::Window, banned: vec!["дружок".into()] }),
            prohibited: Vec::new(),
            own_words: Vec::new(),
            last: false,
            heard: String::new(),
            said_before: vec![seen("Как ты оцениваешь свою готовность сегодня?")],
        }
    }

    fn through(rules: &Rules, reply: &str) -> (String, Option<Stop>) {
        let mut shown = String::new();
        let mut gate = Gate::new(rules, &[]);
        let mut show = |sentence: &str| {
            shown.push_str(sentence);
            shown.push('|');
        };
        for piece in reply.split_inclusive(' ') {
            if gate.push(piece, &mut show).is_break() {
                break;
            }
        }
        gate.finish(&mut show);
        let stop = gate.stop();
        (shown, stop)
    }

    #[rstest]
    #[case::warm("Слышу тебя. Как спалось?", "Слышу тебя.|Как спалось?|", None)]
    #[case::advice("Слышу тебя. Покупай на откате.", "Слышу тебя.|", Some(Stop::Forbidden))]
    #[case::banned("Слышу тебя, дружок.", "", Some(Stop::Forbidden))]
    #[case::english("Sure, let me help you with that today.", "", Some(Stop::WrongLanguage))]
    #[case::two_questions("Как спалось? А какой план?", "Как спалось?|", None)]
    #[case::circles(
        "Давай выдохнем вместе немного. Давай выдохнем вместе немного.",
        "Давай выдохнем вместе немного.|",
        Some(Stop::Repeats)
    )]
    #[case::asked_before("Понимаю. Как ты оцениваешь свою готовность сегодня?", "Понимаю.|", None)]
    #[case::typeset("**Calm:** *Слышу* тебя.\n\n---\n- Отдохни.", "Слышу тебя.|Отдохни.|", None)]
    fn what_passes(#[case] reply: &str, #[case] shown: &str, #[case] stop: Option<Stop>) {
        assert_eq!(through(&rules(Lang::Ru), reply), (shown.to_owned(), stop));
    }

    #[test]
    fn a_yes_is_advice_after_a_question_about_a_trade() {
        let after = |heard: &str| through(&Rules { heard: heard.into(), ..rules(Lang::Ru) }, "Думаю, да.").1;
        assert_eq!(after("стоит купить биткоин?"), Some(Stop::Forbidden));
        assert_eq!(after("это нормально, что мне грустно?"), None);
    }

    #[test]
    fn nothing_is_asked_in_the_last_reply() {
        let rules = Rules { last: true, ..rules(Lang::Ru) };
        let (shown, _) = through(&rules, "Слышу тебя. Зачем спешить? Хорошего вечера.");
        assert_eq!(shown, "Слышу тебя.|Хорошего вечера.|");
    }

    #[test]
    fn an_endless_reply_ends() {
        let reply: String = (0..400).map(|n| format!("Мысль номер {n} спокойно проходит мимо. ")).collect();
        let (shown, stop) = through(&rules(Lang::Ru), &reply);
        assert_eq!(stop, Some(Stop::Long));
        assert!(shown.chars().count() < 2 * LONGEST, "{}", shown.chars().count());
    }
}
