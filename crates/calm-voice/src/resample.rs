//! Any sample rate to 16 kHz, in a stream.
//!
//! The same resampler serves files and the microphone. It holds a few thousand samples at a time, and takes its own
//! delay off the front, so that a word stands in the output at the second where it stood in the input.

use crate::SAMPLE_RATE;
use audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Indexing, Resampler as _, WindowFunction};

/// Sample rates that are taken, in hertz.
pub const RATES: std::ops::RangeInclusive<u32> = 4_000..=384_000;

/// Frames handed to the filter at once: long enough for a steep filter, short enough to stay live.
const CHUNK: usize = 1024;

#[derive(Debug, thiserror::Error)]
pub enum ResampleError {
    #[error("a sample rate of {0} Hz is outside 4–384 kHz")]
    Rate(u32),
    #[error("the resampler refused its input")]
    Filter,
}

/// Turns mono samples of one rate into mono samples at 16 kHz.
pub struct Resampler {
    rate: u32,
    /// `None` when the input is at 16 kHz already.
    filter: Option<Box<Fft<f32>>>,
    waiting: Vec<f32>,
    chunk: Vec<f32>,
    delay_left: usize,
    taken: u64,
    given: u64,
}

impl Resampler {
    /// # Errors
    /// A rate outside [`RATES`].
    pub fn new(rate: u32) -> Result<Self, ResampleError> {
        if !RATES.contains(&rate) {
            return Err(ResampleError::Rate(rate));
        }
        let filter = if rate as usize == SAMPLE_RATE {
            None
        } else {
            let (from, chunk, window) = (rate as usize, even_chunk(rate as usize), WindowFunction::BlackmanHarris2);
            let filter = Fft::new_custom(from, SAMPLE_RATE, chunk, 1, 1, window, FixedSync::Input)
                .map_err(|_| ResampleError::Rate(rate))?;
            Some(Box::new(filter))
        };
        let delay_left = filter.as_ref().map_or(0, |f| f.output_delay());
        let room = filter.as_ref().map_or(0, |f| f.output_frames_max());
        Ok(Self {
            rate,
            filter,
            waiting: Vec::with_capacity(2 * CHUNK),
            chunk: vec![0.0; room],
            delay_left,
            taken: 0,
            given: 0,
        })
    }

    /// Takes the next samples and appends what is ready to `out`.
    ///
    /// # Errors
    /// Only if the filter itself fails, which no input is known to cause.
    pub fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) -> Result<(), ResampleError> {
        self.taken += samples.len() as u64;
        if self.filter.is_none() {
            self.given += samples.len() as u64;
            out.extend_from_slice(samples);
            return Ok(());
        }
        self.waiting.extend_from_slice(samples);
        self.drain(out)
    }

    /// Gives out what the filter still holds. The output is then as long as the input was, to the sample.
    ///
    /// # Errors
    /// As [`Resampler::push`].
    pub fn finish(mut self, out: &mut Vec<f32>) -> Result<(), ResampleError> {
        let due = (self.taken * SAMPLE_RATE as u64).div_ceil(u64::from(self.rate));
        while self.given < due {
            let Some(filter) = &self.filter else { break };
            let silence = filter.input_frames_next();
            self.waiting.resize(self.waiting.len() + silence, 0.0);
            self.drain(out)?;
        }
        let excess = (self.given - due.min(self.given)) as usize;
        out.truncate(out.len().saturating_sub(excess));
        Ok(())
    }

    fn drain(&mut self, out: &mut Vec<f32>) -> Result<(), ResampleError> {
        let Some(filter) = &mut self.filter else {
            return Ok(());
        };
        let mut used = 0;
        loop {
            let need = filter.input_frames_next();
            if self.waiting.len() - used < need {
                break;
            }
            let room = self.chunk.len();
            let input =
                InterleavedSlice::new(&self.waiting[used..used + need], 1, need).map_err(|_| ResampleError::Filter)?;
            let mut output = InterleavedSlice::new_mut(&mut self.chunk, 1, room).map_err(|_| ResampleError::Filter)?;
            let (_, made) = filter
                .process_into_buffer(&input, &mut output, Some(&Indexing::new()))
                .map_err(|_| ResampleError::Filter)?;
            used += need;
            let skip = self.delay_left.min(made);
            self.delay_left -= skip;
            self.given += (made - skip) as u64;
            out.extend_from_slice(&self.chunk[skip..made]);
        }
        self.waiting.drain(..used);
        Ok(())
    }
}

/// At least [`CHUNK`] frames, and an even number of the shortest stretch that is whole in both rates: the filter is
/// as long as the chunk, and an odd one would put the sound half a sample beside its place.
fn even_chunk(rate: usize) -> usize {
    let (mut divisor, mut rest) = (rate, SAMPLE_RATE);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let stretch = 2 * rate / divisor;
    CHUNK.next_multiple_of(stretch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn resample(rate: u32, samples: &[f32], piece: usize) -> Vec<f32> {
        let mut out = Vec::new();
        let mut resampler = Resampler::new(rate).expect("rate in range");
        for part in samples.chunks(piece.max(1)) {
            resampler.push(part, &mut out).expect("push");
        }
        resampler.finish(&mut out).expect("finish");
        out
    }

    fn tone(rate: u32, hertz: f32, seconds: f32) -> Vec<f32> {
        (0..(rate as f32 * seconds) as usize)
            .map(|n| 0.5 * (std::f32::consts::TAU * hertz * n as f32 / rate as f32).sin())
            .collect()
    }

    fn rms(samples: &[f32]) -> f32 {
        (samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32).sqrt()
    }

    #[rstest]
    fn a_tone_keeps_its_place_pitch_and_loudness(
        #[values(8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000)] rate: u32,
    ) {
        let out = resample(rate, &tone(rate, 440.0, 1.0), 700);
        let expected = tone(16_000, 440.0, 1.0);
        assert_eq!(out.len(), expected.len());
        // The first and last 50 ms hold the filter's ringing at the cut.
        let inner = 800..15_200;
        let off: Vec<f32> = inner.clone().map(|i| out[i] - expected[i]).collect();
        assert!(rms(&off) < 0.005, "error {} at {rate} Hz", rms(&off));
    }

    #[test]
    fn what_16_khz_cannot_hold_is_filtered_not_folded_back() {
        let out = resample(48_000, &tone(48_000, 11_000.0, 1.0), 4_096);
        assert!(rms(&out[800..15_200]) < 0.001);
    }

    #[rstest]
    #[case(0)]
    #[case(3_999)]
    #[case(u32::MAX)]
    fn a_rate_no_recorder_has_is_refused(#[case] rate: u32) {
        assert!(matches!(Resampler::new(rate), Err(ResampleError::Rate(r)) if r == rate));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_cut_into_pieces_does_not_show(
            rate in prop::sample::select(vec![8_000u32, 16_000, 22_050, 44_100, 48_000]),
            samples in prop::collection::vec(-1.0f32..1.0, 0..6_000),
            piece in 1usize..3_000,
        ) {
            let whole = resample(rate, &samples, samples.len());
            prop_assert_eq!(&whole, &resample(rate, &samples, piece));
            prop_assert_eq!(whole.len() as u64, (samples.len() as u64 * 16_000).div_ceil(u64::from(rate)));
            prop_assert!(whole.iter().all(|s| s.is_finite()));
        }
    }
}
