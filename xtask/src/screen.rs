//! A desktop of the tests' own: display, session bus and runtime folder, gone when dropped.
//!
//! Windows then neither flash over the developer's screen nor find their keyring, and a machine
//! without any display tests the same as one with two.

use crate::command;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The processes run until this is dropped.
pub struct Screen {
    display: String,
    bus: String,
    runtime: TempDir,
    _running: [Running; 2],
}

impl Screen {
    /// Starts Xvfb on a free display and a session bus.
    ///
    /// # Errors
    /// When one of the programs is not there or does not come up.
    pub fn open() -> Result<Self> {
        let runtime = tempfile::Builder::new()
            .prefix("calm-screen-")
            .tempdir()
            .context("no temporary folder for the tests' display")?;
        let mut xvfb = Command::new("Xvfb");
        // The server takes a free number and prints it when it is ready: no race, no sleep.
        xvfb.args(["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"]);
        let (server, number) = start(&mut xvfb).context("Xvfb gave no display")?;
        let mut daemon = Command::new("dbus-daemon");
        daemon.args(["--session", "--nofork", "--nopidfile", "--print-address=1"]);
        daemon.env("XDG_RUNTIME_DIR", runtime.path());
        let (daemon, bus) = start(&mut daemon).context("dbus-daemon gave no session bus")?;
        Ok(Self { display: format!(":{number}"), bus, runtime, _running: [server, daemon] })
    }

    /// Makes `command` and all that it starts see this desktop and no other.
    pub fn show(&self, command: &mut Command) {
        command
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("XDG_RUNTIME_DIR", self.runtime.path())
            .env("GDK_BACKEND", "x11")
            // No screen reader listens here, and looking for one takes seconds.
            .env("NO_AT_BRIDGE", "1")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XAUTHORITY");
    }
}

/// Starts a server and reads the line with which it says that it is ready.
fn start(command: &mut Command) -> Result<(Running, String)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let out = child.stdout.take();
    let running = Running(child);
    let mut line = String::new();
    BufReader::new(out.context("its output is not to be had")?).read_line(&mut line)?;
    let line = line.trim().to_owned();
    if line.is_empty() {
        anyhow::bail!("it ended before it was ready");
    }
    Ok((running, line))
}

struct Running(Child);

/// How long a server may take to tidy up behind itself.
const FAREWELL: Duration = Duration::from_secs(2);

impl Drop for Running {
    /// Asks first: a server that is killed outright leaves its socket and lock behind.
    fn drop(&mut self) {
        let asked = command::answer(Command::new("kill").arg(self.0.id().to_string())).is_some();
        let patience = if asked { FAREWELL } else { Duration::ZERO };
        // Nothing is left to be done about a process that cannot be stopped either way.
        command::within(patience, &mut self.0).ok();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_desktop_of_its_own_comes_and_goes() -> Result<()> {
        let screen = Screen::open()?;
        let socket = format!("/tmp/.X11-unix/X{}", screen.display.trim_start_matches(':'));
        UnixStream::connect(&socket).context("no display answers")?;
        let mut names = Command::new("dbus-send");
        names.args([
            "--session",
            "--print-reply",
            "--dest=org.freedesktop.DBus",
            "/",
            "org.freedesktop.DBus.ListNames",
        ]);
        screen.show(&mut names);
        assert!(command::answer(&mut names).is_some(), "no session bus answers");

        drop(screen);
        assert!(UnixStream::connect(&socket).is_err(), "the display is still there");
        assert!(command::answer(&mut names).is_none(), "the bus is still there");
        Ok(())
    }

    #[test]
    fn a_server_that_dies_at_once_is_an_error() {
        let error = start(&mut Command::new("true")).err().expect("no address");
        assert!(error.to_string().contains("before it was ready"), "{error}");
        assert!(start(&mut Command::new("/nowhere/Xvfb")).is_err());
    }

    #[test]
    fn a_server_is_stopped_when_its_owner_goes() -> Result<()> {
        let mut script = Command::new("sh");
        let (running, pid) = start(script.args(["-c", "echo $$; exec sleep 60"]))?;
        let alive = || command::answer(Command::new("kill").args(["-0", &pid])).is_some();
        assert!(alive());
        drop(running);
        assert!(!alive());
        Ok(())
    }
}
