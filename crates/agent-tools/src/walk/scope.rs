//! One directory as the ignore rules show it.

use std::ffi::OsString;
use std::io;

use super::IgnoreRules;
use super::rules::Rules;
use crate::{EntryKind, Metadata, Workspace, WorkspacePath};

/// A directory, and the ignore rules that hold inside it.
pub(crate) struct Scope {
    dir: WorkspacePath,
    rules: Rules,
}

/// An entry of a directory. `.git` is never one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    pub(crate) kind: EntryKind,
    /// An ignore rule leaves it out.
    pub(crate) ignored: bool,
}

impl Scope {
    /// The directory that somebody named. When a rule leaves it out, that rule and all above it
    /// are dropped: who names an ignored directory wants to see what is in it.
    pub(crate) fn named(workspace: &Workspace, dir: &WorkspacePath, mode: IgnoreRules) -> Self {
        let mut way: Vec<_> =
            std::iter::successors(Some(dir.clone()), WorkspacePath::parent).collect();
        way.reverse();
        let mut rules = Rules::above(workspace, mode);
        for dir in &way {
            if !dir.is_root() && rules.leave_out(&workspace.absolute(dir), EntryKind::Dir) {
                rules = Rules::none(mode);
            }
            rules = rules.enter(workspace, dir);
        }
        Self { dir: dir.clone(), rules }
    }

    /// The directory `dir`, which is an entry of this one.
    pub(crate) fn enter(&self, workspace: &Workspace, dir: WorkspacePath) -> Self {
        let rules = self.rules.enter(workspace, &dir);
        Self { dir, rules }
    }

    pub(crate) fn dir(&self) -> &WorkspacePath {
        &self.dir
    }

    /// Shows every entry to `visit`, in no particular order. Nothing is collected here, so that
    /// the size of the directory costs the caller what it wants to keep.
    pub(crate) fn scan(
        &self,
        workspace: &Workspace,
        mut visit: impl FnMut(Entry),
    ) -> io::Result<()> {
        let absolute = workspace.absolute(&self.dir);
        for entry in workspace.dir().read_dir(self.dir.as_path())? {
            let entry = entry?;
            let name = entry.file_name();
            if name == ".git" {
                continue;
            }
            let kind = kind_of(&entry);
            let ignored =
                !self.rules.is_empty() && self.rules.leave_out(&absolute.join(&name), kind);
            visit(Entry { name, kind, ignored });
        }
        Ok(())
    }
}

/// Most file systems say what an entry is while listing it; the others are asked again.
fn kind_of(entry: &cap_std::fs::DirEntry) -> EntryKind {
    match entry.file_type() {
        Ok(kind) if kind.is_dir() => EntryKind::Dir,
        Ok(kind) if kind.is_file() => EntryKind::File,
        Ok(kind) if kind.is_symlink() => EntryKind::Symlink,
        Ok(_) | Err(_) => {
            entry.metadata().map_or(EntryKind::Other, |metadata| Metadata::new(&metadata).kind)
        }
    }
}
