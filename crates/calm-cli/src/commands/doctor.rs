//! `calm doctor`: looks over the machine, changes nothing.

use std::process::ExitCode;

use calm_app::{doctor, paths};

use super::House;
use crate::failure::Failure;
use crate::output::Output;

/// Exit 1 when something is to be done.
pub fn run(house: &House, out: &Output) -> Result<ExitCode, Failure> {
    let checks = doctor::examine(&house.paths()?, paths::secrets());
    for check in &checks {
        if out.json() {
            out.object(check);
            continue;
        }
        out.line(&format!("{} {:<12} {}", if check.ok { "ok " } else { "no " }, check.name, check.detail));
        if !check.advice.is_empty() {
            out.line(&format!("{:17}→ {}", "", check.advice));
        }
    }
    let fine = checks.iter().all(|check| check.ok);
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
