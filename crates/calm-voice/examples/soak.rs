//! Records a tone for so many seconds with every core busy, and says whether sound went missing.
//!
//! `cargo run --example soak -- 600` (Linux, with pulseaudio and its ALSA plugin). A sound server of its own plays the tone
//! into a virtual microphone; a second process captures it as the program does. Two figures: samples that found no room in
//! the ring, and jumps of the tone's phase, which is what any other gap would be.
#![allow(clippy::unwrap_used, reason = "the sound server is the tests' own")]

#[path = "../tests/common/sound_server.rs"]
mod sound_server;

use calm_voice::{Capture, SAMPLE_RATE};
use sound_server::{Running, SoundServer};
use std::error::Error;
use std::f32::consts::{PI, TAU};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const HERTZ: f32 = 997.0;
/// 20 ms.
const WINDOW: usize = SAMPLE_RATE / 50;
/// What the server plays at.
const PLAYED: u32 = 48_000;
/// So much longer than the recording the tone goes on.
const MORE: u64 = 30;
/// Set in the process that captures.
const CAPTURES: &str = "CALM_SOAK_CAPTURES";

fn main() -> Result<(), Box<dyn Error>> {
    let seconds: u64 = std::env::args().nth(1).ok_or("how many seconds?")?.parse()?;
    if std::env::var_os(CAPTURES).is_some() {
        return capture(seconds);
    }
    let server = SoundServer::start();
    let tone = server.path("tone.wav");
    write_tone(&tone, seconds + MORE)?;
    let _playing = Running(server.command("paplay").arg("--latency-msec=2000").arg(&tone).spawn()?);
    let mut capturing = server.command(std::env::current_exe()?);
    capturing.arg(seconds.to_string()).env(CAPTURES, "yes").stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let mut capturing = Running(capturing.spawn()?);
    if capturing.0.wait()?.success() { Ok(()) } else { Err("the capturing process failed".into()) }
}

fn write_tone(file: &Path, seconds: u64) -> Result<(), hound::Error> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: PLAYED,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut out = hound::WavWriter::create(file, spec)?;
    for n in 0..seconds * u64::from(PLAYED) {
        let turns = (f64::from(HERTZ) * n as f64 / f64::from(PLAYED)).fract() as f32;
        out.write_sample(((turns * TAU).sin() * 10_000.0) as i16)?;
    }
    out.finalize()
}

fn capture(seconds: u64) -> Result<(), Box<dyn Error>> {
    let mut capture = Capture::open(None)?;
    let over = Arc::new(AtomicBool::new(false));
    let busy: Vec<_> = (0..std::thread::available_parallelism()?.get())
        .map(|_| {
            let over = Arc::clone(&over);
            std::thread::spawn(move || while !over.load(Ordering::Relaxed) {})
        })
        .collect();

    let (began, mut samples) = (Instant::now(), Vec::new());
    while began.elapsed() < Duration::from_secs(seconds) {
        samples.extend(capture.read(Duration::from_millis(50))?);
        for notice in capture.notices() {
            println!("{:.0} s: {notice:?}", began.elapsed().as_secs_f32());
        }
    }
    let (elapsed, lost) = (began.elapsed().as_secs_f32(), capture.lost());
    over.store(true, Ordering::Relaxed);
    busy.into_iter().try_for_each(std::thread::JoinHandle::join).map_err(|_| "a busy thread failed")?;
    println!("{elapsed:.1} s, {:.1} s of sound, {lost} samples lost", samples.len() as f32 / SAMPLE_RATE as f32);
    let (heard, jumps) = jumps(&samples);
    println!("{jumps} jumps in {:.1} s of the tone", (heard * WINDOW) as f32 / SAMPLE_RATE as f32);
    Ok(())
}

/// Windows with the tone in them, and those of them whose phase is not where the window before leads to.
fn jumps(samples: &[f32]) -> (usize, usize) {
    let mut before: Option<f32> = None;
    let (mut heard, mut found) = (0, 0);
    for (i, window) in samples.chunks_exact(WINDOW).enumerate() {
        let (mut re, mut im) = (0.0, 0.0);
        for (n, sample) in window.iter().enumerate() {
            // Whole turns are taken off first: far into the recording an f32 has no room for them.
            let angle = TAU * ((f64::from(HERTZ) * (i * WINDOW + n) as f64 / SAMPLE_RATE as f64) % 1.0) as f32;
            re += sample * angle.cos();
            im += sample * angle.sin();
        }
        let tone = re.hypot(im) / WINDOW as f32;
        let phase = (tone > 0.02).then(|| im.atan2(re));
        heard += usize::from(phase.is_some());
        if let (Some(before), Some(phase)) = (before, phase) {
            let turned = (phase - before + PI).rem_euclid(TAU) - PI;
            found += usize::from(turned.abs() > 0.2);
        }
        before = phase;
    }
    (heard, found)
}
