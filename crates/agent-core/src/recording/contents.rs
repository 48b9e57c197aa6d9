//! Where the content of a recorded file comes from.

use std::collections::HashMap;

use agent_tools::{EntryKind, TextFile, Workspace, WorkspacePath, sha256, write::Entry};

use crate::{
    Journal,
    journal::{FileRecord, LARGEST_FILE, Stamp},
};

/// The journal and the workspace, as sources of contents.
pub(super) struct Contents<'a> {
    journal: &'a Journal,
    workspace: Option<&'a Workspace>,
    /// What the session did to files, in order.
    done: Vec<FileRecord>,
    /// Permission bits that the journal knows, by path.
    modes: HashMap<String, u32>,
}

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
        let done: Vec<_> = own.flat_map(|record| record.files).collect();
        let mut modes = HashMap::new();
        for file in &done {
            if let Some(mode) = file.before.mode().or(file.after.mode()) {
                modes.entry(file.path.display().to_string()).or_insert(mode);
            }
        }
        Self { journal, workspace, done, modes }
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
            Entry::File { content, .. } => sha256(content) == hash,
            Entry::Absent | Entry::Link { .. } => false,
        })
    }

    /// What a change with these hashes left at the path, with the mode that it gave it.
    pub(super) fn left(&self, path: &str, before: Option<&str>, after: &str) -> Option<Entry> {
        let is_it = |file: &&FileRecord| {
            let (was, is) = (file.before.sha256(), file.after.sha256());
            file.path.to_str() == Some(path) && (was, is) == (before, Some(after))
        };
        let stamp = &self.done.iter().find(is_it)?.after;
        self.journal.entry(stamp).ok()
    }

    /// A file with this text that stood at the path.
    pub(super) fn by_text(&self, path: &str, text: &str) -> Entry {
        let now = self.now(path).filter(|entry| match entry {
            Entry::File { content, .. } => {
                TextFile::parse(content.clone()).is_ok_and(|file| file.text() == text)
            }
            Entry::Absent | Entry::Link { .. } => false,
        });
        now.unwrap_or_else(|| Entry::File { content: text.as_bytes().to_vec(), mode: None })
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
