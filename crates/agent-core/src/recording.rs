//! Recordings: a session in a file, enough to run it again.
//!
//! A recording is JSON lines. The first is its header, the last its end; between them stand the
//! session's [notes](crate::session::Note) in their order, and before the note of a call that is
//! about to be carried out the files that it needs, unless they are as they were left before:
//!
//! | a line with | is |
//! | --- | --- |
//! | `recording` | the header: the format's version, and what is told of the session, see [`Header`] |
//! | `file` | what stands at a path from here on, see [`FileLine`] |
//! | `note` | a note; requests to the model and its replies are lines of [`agent_llm::recording`] |
//! | `end` | the number of lines before it: a recording without it has been cut off |
//!
//! [`export`] makes one from a session that is kept. [`replay`] runs one again in a scratch
//! directory: the model's replies come from the recording, the tools are the real ones on the
//! recorded files. Searches, listings and commands look at more than the recorded files, so they
//! are answered from the recording, unless it holds the whole tree; commands always are.
//!
//! What may differ between the two runs is only this: the session's id, times, the workspace's
//! path wherever it occurs, and the numbers of changes that `undo` tells.

mod contents;
mod export;
mod file;
mod replay;

use std::io::{BufRead, BufReader, Read};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use export::{Export, ExportError, LARGEST_TREE, TreeKind, export};
pub use file::{FileLine, What};
pub use replay::{Divergence, Replayed, Stage, replay};

use crate::session::Note;

/// The version of the format.
pub const VERSION: u32 = 1;

/// A recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// What is told of it.
    pub header: Header,
    /// Its files and notes in order.
    pub lines: Vec<Line>,
}

/// What is told of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`VERSION`].
    pub recording: u32,
    /// The program that wrote it.
    pub program: String,
    /// The session.
    pub session: String,
    /// The workspace's path when it was recorded.
    pub workspace: String,
    /// Which files it holds.
    pub tree: TreeKind,
    /// Whether it can be run again. A secret that was taken out makes that impossible.
    pub replayable: bool,
    /// What is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// A file or a note.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// What stands at a path from here on.
    File(FileLine),
    /// A note of the session.
    Note(Box<Note>),
}

/// A file that is no recording. It reads after "failed to read the recording".
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It can't be read.
    #[error("reading stopped at line {line}: {source}")]
    Read {
        /// The line that was being read.
        line: usize,
        /// What the reader said.
        source: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("line {line}: {problem}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// It is of a later version.
    #[error("it is of format {found}, and the latest that is known here is {VERSION}")]
    Newer {
        /// Its version.
        found: u32,
    },
    /// Its end is missing.
    #[error("its end is missing: it has been cut off")]
    Cut,
}

impl Recording {
    /// Reads a recording to its end.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] for the first line that is wrong.
    pub fn read(reader: impl Read) -> Result<Self, RecordingError> {
        let mut header: Option<Header> = None;
        let mut lines = Vec::new();
        for (index, text) in BufReader::new(reader).lines().enumerate() {
            let line = index + 1;
            let text = text.map_err(|source| RecordingError::Read { line, source })?;
            let wrong = |problem: String| RecordingError::Line { line, problem };
            let value: Value =
                serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
            let json = |error: serde_json::Error| wrong(error.to_string());
            let has = |key: &str| value.get(key).is_some();
            if header.is_none() {
                let version = value.get("recording").and_then(Value::as_u64);
                match version.and_then(|version| u32::try_from(version).ok()) {
                    Some(VERSION) => {}
                    Some(found) if found > VERSION => return Err(RecordingError::Newer { found }),
                    Some(_) | None => return Err(wrong("this is no recording's header".into())),
                }
                header = Some(serde_json::from_value(value).map_err(json)?);
            } else if has("file") {
                let file: FileLine = serde_json::from_value(value).map_err(json)?;
                // Where something was taken out, hashes don't fit.
                if header.as_ref().is_some_and(|header| header.replayable) {
                    file.check().map_err(wrong)?;
                }
                lines.push(Line::File(file));
            } else if has("note") {
                lines.push(Line::Note(serde_json::from_value(value).map_err(json)?));
            } else if let Some(end) = value.get("end").and_then(Value::as_u64) {
                return match header {
                    Some(header) if end == index as u64 => Ok(Self { header, lines }),
                    Some(_) | None => Err(wrong(format!("{end} lines should stand above"))),
                };
            } else {
                return Err(wrong("it is neither a file, a note nor the end".into()));
            }
        }
        Err(RecordingError::Cut)
    }
}
