//! Sound files to 16 kHz mono.
//!
//! WAV, FLAC, MP3, Ogg Vorbis and M4A go through symphonia packet by packet, so memory is bounded by the half hour
//! that is allowed, whatever the file claims about itself. Each failure is one line about the file; its name is added
//! by the caller.

use crate::resample::{RATES, ResampleError, Resampler};
use crate::{Clip, SAMPLE_RATE};
use std::fs::File;
use std::io::{Cursor, ErrorKind};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use symphonia::core::codecs::audio::{AudioCodecId, AudioCodecParameters, AudioDecoderOptions, well_known as codec};
use symphonia::core::errors::Error;
use symphonia::core::formats::{FormatOptions, FormatReader, TrackType, probe::Hint};
use symphonia::core::io::{MediaSource, MediaSourceStream};
use symphonia::core::meta::MetadataOptions;

/// Longer recordings are refused.
pub const LONGEST_MINUTES: usize = 30;

/// Programs that write WAV to a pipe promise this many bytes or more, because they do not know.
const UNKNOWN_LENGTH: u64 = 0x7FFF_0000;

#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    #[error("the file is not there")]
    Missing,
    #[error("this is a folder or a device, not a file")]
    NotAFile,
    #[error("the file cannot be read: {0}")]
    Unreadable(#[source] std::io::Error),
    #[error("the file is empty")]
    Empty,
    #[error("not a sound file of a known kind (WAV, FLAC, MP3, Ogg Vorbis and M4A are read)")]
    NotAudio,
    #[error("{0} is not supported; convert the recording to WAV or FLAC")]
    Unsupported(String),
    #[error("the recording holds no sound: it is zero seconds long")]
    NoSound,
    #[error("the recording is cut off: {found:.1} s of the {promised:.1} s it should have are there")]
    Truncated { found: f64, promised: f64 },
    #[error("the file is damaged: {0}")]
    Damaged(&'static str),
    #[error("the recording is longer than {LONGEST_MINUTES} minutes")]
    TooLong,
}

/// Reads a sound file.
///
/// # Errors
/// See [`DecodeError`]; damaged and cut-off files are refused rather than half read.
pub fn decode_file(path: &Path) -> Result<Clip, DecodeError> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => DecodeError::Missing,
        _ => DecodeError::Unreadable(error),
    };
    // Before opening: a pipe would block, and a folder opens but cannot be read.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(DecodeError::NotAFile);
    }
    if metadata.len() == 0 {
        return Err(DecodeError::Empty);
    }
    decode(Box::new(File::open(path).map_err(unreadable)?))
}

/// Reads a sound file that is in memory already.
///
/// # Errors
/// As [`decode_file`].
pub fn decode_bytes(bytes: &[u8]) -> Result<Clip, DecodeError> {
    if bytes.is_empty() {
        return Err(DecodeError::Empty);
    }
    decode(Box::new(Cursor::new(bytes)))
}

fn decode(source: Box<dyn MediaSource + '_>) -> Result<Clip, DecodeError> {
    // The readers check their sums in debug builds, and some headers make them overflow.
    std::panic::catch_unwind(AssertUnwindSafe(|| read(source)))
        .unwrap_or(Err(DecodeError::Damaged("its header contradicts itself")))
}

fn read(source: Box<dyn MediaSource + '_>) -> Result<Clip, DecodeError> {
    let stream = MediaSourceStream::new(source, Default::default());
    let mut format = symphonia::default::get_probe()
        .probe(&Hint::new(), stream, FormatOptions::default(), MetadataOptions::default())
        .map_err(|error| match error {
            Error::DecodeError(what) => DecodeError::Damaged(what),
            Error::IoError(error) if error.kind() != ErrorKind::UnexpectedEof => DecodeError::Unreadable(error),
            _ => DecodeError::NotAudio,
        })?;
    let track = format.default_track(TrackType::Audio).ok_or(DecodeError::NotAudio)?.clone();
    let params = track.codec_params.as_ref().and_then(|params| params.audio()).ok_or(DecodeError::NotAudio)?;
    let mut decoder = symphonia::default::get_codecs()
        .make_audio_decoder(params, &AudioDecoderOptions::default())
        .map_err(|error| match error {
            Error::DecodeError(what) => DecodeError::Damaged(what),
            _ => DecodeError::Unsupported(codec_name(params.codec)),
        })?;

    let mut mixer = Mixer::default();
    let mut damaged = 0_u64;
    let mut good = 0_u64;
    while let Some(packet) = next_packet(format.as_mut())? {
        if packet.track_id != track.id {
            continue;
        }
        match decoder.decode(&packet) {
            Ok(sound) => {
                good += 1;
                sound.copy_to_vec_interleaved(&mut mixer.interleaved);
                mixer.take(sound.spec().rate(), sound.num_planes())?;
            }
            // A player would skip the packet, and so do we, up to a point.
            Err(Error::DecodeError(_) | Error::IoError(_)) => damaged += 1,
            Err(_) => return Err(DecodeError::Damaged("its sound cannot be decoded")),
        }
    }
    if damaged > 2 + good / 20 {
        return Err(if good < damaged {
            DecodeError::NotAudio
        } else {
            DecodeError::Damaged("too much of it is unreadable")
        });
    }
    if let Some(promised) = track.num_frames.filter(|frames| !length_is_unknown(*frames, params)) {
        mixer.check_against(promised, is_exact(params.codec))?;
    }
    mixer.finish()
}

