//! What the developer reads while xtask works: headlines, notes, one line for an error.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// Opens a part of the work.
pub fn headline(text: &str) {
    if stderr().is_terminal() {
        eprintln!("\x1b[1m==> {text}\x1b[0m");
    } else {
        eprintln!("==> {text}");
    }
}

/// One line under a headline.
pub fn note(text: &str) {
    eprintln!("    {text}");
}

/// The last line of a run that did not work out: the whole chain of causes.
pub fn failed(error: &anyhow::Error) {
    eprintln!("xtask: {error:#}");
}

/// `0.4 s`, `38 s`, `2 min 05 s`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;
    use std::time::Duration;

    #[test]
    fn durations_read_like_a_watch() {
        assert_eq!(duration(Duration::from_millis(440)), "0.4 s");
        assert_eq!(duration(Duration::from_millis(59_900)), "59 s");
        assert_eq!(duration(Duration::from_secs(125)), "2 min 05 s");
    }
}
