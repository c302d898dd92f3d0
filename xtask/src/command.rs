//! Other programs: started, waited for, and named when they fail.

use anyhow::{Context, Result, anyhow, bail};
use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Runs to the end with our own standard output and error.
pub fn run(command: &mut Command) -> Result<()> {
    let name = name(command);
    let status = command.status().with_context(|| format!("{name} could not be started"))?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    Ok(())
}

/// Runs to the end with all output in `log`, for programs that say a thousand lines when all is well.
///
/// The error carries the end of what was said.
pub fn run_quietly(command: &mut Command, log: &Path) -> Result<()> {
    let cannot = || format!("{} cannot be written", log.display());
    let output = File::create(log).with_context(cannot)?;
    command.stdout(output.try_clone().with_context(cannot)?).stderr(output);
    run(command).map_err(|error| {
        let said = fs::read_to_string(log).unwrap_or_default();
        let skipped = said.lines().count().saturating_sub(LAST_LINES);
        let end: Vec<&str> = said.lines().skip(skipped).collect();
        if end.is_empty() { error } else { anyhow!("{error}; it said:\n{}", end.join("\n")) }
    })
}

const LAST_LINES: usize = 12;

/// What the program prints on standard output; its standard error is not shown.
///
/// `None` when it is not there or does not succeed.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// True when the process ends well in time; it is stopped when time is up.
pub fn within(patience: Duration, child: &mut Child) -> Result<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if start.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        sleep(Duration::from_millis(50));
    }
}

/// The cargo that started us.
///
/// Without the variables that `cargo run` set for xtask itself: some build scripts watch them, and
/// half the tree would be built again whenever cargo is called with and without us in turn.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (key, _) in env::vars_os() {
        let ours = key.to_str().is_some_and(|key| {
            key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_") || key.starts_with("CARGO_BIN_")
        });
        if ours {
            command.env_remove(key);
        }
    }
    command.current_dir(crate::place::root());
    command
}

/// The program and its first argument: enough to know what failed.
fn name(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
    match command.get_args().next() {
        Some(first) => format!("{program} {}", first.to_string_lossy()),
        None => program.to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn patience_ends() -> Result<()> {
        let sh = |script| Command::new("sh").args(["-c", script]).spawn();
        assert!(within(Duration::from_secs(10), &mut sh("exit 0")?)?);
        assert!(!within(Duration::from_secs(10), &mut sh("exit 3")?)?);
        assert!(!within(Duration::from_millis(100), &mut sh("exec sleep 30")?)?);
        Ok(())
    }

    #[test]
    fn a_quiet_failure_still_says_why() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let log = dir.path().join("packages.log");
        let mut sh = Command::new("sh");
        sh.args(["-c", "seq 1 500; echo 'E: Unable to locate package' >&2; exit 100"]);
        let error = format!("{:#}", run_quietly(&mut sh, &log).expect_err("exit 100"));
        assert!(error.contains("E: Unable to locate package"), "{error}");
        assert!(!error.contains("\n1\n"), "only the end of it");
        Ok(())
    }
}
