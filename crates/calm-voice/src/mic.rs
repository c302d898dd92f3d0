//! The microphone: whatever the device delivers, as a stream of 16 kHz mono.
//!
//! The system's callback only mixes channels into a lock-free ring; it never allocates, locks or logs. Resampling
//! happens on the reader's thread. What is recorded is the caller's to keep or forget.

use crate::resample::Resampler;
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, ErrorKind, FromSample, I24, Sample, SampleFormat, SizedSample, SupportedBufferSize};
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// With fewer frames in a buffer, samples go missing when the machine is busy.
const BUFFER_FRAMES: u32 = 4_800;
/// How long the reader may stay away before samples are lost.
const RING_SECONDS: usize = 10;
/// A device that has called back and then stays silent for this long is gone, whatever it says.
const STALLED: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(5);

#[derive(Debug, thiserror::Error)]
pub enum MicError {
    #[error("no microphone is connected")]
    NoDevice,
    #[error("the chosen microphone is not connected")]
    UnknownDevice,
    #[error("the system does not let this program use the microphone")]
    Denied,
    #[error("another program holds the microphone")]
    Busy,
    #[error("the microphone has stopped delivering sound")]
    Gone,
    #[error("the microphone delivers sound in a form that is not supported")]
    Unsupported,
    #[error("the sound system failed: {0}")]
    System(String),
}

impl From<cpal::Error> for MicError {
    fn from(error: cpal::Error) -> Self {
        match error.kind() {
            ErrorKind::DeviceNotAvailable => Self::NoDevice,
            ErrorKind::PermissionDenied => Self::Denied,
            ErrorKind::DeviceBusy => Self::Busy,
            ErrorKind::UnsupportedConfig | ErrorKind::UnsupportedOperation => Self::Unsupported,
            _ => Self::System(error.to_string()),
        }
    }
}

/// A microphone that could be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// For [`Microphone::open`]; stays the same over restarts where the system allows it.
    pub id: String,
    /// For people.
    pub name: String,
    /// Whether the system would choose it.
    pub default: bool,
}

/// The microphones that are connected.
///
/// # Errors
/// The sound system cannot be asked. No microphone at all is an empty list.
pub fn devices() -> Result<Vec<Device>, MicError> {
    let host = cpal::default_host();
    let chosen = host.default_input_device().and_then(|device| device.id().ok());
    let devices = host.input_devices()?.filter_map(|device| {
        let id = device.id().ok()?;
        let name = device.description().map_or_else(|_| id.to_string(), |description| description.to_string());
        Some(Device { default: chosen.as_ref() == Some(&id), id: id.to_string(), name })
    });
    Ok(devices.collect())
}

/// Whether the system's choice of microphone is there. Nothing is recorded, and no permission is asked for.
pub fn is_connected() -> bool {
    cpal::default_host().default_input_device().is_some_and(|device| device.default_input_config().is_ok())
}

/// What the callback tells the reader.
#[derive(Default)]
struct Gauge {
    callbacks: AtomicU64,
    lost: AtomicU64,
    /// Bits of the `f32` level of the newest buffer.
    level: AtomicU32,
    fault: OnceLock<ErrorKind>,
}

/// An open microphone. It records from the moment it is opened until it is stopped or dropped.
pub struct Microphone {
    stream: cpal::Stream,
    ring: Consumer<f32>,
    gauge: Arc<Gauge>,
    resampler: Resampler,
    callbacks_seen: u64,
    last_callback: Instant,
    lost_told: u64,
}

