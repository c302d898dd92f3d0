//! Exact figures: out of speech ("двести пятьдесят", "minus 2.5k") and out of a call ("1 000,50").
//!
//! Decimal throughout; what cannot be held exactly is no figure.

use std::str::FromStr;

use rust_decimal::Decimal;

use super::words::Words;
use crate::lang::Lang;
use crate::understand::lexicon::Lexicon;

/// Above this, in either direction, a figure is a slip and no amount.
pub const LARGEST: i64 = 1_000_000_000_000;
/// Decimal places that amounts may have; coins are counted to eight.
pub const MOST_PLACES: u32 = 8;
const LONGEST: usize = 40;

/// One figure in words or digits at `at`, without its sign, and one past its last word.
pub fn figure(words: &Words<'_>, at: usize) -> Option<(Decimal, usize)> {
    let (mut value, mut end) = if words.is_digits(at) { digits(words, at)? } else { spoken(words, at)? };
    // "Два с половиной", "two and a half".
    if words.is("figures", "and", end) {
        let half = words.past_articles(end + 1);
        if words.is("figures", "half", half) {
            value = value.checked_add(Decimal::new(5, 1))?;
            end = half + 1;
        }
    }
    if words.is("figures", "thousands", end) && matches!(words.gap_before(end), "" | " ") {
        // "К" alone is a preposition too: only a figure in digits has it as a unit.
        if words.is_digits(at) && words.gap_before(end).is_empty() || words.lang == Lang::En {
            value = value.checked_mul(Decimal::from(1000))?;
            end += 1;
        }
    }
    in_bounds(value).then_some((value, end))
}

pub fn in_bounds(value: Decimal) -> bool {
    value.abs() <= Decimal::from(LARGEST) && value.normalize().scale() <= MOST_PLACES
}

fn digits(words: &Words<'_>, at: usize) -> Option<(Decimal, usize)> {
    let mut text = words.norm(at).to_owned();
    let mut end = at + 1;
    // "1 000".
    while words.norm(end).len() == 3
        && words.is_digits(end)
        && matches!(words.gap_before(end), " " | "\u{a0}" | "\u{202f}")
        && text.len() < LONGEST
        && !text.contains([',', '.', ':'])
    {
        text.push_str(words.norm(end));
        end += 1;
    }
    let mut value = parse(&text)?;
    // "10 тысяч", "2 million".
    while let Some(unit) = number_word(words, end).filter(|unit| *unit >= 1000 && words.gap_before(end) == " ") {
        value = value.checked_mul(Decimal::from(unit))?;
        end += 1;
    }
    Some((value, end))
}

fn number_word(words: &Words<'_>, at: usize) -> Option<u64> {
    Lexicon::of(words.lang).entry_of("numbers", words.norm(at))?.parse().ok()
}

/// A run of number words: "двести пятьдесят", "two hundred and fifty", "полторы тысячи".
fn spoken(words: &Words<'_>, start: usize) -> Option<(Decimal, usize)> {
    let fraction = words.number("fraction", start).filter(|percent| *percent > 100);
    if let Some(percent) = fraction {
        let one = Decimal::from(percent) / Decimal::ONE_HUNDRED;
        let unit = number_word(words, start + 1).filter(|unit| *unit >= 1000);
        return match unit {
            Some(unit) => Some((one.checked_mul(Decimal::from(unit))?, start + 2)),
            None => Some((one, start + 1)),
        };
    }
    let (mut total, mut group): (u64, u64) = (0, 0);
    // What a following word must stay below to belong to the same number.
    let (mut below, mut below_unit) = (u64::MAX, u64::MAX);
    let mut at = start;
    loop {
        let joined = at == start || words.gap_before(at).chars().all(|c| c.is_whitespace() || c == '-');
        let next = number_word(words, at).filter(|_| joined);
        let Some(value) = next else {
            let and = at > start && words.is("figures", "inside", at) && group >= 100;
            if and && number_word(words, at + 1).is_some_and(|value| value > 0 && value < below.min(100)) {
                at += 1;
                continue;
            }
            break;
        };
        if value >= 1000 && value < below_unit && (group > 0 || total == 0) {
            total = total.checked_add(group.max(1).checked_mul(value)?)?;
            (group, below, below_unit) = (0, u64::MAX, value);
        } else if value == 100 && (1..10).contains(&group) && multiplies(words, at) {
            (group, below) = (group * 100, 100);
        } else if value < 1000 && value < below && (value > 0 || at == start) {
            group += value;
            below = match value {
                100.. => 100,
                20.. => 10,
                _ => 0,
            };
        } else {
            break;
        }
        at += 1;
    }
    (at > start).then(|| (Decimal::from(total.saturating_add(group)), at))
}

