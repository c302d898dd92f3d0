//! What a start asks for: by the user, by a shortcut of the desktop, or at login.

use calm_app::Kind;

/// One line for each thing that can be asked for.
pub const USAGE: &str = "calmtrader [--check-in | --check-out | --open | --hidden]";

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Asked {
    /// The main window.
    #[default]
    Open,
    /// The quick window, with a short session of that kind.
    Talk(Kind),
    /// Only the tray icon; where no tray shows it, the main window.
    Hidden,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misasked {
    #[error("unknown argument {0:?}: {USAGE}")]
    Unknown(String),
    #[error("only one of the arguments can be given: {USAGE}")]
    Several,
}

impl Asked {
    /// Of the arguments after the program's name; none is `--open`.
    ///
    /// # Errors
    /// An argument that is not known, or more than one.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Asked, Misasked> {
        let mut asked = None;
        for argument in arguments {
            let one = match argument.as_str() {
                "--check-in" => Asked::Talk(Kind::CheckIn),
                "--check-out" => Asked::Talk(Kind::CheckOut),
                "--open" => Asked::Open,
                "--hidden" => Asked::Hidden,
                _ => return Err(Misasked::Unknown(argument)),
            };
            if asked.replace(one).is_some() {
                return Err(Misasked::Several);
            }
        }
        Ok(asked.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Asked, Misasked> {
        Asked::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn each_argument_asks_for_one_thing_and_none_opens_the_window() {
        assert_eq!(read(""), Ok(Asked::Open));
        assert_eq!(read("--open"), Ok(Asked::Open));
        assert_eq!(read("--check-in"), Ok(Asked::Talk(Kind::CheckIn)));
        assert_eq!(read("--check-out"), Ok(Asked::Talk(Kind::CheckOut)));
        assert_eq!(read("--hidden"), Ok(Asked::Hidden));
    }

    #[test]
    fn what_is_not_known_or_too_much_is_refused_in_one_line() {
        for line in ["--minimised", "check-in", "--check-in --hidden", "--open --open"] {
            let refusal = read(line).expect_err(line).to_string();
            assert!(refusal.contains(USAGE) && !refusal.contains('\n'), "{refusal}");
        }
        assert!(read("--minimised").expect_err("unknown").to_string().contains("\"--minimised\""));
    }
}
