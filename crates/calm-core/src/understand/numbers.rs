//! Numbers as people say them, and what kind of number each one is.
//!
//! "Восьмёрка", "восемь из десяти", "процентов на 80" and "6-7" are points on a scale; "девять
//! сделок", "двести долларов", "в девять утра" and "2R" are not. Halves and ranges are
//! read downwards: seven and a half is 7, six to seven is 6.

use std::ops::Range;

use super::lexicon::Lexicon;
use super::tokens::Tokens;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// Rounded down; the lower end of a range.
    pub value: u64,
    /// The figure as it was said, times a hundred.
    pub hundredths: u64,
    pub kind: NumberKind,
    pub sign: Option<Sign>,
    /// The tokens of the figure alone.
    pub figure: Range<usize>,
    /// With "из десяти", the unit and whatever else belongs to it.
    pub at: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberKind {
    /// "Из десяти", "/10", "восьмёрка".
    OutOfTen,
    Percent,
    Money,
    Count,
    Hours,
    Time,
    /// After "в", "к", "at": perhaps a time, perhaps not.
    PerhapsTime,
    /// "One" and its forms, which are an article as often as a figure.
    Weak,
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Minus,
    Plus,
}

impl Number {
    /// The point on a scale of 1–10 that this number may stand for.
    pub fn level(&self) -> Option<u8> {
        match self.kind {
            NumberKind::OutOfTen => u8::try_from(self.value.clamp(1, 10)).ok(),
            NumberKind::Percent if self.value <= 100 => u8::try_from((self.value / 10).max(1)).ok(),
            NumberKind::Plain | NumberKind::PerhapsTime | NumberKind::Weak => {
                u8::try_from(self.value).ok().filter(|v| (1..=10).contains(v))
            }
            _ => None,
        }
    }
}

/// All numbers of the text, in order.
pub fn numbers(tokens: &Tokens<'_>, lexicon: &Lexicon) -> Vec<Number> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(end) = scale_itself(tokens, lexicon, at) {
            at = end;
            continue;
        }
        match figure_at(tokens, lexicon, at) {
            Some(figure) => {
                let number = with_surroundings(tokens, lexicon, &figure);
                at = number.at.end.max(figure.end);
                found.push(number);
            }
            None => at += 1,
        }
    }
    found
}

/// "One to ten", «от одного до десяти»: the scale, and no point on it.
fn scale_itself(tokens: &Tokens<'_>, lexicon: &Lexicon, at: usize) -> Option<usize> {
    let one = single_figure(tokens, lexicon, at).filter(|f| f.value == 1)?;
    let joined = lexicon.has_word("grammar", "range", tokens.norm(one.end));
    let ten = single_figure(tokens, lexicon, one.end + 1).filter(|f| joined && f.value == 10)?;
    tokens.same_clause(at, ten.end - 1).then_some(ten.end)
}

struct Figure {
    value: u64,
    hundredths: u64,
    start: usize,
    end: usize,
    mark: bool,
    weak: bool,
    time: bool,
}

