//! What must outlive the messages that it stood in.

use agent_tools::limit;
use serde_json::Value;

use crate::{Action, Change, ChangeKind};

/// Files that were touched, attempts that failed, and what was asked for before. They follow from
/// a session's notes, so that shortening its conversation can't lose them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    /// In the order in which they were last touched.
    files: Vec<File>,
    /// Each as a line, the latest last.
    failed: Vec<String>,
    /// The user's requests, the current one last.
    requests: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    path: String,
    touch: Touch,
    /// Of its bytes then; none once it is gone.
    sha256: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touch {
    Read,
    Created,
    Edited,
    Deleted,
}

/// The most of one failure, and of one request, in bytes.
const FAILURE: usize = 400;
const REQUEST: usize = 2000;

impl Facts {
    pub(crate) fn requested(&mut self, task: &str) {
        self.requests.push(limit::head_tail(task, REQUEST).into_owned());
    }

    pub(crate) fn acted(&mut self, action: &Action, changes: &[Change]) {
        for change in changes {
            let touch = match change.kind {
                ChangeKind::Create => Touch::Created,
                ChangeKind::Edit => Touch::Edited,
                ChangeKind::Delete => Touch::Deleted,
            };
            self.touched(&change.file, touch, change.after_sha256.clone());
        }
        let text = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
        let params = &action.params;
        let target = text(params, "target_file").or_else(|| text(params, "path"));
        if !action.succeeded() {
            let subject = target
                .or_else(|| text(params, "command"))
                .or_else(|| text(params, "query"))
                .unwrap_or_default();
            let message = text(&action.result, "message").unwrap_or_default();
            let line = format!("{} {subject}: {message}", action.tool).replace('\n', " ");
            let line = limit::head_tail(&line, FAILURE).replace('\n', " ");
            self.failed.retain(|earlier| *earlier != line);
            self.failed.push(line);
        } else if action.tool == "read_file"
            && let (Some(path), Some(hash)) = (target, text(&action.result, "sha256"))
        {
            self.touched(&path, Touch::Read, Some(hash));
        }
    }

    fn touched(&mut self, path: &str, touch: Touch, sha256: Option<String>) {
        let known = self.files.iter().position(|file| file.path == path);
        let before = known.map(|at| self.files.remove(at).touch);
        // Reading a file does not undo that it was changed.
        let touch = match (touch, before) {
            (Touch::Read, Some(before)) => before,
            (Touch::Edited, Some(Touch::Created)) => Touch::Created,
            (touch, _) => touch,
        };
        self.files.push(File { path: path.to_owned(), touch, sha256 });
    }

    /// The facts in at most about `bytes` bytes: what was changed before what was only read, and the
    /// latest first to stay. What is left out is counted.
    pub(crate) fn text(&self, bytes: usize) -> String {
        let earlier = &self.requests[..self.requests.len().saturating_sub(1)];
        let changed = self.files.iter().filter(|file| file.touch != Touch::Read);
        let read = self.files.iter().filter(|file| file.touch == Touch::Read);
        let lists = [
            ("Earlier requests of the user", earlier.to_vec(), bytes / 6),
            ("Files that were changed", changed.map(File::line).collect(), bytes / 3),
            ("Attempts that failed", self.failed.clone(), bytes / 3),
            ("Files that were read", read.map(File::line).collect(), bytes / 6),
        ];
        lists.iter().map(|(head, lines, room)| list(head, lines, *room)).collect()
    }
}

impl File {
    fn line(&self) -> String {
        let what = match self.touch {
            Touch::Read => "read",
            Touch::Created => "created",
            Touch::Edited => "edited",
            Touch::Deleted => "deleted",
        };
        match &self.sha256 {
            Some(hash) => format!("{} ({what}), sha256 {hash}", self.path),
            None => format!("{} ({what})", self.path),
        }
    }
}

/// A headed list of the latest `lines`, as many as there is room for.
fn list(head: &str, lines: &[String], room: usize) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut taken = 0;
    let fits = lines.iter().rev().take_while(|line| {
        taken += line.len() + 3;
        taken <= room
    });
    let left_out = lines.len() - fits.count();
    let mut text = format!("{head}:\n");
    if left_out > 0 {
        text += &format!("- ({left_out} earlier left out)\n");
    }
    for line in &lines[left_out..] {
        text += &format!("- {line}\n");
    }
    text + "\n"
}
