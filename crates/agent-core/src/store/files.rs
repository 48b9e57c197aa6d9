//! The files of the state directory: made so that only their owner can read them.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{PATIENCE, StoreError};

/// Makes the directory, and the file `name` in it, where they are missing.
pub(super) fn make_in(directory: &Path, name: &str) -> Result<PathBuf, StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|error| StoreError::unusable(directory, &error))?;
    let path = directory.join(name);
    match make(&path) {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(path),
        Err(error) => Err(StoreError::unusable(&path, &error)),
    }
}

/// Makes an empty file where nothing is.
pub(super) fn make(path: &Path) -> io::Result<()> {
    private().create_new(true).open(path).map(drop)
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) {
    // Whoever needs the place finds out if it is not free.
    #[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
    let _ = fs::remove_file(path);
}

/// Puts a file in the place of another, once it is on the disk.
pub(super) fn place(from: &Path, to: &Path) -> io::Result<()> {
    OpenOptions::new().read(true).open(from)?.sync_all()?;
    #[expect(clippy::disallowed_methods, reason = "files of the state directory")]
    fs::rename(from, to)
}

/// Whether an empty file stands at `path`.
pub(super) fn is_empty(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|file| file.is_file() && file.len() == 0)
}

/// Whether anything stands at `path`.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The log of the database at `path`.
pub(super) fn log(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Whether the database lacks pages that its header counts, with no log that could hold them.
/// SQLite notices only when it needs one of them.
pub(super) fn is_cut_short(path: &Path) -> bool {
    if is_there(&log(path)) {
        return false;
    }
    let mut header = [0; 100];
    let mut options = OpenOptions::new();
    let Ok(mut file) = options.read(true).open(path) else { return false };
    let Ok(length) = file.metadata().map(|metadata| metadata.len()) else { return false };
    if file.read_exact(&mut header).is_err() {
        // Nothing is a new database; less than a header SQLite itself refuses.
        return false;
    }
    let number = |at: usize, bytes: usize| {
        header[at..at + bytes].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    // One stands for 64 KiB, which does not fit two bytes.
    let page = if number(16, 2) == 1 { 65_536 } else { number(16, 2) };
    length < page * number(28, 4)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A lock between processes, given back when it is dropped or its holder dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock `name` in the directory.
    pub(super) fn take(directory: &Path, name: &str) -> Result<Self, StoreError> {
        let path = directory.join(name);
        let opened = private().create(true).truncate(false).open(&path);
        let file = opened.map_err(|error| StoreError::unusable(&path, &error))?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Busy { path, seconds: PATIENCE.as_secs() });
                }
                // A file system without locks: the hashes of files still keep agents apart.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Self { _file: file });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(StoreError::unusable(&path, &error));
                }
            }
        }
    }
}
