//! Undo and redo: changes taken back by further changes.
//!
//! A change that takes another back puts there what the other found, and records what it finds
//! itself. So taking back an undo is a redo, and nothing that was overwritten is ever lost.

use std::{collections::HashMap, path::PathBuf};

use agent_tools::{
    Workspace, WorkspacePath,
    write::{Entry, WriteError},
};

use super::{FileRecord, Journal, Record, State};
use crate::{
    StoreError,
    changes::{self, ChangeError, FileChange, Made, Origin},
};

/// What to take back.
#[derive(Debug, Clone)]
pub struct Revert {
    /// Changes, or changes that were taken back.
    pub direction: Direction,
    /// How many, the last first; all there are where there are fewer.
    pub count: usize,
    /// Those of this session alone.
    pub session: Option<String>,
    /// What to do where somebody else has changed a file since.
    pub on_conflict: OnConflict,
}

/// Back, or back again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Takes changes back.
    Undo,
    /// Makes changes again that were taken back.
    Redo,
}

impl Direction {
    /// Its name, as a command and as the tool of the changes that it makes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }
}

/// What to do where somebody else has changed a file since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// Nothing is changed at all.
    Refuse,
    /// The file is overwritten; what it held is kept in the journal.
    Overwrite,
}

/// A change that was taken back.
#[derive(Debug, Clone)]
pub struct Reverted {
    /// The change; for one that is made again, the change that it was at first.
    pub record: Record,
    /// The change that did so.
    pub made: Made,
    /// Files that somebody else had changed. The change that takes this back keeps what they held.
    pub overwritten: Vec<PathBuf>,
}

/// A file that is not as a change left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The file, relative to the workspace.
    pub file: PathBuf,
    /// The change that can't be taken back for it.
    pub change: i64,
    /// The hash of what the change left; none for nothing.
    pub expected: Option<String>,
    /// The hash of what is there; none for nothing.
    pub actual: Option<String>,
    /// From what the change left to what is there, as a unified diff; empty where it is no text.
    pub diff: String,
}

/// Why nothing was taken back, or not everything.
#[derive(Debug, thiserror::Error)]
pub enum RevertError {
    /// There is nothing.
    #[error("there is nothing to {}", .0.name())]
    Nothing(Direction),
    /// Files have been changed since. Nothing was done.
    #[error("{}", conflicts(.0))]
    Conflicts(Vec<Conflict>),
    /// The journal can't be read.
    #[error(transparent)]
    Journal(#[from] StoreError),
    /// A file can't be looked at. Nothing was done.
    #[error(transparent)]
    Read(#[from] WriteError),
    /// A change failed.
    #[error("change {change} was not taken back: {error}{}", earlier(.done.len()))]
    Change {
        /// The change that was to be taken back.
        change: i64,
        /// Why it was not.
        error: ChangeError,
        /// Those that were taken back before.
        done: Vec<Reverted>,
    },
}

fn conflicts(conflicts: &[Conflict]) -> String {
    let mut files: Vec<_> =
        conflicts.iter().map(|conflict| format!("`{}`", conflict.file.display())).collect();
    files.dedup();
    let verb = if files.len() == 1 { "has" } else { "have" };
    format!("{} {verb} been changed by somebody else since, so nothing was done", files.join(", "))
}

fn earlier(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "; the change after it was".to_owned(),
        count => format!("; the {count} changes after it were"),
    }
}

/// The changes that stand and can be undone, and those that can be redone; the latest last.
pub fn standing(records: &[Record]) -> (Vec<&Record>, Vec<&Record>) {
    let (mut done, mut undone): (Vec<&Record>, Vec<&Record>) = (Vec::new(), Vec::new());
    for record in records.iter().filter(|record| record.state == State::Done) {
        let Some(reverts) = record.reverts else {
            done.push(record);
            // Nobody could say what redoing would mean after this.
            undone.clear();
            continue;
        };
        let place = |stack: &[&Record]| stack.iter().rposition(|other| other.id == reverts);
        if let Some(index) = place(&done) {
            done.remove(index);
            undone.push(record);
        } else if let Some(index) = place(&undone) {
            undone.remove(index);
            done.push(record);
        }
    }
    (done, undone)
}

/// The change with which the undoing and redoing that led to `record` began.
pub fn first<'a>(records: &'a [Record], record: &'a Record) -> &'a Record {
    let reverted = |record: &&'a Record| {
        // They stand in the order of their numbers.
        let index = records.binary_search_by_key(&record.reverts?, |other| other.id).ok()?;
        records.get(index).filter(|other| other.id < record.id)
    };
    std::iter::successors(Some(record), reverted).last().unwrap_or(record)
}