fn next_packet(format: &mut dyn FormatReader) -> Result<Option<symphonia::core::packet::Packet>, DecodeError> {
    match format.next_packet() {
        Ok(packet) => Ok(packet),
        Err(Error::IoError(error)) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(Error::IoError(error)) => Err(DecodeError::Unreadable(error)),
        Err(Error::ResetRequired) => Err(DecodeError::Unsupported("several recordings in one file".to_owned())),
        Err(Error::DecodeError(what)) => Err(DecodeError::Damaged(what)),
        Err(_) => Err(DecodeError::Damaged("its packets cannot be told apart")),
    }
}

fn length_is_unknown(frames: u64, params: &AudioCodecParameters) -> bool {
    let channels = params.channels.as_ref().map_or(1, |channels| channels.count() as u64);
    let bytes = u64::from(params.bits_per_sample.unwrap_or(16).div_ceil(8));
    frames == 0 || frames.saturating_mul(channels).saturating_mul(bytes) >= UNKNOWN_LENGTH
}

/// Whether a file of this codec says its length to the sample; the others round to packets.
fn is_exact(id: AudioCodecId) -> bool {
    id != codec::CODEC_ID_MP3 && id != codec::CODEC_ID_AAC && id != codec::CODEC_ID_VORBIS
}

fn codec_name(id: AudioCodecId) -> String {
    match id {
        codec::CODEC_ID_OPUS => "Opus".to_owned(),
        codec::CODEC_ID_ADPCM_MS | codec::CODEC_ID_ADPCM_IMA_WAV => "ADPCM".to_owned(),
        codec::CODEC_ID_SPEEX => "Speex".to_owned(),
        _ => "this kind of compression".to_owned(),
    }
}

/// Interleaved packets to one channel at 16 kHz.
#[derive(Default)]
struct Mixer {
    /// The packet being taken.
    interleaved: Vec<f32>,
    mono: Vec<f32>,
    resampler: Option<(u32, Resampler)>,
    frames: u64,
    out: Vec<f32>,
}

impl Mixer {
    fn take(&mut self, rate: u32, channels: usize) -> Result<(), DecodeError> {
        if channels == 0 {
            return Ok(());
        }
        if self.interleaved.iter().any(|sample| !sample.is_finite()) {
            return Err(DecodeError::Damaged("it holds values that are not numbers"));
        }
        self.mono.clear();
        self.mono
            .extend(self.interleaved.chunks_exact(channels).map(|frame| frame.iter().sum::<f32>() / channels as f32));
        self.frames += self.mono.len() as u64;
        let (first_rate, resampler) = match &mut self.resampler {
            Some(resampler) => resampler,
            none => none.insert((rate, Resampler::new(rate)?)),
        };
        if *first_rate != rate {
            return Err(DecodeError::Damaged("its sample rate changes midway"));
        }
        resampler.push(&self.mono, &mut self.out)?;
        if self.out.len() > LONGEST_MINUTES * 60 * SAMPLE_RATE {
            return Err(DecodeError::TooLong);
        }
        Ok(())
    }

    fn check_against(&self, promised: u64, exact: bool) -> Result<(), DecodeError> {
        let rate = self.resampler.as_ref().map_or(SAMPLE_RATE as u32, |(rate, _)| *rate);
        let tolerance = if exact { 0 } else { u64::from(rate) / 10 };
        if self.frames + tolerance < promised {
            let [found, promised] = [self.frames, promised].map(|frames| frames as f64 / f64::from(rate));
            return Err(DecodeError::Truncated { found, promised });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Clip, DecodeError> {
        if let Some((_, resampler)) = self.resampler {
            resampler.finish(&mut self.out)?;
        }
        if self.out.is_empty() {
            return Err(DecodeError::NoSound);
        }
        // Filters overshoot, and float files may go over full scale.
        self.out.iter_mut().for_each(|sample| *sample = sample.clamp(-1.0, 1.0));
        Ok(Clip { samples: self.out })
    }
}

impl From<ResampleError> for DecodeError {
    fn from(error: ResampleError) -> Self {
        match error {
            ResampleError::Rate(rate) => Self::Unsupported(format!(
                "a sample rate of {rate} Hz (outside {}–{} kHz)",
                RATES.start() / 1000,
                RATES.end() / 1000
            )),
            ResampleError::Filter => Self::Damaged("it cannot be resampled"),
        }
    }
}
