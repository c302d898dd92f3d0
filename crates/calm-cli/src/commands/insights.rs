//! `calm insights`: what the user's own figures say, each with what it rests on.

use std::process::ExitCode;

use serde_json::json;

use super::House;
use crate::bilingual::say;
use crate::columns::{WIDTH, beside};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, out: &Output) -> Result<ExitCode, Failure> {
    let Some(conductor) = house.existing()? else {
        if !out.json() {
            out.line(&say!(
                house.lang(),
                "смотреть пока не на что: выводы появятся с первыми разговорами",
                "nothing to look at yet: insights come with the first sessions"
            ));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let all = conductor.insights()?;
    if out.json() {
        all.insights.iter().for_each(|insight| out.event("insight", insight));
        all.patterns.iter().for_each(|pattern| out.event("pattern", pattern));
        let summary = json!({"streak": all.streak, "results_said": all.results_said,
            "results_of_trades": all.results_of_trades, "currency": all.currency});
        out.event("insights_summary", &summary);
        return Ok(ExitCode::SUCCESS);
    }
    let told = all.insights.iter().filter(|insight| insight.missing == 0);
    let waiting = all.insights.iter().filter(|insight| insight.missing > 0);
    let print = |mark: &str, sentence: &str| out.lines(&beside(mark, 3, WIDTH, sentence));
    told.for_each(|insight| print("·", &insight.sentence));
    all.patterns.iter().for_each(|pattern| print("·", &pattern.sentence));
    waiting.for_each(|insight| print("…", &insight.sentence));
    if all.results_of_trades > 0 {
        let (said, traded) = (all.results_said, all.results_of_trades);
        out.line(&say!(
            house.lang(),
            "Итогов дня с твоих слов: {said}, только из сделок: {traded}.",
            "Results: {said} from your words, {traded} from trades."
        ));
    }
    Ok(ExitCode::SUCCESS)
}
