//! Walking the workspace: the one place that decides what listings and searches see.
//!
//! Hidden files are seen, `.git` never is, ignore files count inside and outside of git, links are
//! not followed, and everything comes in the byte order of its path. Directories and files are
//! opened through the workspace's capability only.

mod globs;
mod listed;
mod rules;
mod scope;
mod skipped;
mod smallest;
mod whole;

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::vec;

pub use globs::GlobError;
pub(crate) use globs::Globs;
pub use listed::{Listed, listed};
pub(crate) use scope::{Entry, Scope};
pub use skipped::{Reason, Skipped};
pub(crate) use smallest::Smallest;
pub use whole::whole;

use crate::workspace::read_no_follow;
use crate::{EntryKind, PathError, Workspace, WorkspacePath};

/// Whether ignore files count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IgnoreRules {
    /// What they leave out is passed over and counted.
    #[default]
    Honour,
    /// They are read like any other file.
    Off,
}

/// Why a walk cannot begin where it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Nothing usable stands there.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Git's own files.
    #[error("`{path}` belongs to git, whose files are never listed or searched; ask git itself")]
    Git {
        /// The path that was asked for.
        path: WorkspacePath,
    },
    /// Neither a file nor a directory.
    #[error("`{path}` is a FIFO, a socket or a device; give a directory or a regular file")]
    Special {
        /// The path that was asked for.
        path: WorkspacePath,
    },
}

/// Where a walk begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Dir,
    File,
}

/// Looks at what somebody named as the start of a walk. A link to it is followed, inside.
pub(crate) fn start(workspace: &Workspace, path: &WorkspacePath) -> Result<Start, StartError> {
    if path.as_path().components().any(|component| component.as_os_str() == ".git") {
        return Err(StartError::Git { path: path.clone() });
    }
    match workspace.metadata(path)?.kind {
        EntryKind::Dir => Ok(Start::Dir),
        EntryKind::File => Ok(Start::File),
        EntryKind::Symlink | EntryKind::Other => Err(StartError::Special { path: path.clone() }),
    }
}

/// Opens a file that a walk came upon; `None` when it cannot be read, or has turned into something
/// else since. Why is not looked into: that takes longer than searching the file.
pub(crate) fn open_regular(workspace: &Workspace, path: &WorkspacePath) -> Option<File> {
    let file = workspace.dir().open_with(path.as_path(), &read_no_follow()).ok()?;
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    is_file.then(|| file.into_std())
}

/// The same without another look at what it is, which takes as long as opening it. What has taken
/// the place of the file since reads as nothing, as an error or as binary: nobody is waited for.
pub(crate) fn open_listed(workspace: &Workspace, path: &WorkspacePath) -> Option<File> {
    let opened = workspace.dir().open_with(path.as_path(), &read_no_follow());
    opened.ok().map(cap_std::fs::File::into_std)
}

/// What a walk comes upon.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A regular file that is asked for.
    File(WorkspacePath),
    /// Something that would have been asked for, but is passed over.
    Skipped(Reason),
}

/// The files below a directory, in the byte order of their paths, and what is passed over between
/// them. Ends early when it is cancelled.
pub(crate) struct Walk<'a> {
    workspace: &'a Workspace,
    globs: &'a Globs,
    cancel: &'a AtomicBool,
    unread: Option<Scope>,
    open: Vec<Level>,
}

/// A directory that is being walked.
struct Level {
    scope: Scope,
    rest: vec::IntoIter<Entry>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        workspace: &'a Workspace,
        start: Scope,
        globs: &'a Globs,
        cancel: &'a AtomicBool,
    ) -> Self {
        Self { workspace, globs, cancel, unread: Some(start), open: Vec::new() }
    }

    /// Begins to walk a directory; it counts as unreadable when it cannot be listed to the end.
    fn descend(&mut self, scope: Scope) -> Option<Step> {
        let mut entries = Vec::new();
        if scope.scan(self.workspace, |entry| entries.push(entry)).is_err() {
            return Some(Step::Skipped(Reason::Unreadable));
        }
        entries.sort_unstable_by(by_path);
        self.open.push(Level { scope, rest: entries.into_iter() });
        None
    }

    fn visit(&mut self, entry: &Entry) -> Option<Step> {
        let scope = &self.open.last()?.scope;
        let path = scope.dir().child(&entry.name)?;
        let is_dir = entry.kind == EntryKind::Dir;
        let wanted = if is_dir { self.globs.enter(&path) } else { self.globs.select(&path) };
        if !wanted {
            return None;
        }
        if entry.ignored {
            return Some(Step::Skipped(Reason::Ignored));
        }
        match entry.kind {
            EntryKind::File => Some(Step::File(path)),
            EntryKind::Dir => {
                let scope = scope.enter(self.workspace, path);
                self.descend(scope)
            }
            EntryKind::Symlink => Some(Step::Skipped(Reason::Link)),
            EntryKind::Other => Some(Step::Skipped(Reason::Special)),
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if let Some(start) = self.unread.take()
            && let Some(step) = self.descend(start)
        {
            return Some(step);
        }
        while !self.cancel.load(Ordering::Relaxed) {
            match self.open.last_mut()?.rest.next() {
                None => drop(self.open.pop()),
                Some(entry) => {
                    if let Some(step) = self.visit(&entry) {
                        return Some(step);
                    }
                }
            }
        }
        None
    }
}

/// The order of whole paths: a directory sorts as if its name ended in the slash that follows it.
fn by_path(a: &Entry, b: &Entry) -> std::cmp::Ordering {
    let (x, y) = (a.name.as_encoded_bytes(), b.name.as_encoded_bytes());
    let common = x.len().min(y.len());
    let next = |name: &[u8], entry: &Entry| {
        name.get(common).copied().or((entry.kind == EntryKind::Dir).then_some(b'/'))
    };
    x[..common].cmp(&y[..common]).then_with(|| next(x, a).cmp(&next(y, b)))
}
