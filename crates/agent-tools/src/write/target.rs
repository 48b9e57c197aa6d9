//! The place of a file: an open directory and a name in it.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::WriteError;
use crate::hash::sha256_of;
use crate::workspace::{PathError, Unsuitable, Workspace, WorkspacePath, read_no_follow};

/// Where a file is or shall be. The directory is held open, so that no link that appears on the
/// way later can lead the next step elsewhere.
#[derive(Debug)]
pub(super) struct Target<'a> {
    path: &'a WorkspacePath,
    dir: Dir,
    name: OsString,
}

impl<'a> Target<'a> {
    /// The regular file that `path` leads to, through links.
    pub(super) fn of_file(ws: &Workspace, path: &'a WorkspacePath) -> Result<Self, WriteError> {
        Unsuitable::check(path, ws.metadata(path)?.kind)?;
        let real = ws.dir().canonicalize(path.as_path()).map_err(|e| ws.explain(path, e))?;
        Self::open(ws, path, &real)
    }

    /// The entry `path` itself, whether it exists or not.
    pub(super) fn at(ws: &Workspace, path: &'a WorkspacePath) -> Result<Self, WriteError> {
        Self::open(ws, path, path.as_path())
    }

    fn open(ws: &Workspace, path: &'a WorkspacePath, real: &Path) -> Result<Self, WriteError> {
        let Some(name) = real.file_name() else {
            let path = path.clone();
            return Err(PathError::NotAFile { path, found: Unsuitable::Dir }.into());
        };
        let parent = real.parent().filter(|parent| !parent.as_os_str().is_empty());
        let dir = ws
            .dir()
            .open_dir(parent.unwrap_or(Path::new(".")))
            .map_err(|error| ws.explain(path, error))?;
        Ok(Self { path, dir, name: name.to_owned() })
    }

    pub(super) fn path(&self) -> &WorkspacePath {
        self.path
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    /// What the file system says about the file; a link is not followed.
    pub(super) fn metadata(&self) -> Result<Metadata, WriteError> {
        self.dir.symlink_metadata(&self.name).map_err(|source| self.failed("examine", source))
    }

    /// Refuses a file that may not be written. Replacing it would not even ask: that is a change of
    /// its directory. The mode is looked at too, since root may write everything.
    pub(super) fn check_writable(&self) -> Result<(), WriteError> {
        let read_only = || WriteError::ReadOnly { path: self.path.clone() };
        if self.metadata()?.permissions().readonly() {
            return Err(read_only());
        }
        let mut options = read_no_follow();
        options.read(false).write(true);
        match self.dir.open_with(&self.name, &options) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(read_only()),
            // Anything else either matters to the steps that follow, or does not matter.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    pub(super) fn has_other_names(&self) -> Result<bool, WriteError> {
        Ok(cap_fs_ext::MetadataExt::nlink(&self.metadata()?) > 1)
    }

    /// Makes sure that the file still has the content with this hash.
    pub(super) fn expect(&self, sha256: &str) -> Result<(), WriteError> {
        let current = match self.dir.open_with(&self.name, &read_no_follow()) {
            Ok(file) => file,
            // It was there a moment ago: now it is gone, or a link has taken its place.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(self.changed()),
            Err(_) if !self.metadata()?.is_file() => return Err(self.changed()),
            Err(error) => return Err(self.failed("read", error)),
        };
        let is_file = current.metadata().is_ok_and(|metadata| metadata.is_file());
        if !is_file {
            return Err(self.changed());
        }
        let current = sha256_of(current).map_err(|source| self.failed("read", source))?;
        if current.eq_ignore_ascii_case(sha256) { Ok(()) } else { Err(self.changed()) }
    }

    /// Creates the file under its own name, where that is the only way.
    pub(super) fn create(&self, content: &[u8], mode: Option<u32>) -> Result<(), WriteError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if let Some(mode) = mode {
            cap_std::fs::OpenOptionsExt::mode(&mut options, mode);
        }
        let created = self.dir.open_with(&self.name, &options);
        let mut file = created.map_err(|source| self.failed("create", source))?;
        file.write_all(content).and_then(|()| file.sync_all()).map_err(|source| {
            let _ = self.dir.remove_file(&self.name);
            self.failed("write", source)
        })
    }

    /// Makes a symbolic link that points `to`; where to is nobody's business before it is followed.
    pub(super) fn link(&self, to: &Path) -> Result<(), WriteError> {
        symlink(&self.dir, to, &self.name).map_err(|source| self.failed("link", source))
    }

    pub(super) fn remove(&self) -> Result<(), WriteError> {
        self.dir.remove_file(&self.name).map_err(|source| self.failed("delete", source))
    }

    /// Makes the change of the directory last through a power failure. The change itself has
    /// happened by now, so a file system that cannot do this does not make it fail.
    pub(super) fn sync_dir(&self) {
        let _ = self.dir.open(".").and_then(|dir| dir.sync_all());
    }

    pub(super) fn changed(&self) -> WriteError {
        WriteError::ChangedSinceRead { path: self.path.clone() }
    }

    pub(super) fn failed(&self, action: &'static str, source: io::Error) -> WriteError {
        WriteError::Io { path: self.path.clone(), action, source }
    }
}

#[cfg(unix)]
pub(super) fn symlink(dir: &Dir, to: &Path, name: &OsStr) -> io::Result<()> {
    dir.symlink_contents(to, name)
}

#[cfg(not(unix))]
pub(super) fn symlink(_: &Dir, _: &Path, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Directories made for a new file; they go again if the file does not come.
#[derive(Debug)]
pub(super) struct Parents<'a> {
    ws: &'a Workspace,
    made: Vec<WorkspacePath>,
}

impl<'a> Parents<'a> {
    /// Makes the directories above `path` that are missing.
    pub(super) fn make(ws: &'a Workspace, path: &WorkspacePath) -> Result<Self, WriteError> {
        let mut parents = Self { ws, made: Vec::new() };
        let mut above = path.prefixes();
        above.pop();
        for dir in above {
            match ws.metadata(&dir) {
                Ok(_) => {}
                Err(PathError::Missing { .. }) => {
                    match ws.dir().create_dir(dir.as_path()) {
                        Ok(()) => parents.made.push(dir),
                        // Somebody else was faster; if it is no directory, the next step fails.
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        Err(error) => return Err(ws.explain(path, error).into()),
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(parents)
    }

    /// The file has come.
    pub(super) fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Parents<'_> {
    fn drop(&mut self) {
        for dir in self.made.iter().rev() {
            // Only an empty directory can be removed: what somebody else put there stays.
            let _ = self.ws.dir().remove_dir(dir.as_path());
        }
    }
}
