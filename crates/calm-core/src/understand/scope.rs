//! Whose it is, whether it is denied, when it was and how strong: what turns a hit into a statement.

use std::ops::Range;

use super::lexicon::{Hit, Lexicon};
use super::numbers::{Number, numbers};
use super::tokens::Tokens;
use super::{Answer, Strength};
use crate::lang::Lang;

/// How far back a subject or a time word still counts when nobody paused.
const REACH: usize = 12;

/// From what was supposed to what happened there are at least this many words.
const TURN: usize = 3;

/// Of a Russian verb.
const INFINITIVES: [&str; 5] = ["ть", "ться", "ти", "тись", "чь"];

/// One utterance with everything that the lexicon found in it.
pub struct Scene<'t> {
    pub tokens: Tokens<'t>,
    pub lexicon: &'static Lexicon,
    pub hits: Vec<Hit<'static>>,
    pub numbers: Vec<Number>,
    /// The `[grammar]` entries that stand at each token, phrases among them.
    grammar_at: Vec<Vec<&'static str>>,
}

impl<'t> Scene<'t> {
    pub fn of(text: &'t str, lang: Lang) -> Scene<'t> {
        let lexicon = Lexicon::of(lang);
        let mut tokens = Tokens::of(text);
        tokens.join_spelled(|letters| lexicon.cut(letters));
        tokens.correct(|word| lexicon.corrected(word));
        tokens.open_clauses(|word| lexicon.has_word("grammar", "clause", word));
        let hits = without_cancelled(lexicon.scan(&tokens));
        let numbers = numbers(&tokens, lexicon);
        let mut grammar_at: Vec<Vec<&'static str>> = vec![Vec::new(); tokens.len()];
        for hit in hits.iter().filter(|h| h.section == "grammar") {
            for names in grammar_at.get_mut(hit.at.clone()).into_iter().flatten() {
                names.push(hit.name);
            }
        }
        Scene { tokens, lexicon, hits, numbers, grammar_at }
    }

    pub fn hits<'s>(&'s self, section: &'s str) -> impl DoubleEndedIterator<Item = &'s Hit<'static>> {
        self.hits.iter().filter(move |h| h.section == section)
    }

