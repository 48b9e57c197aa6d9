use std::fs;
use std::path::PathBuf;

use agent_tools::{Workspace, WorkspacePath};
use tempfile::TempDir;

/// A workspace `ws` with a few files, beside a directory `out` that must stay out of reach.
pub(crate) struct Place {
    dir: TempDir,
    pub(crate) ws: Workspace,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws");
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        fs::write(dir.path().join("out/secret"), "secret").unwrap();
        fs::write(root.join("src/main.rs"), "fn main() {}\n").unwrap();
        fs::write(root.join("src/lib.rs"), "").unwrap();
        let ws = Workspace::open(&root).unwrap();
        Self { dir, ws }
    }

    /// A path beside the workspace.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A path in the workspace as the operating system sees it.
    pub(crate) fn on_disk(&self, path: &str) -> PathBuf {
        self.ws.root().join(path)
    }

    pub(crate) fn path(&self, path: &str) -> WorkspacePath {
        self.ws.resolve(path).unwrap()
    }

    /// A message without the random part of the temporary directory's name.
    pub(crate) fn message(&self, error: &impl ToString) -> String {
        let tmp = self.ws.root().parent().unwrap().to_str().unwrap();
        error.to_string().replace(tmp, "TMP")
    }

    /// Every entry of the workspace, sorted, to show that nothing was left behind.
    pub(crate) fn entries(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![PathBuf::new()];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(self.ws.root().join(&dir)).unwrap() {
                let entry = entry.unwrap();
                let path = dir.join(entry.file_name());
                found.push(path.to_string_lossy().into_owned());
                if entry.file_type().unwrap().is_dir() {
                    open.push(path);
                }
            }
        }
        found.sort();
        found
    }
}