fn figure_at(tokens: &Tokens<'_>, lexicon: &Lexicon, start: usize) -> Option<Figure> {
    let mut figure = single_figure(tokens, lexicon, start)?;
    if let Some((hundredths, end)) = decimals_after(tokens, lexicon, &figure) {
        figure.hundredths = figure.hundredths.saturating_add(hundredths);
        figure.end = end;
    } else if let Some(end) = half_after(tokens, lexicon, figure.end) {
        figure.hundredths = figure.hundredths.saturating_add(50);
        figure.end = end;
    }
    // A range: "6-7", "шесть-семь", "шесть семь", "six or seven".
    let grammar = |name: &str, at: usize| lexicon.has_word("grammar", name, tokens.norm(at));
    let between = start.checked_sub(1).is_some_and(|before| grammar("between", before));
    let joined = |at: usize| grammar("range", at) || between && grammar("and", at);
    let next = if joined(figure.end) { figure.end + 1 } else { figure.end };
    let gap = tokens.gap_before(figure.end).trim();
    if matches!(gap, "" | "-" | "–" | "—")
        && figure.value <= 10
        && !figure.time
        && let Some(upper) = single_figure(tokens, lexicon, next)
        && (upper.value == figure.value + 1 || between && upper.value > figure.value)
        && upper.value <= 10
    {
        figure.end = half_after(tokens, lexicon, upper.end).unwrap_or(upper.end);
        figure.mark |= upper.mark;
        figure.weak = false;
    }
    // "Ниже пяти" is at most four; "не ниже пяти" is five.
    let before = |back: usize| start.checked_sub(back).filter(|i| tokens.same_clause(*i, start));
    let below = before(1).is_some_and(|i| grammar("below", i)) && !before(2).is_some_and(|i| grammar("negation", i));
    if below && figure.value > 1 && figure.value <= 10 && !figure.time {
        figure.value -= 1;
        figure.hundredths = figure.value * 100;
    }
    Some(figure)
}

/// "Ноль восемь", "zero point eight", "одна целая две": the hundredths, and where they end.
fn decimals_after(tokens: &Tokens<'_>, lexicon: &Lexicon, figure: &Figure) -> Option<(u64, usize)> {
    let grammar = |name: &str, at: usize| lexicon.has_word("grammar", name, tokens.norm(at));
    let spoken = !tokens.get(figure.start)?.is_digits() && !figure.mark;
    let pointed = grammar("point", figure.end);
    if !spoken || figure.value > 99 || !(pointed || figure.value == 0) {
        return None;
    }
    let at = if pointed { figure.end + 1 } else { figure.end };
    if (figure.end..=at).any(|i| tokens.gap_before(i) != " ") {
        return None;
    }
    let digits = number_word(tokens, lexicon, at).filter(|v| (1..100).contains(v))?;
    // "Ноль двадцать пять".
    let unit = number_word(tokens, lexicon, at + 1)
        .filter(|u| digits >= 20 && digits % 10 == 0 && (1..10).contains(u) && tokens.gap_before(at + 1) == " ");
    let hundredths = if digits < 10 { digits * 10 } else { digits + unit.unwrap_or(0) };
    Some((hundredths, at + 1 + usize::from(unit.is_some())))
}

fn half_after(tokens: &Tokens<'_>, lexicon: &Lexicon, at: usize) -> Option<usize> {
    let is = |offset: usize, name: &str| lexicon.has_word("grammar", name, tokens.norm(at + offset));
    if is(0, "with") && is(1, "half") {
        return Some(at + 2);
    }
    (is(0, "with") && is(1, "article") && is(2, "half")).then_some(at + 3)
}

