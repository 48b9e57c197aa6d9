//! A long session: what its model says, and which contents it leaves.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{Failure, text};

/// Files of the workspace, and lines of each.
const FILES: usize = 100;
const LINES: usize = 80;

/// Calls of a reply.
const CALLS: usize = 10;

/// The window is full no earlier than after so many actions.
const SUMMARY: usize = 50;

/// Every other action changes a line of a file, and every other reads in it.
pub(super) struct Long {
    actions: usize,
    /// Files at the end, by their lines.
    files: Vec<Vec<String>>,
    /// Of every content that a file had, each once.
    bytes: u64,
}

impl Long {
    pub(super) fn new(actions: usize) -> Self {
        let files = (0..FILES).map(|file| (0..LINES).map(|line| words(file, line, 0)).collect());
        let mut long = Self { actions, files: files.collect(), bytes: 0 };
        let size = |lines: &[String]| lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>();
        let mut touched = [false; FILES];
        for action in (0..actions).step_by(2) {
            let (file, line) = place(action);
            if !std::mem::replace(&mut touched[file], true) {
                long.bytes += size(&long.files[file]);
            }
            long.files[file][line] = words(file, line, action + 1);
            long.bytes += size(&long.files[file]);
        }
        long
    }

    /// Names and contents before the session.
    pub(super) fn files(&self) -> impl Iterator<Item = (String, String)> {
        (0..FILES).map(|file| {
            let lines: Vec<String> = (0..LINES).map(|line| words(file, line, 0) + "\n").collect();
            (name(file), lines.concat())
        })
    }

    /// The model's replies, one a line.
    pub(super) fn replies(&self) -> String {
        // As many as could be asked for.
        let summary = "{\"purpose\": \"summary\", \"text\": \"Much was done.\"}\n";
        let mut replies = summary.repeat(self.actions / SUMMARY);
        for first in (0..self.actions).step_by(CALLS) {
            let calls: Vec<Value> = (first..(first + CALLS).min(self.actions)).map(call).collect();
            replies += &format!("{}\n", json!({ "purpose": "decide", "calls": calls }));
        }
        replies + "{\"purpose\": \"decide\", \"text\": \"Done.\"}\n"
    }

    /// Bytes of the contents that its changes hold.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fails where a file is not as the session was to leave it.
    pub(super) fn check(&self, workspace: &Path) -> Result<(), Failure> {
        for (file, lines) in self.files.iter().enumerate() {
            let content = fs::read_to_string(workspace.join(name(file))).map_err(text)?;
            if !content.lines().eq(lines) {
                return Err(format!("{} is not as it was to be", name(file)));
            }
        }
        Ok(())
    }
}

fn name(file: usize) -> String {
    format!("module_{file:02}.txt")
}

/// The file and the line of an action, from 0.
fn place(action: usize) -> (usize, usize) {
    (action / 2 % FILES, action * 7 / FILES % LINES)
}

fn call(action: usize) -> Value {
    let (file, line) = place(action);
    let (name, arguments) = match action % 2 {
        0 => {
            let replacement = words(file, line, action + 1);
            let (at, edit) = (line + 1, "replacement");
            let edit = json!({ "start_line": at, "end_line": at, edit: replacement });
            ("apply_patch", json!({ "path": name(file), "edits": [edit], "explanation": "next" }))
        }
        _ => {
            let first = line / 20 * 20 + 1;
            let range = json!({
                "target_file": name(file),
                "start_line": first,
                "end_line": first + 19,
                "explanation": "go on",
            });
            ("read_file", range)
        }
    };
    json!({ "name": name, "arguments": arguments })
}

/// A line that looks like source and is like no other.
fn words(file: usize, line: usize, version: usize) -> String {
    let mut seed = (file * LINES + line) as u64 * 1_000_003 + version as u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 40
    };
    format!("    let value_{:x} = compute(left, right, {}) + {};", next(), next(), line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_content_counts_once() {
        let (none, two) = (Long::new(0), Long::new(2));
        assert_eq!(none.bytes(), 0);
        let size = |file: usize, lines: &[String]| {
            assert_eq!(lines.len(), LINES, "{file}");
            lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>()
        };
        assert_eq!(two.bytes(), size(0, &none.files[0]) + size(0, &two.files[0]));
        assert_eq!(two.replies().lines().count(), 2);
        assert_eq!(Long::new(125).replies().lines().count(), 2 + 13 + 1);
    }
}
