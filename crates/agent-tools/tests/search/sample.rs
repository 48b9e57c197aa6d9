use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use agent_tools::find::{FindLimits, Found, file_search};
use agent_tools::grep::{GrepError, GrepQuery, GrepReport, grep};
use agent_tools::tree::{Tree, TreeError, TreeQuery, list_dir};
use agent_tools::{Workspace, WorkspacePath};
use tempfile::TempDir;

/// A workspace `ws` in a directory of its own, with files laid out in it.
pub(crate) struct Sample {
    dir: TempDir,
    pub(crate) ws: Workspace,
}

impl Sample {
    /// Paths that end in a slash are empty directories.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws");
        fs::create_dir(&root).unwrap();
        let sample = Self { dir, ws: Workspace::open(&root).unwrap() };
        for (path, content) in files {
            if path.ends_with('/') {
                fs::create_dir_all(sample.on_disk(path)).unwrap();
            } else {
                sample.write(path, content.as_bytes());
            }
        }
        sample
    }

    /// The same content in each of many files.
    pub(crate) fn with_content(paths: &[&str], content: &str) -> Self {
        let files: Vec<_> = paths.iter().map(|path| (*path, content)).collect();
        Self::new(&files)
    }

    pub(crate) fn on_disk(&self, path: impl AsRef<Path>) -> PathBuf {
        self.ws.root().join(path)
    }

    /// A path beside the workspace.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, path: impl AsRef<OsStr>, content: &[u8]) {
        let path = self.on_disk(Path::new(path.as_ref()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.on_disk(path)).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> WorkspacePath {
        self.ws.resolve(path).unwrap()
    }

    pub(crate) fn try_grep(&self, query: &GrepQuery) -> Result<GrepReport, GrepError> {
        grep(&self.ws, query, &AtomicBool::new(false))
    }

    pub(crate) fn grep(&self, query: &GrepQuery) -> GrepReport {
        self.try_grep(query).unwrap()
    }

    /// The matches of a query with nothing but a text, as `file:line:content`.
    pub(crate) fn lines(&self, query: &str) -> Vec<String> {
        lines(&self.grep(&text(query)))
    }

    pub(crate) fn find(&self, query: &str) -> Found {
        file_search(&self.ws, query, FindLimits::default(), &AtomicBool::new(false)).unwrap()
    }

    pub(crate) fn try_tree(&self, path: &str, query: &TreeQuery) -> Result<Tree, TreeError> {
        list_dir(&self.ws, &self.path(path), query, &AtomicBool::new(false))
    }

    pub(crate) fn tree(&self, path: &str, query: &TreeQuery) -> Tree {
        self.try_tree(path, query).unwrap()
    }

    /// A message without the random part of the temporary directory's name.
    pub(crate) fn message(&self, error: &impl ToString) -> String {
        let root = self.ws.root().to_str().unwrap();
        error.to_string().replace(root, "ROOT")
    }
}

pub(crate) fn text(query: &str) -> GrepQuery {
    GrepQuery { query: query.to_owned(), ..GrepQuery::default() }
}

pub(crate) fn lines(report: &GrepReport) -> Vec<String> {
    let matches = report.matches.iter();
    matches.map(|found| format!("{}:{}:{}", found.file, found.line, found.content)).collect()
}

/// The files with a match, each once.
pub(crate) fn files(report: &GrepReport) -> Vec<&str> {
    let mut files: Vec<_> = report.matches.iter().map(|found| found.file.as_str()).collect();
    files.dedup();
    files
}
