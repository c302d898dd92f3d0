//! Every kind of sound file becomes the same 16 kHz mono, and what is not a sound file says why.
#![allow(clippy::unwrap_used)]

mod common;

use calm_voice::{Clip, DecodeError, SAMPLE_RATE, decode_bytes, decode_file};
use common::{clip, recording};
use proptest::prelude::*;
use rstest::rstest;
use std::f32::consts::TAU;
use std::io::Cursor;
use std::path::Path;

/// A second of a 440 Hz tone at half loudness: easy to recognise after any conversion.
fn tone(rate: u32) -> impl Iterator<Item = f32> {
    (0..rate).map(move |n| 0.5 * (TAU * 440.0 * n as f32 / rate as f32).sin())
}

/// A WAV file by hand, because the library that writes them knows neither 64-bit floats nor broken headers.
fn wav(format: u16, bits: u16, channels: u16, rate: u32, data: &[u8]) -> Vec<u8> {
    let align = channels * bits / 8;
    let mut file = Vec::new();
    file.extend(b"RIFF");
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    file.extend(format.to_le_bytes());
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend((rate * u32::from(align)).to_le_bytes());
    file.extend(align.to_le_bytes());
    file.extend(bits.to_le_bytes());
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

fn wav16(rate: u32) -> Vec<u8> {
    let data: Vec<u8> = tone(rate).flat_map(|s| ((s * 32_767.0) as i16).to_le_bytes()).collect();
    wav(1, 16, 1, rate, &data)
}

fn assert_is_the_tone(clip: &Clip) {
    assert!((clip.seconds() - 1.0).abs() < 0.001, "{clip:?}");
    let off = clip.samples[800..15_200]
        .iter()
        .zip(tone(SAMPLE_RATE as u32).skip(800))
        .map(|(heard, played)| (heard - played).abs())
        .fold(0.0, f32::max);
    assert!(off < 0.02, "off by {off}");
}

/// hound writes more than two channels, 24 bits and floats as `WAVE_FORMAT_EXTENSIBLE`.
#[rstest]
fn any_wav_is_read(
    #[values(8_000, 22_050, 44_100, 192_000)] rate: u32,
    #[values(1, 2, 6, 8)] channels: u16,
    #[values((8, false), (16, false), (24, false), (32, false), (32, true))] (bits, float): (u16, bool),
) {
    let format = if float { hound::SampleFormat::Float } else { hound::SampleFormat::Int };
    let spec = hound::WavSpec { channels, sample_rate: rate, bits_per_sample: bits, sample_format: format };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    for sample in tone(rate) {
        for _ in 0..channels {
            if float {
                writer.write_sample(sample).unwrap();
            } else {
                writer.write_sample((f64::from(sample) * f64::from((1_u32 << (bits - 1)) - 1)) as i32).unwrap();
            }
        }
    }
    writer.finalize().unwrap();
    assert_is_the_tone(&decode_bytes(&file.into_inner()).unwrap());
}

#[test]
fn a_wav_of_64_bit_floats_is_read() {
    let data: Vec<u8> = tone(48_000).flat_map(|s| f64::from(s).to_le_bytes()).collect();
    assert_is_the_tone(&decode_bytes(&wav(3, 64, 1, 48_000, &data)).unwrap());
}

#[test]
fn opposite_channels_are_mixed_not_picked() {
    let data: Vec<u8> =
        tone(16_000).flat_map(|s| [s, -s]).flat_map(|s| ((s * 32_767.0) as i16).to_le_bytes()).collect();
    let mono = decode_bytes(&wav(1, 16, 2, 16_000, &data)).unwrap();
    assert!(mono.samples.iter().all(|s| s.abs() < 1e-4));
}

#[test]
fn samples_above_full_scale_are_clipped() {
    let data: Vec<u8> = tone(16_000).flat_map(|s| (s * 8.0).to_le_bytes()).collect();
    let loud = decode_bytes(&wav(3, 32, 1, 16_000, &data)).unwrap();
    assert_eq!(loud.samples.iter().copied().fold(0.0, f32::max), 1.0);
}

/// All were made from the same recording, so that all must be the same sound at the same place.
#[rstest]
#[case::mp3("format.mp3", 0.05)]
#[case::vorbis("format.ogg", 0.02)]
#[case::m4a("format.m4a", 0.07)]
fn compressed_files_are_read(#[case] file: &str, #[case] padding: f32) {
    let (original, decoded) = (clip("checkin_ru_2.flac"), clip(file));
    assert!((decoded.seconds() - original.seconds()).abs() < padding, "{decoded:?}");
    let loudness = |clip: &Clip| -> Vec<f32> {
        clip.samples.chunks(1_600).map(|part| part.iter().map(|s| s * s).sum::<f32>().sqrt()).collect()
    };
    let (a, b) = (loudness(&original), loudness(&decoded));
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
    let likeness = dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt();
    assert!(likeness > 0.98, "loudness over time differs: {likeness}");
}

fn refusal(bytes: &[u8]) -> String {
    decode_bytes(bytes).expect_err("a refusal").to_string()
}

#[test]
fn opus_is_refused_by_name() {
    let error = decode_file(&recording("format_opus.ogg")).unwrap_err();
    assert!(matches!(&error, DecodeError::Unsupported(what) if what == "Opus"), "{error}");
    assert!(error.to_string().starts_with("Opus is not supported"), "{error}");
}

#[test]
fn what_is_not_a_file_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.wav");
    std::fs::write(&empty, "").unwrap();
    assert!(matches!(decode_file(&folder.path().join("nowhere.wav")), Err(DecodeError::Missing)));
    assert!(matches!(decode_file(folder.path()), Err(DecodeError::NotAFile)));
    assert!(matches!(decode_file(&empty), Err(DecodeError::Empty)));
    #[cfg(unix)]
    assert!(matches!(decode_file(Path::new("/dev/zero")), Err(DecodeError::NotAFile)));
}

