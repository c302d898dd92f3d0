//! `calculate`: arithmetic on the user's own figures (SPEC T7), exact, with the formula said.
//!
//! It says what comes out and never what to do with it.

use rust_decimal::{Decimal, RoundingStrategy};

use super::Calculate;
use super::figures::{in_bounds, parse};
use crate::context::SessionResult;
use crate::lang::Lang;

/// A quotient is given to so many places.
const SHOWN_PLACES: u32 = 2;
/// The most amounts of a sum.
pub const MOST_AMOUNTS: usize = 50;
/// The most results of a run.
pub const MOST_RESULTS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// With its unit, in the language's own notation: "−2,5 R".
    pub value: String,
    /// The whole sum: "−250 / 100 = −2,5 R".
    pub formula: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadCalculation {
    #[error("there is something in it that is no number")]
    NotANumber,
    #[error("a number in it is too large, or has too many decimal places")]
    TooLarge,
    #[error("it would divide by zero")]
    DivisionByZero,
    /// A risk, a whole, a limit or what was used of it.
    #[error("an amount that has to be positive is not")]
    Negative,
    #[error("there is nothing to calculate with")]
    Empty,
}

impl Calculate {
    /// # Errors
    /// What makes it no sum; see [`BadCalculation`].
    pub fn carry_out(&self, lang: Lang) -> Result<Answer, BadCalculation> {
        match self {
            Calculate::RMultiple { result, risk } => {
                let (result, risk) = (number(result)?, positive(risk)?);
                let (multiple, sign) = quotient(result, risk)?;
                Ok(answer(lang, &format!("{} / {} {sign}", shown(result, lang), shown(risk, lang)), multiple, " R"))
            }
            Calculate::PercentOf { amount, whole } => {
                let (amount, whole) = (number(amount)?, positive(whole)?);
                let hundredfold = amount.checked_mul(Decimal::ONE_HUNDRED).ok_or(BadCalculation::TooLarge)?;
                let (percent, sign) = quotient(hundredfold, whole)?;
                let formula = format!("{} / {} × 100 {sign}", shown(amount, lang), shown(whole, lang));
                Ok(answer(lang, &formula, percent, " %"))
            }
            Calculate::PartOf { percent, whole } => {
                let (percent, whole) = (number(percent)?, positive(whole)?);
                let product = whole.checked_mul(percent).ok_or(BadCalculation::TooLarge)?;
                let (part, sign) = quotient(product, Decimal::ONE_HUNDRED)?;
                let formula = format!("{} × {} / 100 {sign}", shown(whole, lang), shown(percent, lang));
                Ok(answer(lang, &formula, part, ""))
            }
            Calculate::LeftOfLimit { limit, used } => {
                let (limit, used) = (positive(limit)?, number(used)?);
                if used < Decimal::ZERO {
                    return Err(BadCalculation::Negative);
                }
                let left = limit.checked_sub(used).ok_or(BadCalculation::TooLarge)?;
                Ok(answer(lang, &format!("{} − {} =", shown(limit, lang), shown(used, lang)), left, ""))
            }
            Calculate::Sum { amounts } => sum(amounts, lang),
            Calculate::Streak { results } => streak(results, lang),
        }
    }
}

fn number(text: &str) -> Result<Decimal, BadCalculation> {
    let value = parse(text).ok_or(BadCalculation::NotANumber)?;
    if in_bounds(value) { Ok(value) } else { Err(BadCalculation::TooLarge) }
}

fn positive(text: &str) -> Result<Decimal, BadCalculation> {
    match number(text)? {
        value if value.is_zero() => Err(BadCalculation::DivisionByZero),
        value if value.is_sign_negative() => Err(BadCalculation::Negative),
        value => Ok(value),
    }
}

/// To two places, with the sign that says whether that is all of it.
fn quotient(a: Decimal, b: Decimal) -> Result<(Decimal, &'static str), BadCalculation> {
    let exact = a.checked_div(b).ok_or(BadCalculation::DivisionByZero)?;
    let rounded = exact.round_dp_with_strategy(SHOWN_PLACES, RoundingStrategy::MidpointAwayFromZero);
    let whole = rounded.checked_mul(b) == Some(a);
    Ok((rounded, if whole { "=" } else { "≈" }))
}

fn sum(amounts: &[String], lang: Lang) -> Result<Answer, BadCalculation> {
    if amounts.is_empty() {
        return Err(BadCalculation::Empty);
    }
    if amounts.len() > MOST_AMOUNTS {
        return Err(BadCalculation::TooLarge);
    }
    let (mut total, mut said) = (Decimal::ZERO, String::new());
    for amount in amounts {
        let amount = number(amount)?;
        total = total.checked_add(amount).ok_or(BadCalculation::TooLarge)?;
        let sign = if amount.is_sign_negative() { " − " } else { " + " };
        let first = said.is_empty();
        said.push_str(if first { "" } else { sign });
        said.push_str(&shown(if first { amount } else { amount.abs() }, lang));
    }
    said.push_str(" =");
    Ok(answer(lang, &said, total, ""))
}

