//! Rows of the performance table that end at the eyes: the real window over twenty years of sessions. Prints one JSON
//! object a row; what each room took, and which process holds what, goes to stderr.
//!
//! Bounds are not here: `cargo xtask bench` holds them. Display, driver and memory are Linux's.

#[cfg(target_os = "linux")]
#[path = "../../tests/desktop/mod.rs"]
mod desktop;
#[cfg(target_os = "linux")]
#[path = "../../tests/driver/mod.rs"]
mod driver;
#[cfg(target_os = "linux")]
mod eyes;
#[cfg(target_os = "linux")]
mod measuring;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod tray_host;
#[cfg(target_os = "linux")]
#[path = "../../crates/calm-app/benches/rows/years.rs"]
mod years;

fn main() {
    #[cfg(target_os = "linux")]
    measuring::run();
}
