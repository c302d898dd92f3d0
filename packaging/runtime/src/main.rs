//! The front part of an AppImage of type 2: it makes the files behind it a folder and starts `AppRun` in there.
//!
//! It is ours because the usual one is to be had only as a binary of unknown making. What follows it in the file is a
//! SquashFS image, so every tool for AppImages can read it. The options are those of the AppImage documentation.

#[cfg(target_os = "linux")]
mod image;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod mount;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("AppImages are for Linux");
}
