//! Downloads from a real server on the loopback interface, with everything that goes wrong on the way.

mod web;

use std::fs;
use std::path::Path;
use std::time::Duration;

use calm_models::{Manifest, ModelError, Models, Progress, Stage, State, TransportError};
use rstest::rstest;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use web::{Answer, Plain, Server};

const NAME: &str = "model.bin";

fn content() -> Vec<u8> {
    (0..300_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn entry(urls: &[&str], bytes: u64, content: &[u8]) -> Manifest {
    let sha256: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    let sources: String =
        urls.iter().map(|url| format!("[[model.source]]\nkind = \"url\"\nurl = \"{url}\"\n")).collect();
    Manifest::parse(&format!(
        "version = 1\n[[model]]\nid = \"m\"\npurpose = \"p\"\nlicence = \"MIT\"\nrequired = true\n[[model.file]]\n\
         name = \"{NAME}\"\nbytes = {bytes}\nsha256 = \"{sha256}\"\n{sources}"
    ))
    .expect("a sound list")
}

struct Case {
    _dir: TempDir,
    models: Models,
    server: Server,
}

/// A folder with a space and Cyrillic letters in its name, and a server with the listed file.
fn case(answers: &'static [Answer]) -> Case {
    case_serving(content(), answers)
}

fn case_serving(served: Vec<u8>, answers: &'static [Answer]) -> Case {
    let dir = TempDir::new().expect("a folder");
    let server = Server::start(served, answers);
    let manifest = entry(&[&server.url()], content().len() as u64, &content());
    let models = Models::with_manifest(dir.path().join("Модели Ивана"), manifest);
    Case { _dir: dir, models, server }
}

impl Case {
    fn fetch(&self) -> Result<(), ModelError> {
        self.models.fetch("m", &Plain::default(), &mut |_| {})
    }

    fn leave(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.models.dir()).expect("the folder");
        fs::write(self.models.dir().join(name), bytes).expect("a file left behind");
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.models.dir())
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    }

    #[track_caller]
    fn is_whole(&self) {
        assert_eq!(self.models.state("m").expect("listed"), State::Ready);
        let path = self.models.path("m").expect("ready");
        assert!(fs::read(path).expect("the file") == content(), "the file holds what was published");
        assert_eq!(self.names(), [NAME], "nothing else is left in the folder");
    }

    #[track_caller]
    fn is_absent(&self) {
        assert_eq!(self.models.state("m").expect("listed"), State::Missing);
        let text = self.models.path("m").expect_err("nothing to load").to_string();
        assert!(text.contains("`calm models fetch m`"), "{text}");
        assert!(self.names().is_empty(), "nothing broken is left: {:?}", self.names());
    }
}

#[test]
fn a_download_is_whole_and_the_second_one_contacts_nothing() {
    let case = case(&[Answer::Honest]);
    let mut stages = Vec::new();
    let mut note = |progress: Progress<'_>| stages.push(progress.stage);
    case.models.fetch_required(&Plain::default(), &mut note).expect("a download");
    case.is_whole();
    let total = content().len() as u64;
    assert_eq!(stages.first(), Some(&Stage::Downloading { done: 0, total }));
    assert!(stages.contains(&Stage::Downloading { done: total, total }));
    assert_eq!(stages.last(), Some(&Stage::Ready));

    case.models.fetch_required(&Plain { offline: true, ..Plain::default() }, &mut |_| {}).expect("nothing to do");
    assert_eq!(case.server.asked(), [0]);
}

#[test]
fn what_is_deleted_is_gone_with_its_half_download_and_can_be_fetched_again() {
    let case = case(&[Answer::Honest, Answer::Honest]);
    assert_eq!(case.models.delete("m").expect("there is no folder yet"), 0);
    case.fetch().expect("a download");
    case.leave(&format!("{NAME}.part"), b"a part");
    assert_eq!(case.models.delete("m").expect("nobody holds it"), content().len() as u64 + 6);
    case.is_absent();
    case.fetch().expect("a second download");
    case.is_whole();
    assert!(matches!(case.models.delete("x"), Err(ModelError::Unknown { .. })));
}

#[test]
fn a_cut_line_is_continued_where_it_broke() {
    let case = case(&[Answer::CutAfter(100_000), Answer::EndsEarly(50_000), Answer::Honest]);
    case.fetch().expect("the third attempt ends it");
    case.is_whole();
    assert_eq!(case.server.asked(), [0, 100_000, 150_000]);
}

