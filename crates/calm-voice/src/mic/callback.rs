//! What runs on the system's audio thread: no allocation, no lock, no log, whatever the device delivers.

use super::MicError;
use cpal::traits::DeviceTrait;
use cpal::{ErrorKind, FromSample, I24, Sample, SampleFormat, SizedSample};
use rtrb::Producer;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// After these nothing more comes.
const FATAL: [ErrorKind; 4] = [
    ErrorKind::DeviceNotAvailable,
    ErrorKind::HostUnavailable,
    ErrorKind::StreamInvalidated,
    ErrorKind::PermissionDenied,
];

/// What the audio thread tells the reader.
#[derive(Default)]
pub(super) struct Gauge {
    pub callbacks: AtomicU64,
    /// Samples that found no room.
    pub lost: AtomicU64,
    /// Bits of the `f32` level of the newest buffer.
    pub level: AtomicU32,
    pub fault: OnceLock<ErrorKind>,
}

/// Opens a stream that pours into `ring`.
pub(super) fn build(
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
    ring: Producer<f32>,
    gauge: Arc<Gauge>,
) -> Result<cpal::Stream, MicError>
where
    T: SizedSample + 'static,
    f32: FromSample<T>,
{
    let faults = Arc::clone(&gauge);
    let mut pour = pouring::<T>(usize::from(config.channels), ring, gauge);
    let on_sound = move |data: &[T], _: &cpal::InputCallbackInfo| pour(data);
    // The stream may go on after other errors; if it does not, the age of the last callback tells.
    let on_fault = move |error: cpal::Error| {
        let kind = error.kind();
        if FATAL.contains(&kind) {
            faults.fault.get_or_init(|| kind);
        }
    };
    Ok(device.build_input_stream(config, on_sound, on_fault, None)?)
}

/// The callback: mixes the channels into one and puts them into the ring, as far as there is room.
fn pouring<T>(channels: usize, mut ring: Producer<f32>, gauge: Arc<Gauge>) -> impl FnMut(&[T])
where
    T: Sample,
    f32: FromSample<T>,
{
    let channels = channels.max(1);
    move |data| {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::allocations;
    use rtrb::RingBuffer;

    fn poured<T: Sample>(data: &[T], channels: usize, room: usize) -> (Vec<f32>, Arc<Gauge>)
    where
        f32: FromSample<T>,
    {
        let (producer, mut consumer) = RingBuffer::new(room);
        let gauge = Arc::new(Gauge::default());
        pouring(channels, producer, Arc::clone(&gauge))(data);
        (std::iter::from_fn(|| consumer.pop().ok()).collect(), gauge)
    }

    fn level(gauge: &Gauge) -> f32 {
        f32::from_bits(gauge.level.load(Ordering::Relaxed))
    }

    #[test]
    fn channels_are_mixed_and_measured() {
        let (mono, gauge) = poured(&[0.5_f32, 0.1, -0.5, -0.1], 2, 16);
        assert_eq!(mono, [0.3, -0.3]);
        assert!((level(&gauge) - 0.3).abs() < 1e-6);
    }

    #[test]
    fn unsigned_silence_is_silence() {
        let (mono, gauge) = poured(&[128_u8; 8], 1, 16);
        assert!(mono.iter().all(|s| *s == 0.0));
        assert_eq!(level(&gauge), 0.0);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let (mono, gauge) = poured(&[1_000_i16; 20], 2, 4);
        assert_eq!(mono.len(), 4);
        assert_eq!(gauge.lost.load(Ordering::Relaxed), 6);
    }

    /// Every format, mono to surround, buffers of odd lengths, and a ring that fills up and is emptied again.
    #[test]
    fn the_audio_thread_never_allocates() {
        fn hold<T: Sample>()
        where
            f32: FromSample<T>,
        {
            for channels in [0, 1, 2, 6] {
                let (producer, mut consumer) = RingBuffer::new(6_000);
                let gauge = Arc::new(Gauge::default());
                let mut pour = pouring::<T>(channels, producer, Arc::clone(&gauge));
                let buffer = vec![T::EQUILIBRIUM; 4_800 * channels.max(1) + 1];
                let before = allocations();
                for round in 0..8 {
                    pour(&buffer);
                    pour(&buffer[..round]);
                    if round % 3 == 2
                        && let Ok(chunk) = consumer.read_chunk(consumer.slots())
                    {
                        chunk.commit_all();
                    }
                }
                assert_eq!(allocations(), before, "{} channels of {}", channels, std::any::type_name::<T>());
                assert!(gauge.lost.load(Ordering::Relaxed) > 0, "the ring never filled up");
            }
        }
        hold::<i8>();
        hold::<i16>();
        hold::<I24>();
        hold::<i32>();
        hold::<u8>();
        hold::<u16>();
        hold::<f32>();
        hold::<f64>();
    }

    #[test]
    fn the_count_sees_an_allocation() {
        let before = allocations();
        drop(std::hint::black_box(vec![0_u8; 64]));
        assert!(allocations() > before);
    }
}