/// One figure in digits or a run of number words ("двести пятьдесят").
fn single_figure(tokens: &Tokens<'_>, lexicon: &Lexicon, start: usize) -> Option<Figure> {
    let token = tokens.get(start)?;
    if token.is_digits() {
        return Some(digits(tokens, lexicon, start));
    }
    if let Some(value) = lexicon.entry_of("marks", &token.norm).and_then(|v| v.parse().ok()) {
        return Some(Figure {
            value,
            hundredths: value * 100,
            start,
            end: start + 1,
            mark: true,
            weak: false,
            time: false,
        });
    }
    if let Some(value) = misheard(tokens, lexicon, start) {
        return Some(plain(value, start));
    }
    if lexicon.has_word("grammar", "one_and_a_half", &token.norm) {
        return Some(Figure {
            value: 1,
            hundredths: 150,
            start,
            end: start + 1,
            mark: false,
            weak: false,
            time: false,
        });
    }
    let (mut total, mut group, mut floor): (u64, u64, u64) = (0, 0, u64::MAX);
    let mut at = start;
    let mut saw_zero = false;
    let short_hundreds = lexicon.has_word("grammar", "short_hundreds", &token.norm);
    let counted = || start.checked_sub(1).is_some_and(|i| lexicon.has_word("grammar", "article", tokens.norm(i)));
    if lexicon.has_word("grammar", "also_fine", &token.norm) && !counted() {
        // "Feeling grand, eight" is no thousand and eight.
        return None;
    }
    while let Some(value) = number_word(tokens, lexicon, at) {
        if at > start && !tokens.gap_before(at).trim().trim_matches(['-', '–']).is_empty() {
            break;
        }
        if value >= 1000 || value == 100 && group > 0 && group < 100 {
            group = group.max(1).saturating_mul(value);
            if value >= 1000 {
                total = total.saturating_add(group);
                group = 0;
                floor = u64::MAX;
            } else {
                floor = 100;
            }
        } else if at == start || value > 0 && value < floor && floor != u64::MAX && floor >= 10 {
            group += value;
            floor = magnitude(value);
        } else if group == 0 && total > 0 && value > 0 {
            group = value;
            floor = magnitude(value);
        } else if at == start + 1 && (1..10).contains(&group) && (20..100).contains(&value) && short_hundreds {
            // "Three fifty".
            group = group * 100 + value;
            floor = 10;
        } else {
            break;
        }
        saw_zero |= value == 0;
        at += 1;
        if saw_zero {
            break;
        }
        // "A hundred and ten".
        let joins = lexicon.has_word("grammar", "and", tokens.norm(at));
        if joins && group >= 100 && number_word(tokens, lexicon, at + 1).is_some_and(|next| next > 0 && next < 100) {
            at += 1;
        }
    }
    if at == start {
        return None;
    }
    let weak = at == start + 1 && lexicon.has_word("grammar", "weak_one", &token.norm);
    let value = total.saturating_add(group);
    Some(Figure { value, hundredths: value.saturating_mul(100), start, end: at, mark: false, weak, time: false })
}

/// "Satisfaction is ate out of ten": what only sounds like a figure is one in front of the scale.
fn misheard(tokens: &Tokens<'_>, lexicon: &Lexicon, at: usize) -> Option<u64> {
    let value = lexicon.entry_of("misheard", tokens.norm(at)).and_then(|v| v.parse().ok())?;
    let mut next = at + 1;
    while lexicon.has_word("grammar", "out_of", tokens.norm(next)) {
        next += 1;
    }
    (next > at + 1 && number_word(tokens, lexicon, next) == Some(10)).then_some(value)
}

fn plain(value: u64, at: usize) -> Figure {
    Figure { value, hundredths: value * 100, start: at, end: at + 1, mark: false, weak: false, time: false }
}

/// Below which a following number word may still belong to the same number.
fn magnitude(value: u64) -> u64 {
    match value {
        100.. => 100,
        20.. => 10,
        _ => 1,
    }
}

fn number_word(tokens: &Tokens<'_>, lexicon: &Lexicon, at: usize) -> Option<u64> {
    lexicon.entry_of("numbers", tokens.norm(at)).and_then(|v| v.parse().ok())
}

fn digits(tokens: &Tokens<'_>, lexicon: &Lexicon, start: usize) -> Figure {
    let norm = tokens.norm(start);
    let time = norm.contains(':');
    let mut value = whole_part(norm);
    let mut hundredths = value.saturating_mul(100).saturating_add(fraction(norm));
    let mut end = start + 1;
    // "1 000", and "10 тысяч".
    while !time && tokens.norm(end).len() == 3 && tokens.get(end).is_some_and(|t| t.is_digits()) {
        if !matches!(tokens.gap_before(end), " " | "\u{a0}" | "\u{202f}") {
            break;
        }
        value = value.saturating_mul(1000).saturating_add(whole_part(tokens.norm(end)));
        hundredths = value.saturating_mul(100);
        end += 1;
    }
    // "10 тысяч", "2 миллиона".
    if let Some(times) = number_word(tokens, lexicon, end).filter(|v| !time && *v >= 1000) {
        value = (hundredths / 100).saturating_mul(times).saturating_add(hundredths % 100 * times / 100);
        hundredths = hundredths.saturating_mul(times);
        end += 1;
    }
    // "8-ка", "8ку".
    let mark = value <= 10
        && matches!(tokens.gap_before(end), "" | "-")
        && lexicon.has_word("grammar", "mark_ending", tokens.norm(end));
    if mark {
        end += 1;
    }
    Figure { value, hundredths, start, end, mark, weak: false, time }
}

