//! What a command changed: the workspace before it, compared with the workspace after it.
//!
//! Everything that ignore files do not leave out is looked at. What is kept of it is bounded, and
//! what was not kept and has changed all the same is named: it can't be taken back.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use agent_tools::{
    Fingerprint, PathError, Workspace, WorkspacePath,
    walk::{self, Listed},
    write::Entry,
};
use jiff::Timestamp;

use crate::{
    Change, Cx,
    changes::{self, FileChange},
    journal::LARGEST_FILE,
};

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
}

/// What is known of a file.
#[derive(Debug)]
struct Kept {
    fingerprint: Option<Fingerprint>,
    /// The file itself, where there was room.
    entry: Option<Entry>,
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

/// What was written down.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// The change, file by file.
    pub(crate) changes: Vec<Change>,
    /// The files' names.
    pub(crate) changed: Vec<String>,
    /// Files that are different and can't be taken back, since they were not kept.
    pub(crate) lost: Vec<String>,
    /// Whether there was more than was looked at.
    pub(crate) cut: bool,
    /// Why nothing was written down, where that failed.
    pub(crate) problem: Option<String>,
}

impl Snapshot {
    /// The workspace as it is.
    pub(crate) fn take(workspace: &Workspace) -> Self {
        Self::within(workspace, Bounds::default())
    }

    fn within(workspace: &Workspace, bounds: Bounds) -> Self {
        let taken = Timestamp::now().as_second();
        let Listed { mut files, directories, cut } = list(workspace, bounds);
        files.sort();
        let mut room = bounds.all;
        let kept = files.into_iter().map(|path| {
            // Before it is read: what changes in between then looks changed.
            let fingerprint = workspace.fingerprint(&path);
            let most = bounds.file.min(room as u64);
            let entry = Entry::read(workspace, &path, most).ok().filter(|it| *it != Entry::Absent);
            room -= entry.as_ref().map_or(0, size);
            (path, Kept { fingerprint, entry })
        });
        let files = kept.collect();
        Self { taken, files, directories: directories.into_iter().collect(), cut }
    }

    /// Writes down what is different now as one change of the running tool.
    pub(crate) fn record(self, cx: &Cx) -> Recorded {
        let Difference { files, lost, cut } = self.difference(&cx.workspace);
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        let mut recorded = Recorded { changed: names, lost, cut, ..Recorded::default() };
        if files.is_empty() {
            return recorded;
        }
        match changes::made(cx, &files) {
            Ok(made) => recorded.changes = made.changes,
            Err(error) => {
                tracing::warn!("what a command changed can't be taken back: {error}");
                recorded.problem = Some(error.to_string());
            }
        }
        recorded
    }

    /// What is different now.
    fn difference(self, workspace: &Workspace) -> Difference {
        self.difference_within(workspace, Bounds::default())
    }

    fn difference_within(mut self, workspace: &Workspace, bounds: Bounds) -> Difference {
        let Listed { files, cut, .. } = list(workspace, bounds);
        let mut paths: BTreeSet<WorkspacePath> = files.into_iter().collect();
        // What is gone, or is left out by now.
        paths.extend(self.files.keys().cloned());
        let mut difference = Difference { cut: cut || self.cut, ..Difference::default() };
        for path in paths {
            let kept = self.files.remove(&path);
            match self.compare(workspace, &path, kept) {
                Compared::Same => {}
                Compared::Changed(file) => difference.files.push(*file),
                Compared::Lost => difference.lost.push(path.to_string()),
            }
        }
        difference
    }

