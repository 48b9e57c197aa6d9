//! Why a path cannot be used, in words that name a way forward.

use std::io;
use std::path::{Path, PathBuf};

use super::{EntryKind, WorkspacePath};

/// The directory could not be opened as a workspace.
#[derive(Debug, thiserror::Error)]
#[error("cannot open `{}` as a workspace: {source}", root.display())]
pub struct WorkspaceError {
    /// The directory as it was given.
    pub root: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Why a path was refused or led to nothing usable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The text of the path is empty.
    #[error("the path is empty; give a path relative to the workspace, `.` for its root")]
    Empty,
    /// The text of the path holds a NUL byte.
    #[error("the path {path:?} holds a NUL character, which no file name can; leave it out")]
    Nul {
        /// The path as it was given.
        path: String,
    },
    /// The path or one of its names is longer than a file system accepts.
    #[error(
        "the path `{start}…` is too long ({len} bytes; at most 255 a name and 4095 in all); \
         check that it is a path and not the text of a file"
    )]
    TooLong {
        /// How the path begins.
        start: String,
        /// Its length in bytes.
        len: usize,
    },
    /// The text of the path names a place outside.
    #[error(
        "`{path}` is outside the workspace `{}`; give a path inside it, relative to that directory",
        root.display()
    )]
    Outside {
        /// The path as it was given.
        path: String,
        /// The root of the workspace.
        root: PathBuf,
    },
    /// A symbolic link on the way leads outside.
    #[error(
        "`{path}` leads out of the workspace{}; use the files inside the workspace instead",
        through(link.as_ref())
    )]
    Escapes {
        /// The path that was asked for.
        path: WorkspacePath,
        /// The link and its target, where they could be found out.
        link: Option<(WorkspacePath, PathBuf)>,
    },
    /// Nothing stands there.
    #[error("`{path}` does not exist{}", suggestion(similar))]
    Missing {
        /// The path that was asked for.
        path: WorkspacePath,
        /// Up to three existing paths with a similar name in the same directory.
        similar: Vec<WorkspacePath>,
    },
    /// A symbolic link on the way leads to nothing.
    #[error(
        "`{path}` does not exist: `{link}` is a symbolic link to `{}`, where there is nothing; \
         create that file, or delete the link",
        target.display()
    )]
    Dangling {
        /// The path that was asked for.
        path: WorkspacePath,
        /// The link.
        link: WorkspacePath,
        /// Where it points.
        target: PathBuf,
    },
    /// A component before the last is not a directory.
    #[error(
        "`{path}` cannot exist, because `{file}` is not a directory; list its directory to see what is there"
    )]
    NotADirectory {
        /// The path that was asked for.
        path: WorkspacePath,
        /// The part of it that is no directory.
        file: WorkspacePath,
    },
    /// A file was needed and something else stands there.
    #[error("`{path}` is {found}")]
    NotAFile {
        /// The path that was asked for.
        path: WorkspacePath,
        /// What stands there.
        found: Unsuitable,
    },
    /// The file system refused for another reason.
    #[error("cannot use `{path}`: {source}")]
    Io {
        /// The path that was asked for.
        path: WorkspacePath,
        /// What the system said.
        source: io::Error,
    },
}

/// What stands where a regular file was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsuitable {
    /// A directory.
    Dir,
    /// A symbolic link that may not be followed here.
    Symlink,
    /// A FIFO, a socket or a device.
    Special,
}

impl std::fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Dir => "a directory, not a file; list it to see its files",
            Self::Symlink => "a symbolic link, not a file; name the file it leads to",
            Self::Special => {
                "a FIFO, a socket or a device, not a regular file; only regular files can be used"
            }
        })
    }
}

impl Unsuitable {
    /// Refuses everything but a regular file.
    pub(crate) fn check(path: &WorkspacePath, kind: EntryKind) -> Result<(), PathError> {
        let found = match kind {
            EntryKind::File => return Ok(()),
            EntryKind::Dir => Self::Dir,
            EntryKind::Symlink => Self::Symlink,
            EntryKind::Other => Self::Special,
        };
        Err(PathError::NotAFile { path: path.clone(), found })
    }
}

impl PathError {
    pub(super) fn outside(path: &str, root: &Path) -> Self {
        if path.len() > 1000 {
            return Self::too_long(path);
        }
        Self::Outside { path: path.to_owned(), root: root.to_owned() }
    }

    pub(super) fn too_long(path: &str) -> Self {
        Self::TooLong { start: path.chars().take(60).collect(), len: path.len() }
    }
}

fn through(link: Option<&(WorkspacePath, PathBuf)>) -> String {
    match link {
        Some((link, target)) if target.is_absolute() => format!(
            " through the symbolic link `{link}` -> `{}` (a link with an absolute target is never followed)",
            target.display()
        ),
        Some((link, target)) => {
            format!(" through the symbolic link `{link}` -> `{}`", target.display())
        }
        None => " through a symbolic link".to_owned(),
    }
}

fn suggestion(similar: &[WorkspacePath]) -> String {
    if similar.is_empty() {
        return "; list the directory or search for the name to find it".to_owned();
    }
    let names: Vec<_> = similar.iter().map(|path| format!("`{path}`")).collect();
    format!("; similar names that do exist: {}", names.join(", "))
}