fn whole_part(figure: &str) -> u64 {
    let (whole, rest) = figure.split_once([',', '.', ':']).unwrap_or((figure, ""));
    let thousands = rest.len() == 3 && rest.chars().all(|c| c.is_ascii_digit()) && whole != "0";
    let digits = if thousands { format!("{whole}{rest}") } else { whole.to_owned() };
    // Longer than u64: certainly not a level, whatever it is.
    digits.parse().unwrap_or(u64::MAX)
}

/// Hundredths behind the point, where it is no thousands' separator.
fn fraction(figure: &str) -> u64 {
    match figure.split_once([',', '.']) {
        Some((_, rest)) if rest.len() == 1 => rest.parse::<u64>().map_or(0, |tenths| tenths * 10),
        Some((_, rest)) if rest.len() == 2 => rest.parse().unwrap_or(0),
        _ => 0,
    }
}

fn with_surroundings(tokens: &Tokens<'_>, lexicon: &Lexicon, figure: &Figure) -> Number {
    let (mut start, mut end) = (figure.start, figure.end);
    let before = tokens.gap_before(figure.start);
    let after = tokens.gap_before(figure.end);
    // "Four more" counts, "four more or less" does not.
    let hedge = |at: usize| tokens.norm(at) == "more" && tokens.norm(at + 1) == "or";
    let unit = |at: usize| lexicon.entry_of("units", tokens.norm(at)).filter(|_| !hedge(at));
    let in_sentence = |at: usize| tokens.same_sentence(figure.start, at);
    let previous = figure.start.checked_sub(1).filter(|i| in_sentence(*i));

    let sign = sign_of(tokens, lexicon, figure.start);
    if let Some((_, Some(word))) = sign {
        start = word;
    }
    let mut kind = NumberKind::Plain;
    if figure.time {
        kind = NumberKind::Time;
    } else if before.ends_with(['$', '€', '₽', '£']) || after.starts_with(['$', '€', '₽', '£']) {
        kind = NumberKind::Money;
        if in_sentence(end) && unit(end) == Some("money") {
            end += 1;
        }
    } else if after.starts_with('%') || after.starts_with(" %") {
        kind = NumberKind::Percent;
    } else if let Some((to, ten)) = out_of(tokens, lexicon, figure.end) {
        end = to;
        kind = if ten { NumberKind::OutOfTen } else { NumberKind::Count };
    } else if in_sentence(end) && tokens.same_clause(figure.start, end) && unit(end).is_some() {
        (kind, end) = (unit(end).map_or(kind, kind_of_unit), end + 1);
        while kind == NumberKind::Money && in_sentence(end) && unit(end) == Some("money") {
            end += 1;
        }
    } else if tokens.same_clause(figure.start, end + 1)
        && let Some(behind) = unit(end + 1).filter(|u| matches!(*u, "count" | "time" | "r"))
        && !lexicon.has_word("grammar", "not_of_number", tokens.norm(end))
    {
        // "Две хорошие сделки", "два минусовых дня".
        (kind, end) = (kind_of_unit(behind), end + 2);
    } else if figure.mark {
        kind = NumberKind::OutOfTen;
    } else if let Some(by) = previous.filter(|by| !matches!(sign, Some((_, Some(word))) if word == *by)) {
        kind = kind_from_before(tokens, lexicon, by);
        if kind == NumberKind::Percent {
            // "Процентов шестьдесят", "процентов на восемьдесят".
            start = start.min(if unit(by) == Some("percent") { by } else { by.saturating_sub(1) });
        }
    }
    if figure.weak && kind == NumberKind::Plain {
        kind = NumberKind::Weak;
    }
    Number {
        value: figure.value,
        hundredths: figure.hundredths,
        kind,
        sign: sign.map(|(sign, _)| sign),
        figure: figure.start..figure.end,
        at: start..end,
    }
}

