//! From a session that is kept to a recording.

use std::collections::{BTreeMap, HashMap};

use agent_tools::{Workspace, WorkspacePath, walk, write::Entry};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{FileLine, Header, VERSION, What, contents::Contents};
use crate::{Action, Change, Journal, Redactor, session::Note};

/// The most bytes that a whole tree may have.
pub const LARGEST_TREE: usize = 50 * 1024 * 1024;
/// The most files that it may have.
const MOST_FILES: usize = 100_000;

/// Which files a recording holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeKind {
    /// Those that were read or changed.
    Touched,
    /// All of the workspace.
    Whole,
}

/// What is to be exported, and from where.
pub struct Export<'a> {
    /// The session's id.
    pub session: &'a str,
    /// Its notes.
    pub notes: &'a [Note],
    /// The journal that holds its changes.
    pub journal: &'a Journal,
    /// Its workspace, where that is still there.
    pub workspace: Option<&'a Workspace>,
    /// Which files are wanted.
    pub tree: TreeKind,
    /// Knows what must not get into a recording.
    pub redactor: &'a Redactor,
}

/// Why a session is not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The whole tree is too large.
    #[error("the workspace has more than {} MB, or more than {MOST_FILES} files", LARGEST_TREE >> 20)]
    TooLarge,
    /// The whole tree is not there.
    #[error("the workspace can't be listed")]
    NoTree,
    /// A line can't be written.
    #[error("a line can't be written: {0}")]
    Json(#[from] serde_json::Error),
}

/// A recording of a session, as its lines, and the remarks of its header.
///
/// # Errors
///
/// [`ExportError`] where the whole tree was asked for and can't be had.
pub fn export(export: &Export<'_>) -> Result<(Vec<String>, Vec<String>), ExportError> {
    let mut writing = Writing {
        contents: Contents::new(export.journal, export.workspace, export.session),
        files: HashMap::new(),
        lines: Vec::new(),
        remarks: Vec::new(),
        redactor: export.redactor,
        redacted: false,
    };
    if export.tree == TreeKind::Whole {
        writing.tree(export.workspace.ok_or(ExportError::NoTree)?, export.notes)?;
    }
    let acted = export.notes.iter().filter_map(Note::acted);
    let acted: HashMap<&str, (&Action, &[Change])> =
        acted.map(|(call, action, changes)| (&*call.id, (action, changes))).collect();
    let mut workspace = String::new();
    for note in export.notes {
        match note {
            Note::Requested(requested) => workspace.clone_from(&requested.working_dir),
            Note::Began { call_id, .. } => {
                if let Some((action, changes)) = acted.get(call_id.as_str()) {
                    writing.needs(call_id, action, changes, &workspace);
                }
            }
            Note::Looked(files) => {
                for (path, hash) in &files.sha256 {
                    let path = writing.path(path);
                    writing.need(&path, &Need::Hash(Some(hash)));
                }
            }
            Note::Prefix { .. }
            | Note::Said { .. }
            | Note::Replied { .. }
            | Note::Aside { .. }
            | Note::Waits { .. }
            | Note::Acted { .. }
            | Note::Tested(_)
            | Note::Compacted(_)
            | Note::Ended(_) => {}
        }
        let value = serde_json::to_value(note)?;
        writing.push(value);
    }
    let Writing { lines, mut remarks, redacted, .. } = writing;
    if redacted {
        remarks.push("a secret was taken out, so it can't be run again".to_owned());
    }
    let header = Header {
        recording: VERSION,
        program: concat!("agent ", env!("CARGO_PKG_VERSION")).to_owned(),
        session: export.session.to_owned(),
        workspace,
        tree: export.tree,
        replayable: !redacted,
        remarks: remarks.clone(),
    };
    let mut all = vec![serde_json::to_string(&header)?];
    all.extend(lines);
    all.push(json!({ "end": all.len() }).to_string());
    Ok((all, remarks))
}

/// A recording that is being written.
struct Writing<'a> {
    contents: Contents<'a>,
    /// What stands at each path by now: its hash, and nothing for nothing.
    files: HashMap<String, Option<String>>,
    lines: Vec<String>,
    remarks: Vec<String>,
    redactor: &'a Redactor,
    redacted: bool,
}