impl Microphone {
    /// Opens the device with this [`Device::id`], or the system's choice.
    ///
    /// # Errors
    /// There is no such device, it is taken, or the system forbids it.
    pub fn open(device: Option<&str>) -> Result<Self, MicError> {
        let host = cpal::default_host();
        let device = match device {
            None => host.default_input_device().ok_or(MicError::NoDevice)?,
            Some(id) => {
                let id = id.parse().map_err(|_| MicError::UnknownDevice)?;
                host.device_by_id(&id).ok_or(MicError::UnknownDevice)?
            }
        };
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
        Ok(Self { stream, ring, gauge, resampler, callbacks_seen: 0, last_callback: Instant::now(), lost_told: 0 })
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
            let callbacks = self.gauge.callbacks.load(Ordering::Acquire);
            if callbacks != self.callbacks_seen {
                self.callbacks_seen = callbacks;
                self.last_callback = Instant::now();
            } else if self.last_callback.elapsed() > STALLED {
                return Err(MicError::Gone);
            }
            if Instant::now() >= deadline {
                return Ok(block);
            }
            std::thread::sleep(POLL);
        }
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

fn build(
    device: &cpal::Device,
    config: cpal::StreamConfig,
    format: SampleFormat,
    ring: Producer<f32>,
    gauge: &Arc<Gauge>,
) -> Result<cpal::Stream, MicError> {
    let build = match format {
        SampleFormat::I8 => stream_of::<i8>,
        SampleFormat::I16 => stream_of::<i16>,
        SampleFormat::I24 => stream_of::<I24>,
        SampleFormat::I32 => stream_of::<i32>,
        SampleFormat::U8 => stream_of::<u8>,
        SampleFormat::U16 => stream_of::<u16>,
        SampleFormat::F32 => stream_of::<f32>,
        SampleFormat::F64 => stream_of::<f64>,
        _ => return Err(MicError::Unsupported),
    };
    build(device, config, ring, Arc::clone(gauge))
}

fn stream_of<T>(
    device: &cpal::Device,
    config: cpal::StreamConfig,
    mut ring: Producer<f32>,
    gauge: Arc<Gauge>,
) -> Result<cpal::Stream, MicError>
where
    T: SizedSample,
    f32: FromSample<T>,
{
    let channels = usize::from(config.channels).max(1);
    let faults = Arc::clone(&gauge);
    let on_sound = move |data: &[T], _: &cpal::InputCallbackInfo| pour(data, channels, &mut ring, &gauge);
    let on_fault = move |error: cpal::Error| match error.kind() {
        // The stream goes on after these.
        ErrorKind::Xrun | ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied => {}
        kind => {
            faults.fault.get_or_init(|| kind);
        }
    };
    Ok(device.build_input_stream(config, on_sound, on_fault, None)?)
}

/// Runs on the system's audio thread: no allocation, no lock, no log.
fn pour<T>(data: &[T], channels: usize, ring: &mut Producer<f32>, gauge: &Gauge)
where
    T: Sample,
    f32: FromSample<T>,
{
    let frames = data.len() / channels;
    let room = ring.slots().min(frames);
    let mut squares = 0.0;
    if let Ok(chunk) = ring.write_chunk_uninit(room) {
        chunk.fill_from_iter(data.chunks_exact(channels).map(|frame| {
            let mono = frame.iter().map(|s| s.to_sample::<f32>()).sum::<f32>() / channels as f32;
            squares += mono * mono;
            mono
        }));
    }
    if room > 0 {
        gauge.level.store((squares / room as f32).sqrt().to_bits(), Ordering::Relaxed);
    }
    gauge.lost.fetch_add((frames - room) as u64, Ordering::Relaxed);
    gauge.callbacks.fetch_add(1, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poured<T: Sample>(data: &[T], channels: usize, room: usize) -> (Vec<f32>, Gauge)
    where
        f32: FromSample<T>,
    {
        let (mut producer, mut consumer) = RingBuffer::new(room);
        let gauge = Gauge::default();
        pour(data, channels, &mut producer, &gauge);
        (std::iter::from_fn(|| consumer.pop().ok()).collect(), gauge)
    }

    #[test]
    fn channels_are_mixed_and_measured() {
        let (mono, gauge) = poured(&[0.5_f32, 0.1, -0.5, -0.1], 2, 16);
        assert_eq!(mono, [0.3, -0.3]);
        assert!((f32::from_bits(gauge.level.into_inner()) - 0.3).abs() < 1e-6);
    }

    #[test]
    fn unsigned_silence_is_silence() {
        let (mono, gauge) = poured(&[128_u8; 8], 1, 16);
        assert!(mono.iter().all(|s| *s == 0.0));
        assert_eq!(f32::from_bits(gauge.level.into_inner()), 0.0);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let (mono, gauge) = poured(&[1_000_i16; 20], 2, 4);
        assert_eq!(mono.len(), 4);
        assert_eq!(gauge.lost.into_inner(), 6);
    }

    #[test]
    fn a_microphone_that_was_unplugged_is_named_as_such() {
        assert!(matches!(Microphone::open(Some("nonsense")), Err(MicError::UnknownDevice)));
    }
}
