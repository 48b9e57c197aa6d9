//! What decides what other programs run later stays as it is, whatever a command does.
//!
//! Mounts can keep it from being changed, where there are any and it is there already. Whatever they
//! let through is put back when the command has ended.

use std::collections::{BTreeMap, BTreeSet};

use agent_tools::{
    EntryKind, Workspace, WorkspacePath,
    write::{self, Entry},
};

use crate::command::sandbox::EXECUTABLE_LATER;

/// Files and directories that are looked at.
const ENTRIES: usize = 4096;

/// Bytes of one file.
const LARGEST: u64 = 4 << 20;

/// So often it is looked again whether all is as it was: what stands behind a link is seen when the
/// link is gone.
const ROUNDS: usize = 4;

/// What is guarded in a workspace, as it stands before a command.
#[derive(Debug, PartialEq)]
pub(crate) struct Guard {
    files: BTreeMap<WorkspacePath, Entry>,
    directories: BTreeSet<WorkspacePath>,
}

/// What a command had changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// What is as it was again.
    pub put_back: Vec<String>,
    /// What is not.
    pub still_changed: Vec<String>,
}

impl Restored {
    /// What there is to say about it.
    pub(crate) fn words(&self) -> Option<String> {
        let list = |names: &[String]| names.join(", ");
        let why = "it decides what other programs run later, so a command may not change it: leave it \
                   as it is, and tell the user what they could do themselves.";
        match (self.put_back.as_slice(), self.still_changed.as_slice()) {
            ([], []) => None,
            (back, []) => Some(format!("put back as it was: {}; {why}", list(back))),
            (back, left) => Some(format!(
                "changed, and not to be put back: {}; tell the user to look at it. Put back: {}; {why}",
                list(left),
                if back.is_empty() { "nothing".to_owned() } else { list(back) },
            )),
        }
    }
}

impl Guard {
    /// What is guarded, as it stands.
    pub(crate) fn take(workspace: &Workspace) -> Self {
        let mut guard = Self { files: BTreeMap::new(), directories: BTreeSet::new() };
        for name in EXECUTABLE_LATER {
            let Ok(path) = workspace.resolve(name) else { continue };
            if let Some(above) = path.parent().filter(|above| !above.is_root()) {
                guard.look(workspace, above, Depth::Itself);
            }
            guard.look(workspace, path, Depth::AllBelow);
        }
        guard
    }

    fn look(&mut self, workspace: &Workspace, path: WorkspacePath, depth: Depth) {
        if self.files.len() + self.directories.len() >= ENTRIES {
            return;
        }
        match workspace.kind(&path) {
            Ok(EntryKind::Dir) => {
                if depth == Depth::AllBelow {
                    for name in workspace.names(&path).unwrap_or_default() {
                        if let Some(child) = path.child(&name) {
                            self.look(workspace, child, depth);
                        }
                    }
                }
                self.directories.insert(path);
            }
            Ok(EntryKind::File | EntryKind::Symlink) => {
                if let Ok(entry) = Entry::read(workspace, &path, LARGEST) {
                    self.files.insert(path, entry);
                }
            }
            // Nobody executes a FIFO.
            Ok(EntryKind::Other) | Err(_) => {}
        }
    }

    /// Puts back what is different now.
    pub(crate) fn restore(self, workspace: &Workspace) -> Restored {
        let mut put_back = BTreeSet::new();
        for _ in 0..ROUNDS {
            let different = self.different(&Self::take(workspace));
            if different.is_empty() {
                return Restored { put_back: named(&put_back), still_changed: Vec::new() };
            }
            for (path, now, before) in different {
                if write::put(workspace, &path, &now, &before).is_ok() {
                    put_back.insert(path);
                }
            }
        }
        let left = self.different(&Self::take(workspace)).into_iter().map(|(path, _, _)| path);
        let still_changed: BTreeSet<WorkspacePath> = left.collect();
        put_back.retain(|path| !still_changed.contains(path));
        Restored { put_back: named(&put_back), still_changed: named(&still_changed) }
    }

    /// What is different now, with what stands there and what stood there; what lies above first.
    fn different(&self, now: &Self) -> Vec<(WorkspacePath, Entry, Entry)> {
        let paths: BTreeSet<&WorkspacePath> = self.files.keys().chain(now.files.keys()).collect();
        let entry = |of: &Self, path| of.files.get(path).cloned().unwrap_or(Entry::Absent);
        let changes = paths.into_iter().filter_map(|path| {
            let (now, before) = (entry(now, path), entry(self, path));
            (now != before).then(|| (path.clone(), now, before))
        });
        changes.collect()
    }
}

/// How far down is looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// At the entry itself.
    Itself,
    /// And at everything below it.
    AllBelow,
}

