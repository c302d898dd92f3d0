//! The microphone: whatever the device delivers, as a stream of 16 kHz mono.
//!
//! ```text
//! audio thread ─ callback ─ ring ─ Microphone (one device) ─ Capture (comes back after a fault) ─ samples
//! ```
//!
//! Resampling happens on the reader's thread. What is recorded is the caller's to keep or forget.

mod callback;
mod capture;
mod device;
mod error;
mod watch;

pub use capture::{Capture, Notice};
pub use device::{Device, devices, is_connected};
pub use error::MicError;

use crate::resample::Resampler;
use callback::{Gauge, build};
use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{BufferSize, ErrorKind, SupportedBufferSize};
use rtrb::{Consumer, RingBuffer};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// With fewer frames in a buffer, samples go missing when the machine is busy.
const BUFFER_FRAMES: u32 = 4_800;
/// How long the reader may stay away before samples are lost.
const RING_SECONDS: usize = 10;
/// A device that has called back and then stays silent for this long is gone, whatever it says. Only the time counts
/// in which the reader was awake itself: on a machine that is too busy for either, the device is not to blame.
const STALLED: Duration = Duration::from_secs(3);
/// The first callback may take longer: a headset has to change its profile first.
const SLOW_START: Duration = Duration::from_secs(8);
const POLL: Duration = Duration::from_millis(5);
/// The most that counts between two looks.
const AWAKE: Duration = Duration::from_millis(100);

/// An open microphone. It records from the moment it is opened until it is stopped or dropped.
pub struct Microphone {
    stream: cpal::Stream,
    ring: Consumer<f32>,
    gauge: Arc<Gauge>,
    resampler: Resampler,
    callbacks_seen: u64,
    last_look: Instant,
    silent: Duration,
    lost_told: u64,
}

impl Microphone {
    /// Opens the device with this [`Device::id`], or the system's choice.
    ///
    /// # Errors
    /// There is no such device, it is taken, or the system forbids it.
    pub fn open(device: Option<&str>) -> Result<Self, MicError> {
        let device = device::find(device)?;
        // Without a device some systems name a default all the same, and fail here.
        let supported = device.default_input_config().map_err(|error| match MicError::from(error) {
            MicError::System(_) | MicError::Unsupported => MicError::NoDevice,
            other => other,
        })?;
        let resampler = Resampler::new(supported.sample_rate()).map_err(|_| MicError::Unsupported)?;
        let mut config = supported.config();
        if let SupportedBufferSize::Range { min, max } = *supported.buffer_size()
            && max >= BUFFER_FRAMES
        {
            config.buffer_size = BufferSize::Fixed(BUFFER_FRAMES.max(min));
        }

        let gauge = Arc::new(Gauge::default());
        let attempt = |config: cpal::StreamConfig| {
            let (producer, ring) = RingBuffer::new(RING_SECONDS * supported.sample_rate() as usize);
            build(&device, config, supported.sample_format(), producer, &gauge).map(|stream| (stream, ring))
        };
        let (stream, ring) = match attempt(config) {
            // Some drivers promise a buffer size that they then refuse.
            Err(MicError::Unsupported) => attempt(supported.config())?,
            other => other?,
        };
        stream.play()?;
        Ok(Self {
            stream,
            ring,
            gauge,
            resampler,
            callbacks_seen: 0,
            last_look: Instant::now(),
            silent: Duration::ZERO,
            lost_told: 0,
        })
    }

    /// Waits for the next sound, at most for `patience`, and returns what has come: 16 kHz mono, of any length.
    /// Empty if nothing came in time.
    ///
    /// # Errors
    /// The device is gone. What was recorded before has been returned already.
    pub fn read(&mut self, patience: Duration) -> Result<Vec<f32>, MicError> {
        let deadline = Instant::now() + patience;
        loop {
            let mut block = Vec::new();
            self.drain(&mut block)?;
            if !block.is_empty() {
                return Ok(block);
            }
            if let Some(kind) = self.gauge.fault.get() {
                return Err(match kind {
                    ErrorKind::PermissionDenied => MicError::Denied,
                    _ => MicError::Gone,
                });
            }
            if self.stalled() {
                return Err(MicError::Gone);
            }
            if Instant::now() >= deadline {
                return Ok(block);
            }
            std::thread::sleep(POLL);
        }
    }

    fn stalled(&mut self) -> bool {
        let now = Instant::now();
        let callbacks = self.gauge.callbacks.load(Ordering::Acquire);
        if callbacks == self.callbacks_seen {
            self.silent += (now - self.last_look).min(AWAKE);
        } else {
            self.callbacks_seen = callbacks;
            self.silent = Duration::ZERO;
        }
        self.last_look = now;
        self.silent > if callbacks == 0 { SLOW_START } else { STALLED }
    }

    /// Whether sound has begun to arrive: the moment to say "speak now".
    pub fn is_live(&self) -> bool {
        self.gauge.callbacks.load(Ordering::Acquire) > 0
    }

    /// How loud it is right now: root mean square, 0–1. Exactly 0 is a muted or dead input.
    pub fn level(&self) -> f32 {
        f32::from_bits(self.gauge.level.load(Ordering::Relaxed))
    }

    /// Samples lost because nobody read for ten seconds, at the device's rate.
    pub fn lost(&self) -> u64 {
        self.gauge.lost.load(Ordering::Relaxed)
    }

    /// Stops recording and returns what was still on its way.
    ///
    /// # Errors
    /// As [`crate::Resampler::push`], which is to say never.
    pub fn stop(mut self) -> Result<Vec<f32>, MicError> {
        if let Err(error) = self.stream.pause() {
            tracing::debug!(%error, "the microphone stream does not pause");
        }
        let mut rest = Vec::new();
        self.drain(&mut rest)?;
        let Self { stream, resampler, .. } = self;
        drop(stream);
        resampler.finish(&mut rest).map_err(|error| MicError::System(error.to_string()))?;
        Ok(rest)
    }

    fn drain(&mut self, out: &mut Vec<f32>) -> Result<(), MicError> {
        let lost = self.lost();
        if lost > self.lost_told {
            tracing::warn!(samples = lost - self.lost_told, "sound was lost because nobody read it");
            self.lost_told = lost;
        }
        let ready = self.ring.slots();
        let Ok(chunk) = self.ring.read_chunk(ready) else { return Ok(()) };
        let (first, second) = chunk.as_slices();
        for part in [first, second] {
            self.resampler.push(part, out).map_err(|error| MicError::System(error.to_string()))?;
        }
        chunk.commit_all();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_microphone_that_was_unplugged_is_named_as_such() {
        assert!(matches!(Microphone::open(Some("nonsense")), Err(MicError::UnknownDevice)));
    }
}