/// "Two hundred", "две сотни", but not "пять, сто".
fn multiplies(words: &Words<'_>, at: usize) -> bool {
    words.lang == Lang::En || words.norm(at).starts_with("сот")
}

/// A number as people and models write it: "−250", "1 000,50", "1,000.50", "$40".
///
/// `None` where it is none, is too long, or says its separators in a way that could mean two numbers.
pub fn parse(text: &str) -> Option<Decimal> {
    if text.len() > LONGEST {
        return None;
    }
    let bare: String = text.chars().filter(|c| !c.is_whitespace() && !"$€₽£_'".contains(*c)).collect();
    let (negative, digits) = match bare.strip_prefix(['-', '−', '–']) {
        Some(rest) => (true, rest),
        None => (false, bare.strip_prefix('+').unwrap_or(&bare)),
    };
    let fits = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',');
    if !fits {
        return None;
    }
    let value = Decimal::from_str(&with_point(digits)?).ok()?.normalize();
    Some(if negative { -value } else { value })
}

/// With one point before the fraction, and nothing between thousands.
fn with_point(digits: &str) -> Option<String> {
    let (dots, commas) = (digits.matches('.').count(), digits.matches(',').count());
    let point = match (dots, commas) {
        (0, 0) => None,
        (1, 0) => Some('.'),
        (0, 1) => (!is_thousands(digits, ',')).then_some(','),
        (1, _) if digits.rfind('.') > digits.rfind(',') => Some('.'),
        (_, 1) if digits.rfind(',') > digits.rfind('.') => Some(','),
        (_, 0) | (0, _) => None,
        _ => return None,
    };
    let (whole, fraction) = match point.and_then(|point| digits.rsplit_once(point)) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let separator = whole.chars().find(|c| !c.is_ascii_digit());
    if separator.is_some_and(|separator| !is_thousands(whole, separator)) {
        return None;
    }
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    Some(fraction.map_or_else(|| whole.clone(), |fraction| format!("{whole}.{fraction}")))
}

/// "1,000" and "12.000.000"; not "0,125".
fn is_thousands(digits: &str, separator: char) -> bool {
    let mut groups = digits.split(separator);
    let first = groups.next().unwrap_or_default();
    let (mut count, mut all) = (0, true);
    for group in groups {
        count += 1;
        all &= group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
    }
    count > 0 && all && (1..=3).contains(&first.len()) && !first.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("250", "250")]
    #[case("−250", "-250")]
    #[case("+2,5", "2.5")]
    #[case("1 000,50", "1000.5")]
    #[case("1,000.50", "1000.5")]
    #[case("1.000,50", "1000.5")]
    #[case("1,000", "1000")]
    #[case("0,125", "0.125")]
    #[case("1.125", "1.125")]
    #[case("$40", "40")]
    fn a_written_number(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(parse(text).map(|value| value.to_string()).as_deref(), Some(expected));
    }

    #[rstest]
    fn what_is_no_number(
        #[values("", "-", "1,0,0", "1.2.3", "ten", "1e9", "NaN", "5%", "٣", "1..2", ",5")] text: &str,
    ) {
        assert_eq!(parse(text), None);
    }

    #[rstest]
    #[case("двести пятьдесят", Lang::Ru, "250")]
    #[case("полторы тысячи", Lang::Ru, "1500")]
    #[case("три тысячи сорок", Lang::Ru, "3040")]
    #[case("две тысячи", Lang::Ru, "2000")]
    #[case("два с половиной", Lang::Ru, "2.5")]
    #[case("2к", Lang::Ru, "2000")]
    #[case("1 000", Lang::Ru, "1000")]
    #[case("2,5 тысячи", Lang::Ru, "2500")]
    #[case("девять тридцать", Lang::Ru, "9")]
    #[case("пять сто", Lang::Ru, "5")]
    #[case("two hundred and fifty", Lang::En, "250")]
    #[case("a", Lang::En, "-")]
    #[case("ninety-five", Lang::En, "95")]
    #[case("two thousand three hundred", Lang::En, "2300")]
    #[case("twelve thirty", Lang::En, "12")]
    fn a_spoken_number(#[case] text: &str, #[case] lang: Lang, #[case] expected: &str) {
        let found =
            figure(&Words::of(text, lang), 0).map_or("-".to_owned(), |(value, _)| value.normalize().to_string());
        assert_eq!(found, expected);
    }
}
