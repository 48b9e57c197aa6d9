//! Why a file was not changed.

use std::io;

use crate::workspace::{EntryKind, PathError, WorkspacePath};

/// Why a file was not changed. Unless it says otherwise, everything is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The path leads to nothing that may be changed.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Somebody else has changed the file.
    #[error(
        "`{path}` has changed since it was read, and was left as it is; \
         read it again and make the change to what is there now"
    )]
    ChangedSinceRead {
        /// The file.
        path: WorkspacePath,
    },
    /// The file may not be written.
    #[error(
        "`{path}` is read-only, and was left as it is; ask the user to make it writable if it \
         is to be changed"
    )]
    ReadOnly {
        /// The file.
        path: WorkspacePath,
    },
    /// A file was to be created where something stands.
    #[error("`{path}` exists already{}", instead(*kind))]
    Exists {
        /// The path.
        path: WorkspacePath,
        /// What stands there.
        kind: EntryKind,
    },
    /// The file has more bytes than whoever reads it can keep.
    #[error(
        "`{path}` has more than {max} bytes, too many to be kept for undo, and was left as it is; \
         ask the user to change it"
    )]
    TooLarge {
        /// The file.
        path: WorkspacePath,
        /// The most that can be kept.
        max: u64,
    },
    /// The file system refused.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// The file.
        path: WorkspacePath,
        /// What was being done.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Writing into a file with several names failed, and so did putting the old content back.
    #[error(
        "cannot write `{path}`: {source}; its content is damaged, because it has several names \
         (hard links) and had to be written in place"
    )]
    Torn {
        /// The file.
        path: WorkspacePath,
        /// What the system said at first.
        source: io::Error,
    },
}

fn instead(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File => "; edit it, or choose another name",
        EntryKind::Dir => " and is a directory; name a file in it",
        EntryKind::Symlink => " and is a symbolic link; choose another name",
        EntryKind::Other => " and is no regular file; choose another name",
    }
}