#[test]
fn a_part_of_an_earlier_run_is_continued() {
    let case = case(&[Answer::Honest]);
    case.leave("model.bin.part", &content()[..250_000]);
    case.fetch().expect("the rest");
    case.is_whole();
    assert_eq!(case.server.asked(), [250_000]);
}

#[test]
fn a_server_without_ranges_sends_it_again_from_the_start() {
    let case = case(&[Answer::CutAfter(100_000), Answer::IgnoresRange]);
    case.fetch().expect("the whole file");
    case.is_whole();
    assert_eq!(case.server.asked(), [0, 100_000]);
}

#[rstest]
#[case::too_long(&[7; 400_000], &[0])]
#[case::full_length_but_wrong(&[7; 300_000], &[0])]
#[case::a_beginning_of_something_else(&[7; 1_000], &[1_000, 0])]
fn a_stale_part_is_thrown_away(#[case] part: &[u8], #[case] asked: &[u64]) {
    let case = case(&[Answer::Honest]);
    case.leave("model.bin.part", part);
    case.fetch().expect("a fresh download");
    case.is_whole();
    assert_eq!(case.server.asked(), asked);
}

#[test]
fn a_range_that_the_server_does_not_have_starts_again() {
    let case = case(&[Answer::Status(416), Answer::Honest]);
    case.leave("model.bin.part", &[7; 1_000]);
    case.fetch().expect("a fresh download");
    case.is_whole();
    assert_eq!(case.server.asked(), [1_000, 0]);
}

#[test]
fn a_file_with_another_checksum_is_removed() {
    let mut tampered = content();
    tampered[123_456] ^= 1;
    let case = case_serving(tampered, &[Answer::Honest]);
    let error = case.fetch().expect_err("not what was published");
    assert!(matches!(error, ModelError::Corrupt { .. }), "{error}");
    case.is_absent();
}

#[rstest]
#[case::longer(300_001)]
#[case::shorter(299_999)]
fn a_file_of_another_length_is_removed(#[case] length: usize) {
    let mut other = content();
    other.resize(length, 0);
    let case = case_serving(other, &[Answer::Honest]);
    assert!(matches!(case.fetch().expect_err("another length"), ModelError::Corrupt { .. }));
    case.is_absent();
}

#[test]
fn a_line_that_always_breaks_says_how_far_it_came() {
    let case = case(&[Answer::CutAfter(120_000), Answer::CutAfter(0)]);
    let error = case.fetch().expect_err("it never ends");
    assert!(matches!(error, ModelError::Severed { done: 120_000, total: 300_000, .. }), "{error}");
    assert_eq!(case.models.state("m").expect("listed"), State::Missing, "a part is never loaded");
    assert_eq!(case.names(), ["model.bin.part"], "the next run continues it");
}

#[rstest]
#[case::gone(404, 1)]
#[case::busy(503, 4)]
fn a_refusal_is_repeated_only_where_it_may_pass(#[case] status: u16, #[case] attempts: usize) {
    let answers: &'static [Answer] = match status {
        404 => &[Answer::Status(404)],
        _ => &[Answer::Status(503)],
    };
    let case = case(answers);
    let error = case.fetch().expect_err("refused");
    let expected = TransportError::Refused { status }.to_string();
    assert!(matches!(&error, ModelError::Transport { source, .. } if source.to_string() == expected), "{error}");
    assert_eq!(case.server.asked().len(), attempts);
    case.is_absent();
}

#[test]
fn the_second_source_is_used_when_the_first_fails() {
    let dir = TempDir::new().expect("a folder");
    let bad = Server::start(content(), &[Answer::Status(404)]);
    let good = Server::start(content(), &[Answer::Honest]);
    let manifest = entry(&[&bad.url(), &good.url()], content().len() as u64, &content());
    let models = Models::with_manifest(dir.path(), manifest);
    models.fetch("m", &Plain::default(), &mut |_| {}).expect("the second source");
    assert_eq!(models.state("m").expect("listed"), State::Ready);
}

