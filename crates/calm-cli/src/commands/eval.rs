//! `calm eval`: runs scenarios, lints what was said, and says what did not hold.

use std::process::ExitCode;

use calm_app::backend::{self, GUIDE};
use calm_app::scenarios::{self, Labels, Ran, Scenario, Trying};
use serde_json::json;

use super::House;
use super::prompt::set_in;
use crate::args::EvalArgs;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(house: &House, args: &EvalArgs, out: &Output) -> Result<ExitCode, Failure> {
    let set = set_in(args.set.as_deref())?;
    let banned = house.existing()?.map(|mut it| it.banned_words()).transpose()?.unwrap_or_default();
    let list = match &args.scenarios {
        Some(path) => scenarios::read(path)?,
        None => scenarios::shipped().map_err(calm_app::AppError::from)?,
    };
    let lent = match args.backend.as_str() {
        GUIDE => None,
        name => {
            if !house.paths()?.has_database() {
                backend::stands_alone(name)?;
            }
            Some(house.quiet()?.lend(name, args.model.as_deref())?)
        }
    };
    let trying = Trying { set: &set, banned: &banned, backend: lent.as_ref(), stop: None };
    if args.compare_labels {
        return compare(&list, trying, out);
    }
    let (mut passed, mut checks) = (0, 0);
    for (id, scenario) in &list {
        let Ran { outcome, transcript, .. } = scenarios::run(id, scenario, trying)?;
        passed += usize::from(outcome.passed);
        checks += outcome.checks;
        if out.json() {
            out.event("scenario", &outcome);
            if args.transcripts {
                let turns: Vec<_> = transcript.iter().map(|(user, calm)| json!({"user": user, "calm": calm})).collect();
                out.event("transcript", &json!({"id": id, "turns": turns}));
            }
            continue;
        }
        let verdict = if outcome.passed { "passed" } else { "FAILED" };
        out.line(&format!("{verdict}  {:>3} checks  {id}", outcome.checks));
        outcome.failed.iter().for_each(|line| out.line(&format!("        {line}")));
        if args.transcripts {
            for (user, calm) in &transcript {
                user.iter().for_each(|user| out.line(&format!("        You   {user}")));
                out.line(&format!("        Calm  {calm}"));
            }
        }
    }
    let failed = list.len() - passed;
    if out.json() {
        out.event("eval_summary", &json!({"passed": passed, "failed": failed, "checks": checks}));
    } else {
        out.line(&format!("{passed} of {} scenarios passed, {checks} checks", list.len()));
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The same talks with the contour's labels and without.
fn compare(list: &[(String, Scenario)], trying: Trying<'_>, out: &Output) -> Result<ExitCode, Failure> {
    let mut sums = [Sum::default(); 2];
    let (mut replies, mut changed) = (0, 0);
    for (id, scenario) in list {
        let told = scenarios::run_with(id, scenario, trying, Labels::Told)?;
        let withheld = scenarios::run_with(id, scenario, trying, Labels::Withheld)?;
        let differ = told.transcript.iter().zip(&withheld.transcript).filter(|(a, b)| a != b).count()
            + told.transcript.len().abs_diff(withheld.transcript.len());
        replies += told.transcript.len();
        changed += differ;
        for (sum, ran) in sums.iter_mut().zip([&told, &withheld]) {
            sum.add(ran);
        }
        let failed = [told.outcome.failed.len(), withheld.outcome.failed.len()];
        if out.json() {
            let fields = json!({"id": id, "replies": told.transcript.len(), "changed": differ, "failed_with": failed[0],
                "failed_without": failed[1]});
            out.event("comparison", &fields);
        } else if differ > 0 || failed != [0, 0] {
            out.line(&format!("{differ:>2} of {:>2} replies differ  {id}", told.transcript.len()));
        }
    }
    let [with, without] = sums;
    if out.json() {
        let fields = json!({"scenarios": list.len(), "replies": replies, "changed": changed,
            "with": with.figures(), "without": without.figures()});
        out.event("comparison_summary", &fields);
    } else {
        out.line(&format!("{changed} of {replies} replies in {} talks are other words with labels", list.len()));
        for (name, sum) in [("with labels", with), ("without", without)] {
            out.line(&format!(
                "{name:<12} {} of {} checks failed, Sufler {:.2} (n {})",
                sum.failed,
                sum.checks,
                sum.mean(),
                sum.scored
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    checks: usize,
    failed: usize,
    scored: usize,
    points: u32,
}

impl Sum {
    fn add(&mut self, ran: &Ran) {
        self.checks += ran.outcome.checks;
        self.failed += ran.outcome.failed.len();
        self.scored += ran.scores.len();
        self.points += ran.scores.iter().map(|score| u32::from(*score)).sum::<u32>();
    }

    fn mean(self) -> f64 {
        f64::from(self.points) / self.scored.max(1) as f64
    }

    fn figures(self) -> serde_json::Value {
        json!({"checks": self.checks, "failed": self.failed, "sufler_mean": self.mean(), "n": self.scored})
    }
}