fn kind_of_unit(unit: &str) -> NumberKind {
    match unit {
        "money" => NumberKind::Money,
        "percent" => NumberKind::Percent,
        "hours" => NumberKind::Hours,
        "time" => NumberKind::Time,
        "points" => NumberKind::OutOfTen,
        _ => NumberKind::Count,
    }
}

/// "Процентов на 80", "сделок пять", "в девять".
fn kind_from_before(tokens: &Tokens<'_>, lexicon: &Lexicon, previous: usize) -> NumberKind {
    let unit = |at: usize| lexicon.entry_of("units", tokens.norm(at));
    // Said the other way round: "сделок пять", "часов шесть".
    if tokens.same_clause(previous, previous + 1) {
        match unit(previous) {
            Some("count") => return NumberKind::Count,
            Some("hours") => return NumberKind::Hours,
            Some("percent") => return NumberKind::Percent,
            _ => {}
        }
    }
    if lexicon.has_word("grammar", "on", tokens.norm(previous)) {
        let percent = previous.checked_sub(1).is_some_and(|at| unit(at) == Some("percent"));
        return if percent { NumberKind::Percent } else { NumberKind::Plain };
    }
    if lexicon.has_word("grammar", "time_preposition", tokens.norm(previous)) {
        return NumberKind::PerhapsTime;
    }
    NumberKind::Plain
}

/// The end of "из десяти", "out of 10" or "/10" after a figure, and whether it is ten.
fn out_of(tokens: &Tokens<'_>, lexicon: &Lexicon, at: usize) -> Option<(usize, bool)> {
    let whole_at = if tokens.gap_before(at).trim() == "/" {
        at
    } else {
        let mut next = at;
        while lexicon.has_word("grammar", "out_of", tokens.norm(next)) {
            next += 1;
        }
        if next == at {
            return None;
        }
        next
    };
    let whole = single_figure(tokens, lexicon, whole_at)?;
    Some((whole.end, whole.value == 10))
}

/// The sign before a figure, and where it stands if it was a word ("минус", "up about").
fn sign_of(tokens: &Tokens<'_>, lexicon: &Lexicon, at: usize) -> Option<(Sign, Option<usize>)> {
    const ROUGHLY: usize = 3;
    let gap = tokens.gap_before(at);
    let marks = gap.trim_end_matches(['$', '€', '₽', '£']);
    let free = |before: &str| before.is_empty() && at == 0 || before.ends_with([' ', '\n', '(', '«', '"']);
    for (mark, sign) in [('-', Sign::Minus), ('−', Sign::Minus), ('–', Sign::Minus), ('+', Sign::Plus)] {
        if marks.strip_suffix(mark).is_some_and(free) {
            return Some((sign, None));
        }
    }
    let roughly = |i: &usize| lexicon.has_word("grammar", "on", tokens.norm(*i));
    let before = (0..at).rev().take_while(|i| tokens.same_clause(*i, at)).take(ROUGHLY);
    let previous = before.into_iter().find(|i| !roughly(i))?;
    let word = tokens.norm(previous);
    if lexicon.has_word("grammar", "minus", word) {
        return Some((Sign::Minus, Some(previous)));
    }
    lexicon.has_word("grammar", "plus", word).then_some((Sign::Plus, Some(previous)))
}
