//! Numbers as brokers and spreadsheets write them, to decimals. A number that fits its file in no way is refused: one
//! read wrong is a thousand times too large.

use rust_decimal::Decimal;

use crate::error::Reason;

/// Nothing that a person trades is larger.
const LARGEST: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecimalMark {
    Point,
    Comma,
}

use DecimalMark::{Comma, Point};

impl DecimalMark {
    /// What most numbers of a file can only mean. Where none can tell, `otherwise`.
    pub fn of<'a>(cells: impl Iterator<Item = &'a str>, otherwise: DecimalMark) -> DecimalMark {
        let (mut points, mut commas) = (0_u32, 0_u32);
        for cell in cells {
            match vote(cell) {
                Some(Point) => points += 1,
                Some(Comma) => commas += 1,
                None => {}
            }
        }
        match points.cmp(&commas) {
            std::cmp::Ordering::Greater => Point,
            std::cmp::Ordering::Less => Comma,
            std::cmp::Ordering::Equal => otherwise,
        }
    }

    fn mark(self) -> char {
        match self {
            Point => '.',
            Comma => ',',
        }
    }
}

/// The mark that a number must have: the last of two kinds, or a single one with no group of three behind it.
fn vote(cell: &str) -> Option<DecimalMark> {
    let body = bare(cell).1;
    if body.is_empty() || !body.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',') || is_gap(c)) {
        return None;
    }
    let (points, commas) = (body.matches('.').count(), body.matches(',').count());
    let mark = |c: char| if c == '.' { Point } else { Comma };
    match (points, commas) {
        (0, 0) => None,
        (1, 0) | (0, 1) => {
            let c = if points == 1 { '.' } else { ',' };
            let (before, after) = body.split_once(c)?;
            let a_group = after.len() == 3 && (1..=3).contains(&before.len()) && !before.starts_with('0');
            (!a_group).then(|| mark(c))
        }
        // 1.234.567 holds groups: the mark is the other one.
        (_, 0) => Some(Comma),
        (0, _) => Some(Point),
        _ => body.rfind(['.', ',']).and_then(|at| body[at..].chars().next()).map(mark),
    }
}

/// Whether it is negative, and the rest without sign, currency and quotation marks.
fn bare(text: &str) -> (bool, String) {
    let clean = text.trim().trim_matches('"');
    let clean: String = clean
        .chars()
        .map(|c| match c {
            '−' | '–' | '\u{2011}' => '-',
            other => other,
        })
        .filter(|c| !matches!(c, '$' | '€' | '₽' | '£' | '¥' | '\u{feff}' | '\u{200e}' | '\u{200f}'))
        .collect();
    let clean = clean.trim();
    if let Some(inside) = clean.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return (true, inside.trim().to_owned());
    }
    match clean.strip_prefix(['-', '+']) {
        Some(rest) => (clean.starts_with('-'), rest.trim().to_owned()),
        None => (false, clean.to_owned()),
    }
}

fn is_gap(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2007}' | '\'' | '’' | '_')
}

pub(crate) fn parse(text: &str, mark: DecimalMark) -> Result<Decimal, Reason> {
    let (negative, body) = bare(text);
    if body.is_empty() {
        return Err(Reason::Missing);
    }
    if let Some(small) = scientific(&body, mark) {
        return signed(small?, negative);
    }
    if !body.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',') || is_gap(c)) {
        return Err(Reason::NotANumber);
    }
    let (whole, fraction) = body.split_once(mark.mark()).unwrap_or((&body, ""));
    if !fraction.chars().all(|c| c.is_ascii_digit()) {
        return Err(Reason::OddNumber);
    }
    let whole = ungrouped(whole, mark).ok_or(Reason::OddNumber)?;
    if whole.is_empty() && fraction.is_empty() {
        return Err(Reason::NotANumber);
    }
    let whole = if whole.is_empty() { "0" } else { &whole };
    let plain = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
    signed(plain.parse().map_err(|_| Reason::TooLarge)?, negative)
}

fn signed(value: Decimal, negative: bool) -> Result<Decimal, Reason> {
    if value > LARGEST {
        return Err(Reason::TooLarge);
    }
    Ok(if negative && !value.is_zero() { -value } else { value })
}

/// Exchanges write very small amounts as 1E-7.
fn scientific(body: &str, mark: DecimalMark) -> Option<Result<Decimal, Reason>> {
    let (digits, power) = body.split_once(['e', 'E'])?;
    let plain = power.trim_start_matches(['-', '+']);
    let is_power = !plain.is_empty() && plain.len() <= 2 && plain.chars().all(|c| c.is_ascii_digit());
    if !is_power || digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit() || c == mark.mark()) {
        return Some(Err(Reason::NotANumber));
    }
    let text = format!("{}e{power}", digits.replace(mark.mark(), "."));
    Some(Decimal::from_scientific(&text).map_err(|_| Reason::TooLarge))
}

/// Digits without what groups them; `None` where the groups are not of three, or not of one kind.
fn ungrouped(whole: &str, mark: DecimalMark) -> Option<String> {
    let same_kind = |c: char| if is_gap(c) { ' ' } else { c };
    let separators: Vec<char> = whole.chars().filter(|c| !c.is_ascii_digit()).map(same_kind).collect();
    let Some(first) = separators.first() else { return Some(whole.to_owned()) };
    if *first == mark.mark() || separators.iter().any(|c| c != first) {
        return None;
    }
    let mut groups = whole.split(|c: char| !c.is_ascii_digit());
    let leads = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    (leads && groups.all(|group| group.len() == 3)).then(|| whole.chars().filter(char::is_ascii_digit).collect())
}

