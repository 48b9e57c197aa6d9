//! What must outlive the messages that it stood in.

use std::collections::{HashMap, VecDeque};

use agent_tools::limit;
use serde_json::Value;

use crate::{
    Action, Change, ChangeKind,
    memory::{Changed, KnownFile, SessionMemory, Touch, Turn},
};

/// Files that were touched, attempts that failed, and what was asked for before. They follow from
/// a session's notes, so that shortening its conversation can't lose them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    /// By their paths.
    files: HashMap<String, File>,
    /// Each as a line, with when it was last met.
    failed: HashMap<String, u64>,
    /// The user's requests with their answers, the current one last.
    turns: Vec<Turn>,
    /// What was done to files, the latest last.
    changes: VecDeque<Changed>,
    /// Counts what happens, so that it can be put in order.
    time: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    touch: Touch,
    /// Of its bytes then; none once it is gone.
    sha256: Option<String>,
    /// When it was last touched.
    time: u64,
}

/// The most of one failure, of one request and of one answer, in bytes.
const FAILURE: usize = 400;
const REQUEST: usize = 2000;
const ANSWER: usize = 8000;

/// Turns that are kept with their answers, and changes that are kept.
const TURNS: usize = 10;
const CHANGES: usize = 1000;

impl Facts {
    pub(crate) fn requested(&mut self, task: &str) {
        let request = limit::head_tail(task, REQUEST).into_owned();
        self.turns.push(Turn { request, answer: None });
        let old = self.turns.len().checked_sub(TURNS + 2);
        if let Some(turn) = old.and_then(|old| self.turns.get_mut(old)) {
            turn.answer = None;
        }
    }

    pub(crate) fn answered(&mut self, answer: &str) {
        if let Some(turn) = self.turns.last_mut() {
            turn.answer = Some(limit::head_tail(answer, ANSWER).into_owned());
        }
    }

    pub(crate) fn changed(&mut self, tool: &str, changes: &[Change]) {
        for change in changes {
            let touch = match change.kind {
                ChangeKind::Create => Touch::Created,
                ChangeKind::Edit => Touch::Edited,
                ChangeKind::Delete => Touch::Deleted,
            };
            self.touched(&change.file, touch, change.after_sha256.clone());
            self.changes.push_back(Changed {
                tool: tool.to_owned(),
                file: change.file.clone(),
                before_sha256: change.before_sha256.clone(),
                after_sha256: change.after_sha256.clone(),
            });
            if self.changes.len() > CHANGES {
                self.changes.pop_front();
            }
        }
    }

    pub(crate) fn acted(&mut self, action: &Action, changes: &[Change]) {
        self.changed(&action.tool, changes);
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
            let time = self.tick();
            self.failed.insert(line, time);
        } else if action.tool == "read_file"
            && let (Some(path), Some(hash)) = (target, text(&action.result, "sha256"))
        {
            self.touched(&path, Touch::Read, Some(hash));
        }
    }

    fn touched(&mut self, path: &str, touch: Touch, sha256: Option<String>) {
        let before = self.files.get(path).map(|file| file.touch);
        // Reading a file does not undo that it was changed.
        let touch = match (touch, before) {
            (Touch::Read, Some(before)) => before,
            (Touch::Edited, Some(Touch::Created)) => Touch::Created,
            (touch, _) => touch,
        };
        let time = self.tick();
        self.files.insert(path.to_owned(), File { touch, sha256, time });
    }

    fn tick(&mut self) -> u64 {
        self.time += 1;
        self.time
    }

    /// The facts in at most about `bytes` bytes: what was changed before what was only read, and the
    /// latest first to stay. What is left out is counted.
    pub(crate) fn text(&self, bytes: usize) -> String {
        let earlier = self.turns.split_last().map_or(&[][..], |(_, earlier)| earlier);
        let files = self.latest_files();
        let (read, changed): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(_, file)| file.touch == Touch::Read);
        let failed = self.latest_failures();
        let file = |(path, file): (&String, &File)| file.line(path);
        [
            list("Earlier requests of the user", earlier.iter().rev().map(turn), bytes / 3),
            list("Files that were changed", changed.into_iter().map(file), bytes / 4),
            list("Attempts that failed", failed.into_iter().cloned(), bytes / 4),
            list("Files that were read", read.into_iter().map(file), bytes / 6),
        ]
        .concat()
    }

    /// All of it, for whoever wants to look.
    pub(crate) fn memory(&self) -> SessionMemory {
        let file = |(path, file): (&String, &File)| KnownFile {
            path: path.clone(),
            touch: file.touch,
            sha256: file.sha256.clone(),
        };
        SessionMemory {
            files: self.latest_files().into_iter().rev().map(file).collect(),
            changes: self.changes.iter().cloned().collect(),
            failed: self.latest_failures().into_iter().rev().cloned().collect(),
            turns: self.turns.clone(),
        }
    }

    /// The latest first.
    fn latest_files(&self) -> Vec<(&String, &File)> {
        let mut files: Vec<(&String, &File)> = self.files.iter().collect();
        files.sort_by_key(|(_, file)| std::cmp::Reverse(file.time));
        files
    }

    /// The latest first.
    fn latest_failures(&self) -> Vec<&String> {
        let mut failed: Vec<(&String, &u64)> = self.failed.iter().collect();
        failed.sort_by_key(|(_, time)| std::cmp::Reverse(**time));
        failed.into_iter().map(|(line, _)| line).collect()
    }
}

/// A turn as it was said.
fn turn(turn: &Turn) -> String {
    match &turn.answer {
        Some(answer) => format!("{}\n  (Answered: {answer})", turn.request),
        None => turn.request.clone(),
    }
}

impl File {
    fn line(&self, path: &str) -> String {
        let what = match self.touch {
            Touch::Read => "read",
            Touch::Created => "created",
            Touch::Edited => "edited",
            Touch::Deleted => "deleted",
        };
        match &self.sha256 {
            Some(hash) => format!("{path} ({what}), sha256 {hash}"),
            None => format!("{path} ({what})"),
        }
    }
}

/// A headed list of as many lines as there is room for. They are given the latest first, and told
/// the latest last.
fn list(head: &str, lines: impl ExactSizeIterator<Item = String>, room: usize) -> String {
    let all = lines.len();
    if all == 0 {
        return String::new();
    }
    let mut taken = 0;
    let fits = lines.take_while(|line| {
        taken += line.len() + 3;
        taken <= room
    });
    let told: Vec<String> = fits.collect();
    let mut text = format!("{head}:\n");
    if told.len() < all {
        text += &format!("- ({} earlier left out)\n", all - told.len());
    }
    for line in told.iter().rev() {
        text += &format!("- {line}\n");
    }
    text + "\n"
}