#[rstest]
#[case::text("Сегодня торговал по плану.\n".repeat(500).into_bytes())]
#[case::zeros(vec![0; 100_000])]
#[case::picture([&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &[7; 5_000]].concat())]
#[case::one_byte(vec![b'R'])]
#[case::program(std::fs::read(std::env::current_exe().unwrap()).unwrap())]
fn what_is_not_sound_says_so(#[case] bytes: Vec<u8>) {
    assert!(matches!(decode_bytes(&bytes), Err(DecodeError::NotAudio)), "{}", refusal(&bytes));
}

#[test]
fn a_recording_of_zero_seconds_says_so() {
    assert!(matches!(decode_bytes(&wav(1, 16, 1, 16_000, &[])), Err(DecodeError::NoSound)));
}

#[rstest]
#[case(f32::NAN)]
#[case(f32::INFINITY)]
fn numbers_that_are_none_are_refused(#[case] value: f32) {
    let file = wav(3, 32, 1, 16_000, &value.to_le_bytes().repeat(1_000));
    assert_eq!(refusal(&file), "the file is damaged: it holds values that are not numbers");
}

#[rstest]
#[case::half(0.5)]
#[case::all_but_two_bytes(0.999_94)]
fn a_wav_cut_short_is_refused(#[case] kept: f64) {
    let file = wav16(16_000);
    let error = decode_bytes(&file[..(file.len() as f64 * kept) as usize]).unwrap_err();
    assert!(matches!(error, DecodeError::Truncated { promised, .. } if promised == 1.0), "{error}");
}

#[rstest]
#[case::flac("checkin_ru_2.flac")]
#[case::mp3("format.mp3")]
#[case::m4a("format.m4a")]
fn other_files_cut_in_half_are_refused(#[case] file: &str) {
    let bytes = std::fs::read(recording(file)).unwrap();
    let refused = decode_bytes(&bytes[..bytes.len() / 2]);
    assert!(refused.is_err(), "{refused:?} of {file}");
}

/// As ffmpeg and sox write into a pipe.
#[rstest]
#[case::ffmpeg(u32::MAX)]
#[case::sox(0x7FFF_F000)]
fn a_wav_of_unknown_length_is_read_to_its_end(#[case] promised: u32) {
    let mut file = wav16(16_000);
    file[4..8].copy_from_slice(&promised.saturating_add(36).to_le_bytes());
    file[40..44].copy_from_slice(&promised.to_le_bytes());
    assert_is_the_tone(&decode_bytes(&file).unwrap());
}

#[test]
fn half_an_hour_is_the_limit() {
    let minutes = |n: usize| wav(1, 8, 1, 8_000, &vec![128; n * 60 * 8_000]);
    assert!((decode_bytes(&minutes(30)).unwrap().seconds() - 1_800.0).abs() < 0.01);
    assert!(matches!(decode_bytes(&minutes(31)), Err(DecodeError::TooLong)));
}

#[rstest]
#[case::no_rate(0)]
#[case::absurd_rate(4_000_000_000)]
fn a_rate_that_no_recorder_has_is_refused(#[case] rate: u32) {
    let mut file = wav16(16_000);
    file[24..28].copy_from_slice(&rate.to_le_bytes());
    assert!(decode_bytes(&file).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_refused_or_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..4_096)) {
        if let Ok(clip) = decode_bytes(&bytes) {
            prop_assert!(clip.samples.iter().all(|s| s.abs() <= 1.0));
        }
    }

    /// Damage in the middle of real files gets past the header, where a decoder has more to trip over.
    #[test]
    fn damaged_files_are_refused_or_read_without_a_panic(
        file in prop::sample::select(vec!["checkin_ru_2.flac", "format.mp3", "format.ogg", "format.m4a"]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        header in any::<bool>(),
        kept in 0.05f64..1.0,
    ) {
        let mut bytes = std::fs::read(recording(file)).unwrap();
        let reach = if header { 512 } else { bytes.len() };
        for (place, value) in damage {
            bytes[place.index(reach)] = value;
        }
        bytes.truncate((bytes.len() as f64 * kept) as usize);
        if let Ok(clip) = decode_bytes(&bytes) {
            prop_assert!(clip.samples.iter().all(|s| s.abs() <= 1.0));
        }
    }

    #[test]
    fn damaged_wav_headers_are_refused_or_read_without_a_panic(
        damage in prop::collection::vec((0usize..44, any::<u8>()), 1..6),
    ) {
        let mut bytes = wav16(8_000);
        for (place, value) in damage {
            bytes[place] = value;
        }
        if let Ok(clip) = decode_bytes(&bytes) {
            prop_assert!(clip.samples.iter().all(|s| s.abs() <= 1.0));
        }
    }
}
