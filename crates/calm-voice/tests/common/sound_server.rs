//! A sound server of our own, whose microphone is what is played to it.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that does not outlive the test, however the test ends.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// PulseAudio in a folder of its own, with one device.
pub struct SoundServer {
    // Before the folder, so that it has ended when the folder is removed.
    process: Running,
    folder: tempfile::TempDir,
}

const MODULE: &str = "module-null-sink";

impl SoundServer {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let alsa = "</usr/share/alsa/alsa.conf>\npcm.!default { type pulse }\nctl.!default { type pulse }\n";
        fs::write(home.join("alsa.conf"), alsa).unwrap();
        let process = Running(spawn(home));
        let mut server = Self { process, folder };
        let mut started = Instant::now();
        let deadline = started + Duration::from_secs(60);
        while !server.choose() {
            assert!(Instant::now() < deadline, "pulseaudio does not answer; is `pulseaudio-utils` installed?");
            // On a busy machine it sometimes gives up at its start, or never gets there.
            if server.process.0.try_wait().unwrap().is_some() || started.elapsed() > Duration::from_secs(15) {
                server.process = Running(spawn(server.folder.path()));
                started = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    /// A file in the server's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program that hears and plays through this server.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        command_in(self.folder.path(), program)
    }

    /// Points another program at this server.
    pub fn lend(&self, command: &mut Command) {
        lend(self.folder.path(), command);
    }

    /// Plays a WAV file to its end.
    pub fn play(&self, file: &Path) {
        assert!(self.command("paplay").arg(file).status().unwrap().success());
    }

    /// Takes the device away, in the middle of whatever it is doing.
    pub fn unplug(&self) {
        assert!(self.command("pactl").args(["unload-module", MODULE]).status().unwrap().success());
    }

    /// Brings a device of the same name back.
    pub fn plug(&self, rate: u32, channels: u32) {
        let shape = [format!("rate={rate}"), format!("channels={channels}")];
        let plugged = self.command("pactl").args(["load-module", MODULE, "sink_name=virtmic"]).args(shape).status();
        assert!(plugged.unwrap().success());
        assert!(self.choose());
    }

    /// Mutes what is recorded: zeros arrive from then on.
    pub fn mute(&self) {
        assert!(self.command("pactl").args(["set-source-mute", "virtmic.monitor", "1"]).status().unwrap().success());
    }

    fn choose(&self) -> bool {
        let chosen = self.command("pactl").args(["set-default-source", "virtmic.monitor"]).status();
        chosen.is_ok_and(|status| status.success())
    }
}

fn spawn(home: &Path) -> Child {
    command_in(home, "pulseaudio")
        .args(["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"])
        .args(["--realtime=no", "--high-priority=no", "-L"])
        .arg(format!("module-native-protocol-unix socket={}/pulse.sock auth-anonymous=1", home.display()))
        .args(["-L", &format!("{MODULE} sink_name=virtmic rate=48000 channels=2")])
        .spawn()
        .expect("the package `pulseaudio` is installed (cargo xtask setup)")
}

/// A program whose home, and with it its sound, is this folder.
pub fn command_in(home: &Path, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    lend(home, &mut command);
    command.env("HOME", home).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn lend(home: &Path, command: &mut Command) {
    command
        .env("XDG_RUNTIME_DIR", home)
        .env("PULSE_RUNTIME_PATH", home.join("pulse"))
        .env("PULSE_SERVER", format!("unix:{}/pulse.sock", home.display()))
        .env("ALSA_CONFIG_PATH", home.join("alsa.conf"));
}
