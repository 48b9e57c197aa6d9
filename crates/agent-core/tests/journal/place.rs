use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use agent_core::{
    Journal,
    changes::{self, ChangeError, FileChange, Made, Origin},
    journal::{Direction, OnConflict, Revert, RevertError, Reverted},
};
use agent_tools::{Workspace, write::Entry};
use tempfile::TempDir;

/// A workspace and a state directory.
pub(crate) struct Place {
    dir: TempDir,
    pub(crate) ws: Workspace,
}

/// What stands at every path of a tree: kind, mode and content.
pub(crate) type Tree = BTreeMap<String, (char, u32, Vec<u8>)>;

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("ws")).unwrap();
        let ws = Workspace::open(&dir.path().join("ws")).unwrap();
        Self { dir, ws }
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.dir.path().join("state/agent")
    }

    /// The journal as a process opens it that has just started.
    pub(crate) fn journal(&self) -> Journal {
        Journal::at(Some(self.state()))
    }

    pub(crate) fn on_disk(&self, name: &str) -> PathBuf {
        self.ws.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.on_disk(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.on_disk(name)).unwrap()
    }

    pub(crate) fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.on_disk(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// A change of one path to a file with this content, or to nothing.
    pub(crate) fn to(&self, name: &str, content: Option<&[u8]>) -> FileChange {
        let path = self.ws.resolve(name).unwrap();
        let before = Entry::read(&self.ws, &path, 1 << 26).unwrap();
        let after = match content {
            Some(content) => Entry::File { content: content.into(), mode: None },
            None => Entry::Absent,
        };
        FileChange::new(path, before, after)
    }

    pub(crate) fn change(&self, files: &[(&str, Option<&[u8]>)]) -> Result<Made, ChangeError> {
        let files: Vec<_> = files.iter().map(|(name, content)| self.to(name, *content)).collect();
        self.carry_out("one", &files)
    }

    pub(crate) fn carry_out(
        &self,
        session: &str,
        files: &[FileChange],
    ) -> Result<Made, ChangeError> {
        let origin = Origin { session: session.into(), tool: "test".into(), reverts: None };
        changes::carry_out(&self.ws, Some(&self.journal()), &origin, files)
    }

    pub(crate) fn undo(&self, count: usize) -> Result<Vec<Reverted>, RevertError> {
        self.revert(Direction::Undo, count, OnConflict::Refuse)
    }

    pub(crate) fn redo(&self, count: usize) -> Result<Vec<Reverted>, RevertError> {
        self.revert(Direction::Redo, count, OnConflict::Refuse)
    }

    pub(crate) fn revert(
        &self,
        direction: Direction,
        count: usize,
        on_conflict: OnConflict,
    ) -> Result<Vec<Reverted>, RevertError> {
        let revert = Revert { direction, count, session: None, on_conflict };
        self.journal().revert(&self.ws, &revert)
    }

    pub(crate) fn tree(&self) -> Tree {
        tree(self.ws.root())
    }
}

pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![PathBuf::new()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(root.join(&dir)).unwrap() {
            let entry = entry.unwrap();
            let (path, metadata) = (dir.join(entry.file_name()), entry.metadata().unwrap());
            let mode = metadata.permissions().mode() & 0o7777;
            let name = path.to_string_lossy().into_owned();
            let stands = if metadata.is_dir() {
                open.push(path);
                ('d', mode, Vec::new())
            } else if metadata.is_symlink() {
                let target = fs::read_link(entry.path()).unwrap();
                ('l', 0, target.to_string_lossy().into_owned().into_bytes())
            } else {
                ('f', mode, fs::read(entry.path()).unwrap())
            };
            tree.insert(name, stands);
        }
    }
    tree
}