    /// Hits that the speaker states about themselves, here and in earnest.
    pub fn stated<'s>(&'s self, section: &'s str) -> impl DoubleEndedIterator<Item = &'s Hit<'static>> {
        self.hits(section).filter(|h| self.is_stated(h))
    }

    pub fn is_stated(&self, hit: &Hit<'_>) -> bool {
        !self.negated(hit) && !self.of_another(&hit.at) && !self.supposed(&hit.at) && !self.echoed(&hit.at)
    }

    pub fn words(&self, at: &Range<usize>) -> String {
        self.tokens.words(at.clone()).to_owned()
    }

    pub fn is(&self, name: &str, at: usize) -> bool {
        self.grammar_at.get(at).is_some_and(|names| names.contains(&name))
    }

    /// Positions before `at` in its clause, nearest first.
    pub fn before(&self, at: usize) -> impl Iterator<Item = usize> {
        (0..at).rev().take(REACH).take_while(move |i| self.tokens.same_clause(*i, at))
    }

    /// Positions from `end` on in the clause of `at`.
    pub fn after(&self, at: usize, end: usize) -> impl Iterator<Item = usize> {
        (end..self.tokens.len()).take(REACH).take_while(move |i| self.tokens.same_clause(at, *i))
    }

    /// "Не злюсь", "не то чтобы злюсь", "тревоги нет", "without fear", "план совсем не соблюдал".
    pub fn negated(&self, hit: &Hit<'_>) -> bool {
        self.denied_around(hit) || hit.skipped.iter().any(|i| self.is("negation", *i))
    }

    /// A deed is denied by "не", not by what it lacked: "вошёл без сетапа на эмоциях" was done.
    pub fn undone(&self, hit: &Hit<'_>) -> bool {
        self.denied_around(hit) || hit.skipped.iter().any(|i| self.is("negation", *i) && !self.is("lack", *i))
    }

    fn denied_around(&self, hit: &Hit<'_>) -> bool {
        self.denied_before(hit.at.start) || self.denied_after(&hit.at)
    }

    /// Numbers, feelings and words like "quite", and nothing that they would be about.
    pub fn is_bare(&self) -> bool {
        self.is_bare_in(&(0..self.tokens.len()))
    }

    pub fn is_bare_in(&self, range: &Range<usize>) -> bool {
        const SECTIONS: [&str; 9] = [
            "feelings",
            "bare_feelings",
            "scales",
            "result",
            "bare_result",
            "result_size",
            "size_near",
            "whole_day",
            "unsure",
        ];
        const GRAMMAR: [&str; 9] =
            ["filler", "mild", "strong", "on", "and", "today", "first_person", "copula", "mark_ending"];
        let of_hit = |i: usize| self.hits.iter().any(|h| SECTIONS.contains(&h.section) && h.at.contains(&i));
        let of_number = |i: usize| self.numbers.iter().any(|n| n.at.contains(&i));
        let empty = |i: usize| GRAMMAR.iter().any(|name| self.is(name, i));
        range.clone().all(|i| empty(i) || of_number(i) || of_hit(i))
    }

    fn denied_before(&self, start: usize) -> bool {
        let near: Vec<usize> = self.before(start).take(5).collect();
        // "Не только злюсь", "не просто устал" say more, not less.
        let more = near.windows(2).any(|w| self.is("more_than", w[0]) && self.is("negation", w[1]));
        let first = near.iter().find(|i| !self.is("negation_bridge", **i) && !self.is_one_of_two(**i));
        let denied = |i: usize| self.is("negation", i) && !self.answers(i) && !self.is_used_up(i, start);
        !more && first.is_some_and(|i| denied(*i))
    }

    /// "Not angry or tired": one denial for both.
    fn is_one_of_two(&self, at: usize) -> bool {
        let or = |i: usize| ["or", "nor", "или"].contains(&self.tokens.norm(i));
        or(at) || self.feelings().any(|h| h.at.contains(&at) && or(h.at.end))
    }

    /// "Not angry i followed the plan": what was denied stands before the speaker begins anew.
    fn is_used_up(&self, negation: usize, start: usize) -> bool {
        let mut between = self.feelings().filter(|h| h.at.start > negation && h.at.end <= start);
        between.any(|h| self.is("first_person", h.at.end) && !self.is("possessive", h.at.end))
    }

    fn feelings(&self) -> impl Iterator<Item = &Hit<'_>> {
        const SECTIONS: [&str; 4] = ["feelings", "bare_feelings", "signs", "scales"];
        self.hits.iter().filter(|h| SECTIONS.contains(&h.section))
    }

    /// "No i binned the plan", "нет не следовал", "нет полез": what was asked is denied, and not what follows.
    fn answers(&self, at: usize) -> bool {
        let no = self.hits("answer").any(|h| h.name == Answer::No.name() && h.at == (at..at + 1));
        // "No the plan was one trade": no denial stands before "the".
        let told = self.is("first_person", at + 1) || self.is("negation", at + 1) || self.is("begins_anew", at + 1);
        let told = told || !self.is("negation_bare", at) && is_past_verb(self.tokens.norm(at + 1));
        // "So no i did not follow the plan", further on: what stands behind is denied in its own words.
        let begins = self.is("first_person", at + 1) || self.is("begins_anew", at + 1);
        let anew = begins && (at + 2..at + 4).any(|i| self.is("negation", i));
        no && (at == self.after_fillers() && told || anew)
    }

    /// "Тревоги нет", "страха не было": what denies stands behind, and nothing else that it could deny.
    fn denied_after(&self, at: &Range<usize>) -> bool {
        let next = self.after(at.start, at.end).find(|i| !self.is("mild", *i) && !self.is("strong", *i));
        let Some(next) = next.filter(|i| *i <= at.end + 1) else { return false };
        if self.hits("refusal").any(|h| h.at.start == next) {
            return true;
        }
        if self.is("negation_after", next) {
            return true;
        }
        self.hits("denial").filter(|h| h.at.start == next).any(|h| {
            let rest = self.after(at.start, h.at.end).next();
            rest.is_none_or(|i| self.is("negation_bridge", i) || self.is("filler", i) || self.is("first_person", i))
        })
    }

    /// "Друг слил депозит": somebody else is the nearest subject before it.
    pub fn of_another(&self, at: &Range<usize>) -> bool {
        // "Рынок понял, удваиваю лот": who does it, the verb says.
        let of_mine = ["аю", "яю", "ею"].iter().any(|ending| self.tokens.norm(at.start).ends_with(ending));
        let own_verb = of_mine
            || at.clone().any(|i| {
                let word = self.tokens.norm(i);
                word.ends_with("юсь") || word.ends_with("усь") || self.is("own", i)
            });
        if self.reported(at.start) {
            return true;
        }
        // "Друг хотел покончить с собой": whose self it is, the subject says.
        if own_verb || at.clone().any(|i| self.is("first_person", i) && !self.is("reflexive", i)) {
            return false;
        }
        let owner =
            self.hits("others").filter(|h| h.at.end <= at.start && self.tokens.same_clause(h.at.start, at.start));
        let owned = owner.map(|h| h.at.end - 1).max();
        for i in self.before(at.start) {
            // Nobody tells how ready somebody else is: "малой не спал, готовность троечка".
            let readiness = || self.hits("scales").any(|h| h.name == "readiness" && h.at.start == i);
            if self.is("first_person", i) && !self.is("possessive", i) || readiness() {
                return false;
            }
            if self.is("other_people", i) && !self.is_object(i) || owned == Some(i) {
                return !self.hits_me(i);
            }
            if self.is("possessive", i) && self.is("first_person", i) && !self.is_of_others(i) {
                return false;
            }
        }
        false
    }

    /// "Меня рынок наказал, минус двести": what it cost is the speaker's.
    fn hits_me(&self, at: usize) -> bool {
        const NEAR: usize = 2;
        let near = at.saturating_sub(NEAR)..at + NEAR + 1;
        let me = |i: usize| self.tokens.same_clause(i, at) && self.is("first_person", i) && !self.is("possessive", i);
        self.is("market", at) && near.into_iter().any(me)
    }

    /// "From my sister", "with him": not who did it.
    fn is_object(&self, at: usize) -> bool {
        let mut before = self.before(at).filter(|i| !self.is("possessive", *i));
        before.next().is_some_and(|i| self.is("preposition", i))
    }

    /// "My sister", «кореш мой»: the word that follows is somebody else, or in Russian the one before;
    /// «муж мой депозит слил» speaks of the deposit.
    fn is_of_others(&self, at: usize) -> bool {
        let behind = at.checked_sub(1).filter(|i| self.is("possessive_behind", at) && self.tokens.same_clause(*i, at));
        let behind = behind.is_some_and(|i| self.is("other_people", i) && !self.is("market", i));
        self.is("other_people", at + 1) || behind && !self.is("belongings", at + 1)
    }

    /// "Жена говорит, что я нервный": somebody else's words, until the speaker comes back ("а я …").
    fn reported(&self, at: usize) -> bool {
        for i in (0..at).rev().take(REACH).take_while(|i| self.tokens.same_sentence(*i, at)) {
            let opens = i == 0 || !self.tokens.same_clause(i - 1, i);
            if self.is("clause", i) || opens && self.is("first_person", i) {
                return false;
            }
            if self.is("reporting", i) {
                let near = |j: usize| self.tokens.same_clause(i, j) && self.is("other_people", j);
                return self.is("hearsay", i) || (i.saturating_sub(4)..i + 3).any(near);
            }
        }
        false
    }

    /// "Не лезть без сигнала", "don't trade without a stop": a rule for another day, and nothing that was done.
    pub fn is_rule(&self, at: &Range<usize>) -> bool {
        let clause = self.tokens.clause_range(at.start);
        let infinitive = |i: usize| INFINITIVES.iter().any(|ending| self.tokens.norm(i).ends_with(ending));
        let by_me = |i: usize| (clause.start..i).any(|j| self.is("first_person", j));
        let forbidden = |i: usize| {
            self.is("negation", i) && infinitive(i + 1)
                || self.is("forbids_to", i)
                || self.is("forbids", i) && !by_me(i)
        };
        (clause.start..at.end).any(forbidden)
    }

    /// "Если солью", "боюсь потерять", "плюс был бы".
    pub fn supposed(&self, at: &Range<usize>) -> bool {
        let wish = |i: usize| {
            let before = i.checked_sub(1).is_some_and(|j| self.is("wishing", j));
            before || self.is("wishing", i + 1)
        };
        // "Should have been up, ended at minus twenty": said in one breath, and it happened.
        let happened =
            |i: usize| !self.is("supposing_only", i) && (i + TURN..=at.start).any(|j| self.is("turns_out", j));
        let would = |i: usize| self.is("would", i) && !wish(i) && !happened(i);
        let supposing = |i: usize| self.is("supposing", i) && !self.is("if_idiom", i + 1) && !happened(i);
        let barely = self.before(at.start).take(3).any(|i| self.is("nearly", i));
        let before = self.before(at.start).any(|i| supposing(i) || would(i));
        before || barely || self.after(at.start, at.end).take(2).any(would)
    }

    /// "Готов? Ну скорее притворяюсь": the question is repeated, not answered.
    pub fn echoed(&self, at: &Range<usize>) -> bool {
        const ECHO: usize = 3;
        let end = self.tokens.sentence_end(at.start);
        let start =
            (0..at.start).rev().take_while(|i| self.tokens.same_sentence(*i, at.start)).last().unwrap_or(at.start);
        end - start <= ECHO && end < self.tokens.len() && self.tokens.gap_before(end).contains('?')
    }

    /// Yesterday or earlier, by the nearest word of time in the clause.
    pub fn past(&self, at: &Range<usize>) -> bool {
        self.past_word(at).is_some()
    }

    /// The word that puts it into the past.
    pub fn past_word(&self, at: &Range<usize>) -> Option<usize> {
        let time_of = |i: usize| {
            if self.is("past", i) { Some(Some(i)) } else { self.is("today", i).then_some(None) }
        };
        let inside = at.clone().find_map(time_of);
        let back = || self.before(at.start).filter(|i| !self.is_of_another_verb(*i, at.start)).find_map(time_of);
        let ahead = || self.after(at.start, at.end).find_map(time_of);
        inside.or_else(back).or_else(ahead).flatten()
    }

    /// "Взял вчера кредит и слил": the day belongs to the borrowing.
    fn is_of_another_verb(&self, time: usize, at: usize) -> bool {
        let Some(verb) = time.checked_sub(1).filter(|i| self.tokens.same_clause(*i, time)) else { return false };
        is_past_verb(self.tokens.norm(verb)) && is_past_verb(self.tokens.norm(at))
    }

    pub fn strength(&self, at: &Range<usize>) -> Strength {
        let near = |name: &str| self.before(at.start).take(3).any(|i| self.is(name, i));
        // "Злюсь, но несильно", "angry, but only a bit".
        let (next, end) = (at.end, self.tokens.sentence_end(at.start));
        let softened =
            next < end && self.is("clause", next) && (next + 1..end.min(next + 4)).any(|i| self.is("mild", i));
        if near("mild") || softened || self.is_softened_behind(at) {
            Strength::Mild
        } else if near("strong") {
            Strength::Strong
        } else {
            Strength::Plain
        }
    }

    /// "Устал немного", "tired a bit": nothing follows that "a bit" could be of.
    fn is_softened_behind(&self, at: &Range<usize>) -> bool {
        const LAST: [&str; 5] = ["today", "filler", "clause", "after", "and"];
        let mut behind = self.after(at.start, at.end).skip_while(|i| self.is("article", *i)).peekable();
        let mild = behind.peek().is_some_and(|i| self.is("mild", *i));
        let rest = behind.find(|i| !self.is("mild", *i));
        mild && rest.is_none_or(|i| LAST.iter().any(|name| self.is(name, i)))
    }

    /// "Плохо. Точнее, нормально", "bad. well, okay actually": said again in the same breath, and nothing between.
    pub fn takes_back(&self, earlier: &Range<usize>, later: &Range<usize>) -> bool {
        const BETWEEN: [&str; 5] = ["takes_back", "filler", "clause", "mild", "strong"];
        let between = earlier.end..later.start;
        let only = between.clone().all(|i| BETWEEN.iter().any(|name| self.is(name, i)));
        let ends = || !self.tokens.same_clause(later.start, later.end + 1);
        let cue = between.into_iter().any(|i| self.is("takes_back", i)) || self.is("takes_back", later.end) && ends();
        earlier.end <= later.start && only && cue
    }

    /// Whether a word of a grammar entry stands in the clause before `at`.
    pub fn preceded_by(&self, name: &str, at: usize) -> bool {
        self.before(at).any(|i| self.is(name, i))
    }
}

/// "Взял", "закрылась", "полез": by the ending alone.
pub fn is_past_verb(word: &str) -> bool {
    const ENDINGS: [&str; 7] = ["л", "ла", "ли", "лся", "лась", "лись", "лез"];
    word.chars().count() >= 4 && ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// `[not_intents]` takes back what `[intents]` would read in the same words, and so on; its entry
/// `any` takes back every name.
fn without_cancelled(mut hits: Vec<Hit<'static>>) -> Vec<Hit<'static>> {
    let cancelling: Vec<Hit<'static>> = hits.iter().filter(|h| h.section.starts_with("not_")).cloned().collect();
    if cancelling.is_empty() {
        return hits;
    }
    let cancelled = |hit: &Hit<'_>| {
        cancelling.iter().any(|c| {
            c.section.strip_prefix("not_") == Some(hit.section)
                && (c.name == "any" || c.name == hit.name)
                && c.at.start < hit.at.end
                && hit.at.start < c.at.end
        })
    };
    hits.retain(|hit| !cancelled(hit));
    hits
}
