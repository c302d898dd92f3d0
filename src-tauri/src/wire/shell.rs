//! How the desktop lets Calm be reached: shortcut, tray, start at login.

use serde::Serialize;
use specta::Type;

#[derive(Debug, Clone, Serialize, Type)]
pub struct ShellSheet {
    /// Empty for none.
    pub shortcut: String,
    /// The desktop hands shortcuts to programs; Wayland does not.
    pub shortcut_possible: bool,
    /// Nobody else has it.
    pub shortcut_works: bool,
    /// What the desktop's own settings can call instead.
    pub command: String,
    pub at_login: bool,
    /// Somebody shows the icon.
    pub tray: bool,
}
