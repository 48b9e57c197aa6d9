//! The place in which a case runs: a scratch directory with a workspace, a home, and something
//! outside of the workspace that nobody may touch.
#![expect(clippy::disallowed_methods, reason = "the harness lays out workspaces of its own")]

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::{
    case::Case,
    golden::Normal,
    tree::{self, Tree},
};

/// What stands for the workspace's path, in scripts and in golden files.
const WORKSPACE: &str = "<workspace>";

/// A scratch directory, removed when it is dropped.
pub(crate) struct Bed {
    _directory: TempDir,
    root: PathBuf,
    /// The workspace's tree before the run.
    pub(crate) before: Tree,
    /// The tree outside of the workspace, before and after the run.
    outside: Tree,
}

impl Bed {
    /// Lays out the scratch directory for `case`.
    pub(crate) fn new(case: &Case) -> io::Result<Self> {
        Self::with(tree::read(&case.directory.join("before"))?)
    }

    /// Lays out a scratch directory with `before` as its workspace.
    pub(crate) fn with(before: Tree) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let root = fs::canonicalize(directory.path())?;
        tree::write(&before, &root.join("workspace"))?;
        fs::create_dir(root.join("home"))?;
        fs::create_dir(root.join("outside"))?;
        fs::write(root.join("outside/secret.txt"), "nobody's business\n")?;
        let outside = tree::read(&root.join("outside"))?;
        Ok(Self { _directory: directory, root, before, outside })
    }

    /// The workspace.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    /// The home directory of the program.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The script with the workspace's path in place, written to a file of its own.
    pub(crate) fn script(&self, case: &Case) -> io::Result<PathBuf> {
        let script = fs::read_to_string(case.directory.join("script.jsonl"))?;
        let path = self.root.join("script.jsonl");
        fs::write(&path, script.replace(WORKSPACE, &self.workspace().display().to_string()))?;
        Ok(path)
    }

    /// What differs between this scratch directory and any other.
    pub(crate) fn normal(&self, more: Vec<(String, &'static str)>) -> Normal {
        let path = |path: &Path| path.display().to_string();
        let mut places = more;
        places.push((path(&self.workspace()), WORKSPACE));
        places.push((path(&self.root), "<scratch>"));
        Normal::new(places)
    }

    /// What is wrong with the trees after a run that should leave `expected` in the workspace.
    pub(crate) fn problems(&self, expected: &Tree) -> io::Result<Vec<String>> {
        let seen = tree::read(&self.workspace())?;
        let mut problems = tree::differences(&self.before, expected, &seen);
        let outside = tree::read(&self.root.join("outside"))?;
        if outside != self.outside {
            problems.push("something outside of the workspace was touched".to_owned());
        }
        Ok(problems)
    }
}

/// The tree that a case leaves.
pub(crate) fn expected(case: &Case) -> io::Result<Tree> {
    let after = case.directory.join("after");
    tree::read(&if after.exists() { after } else { case.directory.join("before") })
}
