//! A desktop that shows tray icons: a session bus with somebody who says so. The icon itself is drawn by nobody.

use std::process::{Child, Command, Stdio};

use crate::desktop::stop;

const NAME: &str = "org.kde.StatusNotifierWatcher";

pub struct TrayHost {
    bus: Child,
    address: String,
    _watcher: zbus::blocking::Connection,
}

struct Watcher;

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    fn register_status_notifier_item(&self, _service: &str) {}
}

impl TrayHost {
    pub fn start() -> TrayHost {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let bus = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
            .stdout(writer)
            .stderr(Stdio::null())
            .spawn()
            .expect("a session bus starts (Debian: dbus-daemon)");
        let mut address = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(reader), &mut address).expect("its address");
        let address = address.trim().to_owned();
        let watcher = zbus::blocking::connection::Builder::address(address.as_str())
            .and_then(|it| it.name(NAME))
            .and_then(|it| it.serve_at("/StatusNotifierWatcher", Watcher))
            .and_then(|it| it.build())
            .expect("somebody who shows icons");
        TrayHost { bus, address, _watcher: watcher }
    }

    /// Makes the command find this desktop.
    pub fn show(&self, command: &mut Command) {
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.address);
    }
}

impl Drop for TrayHost {
    fn drop(&mut self) {
        stop(&mut self.bus);
    }
}
