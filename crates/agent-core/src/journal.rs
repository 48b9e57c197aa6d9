//! The journal: an append-only record of changes, from which they can be undone.
//!
//! [`Journal::begin`] writes a change down before any file is touched; [`Pending::done`] says that
//! it was made. What a killed process left in between is settled before anything else is done
//! with the journal: by looking at the files, each of which is as it was before or as it was to be.

pub(crate) mod record;

mod revert;
mod settle;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use agent_tools::write::{Attributes, Entry};
use jiff::Timestamp;

pub use record::{FileRecord, Record, Stamp, State};
pub use revert::{Conflict, Direction, OnConflict, Revert, RevertError, Reverted, first, standing};
pub use settle::{Fate, Settled};

use crate::{
    Sessions, StoreError,
    store::{Held, StateDirectory, Store},
};

/// Files with more bytes than this are not changed by a tool, since they could not be kept.
pub const LARGEST_FILE: u64 = 100 * 1024 * 1024;

/// The journal in a state directory. It is opened when it is first needed.
#[derive(Debug)]
pub struct Journal {
    state: Arc<StateDirectory>,
}

/// A change that is about to be made.
#[derive(Debug, Clone)]
pub struct Intended {
    /// The workspace's canonical path.
    pub workspace: PathBuf,
    /// The session that it belongs to.
    pub session: String,
    /// The tool that makes it.
    pub tool: String,
    /// The change that this one takes back.
    pub reverts: Option<i64>,
    /// The files.
    pub files: Vec<IntendedFile>,
}

/// What a change is about to do at one path.
#[derive(Debug, Clone)]
pub struct IntendedFile {
    /// The path, relative to the workspace.
    pub path: PathBuf,
    /// What stands there.
    pub before: Entry,
    /// What shall stand there.
    pub after: Entry,
    /// How many directories above it come or go with the file.
    pub directories: u32,
    /// What the file that goes or comes has beside its content and mode.
    pub attributes: Option<Attributes>,
    /// Lines added and removed, where it is text.
    pub lines: Option<(u64, u64)>,
}

impl Journal {
    /// The journal in the state directory `directory`, which is made when it is first needed.
    /// Without a directory every use of it fails.
    pub fn at(directory: Option<PathBuf>) -> Self {
        Self { state: Arc::new(StateDirectory::at(directory)) }
    }

    /// The journal in the state directory that `sessions` are in, which both open once.
    pub fn beside(sessions: &Sessions) -> Self {
        Self { state: Arc::clone(sessions.state()) }
    }

    /// Whether anything was ever written down here.
    pub fn exists(&self) -> bool {
        self.state.exists()
    }

    /// Makes sure that changes can be written down, and settles what killed processes left.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the journal can't be used.
    pub fn prepare(&self) -> Result<Vec<Settled>, StoreError> {
        let (mut held, settled) = self.hold()?;
        held.store.check_writable()?;
        Ok(settled)
    }

    /// Writes a change down. It is on the disk when this returns, and until the change is done or
    /// void no other process makes one.
    ///
    /// # Errors
    ///
    /// [`StoreError`]; the change must not be made then.
    pub fn begin(&self, change: &Intended) -> Result<Pending<'_>, StoreError> {
        let (mut held, settled) = self.hold()?;
        for settled in settled {
            tracing::warn!("{settled}");
        }
        let mut contents = Vec::new();
        let stamp = |entry: &Entry, contents: &mut Vec<_>| {
            let (stamp, content) = Stamp::of(entry);
            contents.extend(stamp.sha256().map(str::to_owned).zip(content));
            stamp
        };
        let files = change.files.iter().map(|file| FileRecord {
            path: file.path.clone(),
            before: stamp(&file.before, &mut contents),
            after: stamp(&file.after, &mut contents),
            directories: file.directories,
            attributes: file.attributes.clone(),
            added: file.lines.map(|(added, _)| added),
            removed: file.lines.map(|(_, removed)| removed),
        });
        let record = Record {
            id: 0,
            workspace: change.workspace.clone(),
            session: change.session.clone(),
            tool: change.tool.clone(),
            time: Timestamp::now(),
            reverts: change.reverts,
            state: State::Pending,
            files: files.collect(),
        };
        let contents: Vec<_> =
            contents.iter().map(|(hash, content)| (hash.as_str(), &**content)).collect();
        let record = held.store.add(record, &contents)?;
        Ok(Pending { held, record })
    }

    /// The changes of a workspace, the first first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the journal can't be read.
    pub fn records(&self, workspace: &Path) -> Result<Vec<Record>, StoreError> {
        self.hold()?.0.store.records(workspace)
    }

    /// What a stamp stands for.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the content can't be read or is no longer what it was.
    pub fn entry(&self, stamp: &Stamp) -> Result<Entry, StoreError> {
        self.state.with(|store| entry(store, stamp))
    }

    /// The store, with every other process kept from writing, and nothing pending.
    fn hold(&self) -> Result<(Held<'_>, Vec<Settled>), StoreError> {
        let mut held = self.state.hold()?;
        let settled = settle::settle(&mut held.store)?;
        Ok((held, settled))
    }
}

fn entry(store: &Store, stamp: &Stamp) -> Result<Entry, StoreError> {
    Ok(match stamp {
        Stamp::Absent => Entry::Absent,
        Stamp::File { sha256, mode } => {
            Entry::File { content: store.content(sha256)?, mode: *mode }
        }
        Stamp::Link { sha256 } => Entry::Link { target: record::path_of(&store.content(sha256)?) },
    })
}

/// A change that is written down and not yet made. Dropped as it is, it will be settled by what
/// the files look like.
#[derive(Debug)]
#[must_use = "say whether the change was made"]
pub struct Pending<'a> {
    held: Held<'a>,
    record: Record,
}

impl Pending<'_> {
    /// Every file is as it was to be.
    ///
    /// # Errors
    ///
    /// [`StoreError`]; the change is made all the same, and will be found to be.
    pub fn done(self) -> Result<Record, StoreError> {
        self.end(State::Done)
    }

    /// Every file is as it was before.
    ///
    /// # Errors
    ///
    /// [`StoreError`]; the change will be found not to be made.
    pub fn void(self) -> Result<Record, StoreError> {
        self.end(State::Void)
    }

    fn end(mut self, state: State) -> Result<Record, StoreError> {
        self.record.state = state;
        self.held.store.set_state(&self.record)?;
        Ok(self.record)
    }
}
