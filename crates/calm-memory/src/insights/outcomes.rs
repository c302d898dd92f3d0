//! How each day or session ended: what the user said, and where nobody said it, what the trades came to.

use std::collections::BTreeMap;

use calm_core::context::SessionResult;
use calm_core::end_session::Attributes;
use calm_core::session::Kind;
use jiff::civil::Date;

use super::TradeDay;
use crate::patterns::moments::Moment;

pub struct Outcome<'a> {
    pub result: SessionResult,
    pub of_trades: bool,
    pub before: Option<&'a Attributes>,
    pub after: Option<&'a Attributes>,
}

/// In the order of time. A day's trades count once, and only where no check-out of that day names a result.
pub fn outcomes<'a>(moments: &[Moment<'a>], days: &[TradeDay]) -> Vec<Outcome<'a>> {
    let traded: BTreeMap<Date, SessionResult> = days.iter().map(|day| (day.day, day.result)).collect();
    let mut of_days: BTreeMap<Date, Vec<&Moment<'a>>> = days.iter().map(|day| (day.day, Vec::new())).collect();
    for moment in moments {
        of_days.entry(moment.day).or_default().push(moment);
    }
    let mut outcomes = Vec::new();
    for (day, moments) in of_days {
        let mut check_outs = moments.iter().filter(|moment| moment.kind == Kind::CheckOut);
        let said = check_outs.clone().filter_map(|moment| {
            let after = moment.after?.1;
            Some(outcome(after.session_result?, false, moment.before, Some(after)))
        });
        let before = outcomes.len();
        outcomes.extend(said);
        if outcomes.len() > before {
            continue;
        }
        let Some(result) = traded.get(&day) else { continue };
        let last = check_outs.next_back().or(moments.last());
        let (said_before, said_after) = last.map_or((None, None), |moment| (moment.before, moment.after));
        outcomes.push(outcome(*result, true, said_before, said_after.map(|(_, after)| after)));
    }
    outcomes
}

fn outcome<'a>(
    result: SessionResult,
    of_trades: bool,
    before: Option<(i64, &'a Attributes)>,
    after: Option<&'a Attributes>,
) -> Outcome<'a> {
    Outcome { result, of_trades, before: before.map(|(_, before)| before), after }
}
