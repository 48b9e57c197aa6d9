//! Where the content of a recorded file comes from.

use std::{collections::HashMap, path::PathBuf};

use agent_tools::{EntryKind, TextFile, Workspace, WorkspacePath, write::Entry};

use crate::{
    Journal,
    journal::{FileRecord, LARGEST_FILE, Stamp},
};

/// The journal and the workspace, as sources of contents.
pub(super) struct Contents<'a> {
    journal: &'a Journal,
    workspace: Option<&'a Workspace>,
    /// What the session left at paths, by the path with the hashes before and after.
    left: HashMap<Step, Stamp>,
    /// Permission bits that the journal knows, by path.
    modes: HashMap<String, u32>,
}

/// A path with the hashes of what stood there before a change and after it.
type Step = (PathBuf, Option<String>, Option<String>);

impl<'a> Contents<'a> {
    pub(super) fn new(
        journal: &'a Journal,
        workspace: Option<&'a Workspace>,
        session: &str,
    ) -> Self {
        let records = match workspace {
            Some(workspace) if journal.exists() => journal.records(workspace.root()).ok(),
            Some(_) | None => None,
        };
        let own = records.unwrap_or_default().into_iter().filter(|one| one.session == session);
        let (mut modes, mut left) = (HashMap::new(), HashMap::new());
        for FileRecord { path, before, after, .. } in own.flat_map(|record| record.files) {
            if let Some(mode) = before.mode().or(after.mode()) {
                modes.entry(path.display().to_string()).or_insert(mode);
            }
            let hash = |stamp: &Stamp| stamp.sha256().map(str::to_owned);
            left.entry((path, hash(&before), hash(&after))).or_insert(after);
        }
        Self { journal, workspace, left, modes }
    }

    /// The path itself where `name` leads through a link, and whether it does.
    pub(super) fn real(&self, name: &str) -> Option<(WorkspacePath, bool)> {
        let workspace = self.workspace?;
        let path = workspace.resolve(name).ok()?;
        match workspace.kind(&path) {
            Ok(EntryKind::Symlink) => Some((workspace.real(&path).ok()?, true)),
            Ok(EntryKind::File | EntryKind::Dir | EntryKind::Other) | Err(_) => Some((path, false)),
        }
    }

    /// The file with this hash that stood at the path.
    pub(super) fn by_hash(&self, path: &str, hash: &str) -> Option<Entry> {
        let stamp = Stamp::File { sha256: hash.to_owned(), mode: self.modes.get(path).copied() };
        if self.journal.exists()
            && let Ok(entry) = self.journal.entry(&stamp)
        {
            return Some(entry);
        }
        self.now(path).filter(|entry| match entry {
            Entry::File { content, .. } => content.sha256() == hash,
            Entry::Absent | Entry::Link { .. } => false,
        })
    }

    /// What a change with these hashes left at the path, with the mode that it gave it.
    pub(super) fn left(&self, path: &str, before: Option<&str>, after: &str) -> Option<Entry> {
        let step = (PathBuf::from(path), before.map(str::to_owned), Some(after.to_owned()));
        self.journal.entry(self.left.get(&step)?).ok()
    }

    /// A file with this text that stood at the path.
    pub(super) fn by_text(&self, path: &str, text: &str) -> Entry {
        let now = self.now(path).filter(|entry| match entry {
            Entry::File { content, .. } => {
                TextFile::of(content.clone()).is_ok_and(|file| file.text() == text)
            }
            Entry::Absent | Entry::Link { .. } => false,
        });
        now.unwrap_or_else(|| Entry::File { content: text.into(), mode: None })
    }

    /// What stands there now.
    pub(super) fn now(&self, path: &str) -> Option<Entry> {
        let workspace = self.workspace?;
        let path = workspace.resolve(path).ok()?;
        Entry::read(workspace, &path, LARGEST_FILE).ok()
    }

    /// Whether a directory stands there now.
    pub(super) fn is_directory(&self, path: &str) -> bool {
        let kind = self.workspace.and_then(|workspace| {
            let path = workspace.resolve(path).ok()?;
            workspace.kind(&path).ok()
        });
        matches!(kind, Some(EntryKind::Dir))
    }
}