/// What a call needs to find at a path.
enum Need<'a> {
    /// The file with this hash, or nothing.
    Hash(Option<&'a str>),
    /// A file with this text.
    Text(&'a str),
    /// Whatever is there.
    Anything,
}

impl Writing<'_> {
    fn push(&mut self, mut value: Value) {
        self.redacted |= self.redactor.redact_value(&mut value);
        self.lines.push(value.to_string());
    }

    fn file(&mut self, path: &str, entry: Entry, left_by: Option<&str>) {
        if left_by.is_none() {
            let hash = match &entry {
                Entry::File { content, .. } => Some(content.sha256().to_owned()),
                Entry::Absent | Entry::Link { .. } => None,
            };
            self.files.insert(path.to_owned(), hash);
        }
        let binary = match &entry {
            // A text is redacted as it is written down.
            Entry::File { content, .. } => {
                std::str::from_utf8(content).is_err() && self.redactor.finds_in(content)
            }
            Entry::Absent | Entry::Link { .. } => false,
        };
        self.redacted |= binary;
        let what = if binary { What::Lost } else { What::of(entry) };
        self.line(path, what, left_by);
    }

    fn line(&mut self, path: &str, what: What, left_by: Option<&str>) {
        let left_by = left_by.map(str::to_owned);
        let line = FileLine { file: path.to_owned(), what, left_by };
        if let Ok(value) = serde_json::to_value(line) {
            self.push(value);
        }
    }

    /// Writes down the whole tree as it was before the session.
    fn tree(&mut self, workspace: &Workspace, notes: &[Note]) -> Result<(), ExportError> {
        let mut before: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (_, _, changes) in notes.iter().filter_map(Note::acted) {
            for change in changes {
                let path = self.contents.real(&change.file).map(|(path, _)| path.to_string());
                let path = path.unwrap_or_else(|| change.file.clone());
                before.entry(path).or_insert_with(|| change.before_sha256.clone());
            }
        }
        let listed = walk::whole(workspace, MOST_FILES).map_err(|_| ExportError::NoTree)?;
        if listed.len() >= MOST_FILES {
            return Err(ExportError::TooLarge);
        }
        let mut bytes = 0;
        let untouched = listed.iter().map(WorkspacePath::to_string);
        for path in untouched.filter(|path| !before.contains_key(path)) {
            match self.contents.now(&path) {
                Some(entry) => {
                    bytes += size(&entry);
                    self.file(&path, entry, None);
                }
                None => self.line(&path, What::Directory, None),
            }
            if bytes > LARGEST_TREE {
                return Err(ExportError::TooLarge);
            }
        }
        for (path, hash) in before {
            if let Some(hash) = hash {
                self.by_hash(&path, &hash, None);
            }
        }
        Ok(())
    }

    fn by_hash(&mut self, path: &str, hash: &str, left_by: Option<&str>) {
        match self.contents.by_hash(path, hash) {
            Some(entry) => self.file(path, entry, left_by),
            None => {
                self.remarks
                    .push(format!("`{path}` as it was then ({hash}) is not there any more"));
                self.line(path, What::Lost, left_by);
            }
        }
    }

    /// Writes down the files that a call needs, unless they are there already.
    fn needs(&mut self, call_id: &str, action: &Action, changes: &[Change], root: &str) {
        let from_recording = super::replay::answered(&action.tool);
        for change in changes {
            let path = self.path(&change.file);
            let before = change.before_sha256.as_deref();
            self.need(&path, &Need::Hash(before));
            let after = change.after_sha256.clone();
            if from_recording {
                let left = after
                    .as_ref()
                    .map_or(Some(Entry::Absent), |after| self.contents.left(&path, before, after));
                match (left, &after) {
                    (Some(entry), _) => self.file(&path, entry, Some(call_id)),
                    (None, Some(hash)) => self.by_hash(&path, hash, Some(call_id)),
                    (None, None) => {}
                }
            }
            self.files.insert(path, after);
        }
        let Some(target) = target(action) else { return };
        let relative =
            target.strip_prefix(root).map_or(target, |rest| rest.trim_start_matches('/'));
        let path = self.path(relative);
        if changes.iter().any(|change| self.path(&change.file) == path) {
            return;
        }
        let hash = action.result.get("sha256").and_then(Value::as_str);
        match (&*action.tool, hash, &action.file_content) {
            ("read_file", Some(hash), _) => self.need(&path, &Need::Hash(Some(hash))),
            (_, _, Some(text)) => self.need(&path, &Need::Text(text)),
            (_, _, None) => self.need(&path, &Need::Anything),
        }
    }

    /// The path itself, where a name leads through a link; that link is written down too.
    fn path(&mut self, name: &str) -> String {
        match self.contents.real(name) {
            Some((path, true)) => {
                if !self.files.contains_key(name)
                    && let Some(entry) = self.contents.now(name)
                {
                    self.file(name, entry, None);
                }
                path.to_string()
            }
            Some((path, false)) => path.to_string(),
            None => name.to_owned(),
        }
    }

    fn need(&mut self, path: &str, need: &Need<'_>) {
        let known = self.files.get(path).map(|hash| hash.as_deref());
        match need {
            Need::Hash(hash) if known == Some(*hash) => {}
            Need::Hash(None) => self.file(path, Entry::Absent, None),
            Need::Hash(Some(hash)) => {
                self.by_hash(path, hash, None);
                self.files.insert(path.to_owned(), Some((*hash).to_owned()));
            }
            Need::Text(_) | Need::Anything if known.is_some() => {}
            Need::Text(text) => {
                let entry = self.contents.by_text(path, text);
                self.file(path, entry, None);
            }
            Need::Anything => match self.contents.now(path) {
                Some(Entry::Absent) => {}
                Some(entry) => self.file(path, entry, None),
                None if self.contents.is_directory(path) => self.line(path, What::Directory, None),
                None => {}
            },
        }
    }
}

fn size(entry: &Entry) -> usize {
    match entry {
        Entry::File { content, .. } => content.len(),
        Entry::Absent | Entry::Link { .. } => 0,
    }
}

/// The file that a call is about.
fn target(action: &Action) -> Option<&str> {
    let one_file =
        ["read_file", "edit_file", "apply_patch", "create_file", "delete_file", "check_syntax"];
    let params = action.params.as_object().filter(|_| one_file.contains(&action.tool.as_str()))?;
    params.get("target_file").or_else(|| params.get("path"))?.as_str()
}
