//! Records for so many seconds with every core busy, and says whether sound went missing.
//!
//! `cargo run --release --example soak -- 600`, while a 997 Hz tone is played into the microphone: a gap in it shows as a
//! jump of its phase. Two figures: samples that found no room in the ring, and jumps.

use calm_voice::{Capture, SAMPLE_RATE};
use std::error::Error;
use std::f32::consts::{PI, TAU};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const HERTZ: f32 = 997.0;
/// 20 ms.
const WINDOW: usize = SAMPLE_RATE / 50;

fn main() -> Result<(), Box<dyn Error>> {
    let seconds: u64 = std::env::args().nth(1).ok_or("how many seconds?")?.parse()?;
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
    println!("{} jumps in the tone", jumps(&samples));
    Ok(())
}

/// Windows whose phase is not where the window before leads to, while there is a tone.
fn jumps(samples: &[f32]) -> usize {
    let mut before: Option<f32> = None;
    let mut found = 0;
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
        if let (Some(before), Some(phase)) = (before, phase) {
            let turned = (phase - before + PI).rem_euclid(TAU) - PI;
            found += usize::from(turned.abs() > 0.2);
        }
        before = phase;
    }
    found
}