/// An amount with the name of its currency behind it, as in `0.5BTC` or `12.5 USDT`.
pub(crate) fn with_unit(text: &str, mark: DecimalMark) -> Result<(Decimal, Option<String>), Reason> {
    let text = text.trim();
    // Some coins begin with a digit (1INCH): the number ends where the last letters' word begins.
    let unit: String = text.chars().rev().take_while(|c| c.is_ascii_alphabetic()).collect();
    let unit: String = unit.chars().rev().collect();
    let number = &text[..text.len() - unit.len()];
    if unit.is_empty() || parse(text, mark).is_ok() {
        return Ok((parse(text, mark)?, None));
    }
    Ok((parse(number, mark)?, Some(unit.to_ascii_uppercase())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain("1234.56", Point, "1234.56")]
    #[case::negative("-0.07", Point, "-0.07")]
    #[case::minus_sign("−12.5", Point, "-12.5")]
    #[case::accounting("(1,234.50)", Point, "-1234.50")]
    #[case::groups("1,234,567.8", Point, "1234567.8")]
    #[case::no_break_space("1\u{a0}234,56", Comma, "1234.56")]
    #[case::narrow_space("-1\u{202f}234\u{202f}567,5", Comma, "-1234567.5")]
    #[case::apostrophe("1'234.5", Point, "1234.5")]
    #[case::german("1.234,56", Comma, "1234.56")]
    #[case::currency("$1,200.00", Point, "1200.00")]
    #[case::rouble("1 200,5 ₽", Comma, "1200.5")]
    #[case::tiny("1E-7", Point, "0.0000001")]
    #[case::bare_fraction(".5", Point, "0.5")]
    #[case::minus_zero("-0.00", Point, "0.00")]
    fn reads(#[case] text: &str, #[case] mark: DecimalMark, #[case] expected: &str) {
        assert_eq!(parse(text, mark).map(|d| d.to_string()).as_deref(), Ok(expected));
    }

    #[rstest]
    #[case::the_other_mark("1.234,56", Point, Reason::OddNumber)]
    #[case::short_group("1,23.5", Point, Reason::OddNumber)]
    #[case::comma_as_decimal("1234,5", Point, Reason::OddNumber)]
    #[case::two_marks("1.2.3", Point, Reason::OddNumber)]
    #[case::word("cancelled", Point, Reason::NotANumber)]
    #[case::dash("-", Point, Reason::Missing)]
    #[case::too_large("99999999999999999999999999999999", Point, Reason::TooLarge)]
    #[case::too_large_to_trade("1000000000000001", Point, Reason::TooLarge)]
    fn refuses(#[case] text: &str, #[case] mark: DecimalMark, #[case] expected: Reason) {
        assert_eq!(parse(text, mark), Err(expected));
    }

    #[rstest]
    #[case::points(&["1.1", "1,200"], Comma, Point)]
    #[case::commas(&["1,1", "1.200"], Point, Comma)]
    #[case::both_in_one(&["1.234,56"], Point, Comma)]
    #[case::nothing_to_go_by(&["1,234", "12"], Comma, Comma)]
    #[case::a_small_share_is_no_group(&["0,125"], Point, Comma)]
    #[case::dates_have_no_say(&["2026.03.02 10:15", "1,5"], Point, Comma)]
    fn mark_of(#[case] cells: &[&str], #[case] otherwise: DecimalMark, #[case] expected: DecimalMark) {
        assert_eq!(DecimalMark::of(cells.iter().copied(), otherwise), expected);
    }

    #[rstest]
    #[case("0.5BTC", "0.5", Some("BTC"))]
    #[case("12.5 USDT", "12.5", Some("USDT"))]
    #[case("3.31", "3.31", None)]
    fn units(#[case] text: &str, #[case] value: &str, #[case] unit: Option<&str>) {
        let (found, found_unit) = with_unit(text, Point).unwrap();
        assert_eq!((found.to_string().as_str(), found_unit.as_deref()), (value, unit));
    }

    proptest! {
        #[test]
        fn every_way_of_writing_a_number_gives_it_back(
            mantissa in -999_999_999_999_i64..=999_999_999_999, scale in 0_u32..=8,
            gap in prop::sample::select(vec!["", "\u{a0}", "\u{202f}", " ", "'"]), comma: bool,
        ) {
            let number = Decimal::new(mantissa, scale);
            let (mark, shown) = if comma { (Comma, ',') } else { (Point, '.') };
            let text = number.abs().to_string();
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
            let digits: Vec<char> = whole.chars().collect();
            let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
            let sign = if mantissa < 0 { "-" } else { "" };
            let point = if fraction.is_empty() { String::new() } else { format!("{shown}{fraction}") };
            let written = format!("{sign}{}{point}", groups.join(gap));
            prop_assert_eq!(parse(&written, mark), Ok(number), "{}", written);
        }

        #[test]
        fn nothing_panics(text in ".{0,40}") {
            for mark in [Point, Comma] {
                let _ignored = (parse(&text, mark), with_unit(&text, mark), vote(&text));
            }
        }
    }
}
