//! Whatever is wrong with the input is one line that names it, exit code 2, and nothing is written.

mod support;

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rstest::rstest;
use support::House;

#[rstest]
#[case::missing(|dir: &Path| dir.join("нет такого файла.flac"))]
#[case::empty(|dir: &Path| write(dir, "empty.wav", &[]))]
#[case::directory(|dir: &Path| { let path = dir.join("folder.wav"); fs::create_dir(&path).expect("a folder"); path })]
#[case::not_audio(|dir: &Path| write(dir, "notes.flac", "это не звук, а заметки трейдера".as_bytes()))]
#[case::zero_seconds(|dir: &Path| wav(dir, "zero.wav", 1, 16, &[]))]
#[case::truncated(|dir: &Path| { let path = wav(dir, "cut.wav", 1, 16, &[0; 64_000]); shorten(&path, 20_000); path })]
#[case::three_hours(three_hours)]
#[case::nan(|dir: &Path| wav(dir, "nan.wav", 3, 32, &f32::NAN.to_le_bytes().repeat(32_000)))]
#[case::line_break_in_its_name(|dir: &Path| write(dir, "two\nlines.wav", b"RIFF"))]
fn a_recording_that_cannot_be_used(#[case] make: fn(&Path) -> PathBuf) {
    let files = tempfile::tempdir().expect("a temporary folder");
    let file = make(files.path());
    for command in [
        vec!["transcribe"],
        vec!["emotion"],
        vec!["baseline", "enrol"],
        vec!["session", "check-in", "--say", "привет", "--audio"],
    ] {
        let house = House::new();
        let mut args: Vec<_> = command.iter().map(Into::into).collect();
        args.push(file.clone().into_os_string());

        let json = house.calm(&args);
        assert_eq!(json.code, 2, "{command:?}: {}", json.stderr);
        assert_eq!(json.types(), ["error"], "{command:?}");

        let plain = house.command(&args).output().expect("calm starts");
        let stderr = String::from_utf8_lossy(&plain.stderr);
        assert_eq!(plain.status.code(), Some(2), "{stderr}");
        assert!(plain.stdout.is_empty());
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
        let name = file.file_name().expect("a name").to_string_lossy().replace('\n', " ");
        assert!(stderr.contains(&name), "the line names the file: {stderr}");
        assert!(!house.data.exists(), "{command:?} left something behind");
    }
}

#[rstest]
#[case::no_command(&[])]
#[case::unknown_command(&["trade"])]
#[case::unknown_kind(&["session", "check-up"])]
#[case::unknown_format(&["session", "check-in", "--format", "long"])]
#[case::unknown_language(&["--lang", "de", "session", "check-in"])]
#[case::not_a_moment(&["session", "check-in", "--now", "вчера"])]
#[case::empty_words(&["session", "check-in", "--say", "  "])]
#[case::no_files(&["transcribe"])]
#[case::no_such_session(&["history", "7"])]
#[case::no_such_model(&["models", "fetch", "whisper-huge"])]
fn a_command_that_makes_no_sense(#[case] args: &[&str]) {
    let house = House::new();
    let json = house.calm(args);
    assert_eq!(json.code, 2, "{}", json.stderr);
    assert_eq!(json.types(), ["error"]);
    let plain = house.command(args).output().expect("calm starts");
    let stderr = String::from_utf8_lossy(&plain.stderr);
    assert_eq!(plain.status.code(), Some(2));
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    assert!(!house.data.exists());
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

fn wav(dir: &Path, name: &str, format: u16, bits: u16, data: &[u8]) -> PathBuf {
    let length = u32::try_from(data.len()).expect("a small file");
    let mut bytes = header(format, bits, 16_000, length);
    bytes.extend_from_slice(data);
    write(dir, name, &bytes)
}

fn header(format: u16, bits: u16, rate: u32, length: u32) -> Vec<u8> {
    let block = bits / 8;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + length).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0");
    bytes.extend(format.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(rate.to_le_bytes());
    bytes.extend((rate * u32::from(block)).to_le_bytes());
    bytes.extend(block.to_le_bytes());
    bytes.extend(bits.to_le_bytes());
    bytes.extend(b"data");
    bytes.extend(length.to_le_bytes());
    bytes
}

fn shorten(path: &Path, length: u64) {
    File::options().write(true).open(path).expect("the file").set_len(length).expect("shorter");
}

/// Sparse on disk: three hours of 8 kHz, 8-bit sound.
fn three_hours(dir: &Path) -> PathBuf {
    let path = dir.join("3 часа.wav");
    let length = 3 * 3600 * 8000;
    let mut file = File::create(&path).expect("a file");
    file.write_all(&header(1, 8, 8000, length)).expect("a header");
    file.seek(SeekFrom::Start(u64::from(length) + 43)).expect("a seek");
    file.write_all(&[128]).expect("the last byte");
    path
}