fn named(paths: &BTreeSet<WorkspacePath>) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a command changes files in its own way")]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use super::*;

    /// A repository, what a command does to it, what was put back, and what stays changed.
    type Row = (&'static str, fn(&Path), &'static [&'static str], &'static [&'static str]);

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn repository() -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::tempdir().unwrap();
        for name in [".git/HEAD", ".git/config", ".git/hooks/pre-commit", ".agent/config.toml"] {
            write(dir.path(), name, "before");
        }
        let workspace = Workspace::open(dir.path()).unwrap();
        (dir, workspace)
    }

    const ROWS: [Row; 14] = [
        ("nothing", |_| {}, &[], &[]),
        ("a commit", |root| write(root, ".git/HEAD", "after"), &[], &[]),
        ("an edit", |root| write(root, "src/a.rs", "after"), &[], &[]),
        (
            "a setting",
            |root| write(root, ".git/config", "[core]\nfsmonitor = evil"),
            &[".git/config"],
            &[],
        ),
        (
            "a new hook",
            |root| write(root, ".git/hooks/post-merge", "x"),
            &[".git/hooks/post-merge"],
            &[],
        ),
        (
            "a changed and a deleted one",
            |root| {
                write(root, ".git/hooks/pre-commit", "evil");
                fs::remove_file(root.join(".git/config")).unwrap();
            },
            &[".git/config", ".git/hooks/pre-commit"],
            &[],
        ),
        (
            "no hooks at all",
            |root| fs::remove_dir_all(root.join(".git/hooks")).unwrap(),
            &[".git/hooks/pre-commit"],
            &[],
        ),
        (
            "hooks from elsewhere",
            |root| {
                write(root, "evil/pre-commit", "evil");
                fs::remove_dir_all(root.join(".git/hooks")).unwrap();
                symlink("../evil", root.join(".git/hooks")).unwrap();
            },
            &[".git/hooks", ".git/hooks/pre-commit"],
            &[],
        ),
        (
            "another repository",
            |root| {
                fs::rename(root.join(".git"), root.join("kept")).unwrap();
                write(root, "evil/hooks/post-checkout", "evil");
                symlink("evil", root.join(".git")).unwrap();
            },
            &[".git", ".git/config", ".git/hooks/pre-commit"],
            &[],
        ),
        (
            "another repository by name",
            |root| {
                fs::rename(root.join(".git"), root.join("kept")).unwrap();
                write(root, ".git", "gitdir: /evil");
            },
            &[".git", ".git/config", ".git/hooks/pre-commit"],
            &[],
        ),
        (
            "what was not there",
            |root| {
                write(root, ".mcp.json", "{}");
                write(root, ".vscode/tasks.json", "{}");
                write(root, ".envrc", "evil");
            },
            &[".envrc", ".mcp.json", ".vscode/tasks.json"],
            &[],
        ),
        (
            "the trusted file",
            |root| write(root, ".agent/config.toml", "after"),
            &[".agent/config.toml"],
            &[],
        ),
        (
            "an executable bit",
            |root| {
                use std::os::unix::fs::PermissionsExt;
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(root.join(".git/hooks/pre-commit"), mode).unwrap();
            },
            &[".git/hooks/pre-commit"],
            &[],
        ),
        (
            "a directory for a file",
            |root| {
                fs::remove_file(root.join(".git/config")).unwrap();
                fs::create_dir(root.join(".git/config")).unwrap();
            },
            &[],
            &[".git/config"],
        ),
    ];

    #[test]
    fn what_a_command_changed_is_put_back() {
        for (what, command, put_back, still_changed) in ROWS {
            let (dir, workspace) = repository();
            let guard = Guard::take(&workspace);
            command(dir.path());
            let restored = guard.restore(&workspace);
            assert_eq!(restored.put_back, put_back, "{what}");
            assert_eq!(restored.still_changed, still_changed, "{what}");
            if still_changed.is_empty() {
                let hook = fs::read_to_string(dir.path().join(".git/hooks/pre-commit"));
                assert_eq!(hook.unwrap(), "before", "{what}");
                assert!(!dir.path().join(".git/hooks/post-checkout").exists(), "{what}");
            }
            assert_eq!(restored.words().is_none(), put_back.is_empty() && still_changed.is_empty());
        }
    }

    #[test]
    fn a_repository_that_a_command_makes_has_no_hooks() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        let guard = Guard::take(&workspace);
        write(dir.path(), ".git/HEAD", "ref: refs/heads/main");
        write(dir.path(), ".git/hooks/pre-commit", "evil");
        write(dir.path(), ".git/config", "[core]\nhooksPath = evil");
        let restored = guard.restore(&workspace);
        assert_eq!(restored.put_back, [".git/config", ".git/hooks/pre-commit"]);
        assert!(dir.path().join(".git/HEAD").exists());
    }

    #[test]
    fn a_link_out_of_the_workspace_is_taken_away_and_not_followed() {
        let (dir, workspace) = repository();
        let outside = tempfile::tempdir().unwrap();
        write(outside.path(), "hooks/pre-commit", "outside");
        let guard = Guard::take(&workspace);
        fs::rename(dir.path().join(".git"), dir.path().join("kept")).unwrap();
        symlink(outside.path(), dir.path().join(".git")).unwrap();
        let restored = guard.restore(&workspace);
        assert_eq!(restored.put_back, [".git", ".git/config", ".git/hooks/pre-commit"]);
        let there = fs::read_to_string(outside.path().join("hooks/pre-commit")).unwrap();
        assert_eq!(there, "outside");
    }
}