    fn compare(&self, workspace: &Workspace, path: &WorkspacePath, kept: Option<Kept>) -> Compared {
        let before = match kept {
            // Nobody knows whether what was not looked at was there.
            None if self.cut => return Compared::Lost,
            None => Entry::Absent,
            Some(Kept { fingerprint: Some(was), entry }) => {
                let same = workspace.fingerprint(path) == Some(was);
                match entry {
                    _ if same && was.is_proof_at(self.taken) => return Compared::Same,
                    None if same => return Compared::Same,
                    None => return Compared::Lost,
                    Some(entry) => entry,
                }
            }
            Some(Kept { fingerprint: None, entry: Some(entry) }) => entry,
            Some(Kept { fingerprint: None, entry: None }) => return Compared::Same,
        };
        let Ok(after) = Entry::read(workspace, path, LARGEST_FILE) else { return Compared::Lost };
        if before == after {
            return Compared::Same;
        }
        let mut file = FileChange::new(path.clone(), before, after);
        file.directories = self.directories_with(workspace, &file);
        Compared::Changed(Box::new(file))
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a command changes files in its own way")]
mod tests {
    use std::fs;

    use super::*;

    struct Tree {
        dir: tempfile::TempDir,
        workspace: Workspace,
    }

    impl Tree {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let workspace = Workspace::open(dir.path()).unwrap();
            Self { dir, workspace }
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn told(difference: &Difference) -> Vec<String> {
        let holds = |entry: &Entry| match entry {
            Entry::File { content, .. } => String::from_utf8_lossy(content).into_owned(),
            Entry::Absent => "-".to_owned(),
            Entry::Link { target } => format!("@{}", target.display()),
        };
        let file = |file: &FileChange| {
            let (before, after) = (holds(&file.before), holds(&file.after));
            format!("{}: {before} > {after} ({})", file.name, file.directories)
        };
        difference.files.iter().map(file).collect()
    }

    #[test]
    fn what_was_created_changed_and_deleted_is_found() {
        let tree = Tree::new();
        tree.write(".gitignore", "ignored\n");
        for name in ["same", "changed", "deleted", "ignored", "gone/deep/file", "kept/file"] {
            tree.write(name, "before");
        }
        std::os::unix::fs::symlink("same", tree.dir.path().join("link")).unwrap();
        let snapshot = Snapshot::take(&tree.workspace);
        tree.write("changed", "after!");
        tree.write("new/deep/created", "new");
        tree.write("kept/created", "new");
        tree.write("ignored", "whatever");
        fs::remove_file(tree.dir.path().join("deleted")).unwrap();
        fs::remove_dir_all(tree.dir.path().join("gone")).unwrap();
        fs::remove_file(tree.dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink("changed", tree.dir.path().join("link")).unwrap();
        let difference = snapshot.difference(&tree.workspace);
        assert_eq!(
            told(&difference),
            [
                "changed: before > after! (0)",
                "deleted: before > - (0)",
                "gone/deep/file: before > - (2)",
                "kept/created: - > new (0)",
                "link: @same > @changed (0)",
                "new/deep/created: - > new (2)",
            ]
        );
        assert_eq!((difference.lost, difference.cut), (vec![], false));
    }

    #[test]
    fn a_change_of_the_mode_alone_is_one() {
        use std::os::unix::fs::PermissionsExt;
        let tree = Tree::new();
        tree.write("script", "#!/bin/sh\n");
        let snapshot = Snapshot::take(&tree.workspace);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(tree.dir.path().join("script"), mode).unwrap();
        let difference = snapshot.difference(&tree.workspace);
        let [file] = &*difference.files else { panic!("{difference:?}") };
        assert!(matches!(file.after, Entry::File { mode: Some(0o755), .. }), "{file:?}");
    }

    #[test]
    fn what_there_is_no_room_for_is_named() {
        let tree = Tree::new();
        tree.write("large", &"x".repeat(100));
        tree.write("other", &"x".repeat(100));
        tree.write("small", "before");
        let bounds = Bounds { entries: 100, file: 50, all: 50 };
        let snapshot = Snapshot::within(&tree.workspace, bounds);
        tree.write("large", "small now");
        tree.write("small", "after");
        let difference = snapshot.difference_within(&tree.workspace, bounds);
        assert_eq!(told(&difference), ["small: before > after (0)"]);
        assert_eq!((difference.lost, difference.cut), (vec!["large".to_owned()], false));

        let bounds = Bounds { entries: 2, ..bounds };
        let snapshot = Snapshot::within(&tree.workspace, bounds);
        assert!(snapshot.difference_within(&tree.workspace, bounds).cut);
    }

    #[test]
    fn a_file_that_becomes_ignored_is_no_change() {
        let tree = Tree::new();
        tree.write("file", "text");
        let snapshot = Snapshot::take(&tree.workspace);
        tree.write(".gitignore", "file\n");
        let difference = snapshot.difference(&tree.workspace);
        assert_eq!(told(&difference), [".gitignore: - > file\n (0)"]);
    }
}
