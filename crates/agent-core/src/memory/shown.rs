//! What of a workspace's memory a model is shown with the first request of a session.

use agent_tools::{Workspace, write::Entry};
use jiff::Timestamp;
use serde::Serialize;

use super::{Earlier, Memory, Standing, Touched};
use crate::StoreError;

/// What a model is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// The text, which is all of it; empty where nothing is remembered.
    pub text: String,
    /// What stands in it, in its order.
    pub items: Vec<Item>,
    /// How many things there was no room for.
    pub left_out: usize,
    /// The most bytes that the text may have.
    pub most: usize,
}

/// One thing of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Where it comes from: `user`, `accepted` or the session.
    pub source: String,
    /// When it was said.
    pub time: Timestamp,
    /// The words.
    pub text: String,
}

const HEAD: &str = "(Remembered of this directory. Files may have changed since: look before you \
                    rely on it.";
const NOTES: &str = "\nNotes:";
const EARLIER: &str = "\nEarlier conversations, the latest first:";

/// The most conversations that are shown, files of each, and bytes of one.
const CONVERSATIONS: usize = 5;
const FILES: usize = 6;
const LINE: usize = 600;

/// Files that are larger are not compared with what they were.
const LARGEST: u64 = 4 * 1024 * 1024;

impl Memory<'_> {
    /// What a model is shown of it, in at most `most` bytes: what was said before what was done,
    /// and the latest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn shown(&self, workspace: &Workspace, most: usize) -> Result<Shown, StoreError> {
        let mut shown = Shown { text: String::new(), items: Vec::new(), left_out: 0, most };
        if most == 0 {
            return Ok(shown);
        }
        let mut notes = self.remembered()?;
        notes.retain(|note| note.standing != Standing::Proposed);
        let notes = notes.into_iter().rev().map(|note| {
            let source = match note.standing {
                Standing::User => "user",
                Standing::Accepted | Standing::Proposed => "accepted",
            };
            Item { source: source.to_owned(), time: note.time, text: note.text }
        });
        shown.add(NOTES, notes.collect());
        let earlier = self.earlier()?;
        let lines = earlier.iter().take(CONVERSATIONS).map(|one| {
            let text = self.told(one, workspace)?;
            let source = format!("session {}", one.session.get(..13).unwrap_or(&one.session));
            Ok(Item { source, time: one.time, text })
        });
        shown.add(EARLIER, lines.collect::<Result<_, StoreError>>()?);
        Ok(shown)
    }

    /// A conversation in a line.
    fn told(&self, earlier: &Earlier, workspace: &Workspace) -> Result<String, StoreError> {
        let Earlier { request, outcome, files, summary, .. } = earlier;
        let mut line = format!("\"{}\": {outcome}", request.replace('\n', "\", then \""));
        for (verb, changed) in [("changed", true), ("read", false)] {
            let of = files.iter().rev().filter(|file| file.changed == changed);
            let mut names = Vec::new();
            for file in of.clone().take(FILES) {
                let since = self.since(file, workspace)?;
                names.push(format!("{}{since}", file.path));
            }
            let more = of.count().saturating_sub(FILES);
            names.extend((more > 0).then(|| format!("{more} more")));
            if !names.is_empty() {
                line += &format!("; {verb} {}", names.join(", "));
            }
        }
        if !summary.is_empty() {
            line += &format!(". {summary}");
        }
        Ok(agent_tools::limit::head_tail(&line, LINE).replace('\n', " "))
    }

    /// What has become of a file since the conversation.
    fn since(&self, file: &Touched, workspace: &Workspace) -> Result<&'static str, StoreError> {
        let Some(now) = now(&file.path, workspace).filter(|now| *now != file.sha256) else {
            return Ok("");
        };
        Ok(match (self.seen(&file.path)?, &now) {
            (Some(last), None) if last == now => " (deleted since)",
            (Some(last), Some(_)) if last == now => " (changed since)",
            (Some(_) | None, _) => " (changed since by somebody else)",
        })
    }
}

/// The hash of what stands at a path, and `Some(None)` for nothing; none where that can't be told.
fn now(path: &str, workspace: &Workspace) -> Option<Option<String>> {
    let path = workspace.resolve(path).ok()?;
    let path = workspace.real(&path).unwrap_or(path);
    match Entry::read(workspace, &path, LARGEST).ok()? {
        Entry::File { content, .. } => Some(Some(content.sha256().to_owned())),
        Entry::Absent => Some(None),
        Entry::Link { .. } => None,
    }
}

impl Shown {
    /// Adds as many of the items as there is room for.
    fn add(&mut self, head: &str, items: Vec<Item>) {
        let mut section = String::new();
        let begin = self.text.strip_suffix(')').unwrap_or(HEAD);
        // The closing bracket has its room.
        let room = self.most.saturating_sub(begin.len() + head.len() + 1);
        for item in items {
            let day = item.time.to_string();
            let day = day.get(..10).unwrap_or(&day);
            let line = format!("\n- {} ({}, {day})", item.text, item.source);
            if section.len() + line.len() > room {
                self.left_out += 1;
                continue;
            }
            section += &line;
            self.items.push(item);
        }
        if !section.is_empty() {
            self.text = format!("{begin}{head}{section})");
        }
    }
}
