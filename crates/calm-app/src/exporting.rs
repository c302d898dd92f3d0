//! Everything out, for the user or another program: JSON and CSV in a folder or in one zip file (SPEC X2).
//!
//! docs/export.md says what the files are. Keys are in none of them: they are not in the database.

pub(crate) mod unfinished;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use calm_store::{
    Cell, ColumnKind, EXPORT_FORMAT, EXPORT_VERSION, ExportedTable, LEFT_OUT, Manifest, Snapshot, StoreError,
};
use jiff::Timestamp;
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::conductor::Conductor;
use crate::error::AppError;
use crate::prompt_folder::FolderError;
use crate::prompting::edits_that_can_be_read;
use unfinished::Unfinished;

pub(crate) const MANIFEST: &str = "calm-export.json";
/// Of the spool, in a second.
const HERTZ: u32 = 16_000;

/// What was exported.
#[derive(Debug, Serialize)]
pub struct Exported {
    pub to: PathBuf,
    pub tables: usize,
    pub rows: u64,
    pub recordings: usize,
    /// The user's own prompt files that could not be read, and why: they are not in the export.
    #[serde(serialize_with = "in_words")]
    pub unread: Vec<FolderError>,
}

fn in_words<S: Serializer>(unread: &[FolderError], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(unread.iter().map(ToString::to_string))
}

/// A folder of the user's that an export can go into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Downloads,
    Documents,
    Desktop,
    Home,
}

/// Those that this machine has.
pub fn places() -> Vec<(Place, PathBuf)> {
    let all = [
        (Place::Downloads, dirs::download_dir()),
        (Place::Documents, dirs::document_dir()),
        (Place::Desktop, dirs::desktop_dir()),
        (Place::Home, dirs::home_dir()),
    ];
    let mut found: Vec<(Place, PathBuf)> = Vec::new();
    for (place, path) in all {
        // Where there is no such folder, some systems name the home folder for it.
        let own = |path: &PathBuf| place == Place::Home || Some(path) != dirs::home_dir().as_ref();
        if let Some(path) = path.filter(|path| path.is_dir() && own(path)) {
            found.push((place, path));
        }
    }
    found
}

