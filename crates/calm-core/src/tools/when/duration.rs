//! "Через два с половиной часа", "an hour and a half": minutes out of words.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::FURTHEST;
use crate::tools::figures::figure;
use crate::tools::words::Words;

/// What is read at most: more than can be set, so that it can be refused.
const LONGEST: u32 = FURTHEST + 24 * 60;

/// Minutes from `at` on, and one past the last word; nothing above a week and a day is read.
pub fn minutes(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    let (mut total, mut end) = part(words, at)?;
    loop {
        let next = if words.is("joining", "with", end) { end + 1 } else { end };
        // "Час с половиной", "an hour and a half".
        let share = words.past_articles(next);
        let unit = words.number("duration", end.saturating_sub(1));
        if next > end
            && let (Some(percent), Some(unit)) = (words.number("fraction", share), unit)
            && words.number("duration", share + 1).is_none()
        {
            total = total.checked_add(Decimal::from(unit * percent) / Decimal::ONE_HUNDRED)?;
            end = share + 1;
            break;
        }
        // "Два часа пятнадцать минут".
        if let Some((more, stop)) = part(words, next).filter(|(more, _)| *more < total) {
            total = total.checked_add(more)?;
            end = stop;
            continue;
        }
        break;
    }
    let whole = total.round().to_u32().filter(|minutes| (1..=LONGEST).contains(minutes))?;
    Some((whole, end))
}

/// "Минут через двадцать": the unit at `unit`, the amount at `amount`.
pub fn turned_round(words: &Words<'_>, unit: usize, amount: usize) -> Option<(u32, usize)> {
    let unit = words.number("duration", unit)?;
    let (amount, end) = figure(words, amount).filter(|(amount, _)| *amount > Decimal::ZERO)?;
    let whole = amount.checked_mul(Decimal::from(unit))?.round().to_u32();
    Some((whole.filter(|minutes| (1..=LONGEST).contains(minutes))?, end))
}

/// One amount with its unit.
fn part(words: &Words<'_>, at: usize) -> Option<(Decimal, usize)> {
    if let Some(minutes) = words.number("minutes", at) {
        return Some((Decimal::from(minutes), at + 1));
    }
    let start = words.past_articles(at);
    if words.is("joining", "couple", start) {
        let unit = words.past_articles(start + 1);
        return Some((Decimal::from(words.number("duration", unit)? * 2), unit + 1));
    }
    // "Полтора часа", "half an hour".
    if let Some(percent) = words.number("fraction", start) {
        let unit_at = words.past_articles(start + 1);
        let unit = words.number("duration", unit_at)?;
        return Some((Decimal::from(unit * percent) / Decimal::ONE_HUNDRED, unit_at + 1));
    }
    if let Some((amount, end)) = figure(words, start).filter(|(amount, _)| *amount > Decimal::ZERO) {
        // "Two and a half hours": the figure has taken the half already.
        let unit = words.number("duration", end)?;
        return Some((amount.checked_mul(Decimal::from(unit))?, end + 1));
    }
    let unit = Decimal::from(words.number("duration", start)?);
    // "Через часа два": said the other way round.
    if !words.is("joining", "single", start)
        && let Some((amount, end)) = figure(words, start + 1)
        && words.number("duration", end).is_none()
        && amount > Decimal::ZERO
    {
        return Some((unit.checked_mul(amount)?, end));
    }
    Some((unit, start + 1))
}