/// The run at the newest end, the longest run of wins and of losses, and the share of wins.
fn streak(newest_first: &[SessionResult], lang: Lang) -> Result<Answer, BadCalculation> {
    let newest = *newest_first.first().ok_or(BadCalculation::Empty)?;
    if newest_first.len() > MOST_RESULTS {
        return Err(BadCalculation::TooLarge);
    }
    let run = newest_first.iter().take_while(|result| **result == newest).count();
    let longest = |kind: SessionResult| {
        let runs = newest_first.split(|result| *result != kind);
        runs.map(<[SessionResult]>::len).max().unwrap_or(0)
    };
    let wins = newest_first.iter().filter(|result| **result == SessionResult::Win).count();
    let all = newest_first.len();
    let (percent, sign) = quotient(Decimal::from(wins * 100), Decimal::from(all))?;
    let (longest_win, longest_loss) = (longest(SessionResult::Win), longest(SessionResult::Loss));
    let percent = shown(percent, lang);
    Ok(match lang {
        Lang::Ru => Answer {
            value: format!("{}: {run} подряд", named(newest, lang)),
            formula: format!(
                "{}: {run} подряд; самая длинная серия плюсов {longest_win}, минусов {longest_loss}; в плюс {wins} из {all} {sign} {percent} %",
                named(newest, lang)
            ),
        },
        Lang::En => Answer {
            value: format!("{}: {run} in a row", named(newest, lang)),
            formula: format!(
                "{}: {run} in a row; longest run of wins {longest_win}, of losses {longest_loss}; {wins} wins out of {all} {sign} {percent}%",
                named(newest, lang)
            ),
        },
    })
}

fn named(result: SessionResult, lang: Lang) -> &'static str {
    match (result, lang) {
        (SessionResult::Win, Lang::Ru) => "плюс",
        (SessionResult::Loss, Lang::Ru) => "минус",
        (SessionResult::Breakeven, Lang::Ru) => "ноль",
        (SessionResult::Win, Lang::En) => "win",
        (SessionResult::Loss, Lang::En) => "loss",
        (SessionResult::Breakeven, Lang::En) => "break-even",
    }
}

fn answer(lang: Lang, left: &str, value: Decimal, unit: &str) -> Answer {
    // English sets no space before a percent sign.
    let unit = if lang == Lang::En && unit == " %" { "%" } else { unit };
    let value = format!("{}{unit}", shown(value, lang));
    Answer { formula: format!("{left} {value}"), value }
}

/// With a true minus, a decimal comma in Russian, and thousands set apart.
fn shown(value: Decimal, lang: Lang) -> String {
    let (point, apart) = match lang {
        Lang::Ru => (',', '\u{a0}'),
        Lang::En => ('.', ','),
    };
    let plain = value.abs().normalize().to_string();
    let (whole, fraction) = plain.split_once('.').map_or((plain.as_str(), None), |(w, f)| (w, Some(f)));
    let mut out = String::new();
    if value.is_sign_negative() && !value.is_zero() {
        out.push('−');
    }
    for (at, digit) in whole.chars().enumerate() {
        let left = whole.len() - at;
        // Four figures stay together.
        if at > 0 && left.is_multiple_of(3) && whole.len() > 4 {
            out.push(apart);
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push(point);
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use SessionResult::{Breakeven, Loss, Win};
    use rstest::rstest;

    fn r(result: &str, risk: &str) -> Calculate {
        Calculate::RMultiple { result: result.into(), risk: risk.into() }
    }

    fn percent(amount: &str, whole: &str) -> Calculate {
        Calculate::PercentOf { amount: amount.into(), whole: whole.into() }
    }

    fn left(limit: &str, used: &str) -> Calculate {
        Calculate::LeftOfLimit { limit: limit.into(), used: used.into() }
    }

    fn sum(amounts: &[&str]) -> Calculate {
        Calculate::Sum { amounts: amounts.iter().map(|a| (*a).to_owned()).collect() }
    }

    #[rstest]
    #[case(r("-250", "100"), "−250 / 100 = −2,5 R")]
    #[case(r("100", "30"), "100 / 30 ≈ 3,33 R")]
    #[case(percent("60", "2000"), "60 / 2000 × 100 = 3 %")]
    #[case(left("300", "180"), "300 − 180 = 120")]
    #[case(left("300", "350"), "300 − 350 = −50")]
    #[case(sum(&["40", "-15", "10"]), "40 − 15 + 10 = 35")]
    #[case(sum(&["-0.1", "-0.2"]), "−0,1 − 0,2 = −0,3")]
    #[case(sum(&["12000", "0.5"]), "12\u{a0}000 + 0,5 = 12\u{a0}000,5")]
    #[case(Calculate::Streak { results: vec![Loss, Loss, Win, Win, Win, Breakeven] },
        "минус: 2 подряд; самая длинная серия плюсов 3, минусов 2; в плюс 3 из 6 = 50 %")]
    fn the_formula_is_said(#[case] what: Calculate, #[case] expected: &str) {
        assert_eq!(what.carry_out(Lang::Ru).expect("a sum").formula, expected);
    }

    #[test]
    fn english_has_a_point_and_commas() {
        let answer = percent("-1234.5", "98765").carry_out(Lang::En).expect("a sum");
        assert_eq!(answer.formula, "−1234.5 / 98,765 × 100 ≈ −1.25%");
        assert_eq!(answer.value, "−1.25%");
    }

    #[rstest]
    #[case(r("5", "0"), BadCalculation::DivisionByZero)]
    #[case(percent("5", "0.00"), BadCalculation::DivisionByZero)]
    #[case(r("5", "-10"), BadCalculation::Negative)]
    #[case(left("100", "-10"), BadCalculation::Negative)]
    #[case(r("пять", "1"), BadCalculation::NotANumber)]
    #[case(r("1000000000001", "1"), BadCalculation::TooLarge)]
    #[case(r("1", "0.000000001"), BadCalculation::TooLarge)]
    #[case(sum(&[]), BadCalculation::Empty)]
    #[case(Calculate::Streak { results: vec![] }, BadCalculation::Empty)]
    fn what_is_no_sum(#[case] what: Calculate, #[case] expected: BadCalculation) {
        assert_eq!(what.carry_out(Lang::Ru), Err(expected));
    }
}