impl Journal {
    /// Takes changes back, or makes them again. Where a file is not as it was left, nothing is done.
    ///
    /// # Errors
    ///
    /// [`RevertError`].
    pub fn revert(
        &self,
        workspace: &Workspace,
        revert: &Revert,
    ) -> Result<Vec<Reverted>, RevertError> {
        let records = self.records(workspace.root())?;
        let (done, undone) = standing(&records);
        let stack = match revert.direction {
            Direction::Undo => done,
            Direction::Redo => undone,
        };
        let wanted = |record: &&Record| {
            revert.session.as_ref().is_none_or(|session| *session == record.session)
        };
        let chosen: Vec<&Record> =
            stack.into_iter().rev().filter(wanted).take(revert.count).collect();
        if chosen.is_empty() {
            return Err(RevertError::Nothing(revert.direction));
        }
        let plans = self.plan(workspace, &chosen, revert.on_conflict)?;
        let mut reverted = Vec::new();
        for (record, plan) in chosen.into_iter().zip(plans) {
            let origin = Origin {
                session: record.session.clone(),
                tool: revert.direction.name().to_owned(),
                reverts: Some(record.id),
            };
            match changes::carry_out(workspace, Some(self), &origin, &plan.files) {
                Ok(made) => {
                    let (record, overwritten) = (first(&records, record), plan.overwritten);
                    reverted.push(Reverted { record: record.clone(), made, overwritten });
                }
                Err(error) => {
                    return Err(RevertError::Change {
                        change: first(&records, record).id,
                        error,
                        done: reverted,
                    });
                }
            }
        }
        Ok(reverted)
    }

    /// What is to be done for each change, when those before it in the list are taken back.
    fn plan(
        &self,
        workspace: &Workspace,
        chosen: &[&Record],
        on_conflict: OnConflict,
    ) -> Result<Vec<Plan>, RevertError> {
        let mut present: HashMap<PathBuf, Entry> = HashMap::new();
        let (mut plans, mut conflicts) = (Vec::new(), Vec::new());
        for record in chosen {
            let mut plan = Plan::default();
            for file in &record.files {
                let path = workspace.resolve_os(&file.path).map_err(WriteError::from)?;
                let here = match present.remove(&file.path) {
                    Some(entry) => entry,
                    None => changes::entry(workspace, &path)?,
                };
                if !file.after.matches(&here) {
                    match on_conflict {
                        OnConflict::Refuse => {
                            conflicts.push(self.conflict(record.id, &path, file, &here)?);
                        }
                        OnConflict::Overwrite => plan.overwritten.push(file.path.clone()),
                    }
                }
                let change = self.backwards(path, file, here)?;
                present.insert(file.path.clone(), afterwards(&change));
                plan.files.push(change);
            }
            plans.push(plan);
        }
        if conflicts.is_empty() { Ok(plans) } else { Err(RevertError::Conflicts(conflicts)) }
    }

    /// Puts what a change found there in the place of what is there now.
    fn backwards(
        &self,
        path: WorkspacePath,
        file: &FileRecord,
        here: Entry,
    ) -> Result<FileChange, StoreError> {
        let mut target = self.entry(&file.before)?;
        // A change that left the mode alone is taken back without touching it.
        let left_mode_alone = file.after.mode().is_none_or(|mode| file.before.mode() == Some(mode));
        if let (Entry::File { .. }, Entry::File { mode, .. }) = (&here, &mut target)
            && left_mode_alone
        {
            *mode = None;
        }
        let directories = if target == Entry::Absent { file.directories } else { 0 };
        let attributes = file.attributes.clone();
        Ok(FileChange { directories, attributes, ..FileChange::new(path, here, target) })
    }

    fn conflict(
        &self,
        change: i64,
        path: &WorkspacePath,
        file: &FileRecord,
        here: &Entry,
    ) -> Result<Conflict, StoreError> {
        let left = self.entry(&file.after)?;
        Ok(Conflict {
            file: file.path.clone(),
            change,
            expected: file.after.sha256().map(str::to_owned),
            actual: super::Stamp::of(here).0.sha256().map(str::to_owned),
            diff: changes::difference(&path.to_string(), &left, here),
        })
    }
}

/// How one change is taken back.
#[derive(Default)]
struct Plan {
    files: Vec<FileChange>,
    overwritten: Vec<PathBuf>,
}

/// What stands at a path after a change.
fn afterwards(change: &FileChange) -> Entry {
    match (&change.before, &change.after) {
        (Entry::File { mode, .. }, Entry::File { content, mode: None }) => {
            Entry::File { content: content.clone(), mode: *mode }
        }
        (_, after) => after.clone(),
    }
}