/// A name in `folder` that is not taken: `calm-export-2026-11-17.zip`, then with `-2` and on.
pub fn free_name(folder: &Path, day: Date) -> PathBuf {
    let name = |n: u32| if n == 1 { String::new() } else { format!("-{n}") };
    let path = |n: u32| folder.join(format!("calm-export-{day}{}.zip", name(n)));
    (1..=u32::MAX).map(path).find(|path| fs::symlink_metadata(path).is_err()).unwrap_or_else(|| path(1))
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{} is there already: an export never writes over anything", path.display())]
    Taken { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Conductor {
    /// Writes everything into a new folder, or where `to` ends in `.zip` into a new file; with `audio`, also the
    /// recordings that are kept, as WAV files. Only the user can read what is written.
    ///
    /// # Errors
    /// [`ExportError::Taken`]; the database cannot be read, or the place cannot be written. Nothing is left there then.
    pub fn export(&self, to: &Path, audio: bool) -> Result<Exported, AppError> {
        let failed = |source| ExportError::Write { path: to.to_owned(), source };
        if fs::symlink_metadata(to).is_ok() {
            return Err(ExportError::Taken { path: to.to_owned() }.into());
        }
        unfinished::clear(&self.paths().data);
        let unfinished = Unfinished::begin(&self.paths().data, to).map_err(failed)?;
        let zipped = to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
        let written = Target::new(&unfinished.content(), zipped).map_err(failed).and_then(|mut target| {
            let written = self.write_export(&mut target, audio, to)?;
            target.finish().map_err(failed)?;
            Ok(written)
        });
        match written {
            Ok(written) => unfinished.finish(to).map_err(failed).map(|()| written),
            Err(error) => {
                unfinished.discard();
                Err(error)
            }
        }
        .map_err(AppError::from)
    }

    fn write_export(&self, target: &mut Target, audio: bool, to: &Path) -> Result<Exported, ExportError> {
        let failed = |source| ExportError::Write { path: to.to_owned(), source };
        let snapshot = self.read_store().snapshot()?;
        let mut exported = Exported { to: to.to_owned(), tables: 0, rows: 0, recordings: 0, unread: Vec::new() };
        for table in snapshot.tables() {
            target.begin(&format!("json/{}.jsonl", table.name)).map_err(failed)?;
            snapshot.rows(table, |row| writeln!(target, "{}", table.json(row)).map_err(failed))?;
            target.begin(&format!("csv/{}.csv", table.name)).map_err(failed)?;
            write_csv(&snapshot, table, target).map_err(|error| match error {
                ExportError::Write { source, .. } => failed(source),
                other => other,
            })?;
            exported.tables += 1;
            exported.rows += table.rows;
        }
        // The user's own edits, as far as they are prompts; versions of them are in the tables.
        let (edits, unread) = edits_that_can_be_read(&self.paths().data);
        exported.unread = unread;
        for (name, text) in edits {
            target.begin(&format!("prompts/{name}")).map_err(failed)?;
            target.write_all(text.as_bytes()).map_err(failed)?;
        }
        for recording in if audio { snapshot.recordings()? } else { Vec::new() } {
            let pcm = snapshot.recording_samples(recording.id)?;
            target.begin(&format!("audio/{}.wav", recording.id.number())).map_err(failed)?;
            target.write_all(&wav(&pcm)).map_err(failed)?;
            exported.recordings += 1;
        }
        let manifest = Manifest {
            format: EXPORT_FORMAT.to_owned(),
            version: EXPORT_VERSION,
            database: snapshot.version(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            made_at: self.now().to_string(),
            tables: snapshot.tables().to_vec(),
            left_out: LEFT_OUT.iter().map(|(what, why)| ((*what).to_owned(), (*why).to_owned())).collect(),
        };
        target.begin(MANIFEST).map_err(failed)?;
        serde_json::to_writer_pretty(&mut *target, &manifest).map_err(|error| failed(error.into()))?;
        Ok(exported)
    }
}

/// For a person and a spreadsheet: times that can be read, text that is no formula, a mark that says it is UTF-8.
fn write_csv(snapshot: &Snapshot<'_>, table: &ExportedTable, target: &mut Target) -> Result<(), ExportError> {
    let failed = |source: io::Error| ExportError::Write { path: PathBuf::new(), source };
    target.write_all("\u{feff}".as_bytes()).map_err(failed)?;
    let mut csv = csv::Writer::from_writer(target);
    let written = |result: csv::Result<()>| result.map_err(|error| failed(error.into()));
    written(csv.write_record(table.columns.iter().map(|column| &column.name)))?;
    snapshot.rows(table, |row| {
        let cells = table.columns.iter().zip(row).map(|(column, cell)| readable(column.kind, cell));
        written(csv.write_record(cells.collect::<Vec<_>>()))
    })?;
    csv.flush().map_err(failed)
}

fn readable(kind: ColumnKind, cell: &Cell<'_>) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Integer(millis) if kind == ColumnKind::Time => {
            Timestamp::from_millisecond(*millis).map_or_else(|_| millis.to_string(), |at| at.to_string())
        }
        Cell::Integer(value) => value.to_string(),
        Cell::Real(value) => value.to_string(),
        Cell::Text(text) => no_formula(text),
        Cell::Bytes(bytes) => no_formula(&String::from_utf8_lossy(bytes)),
    }
}

/// A spreadsheet runs what begins like this, and a model may have written it.
fn no_formula(text: &str) -> String {
    let is_number = text.parse::<Decimal>().is_ok();
    if !is_number && text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

/// 16-bit mono.
fn wav(pcm: &[i16]) -> Vec<u8> {
    let length = u32::try_from(pcm.len() * 2).unwrap_or(u32::MAX - 36);
    let mut bytes = Vec::with_capacity(pcm.len() * 2 + 44);
    bytes.extend(b"RIFF");
    bytes.extend((36 + length).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend(HERTZ.to_le_bytes());
    bytes.extend((HERTZ * 2).to_le_bytes());
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend(length.to_le_bytes());
    bytes.extend(pcm.iter().flat_map(|sample| sample.to_le_bytes()));
    bytes
}

fn remove(path: &Path) -> io::Result<()> {
    let gone = match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match gone {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Where files go, one after the other.
enum Target {
    Folder { dir: PathBuf, file: Option<BufWriter<File>> },
    Zip(Box<ZipWriter<BufWriter<File>>>),
}

impl Target {
    fn new(path: &Path, zipped: bool) -> io::Result<Target> {
        if zipped {
            return Ok(Target::Zip(Box::new(ZipWriter::new(BufWriter::new(private_file(path)?)))));
        }
        private_folder(path)?;
        Ok(Target::Folder { dir: path.to_owned(), file: None })
    }

    fn begin(&mut self, name: &str) -> io::Result<()> {
        match self {
            Target::Folder { dir, file } => {
                finish(file.take())?;
                let path = dir.join(name);
                private_folder(path.parent().unwrap_or(dir))?;
                *file = Some(BufWriter::new(private_file(&path)?));
            }
            Target::Zip(zip) => {
                let options = SimpleFileOptions::default().unix_permissions(0o600).large_file(true);
                zip.start_file(name, options)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Target::Folder { file, .. } => finish(file),
            Target::Zip(zip) => finish(Some(zip.finish()?)),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Folder { file: Some(file), .. } => file.write(bytes),
            Target::Folder { file: None, .. } => Err(io::ErrorKind::NotFound.into()),
            Target::Zip(zip) => zip.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Folder { file, .. } => file.as_mut().map_or(Ok(()), Write::flush),
            Target::Zip(zip) => zip.flush(),
        }
    }
}

fn finish(file: Option<BufWriter<File>>) -> io::Result<()> {
    let Some(file) = file else { return Ok(()) };
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spreadsheet_is_given_no_formula_and_times_that_can_be_read() {
        assert_eq!(readable(ColumnKind::Text, &Cell::Text("=HYPERLINK(\"http://x\")")), "'=HYPERLINK(\"http://x\")");
        assert_eq!(readable(ColumnKind::Text, &Cell::Text("готова на 7")), "готова на 7");
        assert_eq!(readable(ColumnKind::Time, &Cell::Integer(1_772_431_200_000)), "2026-03-02T06:00:00Z");
        assert_eq!(readable(ColumnKind::Integer, &Cell::Integer(-5)), "-5");
        assert_eq!(readable(ColumnKind::Text, &Cell::Text("-12.50")), "-12.50", "a loss is a number like a win");
    }

    #[test]
    fn an_export_never_takes_a_name_that_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let day = jiff::civil::date(2026, 11, 17);
        let first = free_name(folder.path(), day);
        assert_eq!(first, folder.path().join("calm-export-2026-11-17.zip"));
        fs::write(&first, b"").expect("written");
        assert_eq!(free_name(folder.path(), day), folder.path().join("calm-export-2026-11-17-2.zip"));
    }
}
