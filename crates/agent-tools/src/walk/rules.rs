//! Which entries ignore files leave out.
//!
//! The rules are ripgrep's: `.ignore` is stronger than `.gitignore`, that is stronger than
//! `.git/info/exclude`, and within each kind the file nearest to the entry decides. They count
//! outside git repositories too. As in git, a repository does not see the `.gitignore` files of
//! the directories above it. The user's global ignore file has no say, since with it the same
//! workspace would look different on another machine.
//!
//! `ignore::WalkBuilder` applies the same rules, but drops what they leave out without a trace,
//! opens files by their ambient paths, and cannot walk breadth first.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{IgnoreRules, open_regular};
use crate::{EntryKind, Workspace, WorkspacePath};

/// An ignore file is read up to this size, so that none can exhaust memory.
const MAX_BYTES: u64 = 1 << 20;

/// The kinds of ignore files, the strongest first.
const FILES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

/// The kinds from this index on are git's own, and end at the root of a repository.
const FIRST_OF_GIT: usize = 1;

/// The rules that hold for the entries of one directory. Cheap to clone.
#[derive(Clone)]
pub(super) struct Rules {
    mode: IgnoreRules,
    innermost: Option<Arc<Level>>,
}

/// The ignore files of one directory, and the level above it that has any.
struct Level {
    above: Option<Arc<Level>>,
    /// One matcher for each of [`FILES`].
    kinds: [Gitignore; FILES.len()],
    is_repository: bool,
}

impl Rules {
    pub(super) fn none(mode: IgnoreRules) -> Self {
        Self { mode, innermost: None }
    }

    /// The rules that the directories above the workspace impose on it.
    pub(super) fn above(workspace: &Workspace, mode: IgnoreRules) -> Self {
        let mut above: Vec<_> = workspace.root().ancestors().skip(1).collect();
        above.reverse();
        above.into_iter().fold(Self::none(mode), |rules, dir| {
            rules.with(dir, dir.join(".git").exists(), |name| open_above(&dir.join(name)))
        })
    }

    /// The rules inside `dir`, given those of the directory that holds it.
    pub(super) fn enter(&self, workspace: &Workspace, dir: &WorkspacePath) -> Self {
        if self.mode == IgnoreRules::Off {
            return self.clone();
        }
        let below =
            |name: &str| name.split('/').try_fold(dir.clone(), |path, part| path.child(part));
        let is_repository = below(".git")
            .is_some_and(|git| workspace.dir().symlink_metadata(git.as_path()).is_ok());
        self.with(&workspace.absolute(dir), is_repository, |name| {
            open_regular(workspace, &below(name)?)
        })
    }

    /// Whether there is no rule at all.
    pub(super) fn is_empty(&self) -> bool {
        self.innermost.is_none()
    }

    /// Whether the entry at the absolute `path` is left out.
    pub(super) fn leave_out(&self, path: &Path, kind: EntryKind) -> bool {
        let mut decisions = [None; FILES.len()];
        let mut git_counts = true;
        let mut next = self.innermost.as_ref();
        while let Some(level) = next {
            for (index, (decision, rules)) in decisions.iter_mut().zip(&level.kinds).enumerate() {
                if decision.is_none() && (git_counts || index < FIRST_OF_GIT) {
                    let found = rules.matched(path, kind == EntryKind::Dir);
                    *decision = (!found.is_none()).then(|| found.is_ignore());
                }
            }
            git_counts &= !level.is_repository;
            next = level.above.as_ref();
        }
        decisions.into_iter().flatten().next().unwrap_or(false)
    }

    fn with<R: Read>(
        &self,
        dir: &Path,
        is_repository: bool,
        open: impl Fn(&str) -> Option<R>,
    ) -> Self {
        if self.mode == IgnoreRules::Off {
            return self.clone();
        }
        let kinds = FILES.map(|name| match open(name) {
            Some(file) => compile(dir, file),
            None => Gitignore::empty(),
        });
        if !is_repository && kinds.iter().all(Gitignore::is_empty) {
            return self.clone();
        }
        let level = Level { above: self.innermost.clone(), kinds, is_repository };
        Self { mode: self.mode, innermost: Some(Arc::new(level)) }
    }
}

/// A line that is no valid glob leaves nothing out, as in git; the other lines count.
fn compile(dir: &Path, file: impl Read) -> Gitignore {
    let mut bytes = Vec::new();
    if file.take(MAX_BYTES).read_to_end(&mut bytes).is_err() {
        return Gitignore::empty();
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(dir);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _invalid = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[expect(
    clippy::disallowed_methods,
    reason = "ignore files above the workspace lie outside its capability, at paths no model names"
)]
fn open_above(path: &Path) -> Option<std::fs::File> {
    // A FIFO would keep the walk waiting for a writer.
    if path.is_file() { std::fs::File::open(path).ok() } else { None }
}
