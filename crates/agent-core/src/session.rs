//! Sessions: everything that a model saw and said, and everything that was done, in order.
//!
//! A session is a list of [`Note`]s that only grows. What the model is shown, and what a report
//! tells, follow from the notes alone, so that a session which was cut off anywhere goes on from
//! them: see [`Past`].

mod fold;
mod kept;
mod note;
mod past;
mod prune;
mod recorder;
pub(crate) mod told;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;

pub(crate) use fold::Fold;
use kept::Kept;
pub(crate) use kept::Written;
pub use note::{By, CallName, Ended, Note, Requested};
pub use past::{OpenCall, Past, Seen};
pub use prune::Pruned;
pub(crate) use recorder::Recorder;
pub(crate) use writer::Writer;

use crate::{
    StoreError,
    store::{Durability, StateDirectory, Store},
};

/// The sessions in a state directory. It is opened when it is first needed.
#[derive(Debug)]
pub struct Sessions {
    state: Arc<StateDirectory>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its name.
    pub id: String,
    /// The workspace's canonical path.
    pub workspace: PathBuf,
    /// When it began, in milliseconds.
    pub begun: Timestamp,
    /// When something was last added to it.
    pub changed: Timestamp,
    /// The beginning of its first request.
    pub task: String,
    /// The model of its last request.
    pub model: String,
    /// How many requests it has.
    pub requests: usize,
    /// How many actions were carried out.
    pub actions: usize,
    /// How its last request ended; none while it has not, be it that it is running or was cut off.
    pub outcome: Option<String>,
}

/// Why a session can't be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The store can't be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such session.
    #[error("there is no session whose id begins with `{0}`")]
    Unknown(String),
    /// There are several.
    #[error("several sessions have an id that begins with `{prefix}`: {}", .ids.join(", "))]
    Ambiguous {
        /// What was given.
        prefix: String,
        /// Some of them.
        ids: Vec<String>,
    },
    /// A note is not one that this program knows.
    #[error("note {position} of the session {id} can't be understood: {reason}")]
    Note {
        /// The session.
        id: String,
        /// Where it stands, from 0.
        position: usize,
        /// What is wrong.
        reason: String,
    },
}

impl Sessions {
    /// The sessions in the state directory `directory`, which is made when it is first needed.
    /// Without a directory every use of it fails.
    pub fn at(directory: Option<PathBuf>) -> Self {
        Self { state: Arc::new(StateDirectory::at(directory)) }
    }

    /// Whether anything was ever written down here.
    pub fn exists(&self) -> bool {
        self.state.exists()
    }

    /// The sessions of a workspace, or of all, the latest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn list(&self, workspace: Option<&Path>) -> Result<Vec<Summary>, StoreError> {
        self.with(|store| store.sessions(workspace))
    }

    /// The session whose id begins with `prefix`.
    ///
    /// # Errors
    ///
    /// [`SessionError`] where there is none, or more than one.
    pub fn find(&self, prefix: &str) -> Result<Summary, SessionError> {
        let unknown = || SessionError::Unknown(prefix.to_owned());
        if prefix.is_empty() || !self.exists() {
            return Err(unknown());
        }
        let mut found = self.with(|store| store.sessions_like(prefix, 4))?;
        match (found.pop(), found.is_empty()) {
            (None, _) => Err(unknown()),
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                found.push(last);
                let ids = found.into_iter().map(|summary| summary.id).collect();
                Err(SessionError::Ambiguous { prefix: prefix.to_owned(), ids })
            }
        }
    }

    /// Removes a session. What it changed can still be undone.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub fn remove(&self, id: &str) -> Result<(), StoreError> {
        self.with(|store| store.remove_session(id))
    }

    /// The state directory that they are in.
    pub(crate) fn state(&self) -> &Arc<StateDirectory> {
        &self.state
    }

    /// Sees to it that not even a power failure takes back what was written.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.with(Store::sync)
    }

    /// The same as [`Self::add`] without waiting for the disk or for anybody; none where that can't
    /// be, and nothing is added then.
    fn add_at_once(
        &self,
        summary: &Summary,
        position: usize,
        notes: &[Written],
    ) -> Option<Result<bool, StoreError>> {
        let durability = Durability::Crash;
        self.state.at_once(|store| store.add_notes(summary, position, notes, durability))
    }

    /// Adds notes behind the `position` that are there; false where somebody else did.
    fn add(
        &self,
        summary: &Summary,
        position: usize,
        notes: &[Written],
        durability: Durability,
    ) -> Result<bool, StoreError> {
        self.with(|store| store.add_notes(summary, position, notes, durability))
    }

    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.state.with(work)
    }
}
