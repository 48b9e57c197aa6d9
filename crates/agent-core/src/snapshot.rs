//! What a command changed: the workspace before it, compared with the workspace after it.
//!
//! Everything that ignore files do not leave out is looked at. What is kept of it is bounded, and
//! what was not kept and has changed all the same is named: it can't be taken back.
//!
//! The workspace after one command is the workspace before the next, but for what was changed in
//! between. So a snapshot is made from the last one, and only what the file system notes as touched
//! since is read.

mod recorded;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use agent_tools::{
    Fingerprint, PathError, Workspace, WorkspacePath,
    walk::{self, Listed},
    write::{Attributes, Entry},
};
pub use recorded::{Recorded, Snapshots, watched};

use crate::{changes::FileChange, journal::LARGEST_FILE};

/// What is kept of a workspace at most.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// Files and directories that are looked at.
    entries: usize,
    /// Bytes of one file.
    file: u64,
    /// Bytes in all.
    all: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { entries: 100_000, file: 2 << 20, all: 32 << 20 }
    }
}

/// A workspace as it was.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// In seconds since 1970.
    taken: i64,
    files: BTreeMap<WorkspacePath, Kept>,
    directories: HashSet<WorkspacePath>,
    /// Whether there were more entries than are looked at.
    cut: bool,
    /// Bytes that had to be read for it.
    read: usize,
}

/// What is known of a file.
#[derive(Debug)]
struct Kept {
    fingerprint: Option<Fingerprint>,
    /// The file itself, where there was room.
    entry: Option<Entry>,
    /// What it has beside its content and mode.
    attributes: Option<Attributes>,
}

impl Kept {
    /// Whether the file is proved to be as it was at `time`, now that it looks like this.
    fn still_holds(&self, time: i64, fingerprint: Option<Fingerprint>) -> bool {
        let same = self.fingerprint == fingerprint;
        same && fingerprint.is_some_and(|fingerprint| fingerprint.is_proof_at(time))
    }
}

/// What is different.
#[derive(Debug, Default)]
struct Difference {
    /// What can be taken back, in the order of the paths.
    files: Vec<FileChange>,
    /// What can't, since it was not kept.
    lost: Vec<String>,
    /// Whether there was more than was looked at.
    cut: bool,
}

impl Snapshot {
    /// The workspace as it is at `time`, in seconds since 1970, made from the last snapshot of it.
    fn take(workspace: &Workspace, last: Option<Self>, bounds: Bounds, time: i64) -> Self {
        let Listed { mut files, directories, cut } = list(workspace, bounds);
        files.sort();
        let (before, mut known) = last.map(|last| (last.taken, last.files)).unwrap_or_default();
        let (mut room, mut read) = (bounds.all, 0);
        let kept = files.into_iter().map(|path| {
            // Before it is read: what changes in between then looks changed.
            let fingerprint = workspace.fingerprint(&path);
            let most = bounds.file.min(room as u64);
            let known = known.remove(&path).filter(|kept| kept.still_holds(before, fingerprint));
            let known = known.and_then(|kept| Some((kept.entry?, kept.attributes)));
            let entry = match known {
                Some(known) => Some(known).filter(|(entry, _)| size(entry) as u64 <= most),
                None if fingerprint.is_some_and(|it| it.bytes() > most) => None,
                None => {
                    let entry = Entry::read_with(workspace, &path, most).ok();
                    let entry = entry.filter(|(it, _)| *it != Entry::Absent);
                    read += entry.as_ref().map_or(0, |(entry, _)| size(entry));
                    entry
                }
            };
            room -= entry.as_ref().map_or(0, |(entry, _)| size(entry));
            let (entry, attributes) = entry.unzip();
            (path, Kept { fingerprint, entry, attributes: attributes.flatten() })
        });
        let files = kept.collect();
        let directories = directories.into_iter().collect();
        Self { taken: time, files, directories, cut, read }
    }

