//! What becomes of changes that were cut off.

use std::fmt;

use agent_tools::{
    Workspace, WorkspacePath,
    write::{self, Attributes, Entry},
};

use super::{LARGEST_FILE, Record, Stamp, State, entry};
use crate::{StoreError, store::Store};

/// A change that was cut off and is now settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The change.
    pub record: Record,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a change that was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It had been made.
    Made,
    /// It had not begun.
    NotBegun,
    /// Some of its files had been changed, and are as before again.
    TakenBack,
    /// A file is neither as before nor as it was to be: nothing was touched.
    LeftAlone,
}

impl fmt::Display for Settled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> =
            self.record.files.iter().map(|file| file.path.display().to_string()).collect();
        write!(f, "change {} ({}) was cut off: ", self.record.id, files.join(", "))?;
        f.write_str(match self.fate {
            Fate::Made => "it had been made",
            Fate::NotBegun => "no file had been touched",
            Fate::TakenBack => "every file is as it was before",
            Fate::LeftAlone => {
                "a file of it has been changed by somebody else since, so all of them were left \
                 as they are"
            }
        })
    }
}

/// Settles every change that is pending. The caller keeps other processes from making changes, so
/// that whoever began these is gone.
pub(super) fn settle(store: &mut Store) -> Result<Vec<Settled>, StoreError> {
    let mut settled = Vec::new();
    for mut record in store.pending()? {
        // A directory that is away for a while may come back.
        let Ok(workspace) = Workspace::open(&record.workspace) else { continue };
        let fate = settle_one(store, &workspace, &record)?;
        record.state = match fate {
            Fate::Made => State::Done,
            Fate::NotBegun | Fate::TakenBack => State::Void,
            Fate::LeftAlone => State::LeftAlone,
        };
        store.set_state(&record)?;
        settled.push(Settled { record, fate });
    }
    Ok(settled)
}

/// A file of a change that was cut off.
struct Found {
    path: WorkspacePath,
    /// What stands there now.
    present: Entry,
    before: Stamp,
    after: Stamp,
    directories: u32,
    attributes: Option<Attributes>,
}

fn settle_one(store: &Store, workspace: &Workspace, record: &Record) -> Result<Fate, StoreError> {
    let mut found = Vec::new();
    for file in &record.files {
        let Ok(path) = workspace.resolve_os(&file.path) else { return Ok(Fate::LeftAlone) };
        write::sweep(workspace, &path);
        let Ok(present) = Entry::read(workspace, &path, LARGEST_FILE) else {
            return Ok(Fate::LeftAlone);
        };
        let (before, after) = (file.before.clone(), file.after.clone());
        let (directories, attributes) = (file.directories, file.attributes.clone());
        found.push(Found { path, present, before, after, directories, attributes });
    }
    for file in &mut found {
        mend_torn(store, workspace, file)?;
    }
    let made = |file: &Found| file.after.matches(&file.present);
    let untouched = |file: &Found| file.before.matches(&file.present);
    if found.iter().all(made) {
        found.iter().for_each(|file| remove_directories(workspace, file, &file.after));
        return Ok(Fate::Made);
    }
    let fate = match (found.iter().all(untouched), found.iter().any(made)) {
        (true, _) => Fate::NotBegun,
        (false, true) if found.iter().all(|file| made(file) || untouched(file)) => Fate::TakenBack,
        (false, _) => return Ok(Fate::LeftAlone),
    };
    for file in found.iter().filter(|file| !untouched(file)) {
        let before = entry(store, &file.before)?;
        let attributes = file.attributes.as_ref();
        if write::put_with(workspace, &file.path, &file.present, &before, attributes).is_err() {
            return Ok(Fate::LeftAlone);
        }
    }
    found.iter().for_each(|file| remove_directories(workspace, file, &file.before));
    Ok(fate)
}

/// Removes the directories that came, or were to go, with a file that is not there now.
fn remove_directories(workspace: &Workspace, file: &Found, now: &Stamp) {
    if *now == Stamp::Absent {
        write::remove_empty(workspace, &file.path.above(file.directories as usize));
    }
}

/// Only a file with several names is written in place, and can be cut off in the middle: then it
/// begins with the new content and goes on with the old. It gets the old content back.
fn mend_torn(store: &Store, workspace: &Workspace, file: &mut Found) -> Result<(), StoreError> {
    let Entry::File { content, .. } = &file.present else { return Ok(()) };
    let several_names = write::has_other_names(workspace, &file.path);
    if !several_names || file.before.matches(&file.present) || file.after.matches(&file.present) {
        return Ok(());
    }
    let (before, after) = (entry(store, &file.before)?, entry(store, &file.after)?);
    let (Entry::File { content: old, .. }, Entry::File { content: new, .. }) = (&before, &after)
    else {
        return Ok(());
    };
    let written = content.iter().zip(&**new).take_while(|(seen, new)| seen == new).count();
    let rest = old.get(written..).unwrap_or_default();
    if content.get(written..) == Some(rest)
        && write::put(workspace, &file.path, &file.present, &before).is_ok()
    {
        file.present = before;
    }
    Ok(())
}
