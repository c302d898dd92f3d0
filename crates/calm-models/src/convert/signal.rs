//! The two fixed tables of Whisper's front end: its mel filters and its windowed Fourier basis.
//!
//! Sines and logarithms come from `libm`, not from the platform: the files made of them are checked against one
//! SHA-256 everywhere.

use std::f64::consts::TAU;

use libm::{cos, exp, log, sin};

/// Samples in a second.
const RATE: f64 = 16_000.0;
/// Samples in a window of the short-time Fourier transform.
pub const WINDOW: usize = 400;
/// Frequencies of that transform, 0 to 8 kHz.
pub const BINS: usize = WINDOW / 2 + 1;

/// Slaney's mel scale is linear up to here and logarithmic above.
const BREAK_HZ: f64 = 1_000.0;
const HZ_PER_MEL: f64 = 200.0 / 3.0;
const BREAK_MEL: f64 = BREAK_HZ / HZ_PER_MEL;

fn log_step() -> f64 {
    log(6.4) / 27.0
}

fn to_hz(mel: f64) -> f64 {
    if mel >= BREAK_MEL { BREAK_HZ * exp(log_step() * (mel - BREAK_MEL)) } else { HZ_PER_MEL * mel }
}

/// Triangular filters of equal area, `bands` rows of [`BINS`] columns.
pub fn mel_filters(bands: usize) -> Vec<f32> {
    let top = BREAK_MEL + log(RATE / 2.0 / BREAK_HZ) / log_step();
    let step = top / (bands + 1) as f64;
    let edges: Vec<f64> = (0..bands + 2).map(|i| to_hz(if i == bands + 1 { top } else { i as f64 * step })).collect();
    let hz_per_bin = RATE / WINDOW as f64;
    edges
        .windows(3)
        .flat_map(|edge| {
            let (low, middle, high) = (edge[0], edge[1], edge[2]);
            (0..BINS).map(move |bin| {
                let hz = bin as f64 * hz_per_bin;
                let rise = (hz - low) / (middle - low);
                let fall = (high - hz) / (high - middle);
                (rise.min(fall).max(0.0) * (2.0 / (high - low))) as f32
            })
        })
        .collect()
}

/// Cosine rows, then negative sine rows, under a Hann window: a convolution with it is the Fourier transform.
pub fn fourier_basis() -> Vec<f32> {
    let hann = |n: usize| 0.5 - 0.5 * cos(TAU * n as f64 / WINDOW as f64);
    let angle = |k: usize, n: usize| TAU * ((k * n) % WINDOW) as f64 / WINDOW as f64;
    let part = |of: fn(f64) -> f64, sign: f64| {
        (0..BINS).flat_map(move |k| (0..WINDOW).map(move |n| (sign * of(angle(k, n)) * hann(n)) as f32))
    };
    part(cos, 1.0).chain(part(sin, -1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_lands_in_its_own_bin_and_band() {
        let basis = fourier_basis();
        let tone: Vec<f32> = (0..WINDOW).map(|n| (TAU * 1_000.0 * n as f64 / RATE).sin() as f32).collect();
        let power: Vec<f32> = (0..BINS)
            .map(|k| {
                let dot = |row: usize| -> f32 { (0..WINDOW).map(|n| basis[row * WINDOW + n] * tone[n]).sum() };
                dot(k).powi(2) + dot(BINS + k).powi(2)
            })
            .collect();
        let loudest = |values: &[f32]| values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i);
        assert_eq!(loudest(&power), Some(25), "1 kHz is bin 25 of 40 Hz");

        let filters = mel_filters(80);
        let mel: Vec<f32> = filters.chunks(BINS).map(|f| f.iter().zip(&power).map(|(a, b)| a * b).sum()).collect();
        let band = loudest(&mel).expect("a band");
        let centre = loudest(&filters[band * BINS..(band + 1) * BINS]).expect("a bin");
        assert!((24..=26).contains(&centre), "the loudest band is centred at bin {centre}");
    }
}