#[test]
fn a_damaged_file_is_named_and_replaced() {
    let case = case(&[Answer::Honest]);
    case.fetch().expect("a download");
    let path = case.models.path("m").expect("ready");

    let mut bytes = content();
    bytes[7] ^= 1;
    fs::write(&path, &bytes).expect("damage of the same length");
    assert_eq!(case.models.state("m").expect("listed"), State::Damaged);
    let text = case.models.path("m").expect_err("not to be loaded").to_string();
    assert!(text.contains("damaged") && text.contains("`calm models fetch m`"), "{text}");

    fs::write(&path, &bytes[..1_000]).expect("damage of the length");
    assert_eq!(case.models.state("m").expect("listed"), State::Damaged);
    case.fetch().expect("a new one");
    case.is_whole();
}

#[test]
fn damage_that_keeps_length_and_time_is_found_by_a_full_check() {
    let case = case(&[Answer::Honest]);
    case.fetch().expect("a download");
    let path = case.models.path("m").expect("ready");
    let modified = fs::metadata(&path).and_then(|m| m.modified()).expect("its time");
    fs::write(&path, vec![0; content().len()]).expect("damage");
    fs::File::options().write(true).open(&path).and_then(|f| f.set_modified(modified)).expect("its old time");
    assert_eq!(case.models.state("m").expect("listed"), State::Ready, "the stamp still holds");
    assert_eq!(case.models.verify("m").expect("listed"), State::Damaged);
    assert_eq!(case.models.state("m").expect("listed"), State::Damaged, "and it is remembered");
}

#[test]
fn a_file_copied_here_by_hand_is_accepted() {
    let case = case(&[Answer::Status(404)]);
    case.leave(NAME, &content());
    case.is_whole();
    case.fetch().expect("nothing to do");
    assert!(case.server.asked().is_empty());
}

#[test]
fn offline_contacts_nothing_and_says_so() {
    let case = case(&[Answer::Honest]);
    let offline = Plain { offline: true, ..Plain::default() };
    let error = case.models.fetch("m", &offline, &mut |_| {}).expect_err("offline");
    assert!(error.to_string().contains("offline mode is on"), "{error}");
    let models = Models::open(case.models.dir());
    let error = models.fetch("silero-vad", &offline, &mut |_| {}).expect_err("pip is not started");
    assert!(error.to_string().contains("offline mode is on"), "{error}");
    assert!(case.server.asked().is_empty());
}

#[test]
fn a_file_larger_than_the_disk_is_not_begun() {
    let dir = TempDir::new().expect("a folder");
    let server = Server::start(content(), &[Answer::Honest]);
    let models = Models::with_manifest(dir.path(), entry(&[&server.url()], 1 << 60, &content()));
    let error = models.fetch("m", &Plain::default(), &mut |_| {}).expect_err("an exabyte");
    assert!(matches!(error, ModelError::NoSpace { needed, .. } if needed >= 1 << 60), "{error}");
    assert!(error.to_string().starts_with("1152921504624 MB are needed in "), "{error}");
    assert!(server.asked().is_empty());
}

#[test]
fn two_at_once_download_it_once() {
    let case = case(&[Answer::Honest]);
    let slow = Plain { delay: Duration::from_millis(300), ..Plain::default() };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| case.models.fetch("m", &slow, &mut |_| {}).expect("one waits for the other"));
        }
    });
    case.is_whole();
    assert_eq!(case.server.asked(), [0]);
}

#[test]
fn what_a_killed_process_left_is_swept_away() {
    let case = case(&[Answer::Honest]);
    let left = case.models.dir().join(".work-abc");
    fs::create_dir_all(&left).and_then(|()| fs::write(left.join("half.whl"), [0; 10])).expect("leftovers");
    case.fetch().expect("a download");
    assert!(!Path::exists(&left));
}

#[test]
fn a_folder_in_the_place_of_the_file_is_damage_not_a_crash() {
    let case = case(&[Answer::Honest]);
    fs::create_dir_all(case.models.dir().join(NAME)).expect("a folder");
    assert_eq!(case.models.state("m").expect("listed"), State::Damaged);
    case.fetch().expect("a download in its place");
    case.is_whole();
}

#[test]
fn a_name_that_is_not_listed() {
    let models = Models::open("nowhere");
    let text = models.state("whisper-huge").expect_err("unknown").to_string();
    assert!(text.contains("whisper-huge") && text.contains("calm models list"), "{text}");
    assert_eq!(models.state("whisper-base").expect("listed"), State::Missing);
}