    /// What is different at `time`, and the workspace as it is then.
    fn difference(
        mut self,
        workspace: &Workspace,
        bounds: Bounds,
        time: i64,
    ) -> (Difference, Self) {
        let Listed { files, directories, cut } = list(workspace, bounds);
        let mut paths: BTreeSet<WorkspacePath> = files.into_iter().collect();
        // What is gone, or is left out by now.
        paths.extend(self.files.keys().cloned());
        let mut difference = Difference { cut: cut || self.cut, ..Difference::default() };
        let mut now = BTreeMap::new();
        for path in paths {
            let before = self.files.remove(&path);
            let (compared, mut kept) = self.compare(workspace, &path, before);
            kept.entry = kept.entry.filter(|entry| size(entry) as u64 <= bounds.file);
            match compared {
                Compared::Same => {}
                Compared::Changed(file) => difference.files.push(*file),
                Compared::Lost => difference.lost.push(path.to_string()),
            }
            now.insert(path, kept);
        }
        let directories = directories.into_iter().collect();
        (difference, Self { taken: time, files: now, directories, cut, read: 0 })
    }

    /// What became of a file, and what is known of it from here on.
    fn compare(
        &self,
        workspace: &Workspace,
        path: &WorkspacePath,
        before: Option<Kept>,
    ) -> (Compared, Kept) {
        // Before it is read, as above.
        let fingerprint = workspace.fingerprint(path);
        let unread = Kept { fingerprint, entry: None, attributes: None };
        let (before, attributes) = match before {
            // Nobody knows whether what was not looked at was there.
            None if self.cut => return (Compared::Lost, unread),
            None => (Entry::Absent, None),
            Some(kept) if kept.still_holds(self.taken, fingerprint) => {
                return (Compared::Same, kept);
            }
            Some(Kept { entry: Some(entry), attributes, .. }) => (entry, attributes),
            Some(Kept { fingerprint: was, entry: None, .. }) => {
                // What could not be looked at then can't be compared.
                let same = was.is_none() || was == fingerprint;
                return (if same { Compared::Same } else { Compared::Lost }, unread);
            }
        };
        let Ok((after, now)) = Entry::read_with(workspace, path, LARGEST_FILE) else {
            return (Compared::Lost, unread);
        };
        let kept = Kept { fingerprint, entry: Some(after.clone()), attributes: now };
        if before == after {
            return (Compared::Same, kept);
        }
        let attributes = attributes.filter(|_| after == Entry::Absent);
        let mut file = FileChange { attributes, ..FileChange::new(path.clone(), before, after) };
        file.directories = self.directories_with(workspace, &file);
        (Compared::Changed(Box::new(file)), kept)
    }

    /// How many directories above a file came or went with it.
    fn directories_with(&self, workspace: &Workspace, file: &FileChange) -> u32 {
        let above = std::iter::successors(file.path.parent(), WorkspacePath::parent)
            .filter(|directory| !directory.is_root());
        let count = match (&file.before, &file.after) {
            (Entry::Absent, _) => above.take_while(|it| !self.directories.contains(it)).count(),
            (_, Entry::Absent) => {
                let gone = |it: &WorkspacePath| {
                    matches!(workspace.kind(it), Err(PathError::Missing { .. }))
                };
                above.take_while(gone).count()
            }
            (_, _) => 0,
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

/// What became of a file.
enum Compared {
    Same,
    Changed(Box<FileChange>),
    /// It is different, and what it was is not known.
    Lost,
}

fn list(workspace: &Workspace, bounds: Bounds) -> Listed {
    let nothing = Listed { cut: true, ..Listed::default() };
    walk::listed(workspace, bounds.entries).unwrap_or(nothing)
}

fn size(entry: &Entry) -> usize {
    match entry {
        Entry::File { content, .. } => content.len(),
        Entry::Absent | Entry::Link { .. } => 0,
    }
}
