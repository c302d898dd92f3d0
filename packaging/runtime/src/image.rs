//! The SquashFS image that lies behind the program in the same file.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use backhand::{FilesystemReader, InnerNode, SquashfsFileReader};

/// The files of the image, by their places in the list.
pub struct Image {
    offset: u64,
    squashfs: FilesystemReader<'static>,
    entries: Vec<Entry>,
}

pub struct Entry {
    /// From the root of the image, which is `/`.
    pub path: PathBuf,
    pub what: What,
    /// Permission bits.
    pub mode: u16,
    /// Seconds since 1970.
    pub changed: u32,
    /// What lies in this folder: names, and places in the list.
    pub inside: BTreeMap<OsString, usize>,
}

pub enum What {
    Folder,
    Link(PathBuf),
    File(SquashfsFileReader),
}

impl Entry {
    /// In bytes; a link is as long as its target.
    pub fn len(&self) -> u64 {
        match &self.what {
            What::Folder => 0,
            What::Link(target) => target.as_os_str().len() as u64,
            What::File(file) => file.file_len() as u64,
        }
    }
}

impl Image {
    /// The image behind the program `file`.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn open(file: &Path) -> Result<Self> {
        let mut reader = BufReader::new(File::open(file)?);
        let mut header = [0; HEADER];
        reader.read_exact(&mut header).context("it is too short")?;
        let offset = end_of_program(&header).context("it is no program for this machine")?;
        reader.seek(SeekFrom::Start(0))?;
        let squashfs = FilesystemReader::from_reader_with_offset(reader, offset).context("its image cannot be read")?;
        let entries = list(&squashfs)?;
        Ok(Self { offset, squashfs, entries })
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Folders come before what lies in them; the root is the first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// At most `size` bytes of a file from `from` on; fewer at its end.
    pub fn read(&self, entry: &Entry, from: u64, size: usize) -> io::Result<Vec<u8>> {
        let What::File(file) = &entry.what else { return Err(io::ErrorKind::InvalidInput.into()) };
        let mut bytes = Vec::with_capacity(size);
        let mut reader = self.squashfs.file(file).reader_checked().map_err(io::Error::other)?;
        reader.seek(SeekFrom::Start(from))?;
        reader.take(size as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub fn copy(&self, entry: &Entry, out: &mut impl Write) -> io::Result<()> {
        let What::File(file) = &entry.what else { return Err(io::ErrorKind::InvalidInput.into()) };
        let mut reader = self.squashfs.file(file).reader_checked().map_err(io::Error::other)?;
        io::copy(&mut reader, out).map(drop)
    }
}

fn list(squashfs: &FilesystemReader<'_>) -> Result<Vec<Entry>> {
    let mut nodes: Vec<_> = squashfs.files().collect();
    // By the parts of a path, so a folder precedes its files and the root everything.
    nodes.sort_by(|one, other| one.fullpath.cmp(&other.fullpath));
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    let mut entries: Vec<Entry> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let what = match &node.inner {
            InnerNode::Dir(_) => What::Folder,
            InnerNode::Symlink(link) => What::Link(link.link.clone()),
            InnerNode::File(file) => What::File(file.clone()),
            _ => bail!("{} is neither file, folder nor link", node.fullpath.display()),
        };
        let place = entries.len();
        if let (Some(folder), Some(name)) = (node.fullpath.parent(), node.fullpath.file_name()) {
            let folder = places.get(folder).and_then(|place| entries.get_mut(*place)).context("a folder is missing")?;
            folder.inside.insert(name.to_owned(), place);
        }
        places.insert(node.fullpath.clone(), place);
        entries.push(Entry {
            path: node.fullpath.clone(),
            what,
            mode: node.header.permissions & 0o777,
            changed: node.header.mtime,
            inside: BTreeMap::new(),
        });
    }
    if entries.first().map(|entry| entry.path.as_os_str()) != Some(OsStr::new("/")) {
        bail!("there is no root folder");
    }
    Ok(entries)
}

const HEADER: usize = 64;

/// Where a 64-bit little-endian ELF file ends: behind its section headers, which linkers write last.
fn end_of_program(header: &[u8; HEADER]) -> Option<u64> {
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: usize| Some(u64::from(u16::from_le_bytes(header.get(at..at + 2)?.try_into().ok()?)));
    let headers = u64::from_le_bytes(header.get(40..48)?.try_into().ok()?);
    headers.checked_add(number(58)? * number(60)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_where_its_file_ends() -> Result<()> {
        let program = std::env::current_exe()?;
        let mut header = [0; HEADER];
        File::open(&program)?.read_exact(&mut header)?;
        assert_eq!(end_of_program(&header), Some(program.metadata()?.len()));
        Ok(())
    }

    #[test]
    fn what_is_no_program_has_no_end() {
        assert_eq!(end_of_program(&[0; HEADER]), None);
        let mut huge = [0xff; HEADER];
        huge[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert_eq!(end_of_program(&huge), None, "it would lie behind every file");
    }
}
