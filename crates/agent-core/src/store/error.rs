//! Why the store can't be used.

use std::{
    io,
    path::{Path, PathBuf},
};

use rusqlite::ErrorCode;

/// Why the store can't be used. Nothing that it holds was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The state directory or a file in it can't be made, read or written.
    #[error("{} can't be used: {reason}", path.display())]
    Unusable {
        /// The directory or file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Nobody has said where the state directory is, and there is no home directory.
    #[error("there is no home directory, and so no place for a record of changes")]
    Nowhere,
    /// A later version of this program has written the database.
    #[error(
        "{} was written by a later version of this program (its format is {version}, and the \
         latest that is known here is {known})",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The latest that is known.
        known: i64,
    },
    /// The database is no database, or not as this program wrote it.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another process has held on to the store for a long time.
    #[error("{} has been in use by another process for {seconds} seconds", path.display())]
    Busy {
        /// What is in use.
        path: PathBuf,
        /// For how long.
        seconds: u64,
    },
}

impl StoreError {
    /// What to do about it.
    pub fn help(&self) -> String {
        let without = "or go on without a record with `--ephemeral`: changes can't be undone then";
        match self {
            Self::Nowhere => format!("set HOME, name a directory with AGENT_HOME, {without}"),
            Self::Unusable { .. } => {
                format!("make it writable, choose another directory with AGENT_HOME, {without}")
            }
            Self::Newer { .. } => {
                format!("use that version, choose another directory with AGENT_HOME, {without}")
            }
            Self::Damaged { path, .. } => {
                let path = path.display();
                format!(
                    "nothing was overwritten; to begin a new record move the old one aside \
                     (`mv {path} {path}.damaged`, and likewise {path}-wal if it is there), {without}"
                )
            }
            Self::Busy { .. } => format!("wait for the other process, or end it; {without}"),
        }
    }

    /// A short name: `nowhere`, `unusable`, `newer`, `damaged` or `busy`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nowhere => "nowhere",
            Self::Unusable { .. } => "unusable",
            Self::Newer { .. } => "newer",
            Self::Damaged { .. } => "damaged",
            Self::Busy { .. } => "busy",
        }
    }

    pub(super) fn unusable(path: &Path, error: &io::Error) -> Self {
        Self::Unusable { path: path.to_owned(), reason: error.to_string() }
    }

    pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.into() }
    }

    /// What an error of SQLite means. What is neither the system's refusal nor another process is
    /// a database that is not as it was written.
    pub(super) fn sql(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let reason = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { path, seconds: super::PATIENCE.as_secs() }
            }
            Some(
                ErrorCode::PermissionDenied
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull
                | ErrorCode::CannotOpen
                | ErrorCode::OutOfMemory
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport
                | ErrorCode::TooBig,
            ) => Self::Unusable { path, reason },
            _ => Self::Damaged { path, reason },
        }
    }
}
