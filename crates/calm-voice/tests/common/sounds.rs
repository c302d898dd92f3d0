//! Sounds that are no speech, made from a seed: 16 kHz mono.

use calm_voice::SAMPLE_RATE;
use std::f32::consts::TAU;

pub const KINDS: [&str; 12] = [
    "silence",
    "hiss",
    "white",
    "pink",
    "brown",
    "hum",
    "tones",
    "chords",
    "melody",
    "clicks",
    "coughs",
    "fan and keys",
];

/// `seconds` of the sound with this name.
pub fn sound(kind: &str, seconds: usize, seed: u64) -> Vec<f32> {
    let mut chance = Chance(seed);
    let length = seconds * SAMPLE_RATE;
    match kind {
        "silence" => vec![0.0; length],
        "hiss" => noise(&mut chance, length, 0.0, 0.0015),
        "white" => noise(&mut chance, length, 0.0, 0.08),
        "pink" => pink(&mut chance, length, 0.12),
        "brown" => noise(&mut chance, length, 0.998, 0.25),
        "hum" => mix(&tone(length, &[50.0, 100.0, 150.0, 250.0], 0.15), &noise(&mut chance, length, 0.0, 0.003)),
        "tones" => (0..length).map(|n| 0.3 * (TAU * sweep(n) * n as f32 / SAMPLE_RATE as f32).sin()).collect(),
        "chords" => music(&mut chance, length, 3, 1.2),
        "melody" => music(&mut chance, length, 1, 0.3),
        "clicks" => bursts(&mut chance, length, 0.14, 0.012, 0.5),
        "coughs" => bursts(&mut chance, length, 1.6, 0.22, 0.6),
        "fan and keys" => mix(&noise(&mut chance, length, 0.97, 0.08), &bursts(&mut chance, length, 0.18, 0.01, 0.4)),
        other => panic!("no sound is called {other}"),
    }
}

/// A tone that steps through an octave and a half.
fn sweep(n: usize) -> f32 {
    220.0 * 2.0_f32.powf(((n / 8_000) % 18) as f32 / 12.0)
}

/// Noise through a one-pole low-pass, at about this loudness.
fn noise(chance: &mut Chance, length: usize, pole: f32, rms: f32) -> Vec<f32> {
    let mut last = 0.0;
    let samples = (0..length).map(|_| {
        last = pole * last + (1.0 - pole) * chance.wave();
        last
    });
    levelled(samples.collect(), rms)
}

/// The sum of noises that hold their value for 1, 2, 4 … samples (Voss).
fn pink(chance: &mut Chance, length: usize, rms: f32) -> Vec<f32> {
    let mut rows = [0.0; 12];
    let samples = (0..length).map(|n| {
        let row = (n.trailing_zeros() as usize).min(rows.len() - 1);
        rows[row] = chance.wave();
        rows.iter().sum::<f32>()
    });
    levelled(samples.collect(), rms)
}

fn tone(length: usize, hertz: &[f32], gain: f32) -> Vec<f32> {
    (0..length)
        .map(|n| gain * hertz.iter().map(|f| (TAU * f * n as f32 / SAMPLE_RATE as f32).sin()).sum::<f32>())
        .map(|s| s / hertz.len() as f32)
        .collect()
}

/// Plucked notes with five harmonics, `voices` at a time, every `every` seconds.
fn music(chance: &mut Chance, length: usize, voices: usize, every: f32) -> Vec<f32> {
    let mut samples = vec![0.0; length];
    let step = (every * SAMPLE_RATE as f32) as usize;
    for start in (0..length).step_by(step) {
        for _ in 0..voices {
            let note = 130.8 * 2.0_f32.powf(chance.below(25) as f32 / 12.0);
            for (n, sample) in samples[start..].iter_mut().take(2 * step).enumerate() {
                let t = n as f32 / SAMPLE_RATE as f32;
                let wave = (1..=5).map(|h| (TAU * note * h as f32 * t).sin() / h as f32).sum::<f32>();
                *sample += 0.15 * wave * (-2.5 * t).exp() * (t * 200.0).min(1.0);
            }
        }
    }
    samples
}

/// Short bursts of noise that die away, about `every` seconds: keys if they are short, coughs if they are long.
fn bursts(chance: &mut Chance, length: usize, every: f32, lasting: f32, gain: f32) -> Vec<f32> {
    let mut samples = vec![0.0; length];
    let mut at = 0;
    while at < length {
        let mut last = 0.0;
        let loud = gain * (0.5 + 0.5 * chance.wave().abs());
        let lasts = (4.0 * lasting * SAMPLE_RATE as f32) as usize;
        for (n, sample) in samples[at..].iter_mut().take(lasts).enumerate() {
            last = 0.6 * last + 0.4 * chance.wave();
            *sample += loud * last * (-(n as f32) / (lasting * SAMPLE_RATE as f32)).exp();
        }
        at += (every * (0.4 + 1.2 * chance.wave().abs()) * SAMPLE_RATE as f32) as usize;
    }
    samples
}

fn mix(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn levelled(mut samples: Vec<f32>, rms: f32) -> Vec<f32> {
    let now = (samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32).sqrt().max(1e-9);
    samples.iter_mut().for_each(|s| *s = (*s * rms / now).clamp(-1.0, 1.0));
    samples
}

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// −1 to 1.
    fn wave(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }
}
