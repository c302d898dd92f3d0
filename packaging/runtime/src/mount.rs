//! The image as a file system, read-only, through FUSE. `fusermount3` of the system does what needs rights.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEntry, ReplyOpen, Request,
};

use crate::image::{Entry, Image, What};

/// Nothing ever changes.
const FOREVER: Duration = Duration::from_secs(86_400);
const BLOCK: u32 = 128 << 10;

/// Mounts until the session is unmounted.
///
/// # Errors
/// When this system has no FUSE for users.
pub fn mount(image: Image, folder: &Path) -> Result<BackgroundSession> {
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::RO,
        MountOption::NoSuid,
        MountOption::NoDev,
        MountOption::FSName("calmtrader".to_owned()),
        MountOption::Subtype("appimage".to_owned()),
    ];
    fuser::spawn_mount(Mounted(image), folder, &config).context("FUSE is not to be had here (package fuse3)")
}

struct Mounted(Image);

impl Mounted {
    /// Inode numbers are places in the list, counted from 1.
    fn entry(&self, inode: INodeNo) -> Option<&Entry> {
        let place = u64::from(inode).checked_sub(1)?;
        self.0.entries().get(usize::try_from(place).ok()?)
    }
}

fn inode(place: usize) -> INodeNo {
    INodeNo(place as u64 + 1)
}

fn kind(entry: &Entry) -> FileType {
    match entry.what {
        What::Folder => FileType::Directory,
        What::Link(_) => FileType::Symlink,
        What::File(_) => FileType::RegularFile,
    }
}

fn attributes(ino: INodeNo, entry: &Entry) -> FileAttr {
    let time = UNIX_EPOCH + Duration::from_secs(u64::from(entry.changed));
    FileAttr {
        ino,
        size: entry.len(),
        blocks: entry.len().div_ceil(512),
        atime: time,
        mtime: time,
        ctime: time,
        crtime: time,
        kind: kind(entry),
        perm: entry.mode,
        nlink: 1,
        uid: nix::unistd::getuid().as_raw(),
        gid: nix::unistd::getgid().as_raw(),
        rdev: 0,
        blksize: BLOCK,
        flags: 0,
    }
}

impl Filesystem for Mounted {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let place = self.entry(parent).and_then(|folder| folder.inside.get(name)).copied();
        match place.and_then(|place| Some((inode(place), self.0.entries().get(place)?))) {
            Some((ino, entry)) => reply.entry(&FOREVER, &attributes(ino, entry), Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.entry(ino) {
            Some(entry) => reply.attr(&FOREVER, &attributes(ino, entry)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn readlink(&self, _: &Request, ino: INodeNo, reply: ReplyData) {
        match self.entry(ino).map(|entry| &entry.what) {
            Some(What::Link(target)) => reply.data(target.as_os_str().as_encoded_bytes()),
            _ => reply.error(Errno::EINVAL),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE);
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.entry(ino).map(|entry| self.0.read(entry, offset, size as usize)) {
            Some(Ok(bytes)) => reply.data(&bytes),
            Some(Err(_)) => reply.error(Errno::EIO),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn readdir(&self, _: &Request, ino: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let Some(folder) = self.entry(ino) else { return reply.error(Errno::ENOENT) };
        let dots = [".", ".."].map(|name| (ino, FileType::Directory, OsStr::new(name)));
        let inside = folder.inside.iter().filter_map(|(name, place)| {
            let entry = self.0.entries().get(*place)?;
            Some((inode(*place), kind(entry), name.as_os_str()))
        });
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        for (next, (ino, kind, name)) in (1..).zip(dots.into_iter().chain(inside)).skip(from) {
            if reply.add(ino, next, kind, name) {
                break;
            }
        }
        reply.ok();
    }
}
