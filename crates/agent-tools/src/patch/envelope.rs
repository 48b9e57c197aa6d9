//! The `*** Begin Patch` envelope.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/main.rs
//! *** Move to: src/lib.rs
//! @@ fn main() {
//!  a line that stays
//! -a line that goes
//! +a line that comes
//! *** End of File
//! *** Add File: src/new.rs
//! +all of its lines
//! *** Delete File: src/old.rs
//! *** End Patch
//! ```

use super::changes::{Changes, Kind};
use super::error::PatchError;
use super::hunk::{Hunk, Side};
use super::part::{FilePatch, Operation};
use super::rows::Reading;
use crate::line;

/// Reads the files of an envelope. Without one the text is taken for hunks of a single file.
pub(super) fn parse(text: &str) -> Result<Vec<FilePatch>, PatchError> {
    let lines = line::split(text);
    let says = |what: &'static str| move |line: &&str| line.trim() == what;
    let begin = lines.iter().position(says("*** Begin Patch"));
    let end = lines.iter().rposition(says("*** End Patch"));
    let (first, last) = match (begin, end) {
        (Some(begin), Some(end)) if begin < end => (begin + 1, end),
        (Some(begin), _) => {
            return Err(malformed(
                begin,
                "the patch does not end with *** End Patch, so it may be cut short; write it in full",
            ));
        }
        (None, end) => (0, end.unwrap_or(lines.len())),
    };
    let mut files = Vec::new();
    let mut section = None;
    for (at, line) in lines.iter().enumerate().take(last).skip(first) {
        let Some(command) = command(line) else {
            let section = section.get_or_insert_with(|| Section::new(Command::Update(""), at));
            section.read(line, at)?;
            continue;
        };
        match (command, &mut section) {
            (Command::Move(name), Some(Section { move_to, reading: None, .. })) => {
                *move_to = Some(name.to_owned());
            }
            (Command::EndOfFile, Some(section)) => section.end_of_file(),
            (Command::Move(_) | Command::EndOfFile, _) => {
                return Err(malformed(at, "this belongs below *** Update File"));
            }
            (Command::Unknown, _) => {
                return Err(malformed(
                    at,
                    "unknown instruction; there are *** Update File, *** Add File, *** Delete File, *** Move to and *** End of File",
                ));
            }
            (command, section) => {
                let before = section.replace(Section::new(command, at));
                files.extend(before.map(Section::finish).transpose()?);
            }
        }
    }
    files.extend(section.map(Section::finish).transpose()?);
    Ok(files)
}

fn malformed(at: usize, what: &'static str) -> PatchError {
    PatchError::Malformed { line: at + 1, what }
}

/// A line that begins with three stars.
#[derive(Clone, Copy)]
enum Command<'a> {
    Update(&'a str),
    Add(&'a str),
    Delete(&'a str),
    Move(&'a str),
    EndOfFile,
    Unknown,
}

fn command(line: &str) -> Option<Command<'_>> {
    let text = line.trim_end().strip_prefix("*** ")?;
    let named = |prefix| text.strip_prefix(prefix).map(str::trim);
    let none = || (text == "End of File").then_some(Command::EndOfFile);
    (named("Update File:").map(Command::Update))
        .or_else(|| named("Add File:").map(Command::Add))
        .or_else(|| named("Delete File:").map(Command::Delete))
        .or_else(|| named("Move to:").map(Command::Move))
        .or_else(none)
        .or(Some(Command::Unknown))
}

/// What follows the name of a file.
struct Section<'a> {
    command: Command<'a>,
    line: usize,
    move_to: Option<String>,
    hunks: Vec<Hunk>,
    /// Nothing before the first line.
    reading: Option<Reading>,
}

impl<'a> Section<'a> {
    fn new(command: Command<'a>, line: usize) -> Self {
        Self { command, line, move_to: None, hunks: Vec::new(), reading: None }
    }

    fn read(&mut self, line: &str, at: usize) -> Result<(), PatchError> {
        if matches!(self.command, Command::Delete(_)) && !line.trim().is_empty() {
            return Err(malformed(at, "nothing follows *** Delete File"));
        }
        if matches!(self.command, Command::Add(_))
            && !line.starts_with('+')
            && !line.trim().is_empty()
        {
            return Err(malformed(at, "every line of *** Add File begins with +"));
        }
        if self.reading.is_none() && line.is_empty() {
            return Ok(());
        }
        let Some(header) = line.strip_prefix("@@") else {
            self.reading.get_or_insert_with(|| Reading::new(at + 1)).read(line);
            return Ok(());
        };
        // Several headers in a row lead to one hunk.
        if self.reading.as_ref().is_none_or(|reading| !reading.hunk.rows.is_empty()) {
            let before = self.reading.replace(Reading::new(at + 1));
            self.hunks.extend(before.and_then(Reading::finish));
        }
        if let (Some(header), Some(reading)) = (header_text(header), &mut self.reading) {
            reading.hunk.headers.push(header.to_owned());
        }
        Ok(())
    }

    fn end_of_file(&mut self) {
        if let Some(mut reading) = self.reading.take() {
            reading.hunk.ends_file = true;
            self.hunks.extend(reading.finish());
        }
    }

    fn finish(mut self) -> Result<FilePatch, PatchError> {
        self.hunks.extend(self.reading.and_then(Reading::finish));
        let (name, operation) = match self.command {
            Command::Add(name) => {
                let rows = self.hunks.iter().flat_map(|hunk| &hunk.rows);
                let new = rows.filter(|row| row.side == Side::New);
                (
                    name,
                    Operation::Add { content: new.map(|row| format!("{}\n", row.text)).collect() },
                )
            }
            Command::Delete(name) => (name, Operation::Delete),
            Command::Update(name) => {
                if self.hunks.is_empty() && self.move_to.is_none() {
                    return Err(malformed(
                        self.line,
                        "nothing of this file changes; write lines with - and +",
                    ));
                }
                (
                    name,
                    Operation::Update {
                        changes: Changes(Kind::Hunks(self.hunks)),
                        move_to: self.move_to,
                    },
                )
            }
            Command::Move(_) | Command::EndOfFile | Command::Unknown => {
                return Err(malformed(self.line, "this belongs below *** Update File"));
            }
        };
        Ok(FilePatch { path: (!name.is_empty()).then(|| name.to_owned()), operation })
    }
}

/// What a line that begins with `@@` leads to: not a range such as those of unified diffs.
pub(super) fn header_text(header: &str) -> Option<&str> {
    let header = header.trim();
    let header = header.strip_suffix("@@").unwrap_or(header).trim();
    let range = header.starts_with('-') && header.contains(" +");
    (!range && !matches!(header, "" | "..." | "…")).then_some(header)
}
