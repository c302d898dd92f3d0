//! A display for tests that open real windows.

use std::process::{Child, Command, Stdio};

/// A display of the test's own, so that the tests do not meet.
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    pub fn start() -> Display {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
            .stdout(writer)
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts (Debian: xvfb)");
        let mut name = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(reader), &mut name).expect("a display number");
        Display { server, name: format!(":{}", name.trim()) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        stop(&mut self.server);
    }
}

pub fn stop(process: &mut Child) {
    process.kill().ok();
    process.wait().ok();
}
