//! The app as a user starts it: a process with arguments, windows on a display, and a log.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::desktop::{Display, stop};

/// Nothing here is timed; a test that waits longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(90);

/// A session bus of the test's own.
pub struct Bus {
    daemon: Child,
    address: String,
}

impl Bus {
    pub fn start() -> Bus {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon starts (Debian: dbus)");
        let mut address = String::new();
        let out = daemon.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut address).expect("an address");
        Bus { daemon, address: address.trim().to_owned() }
    }

    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        stop(&mut self.daemon);
    }
}

/// Where the app runs: a display, a bus or none, and a data folder.
pub struct Place<'a> {
    pub display: &'a Display,
    pub bus: Option<&'a Bus>,
    pub data: &'a Path,
}

impl Place<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calmtrader"));
        let nowhere = "unix:path=/nowhere/at/all".to_owned();
        command
            .args(arguments)
            .env("DISPLAY", self.display.name())
            .env("DBUS_SESSION_BUS_ADDRESS", self.bus.map_or(nowhere, |bus| bus.address.clone()))
            .env("GDK_BACKEND", "x11")
            .env("NO_AT_BRIDGE", "1")
            .env("CALM_DATA_DIR", self.data)
            .env("CALM_KEYCHAIN", "off")
            .env("CALM_LOG", "calmtrader=info")
            .env("LANG", "en_US.UTF-8")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WEBKIT_DISABLE_DMABUF_RENDERER");
        command
    }

    pub fn start(&self, arguments: &[&str]) -> App {
        let mut command = self.command(arguments);
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the app starts");
        let log = Arc::new(Mutex::new(Vec::new()));
        let (err, lines) = (process.stderr.take().expect("its log"), Arc::clone(&log));
        std::thread::spawn(move || {
            for line in BufReader::new(err).lines().map_while(Result::ok) {
                lines.lock().expect("the log").push(line);
            }
        });
        App { process, log, display: self.display.name().to_owned(), data: self.data.display().to_string() }
    }

    /// A start that is to end by itself.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the app starts")
    }
}

pub struct App {
    process: Child,
    log: Arc<Mutex<Vec<String>>>,
    display: String,
    data: String,
}

impl App {
    /// How many lines of the log hold these words.
    pub fn logged(&self, words: &str) -> usize {
        self.log.lock().expect("the log").iter().filter(|line| line.contains(words)).count()
    }

    /// Waits until the log has so many lines with these words.
    pub fn logs(&self, words: &str, times: usize) {
        self.wait_until(&format!("{times} × {words:?} in the log"), || self.logged(words) >= times);
    }

    /// Waits until a page has put its picture on the screen for the `times`th time.
    pub fn shows_a_page(&self, times: usize) {
        self.logs("the window shows its page", times);
    }

    pub fn wait_until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < PATIENCE, "waited in vain for {what}; the log: {:#?}", self.log.lock());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The windows that can be seen, as X numbers them.
    pub fn windows(&self) -> Vec<String> {
        self.xdotool(&["search", "--onlyvisible", "--name", "^CalmTrader$"]).lines().map(str::to_owned).collect()
    }

    pub fn xdotool(&self, arguments: &[&str]) -> String {
        let told = Command::new("xdotool").args(arguments).env("DISPLAY", &self.display).output();
        String::from_utf8_lossy(&told.expect("xdotool (Debian: xdotool)").stdout).trim().to_owned()
    }

    /// A picture of a window, as a file.
    pub fn picture(&self, window: &str, file: &Path) -> PathBuf {
        let mut import = Command::new("import");
        let taken = import.args(["-window", window]).arg(file).env("DISPLAY", &self.display).status();
        assert!(taken.expect("import (Debian: imagemagick)").success());
        file.to_owned()
    }

    /// The web processes of this data folder's app, whichever process of it started them.
    pub fn web_processes(&self) -> Vec<u32> {
        let of = format!("CALM_DATA_DIR={}", self.data);
        let all = std::fs::read_dir("/proc").expect("/proc").filter_map(|entry| {
            let path = entry.ok()?.path();
            let pid = path.file_name()?.to_str()?.parse().ok()?;
            let program = std::fs::read_link(path.join("exe")).ok()?;
            let environment = std::fs::read(path.join("environ")).ok()?;
            let ours = environment.split(|byte| *byte == 0).any(|one| one == of.as_bytes());
            (ours && program.ends_with("WebKitWebProcess")).then_some(pid)
        });
        all.collect()
    }

    pub fn send(&self, signal: &str, pid: u32) {
        Command::new("kill").args([signal, &pid.to_string()]).status().expect("kill");
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.process.try_wait().expect("its state")
    }
}

impl Drop for App {
    fn drop(&mut self) {
        stop(&mut self.process);
        // What a restart has left behind, by its data folder.
        let of = format!("CALM_DATA_DIR={}", self.data);
        for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if let Some(pid) = entry.file_name().to_str().and_then(|pid| pid.parse().ok())
                && environment.split(|byte| *byte == 0).any(|one| one == of.as_bytes())
            {
                self.send("-KILL", pid);
            }
        }
    }
}
