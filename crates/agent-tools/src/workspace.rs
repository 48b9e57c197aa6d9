//! The working directory as a capability.
//!
//! Every path is resolved beneath an open directory handle (`openat2` with `RESOLVE_BENEATH` where
//! the kernel has it), so that neither `..` nor a symbolic link leads out, also when somebody
//! swaps a directory for a link between two calls.

mod error;
mod explain;
mod fingerprint;
mod path;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::{OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

pub use error::{PathError, Unsuitable, WorkspaceError};
pub use fingerprint::Fingerprint;
pub use path::WorkspacePath;

/// A directory, and everything beneath it that no link leads out of.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    /// The root as the user spelled it, when that is absolute and not the canonical spelling.
    alias: Option<PathBuf>,
    dir: Dir,
}

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link, wherever it leads.
    Symlink,
    /// A FIFO, a socket or a device.
    Other,
}

/// What the file system says about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// What the entry is.
    pub kind: EntryKind,
    /// Its size in bytes.
    pub len: u64,
    /// Its permission bits, where the platform has them.
    pub mode: Option<u32>,
}

impl Metadata {
    pub(crate) fn new(metadata: &cap_std::fs::Metadata) -> Self {
        let kind = if metadata.is_file() {
            EntryKind::File
        } else if metadata.is_dir() {
            EntryKind::Dir
        } else if metadata.is_symlink() {
            EntryKind::Symlink
        } else {
            EntryKind::Other
        };
        Self { kind, len: metadata.len(), mode: mode_of(metadata) }
    }
}

#[cfg(unix)]
fn mode_of(metadata: &cap_std::fs::Metadata) -> Option<u32> {
    use cap_std::fs::PermissionsExt;
    Some(metadata.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode_of(_: &cap_std::fs::Metadata) -> Option<u32> {
    None
}

impl Workspace {
    /// Opens the directory `root`. This is the one place where a path is followed outside of any
    /// workspace: it comes from the user, not from a model.
    pub fn open(root: &Path) -> Result<Self, WorkspaceError> {
        let failed = |source| WorkspaceError { root: root.to_owned(), source };
        #[expect(
            clippy::disallowed_methods,
            reason = "the root itself is resolved before there is a workspace to resolve it in"
        )]
        let canonical = std::fs::canonicalize(root).map_err(failed)?;
        let dir = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(failed)?;
        let alias = path::normalise_absolute(root).filter(|spelled| *spelled != canonical);
        Ok(Self { root: canonical, alias, dir })
    }

    /// The canonical path of the root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Turns what a model wrote into a path of this workspace.
    ///
    /// Relative paths are taken from the root; absolute ones must lie inside it, spelled by the
    /// canonical root or by the root as it was given to [`Workspace::open`]. `.` and inner `..` are
    /// removed from the text without looking at the disk. Nothing needs to exist.
    ///
    /// A backslash counts as a separator, and `~` as somebody's home, only when no entry of the
    /// literal name exists, since on Unix they are ordinary characters of a name.
    pub fn resolve(&self, path: &str) -> Result<WorkspacePath, PathError> {
        let literal = self.resolve_os(Path::new(path));
        let odd = path.contains('\\') || path::is_home(path);
        if !odd || literal.as_ref().is_ok_and(|literal| self.is_there(literal)) {
            return literal;
        }
        let slashed = path.replace('\\', "/");
        if path::is_home(&slashed) || path::has_drive(&slashed) {
            return Err(PathError::outside(path, &self.root));
        }
        self.resolve_os(Path::new(&slashed))
    }

    /// Like [`Workspace::resolve`] for a path that came from the file system: names need not be
    /// UTF-8, and a backslash is never a separator.
    pub fn resolve_os(&self, path: &Path) -> Result<WorkspacePath, PathError> {
        let roots = [Some(self.root.as_path()), self.alias.as_deref()];
        path::normalise(path, &roots, &self.root)
    }

    /// The absolute path, to be shown or handed to other programs.
    pub fn absolute(&self, path: &WorkspacePath) -> PathBuf {
        if path.is_root() { self.root.clone() } else { self.root.join(path.as_path()) }
    }

    /// The path that `path` leads to, with every link on the way followed.
    pub fn real(&self, path: &WorkspacePath) -> Result<WorkspacePath, PathError> {
        let real = self.dir.canonicalize(path.as_path()).map_err(|e| self.explain(path, e))?;
        self.resolve_os(&real)
    }

    /// What `path` is, without following a link in its last component.
    pub fn kind(&self, path: &WorkspacePath) -> Result<EntryKind, PathError> {
        match self.dir.symlink_metadata(path.as_path()) {
            Ok(metadata) => Ok(Metadata::new(&metadata).kind),
            Err(error) => Err(self.explain(path, error)),
        }
    }

    /// What `path` leads to, through any links that stay inside.
    pub fn metadata(&self, path: &WorkspacePath) -> Result<Metadata, PathError> {
        match self.dir.metadata(path.as_path()) {
            Ok(metadata) => Ok(Metadata::new(&metadata)),
            Err(error) => Err(self.explain(path, error)),
        }
    }

    /// Whether nothing stands at `path`. Where that is all there is to know, it takes far less than
    /// [`PathError::Missing`], for which the directory is searched for names like it.
    pub fn lacks(&self, path: &WorkspacePath) -> bool {
        let found = self.dir.symlink_metadata(path.as_path());
        found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// The names in a directory, git's own among them, in their byte order. A link to it is followed,
    /// inside.
    pub fn names(&self, path: &WorkspacePath) -> Result<Vec<OsString>, PathError> {
        let entries = self.dir.read_dir(path.as_path()).map_err(|e| self.explain(path, e))?;
        let mut names: Vec<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        Ok(names)
    }

    /// Opens a regular file for reading. A directory, FIFO, socket or device is refused, and is
    /// never waited for.
    pub fn open_file(&self, path: &WorkspacePath) -> Result<std::fs::File, PathError> {
        Unsuitable::check(path, self.metadata(path)?.kind)?;
        let mut options = OpenOptions::new();
        // A FIFO may take the file's place after the check; without this, opening it would hang.
        options.read(true).nonblock(true);
        let file = self
            .dir
            .open_with(path.as_path(), &options)
            .map_err(|error| self.explain(path, error))?;
        let metadata = file.metadata().map_err(|error| self.explain(path, error))?;
        Unsuitable::check(path, Metadata::new(&metadata).kind)?;
        Ok(file.into_std())
    }

    /// The capability itself, for the modules that write.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Says what an error of the file system means for `path`.
    pub(crate) fn explain(&self, path: &WorkspacePath, error: io::Error) -> PathError {
        explain::explain(&self.dir, path, error)
    }

    fn is_there(&self, path: &WorkspacePath) -> bool {
        self.dir.symlink_metadata(path.as_path()).is_ok()
    }
}

/// Options that open an existing entry for reading and never follow a link or wait for a peer.
pub(crate) fn read_no_follow() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(cap_fs_ext::FollowSymlinks::No);
    options
}
