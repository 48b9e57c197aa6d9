//! A session as it was left, to be gone on with.

use std::{collections::BTreeMap, sync::Arc};

use agent_llm::{Message, Part};
use agent_tools::{Workspace, write::Entry};
use jiff::Timestamp;
use serde_json::Value;

use super::{Fold, Kept, Note, Requested, SessionError, Sessions, Summary, note::CallName};
use crate::{Action, Change, Outcome, journal::LARGEST_FILE, memory::SessionMemory};

/// A session as it was left.
#[derive(Debug)]
pub struct Past {
    /// What a list shows of it.
    pub summary: Summary,
    pub(crate) fold: Fold,
    /// How many notes it has.
    pub(crate) stored: usize,
    /// Files as the model last saw them, by their paths in the workspace.
    seen: BTreeMap<String, Seen>,
    /// Calls that began, and when.
    began: BTreeMap<String, (String, Timestamp)>,
    /// Changes that calls have planned and nobody has allowed yet.
    waits: BTreeMap<String, Vec<Change>>,
    /// The calls of the last reply that have no result, in their order.
    open: Vec<OpenCall>,
}

/// A file as the model last saw it: its hash, or that it is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The hash of its bytes.
    Sha256(String),
    /// Nothing.
    Absent,
}

/// A call that has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// The call.
    pub call: CallName,
    /// Its arguments as the model wrote them.
    pub arguments: String,
    /// The tool by its canonical name and when it began, if it did.
    pub began: Option<(String, Timestamp)>,
}

impl Sessions {
    /// A session as it was left.
    ///
    /// # Errors
    ///
    /// [`SessionError`] where it can't be read.
    pub fn past(&self, summary: &Summary) -> Result<Past, SessionError> {
        let Kept { mut notes, mut files } = self.kept(&summary.id)?;
        // Of requests that are over nobody asks any more what their files held.
        let last = notes.iter().rposition(|note| matches!(note, Note::Requested(_)));
        let over = is_over(&notes);
        files.retain(|(position, _)| Some(*position) > last && !over);
        self.give_back(&mut notes, files)?;
        Ok(Past::of(summary.clone(), &notes))
    }
}

impl Past {
    /// The session that the notes tell of.
    pub fn of(summary: Summary, notes: &[Note]) -> Self {
        let mut past = Self {
            summary,
            fold: Fold::default(),
            stored: notes.len(),
            seen: BTreeMap::new(),
            began: BTreeMap::new(),
            waits: BTreeMap::new(),
            open: Vec::new(),
        };
        for note in notes {
            past.fold.add(note);
            past.note(note);
        }
        past.open = open_calls(past.fold.conversation.shown(), &past.began);
        past
    }

    /// What the session knows.
    pub fn memory(&self) -> SessionMemory {
        self.fold.conversation.memory()
    }

    /// The last request.
    pub fn requested(&self) -> Option<&Requested> {
        self.fold.requested.as_ref()
    }

    /// How the last request ended; none where it was cut off.
    pub fn outcome(&self) -> Option<&str> {
        self.fold.outcome.as_deref()
    }

    fn note(&mut self, note: &Note) {
        match note {
            Note::Began { call_id, tool, time } => {
                self.began.insert(call_id.clone(), (tool.clone(), *time));
            }
            Note::Waits { call_id, changes } => {
                self.waits.insert(call_id.clone(), changes.clone());
            }
            // What the program did by itself the model has not seen.
            Note::Acted { call: None, .. } => {}
            Note::Acted { call: Some(call), content: _, action, changes, breach: _ } => {
                self.waits.remove(&call.id);
                if let Some((file, seen)) = action.as_deref().and_then(|action| {
                    let root = &self.fold.requested.as_ref()?.working_dir;
                    read(action, root)
                }) {
                    self.seen.insert(file, seen);
                }
                for change in changes {
                    let after = change.after_sha256.clone();
                    let seen = after.map_or(Seen::Absent, Seen::Sha256);
                    self.seen.insert(change.file.clone(), seen);
                }
            }
            Note::Looked(files) => {
                for path in files.shown.iter().map(|file| &file.path) {
                    if let Some(hash) = files.sha256.get(path) {
                        self.seen.insert(path.clone(), Seen::Sha256(hash.clone()));
                    }
                }
            }
            Note::Prefix { .. }
            | Note::Requested(_)
            | Note::Said { .. }
            | Note::Replied { .. }
            | Note::Aside { .. }
            | Note::Tested(_)
            | Note::Compacted(_)
            | Note::Ended(_) => {}
        }
    }

    /// Changes that were planned, and that nobody has allowed yet or said no to.
    pub fn pending_edits(&self) -> Vec<Change> {
        let waits = self.open.iter().filter_map(|open| self.waits.get(&open.call.id));
        waits.flatten().cloned().collect()
    }

    /// Whether the call waits for somebody to allow what it has planned.
    pub(crate) fn waits(&self, open: &OpenCall) -> bool {
        self.waits.contains_key(&open.call.id)
    }

    /// The calls of the last reply that have no result, in their order.
    pub(crate) fn open_calls(&self) -> &[OpenCall] {
        &self.open
    }

    /// Files that are not as the model last saw them, with what is there now.
    pub(crate) fn changed_files(&self, workspace: &Workspace) -> Vec<(String, Seen)> {
        let now = |file: &str| -> Option<Seen> {
            let path = workspace.resolve(file).ok()?;
            let path = workspace.real(&path).unwrap_or(path);
            match Entry::read(workspace, &path, LARGEST_FILE).ok()? {
                Entry::Absent => Some(Seen::Absent),
                Entry::File { content, .. } => Some(Seen::Sha256(content.sha256().to_owned())),
                Entry::Link { .. } => None,
            }
        };
        let changed = self.seen.iter().filter_map(|(file, seen)| {
            now(file).filter(|now| now != seen).map(|now| (file.clone(), now))
        });
        changed.collect()
    }
}

/// Whether the last request has been answered, so that no run goes on with it.
fn is_over(notes: &[Note]) -> bool {
    let last = notes.iter().rev().find(|note| note.asks() || note.ended().is_some());
    last.and_then(Note::ended).is_some_and(|ended| ended.outcome == Outcome::Finished.name())
}

/// The calls of the last reply that have no result, in their order.
fn open_calls(
    messages: &[Arc<Message>],
    began: &BTreeMap<String, (String, Timestamp)>,
) -> Vec<OpenCall> {
    let mut answered = Vec::new();
    for message in messages.iter().rev() {
        match &**message {
            Message::Tool(result) => answered.push(&result.call_id),
            Message::Assistant(parts) => {
                let calls = parts.iter().filter_map(|part| match part {
                    Part::Call(call) => Some(call),
                    Part::Text(_) | Part::Opaque(_) => None,
                });
                return calls
                    .filter(|call| !answered.contains(&&call.id))
                    .map(|call| OpenCall {
                        call: CallName::from(call),
                        arguments: call.arguments.clone(),
                        began: began.get(&call.id).cloned(),
                    })
                    .collect();
            }
            Message::User(_) | Message::System(_) => return Vec::new(),
        }
    }
    Vec::new()
}

/// The file that an action read, with the hash that it had.
fn read(action: &Action, root: &str) -> Option<(String, Seen)> {
    let text = |key: &str| action.result.get(key).and_then(Value::as_str);
    if action.tool != "read_file" || !action.succeeded() {
        return None;
    }
    let file = text("file_path")?.strip_prefix(root)?.trim_start_matches('/');
    Some((file.to_owned(), Seen::Sha256(text("sha256")?.to_owned())))
}
