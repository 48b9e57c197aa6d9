//! Replies that are written down: the format of scripts and recordings.
//!
//! A script is JSON lines. Blank lines and lines that begin with `#` are skipped; every other one
//! is a reply:
//!
//! ```json
//! {"purpose": "decide", "expect": {"last": "rename"}, "calls": [{"name": "read_file", "arguments": {"target_file": "a.py"}}]}
//! ```
//!
//! | key | means |
//! | --- | --- |
//! | `purpose` | which requests it answers: `decide`, `edit_plan`, `response`, `plan`, `summary`, `judge` |
//! | `expect` | what the request must look like, see [`Expect`] |
//! | `text` | the words of the reply |
//! | `calls` | its tool calls: `name`, `arguments` (an object) or `raw_arguments` (any text), `id` |
//! | `parts` | instead of `text` and `calls`: the parts of the reply in their order, as a [recording](crate::recording) has them |
//! | `finish` | `stop`, `tool_calls`, `length`, `filter` or `{"other": …}`; without it what the reply holds suggests |
//! | `usage` | `input_tokens`, `cached_tokens`, `output_tokens`; what is left out is 0 |
//! | `fault` | what goes wrong instead, see [`Fault`] |
//! | `request` | what was asked, in a recording |
//!
//! An unknown key is an error: a misspelt expectation would otherwise pass for one that holds.

mod expect;
mod line;
mod playback;
mod provider;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

pub use expect::Expect;
pub use playback::Playback;
pub use provider::Scripted;

use crate::recording::Requests;
use crate::{Error, FinishReason, Part, Purpose, Request, Usage};

/// A parsed script.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// Its replies in the order of the file.
    pub replies: Vec<ScriptedReply>,
}

/// One line of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedReply {
    /// Where it stands, from 1.
    pub line: usize,
    /// Which requests it answers.
    pub purpose: Purpose,
    /// What the request must look like.
    pub expect: Expect,
    /// The words of the reply.
    pub text: Option<String>,
    /// Its tool calls, which come after the words.
    pub calls: Vec<ScriptedCall>,
    /// All of the reply in its order, instead of the words and the calls.
    pub parts: Option<Vec<Part>>,
    /// Why it ends.
    pub finish: FinishReason,
    /// What it costs.
    pub usage: Usage,
    /// What goes wrong.
    pub fault: Option<Fault>,
    /// The request that it answered when it was recorded.
    pub request: Option<Request>,
}

/// A tool call in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedCall {
    /// Its id; one is made up where there is none.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments as they are on the wire: JSON, or what was given as `raw_arguments`.
    pub arguments: String,
}

/// Something that goes wrong with a reply: one of these keys, as `{"status": 429}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// `status`, with `headers` and `body`: an HTTP response that is no success.
    Status {
        /// The status code, 300 or more.
        status: u16,
        /// Its headers, names in lower case.
        headers: BTreeMap<String, String>,
        /// Its body.
        body: String,
    },
    /// `cut_after_bytes`: the connection breaks after so many bytes of the body. Without a body on
    /// the wire the bytes of the text and the arguments are counted.
    CutAfter(usize),
    /// `garbage`: a body that is no reply in any wire format.
    Garbage(String),
    /// `stall_ms`: nothing comes for so long, then the reply.
    Stall(Duration),
    /// `error`: the call failed like this when it was recorded.
    Error(Error),
}

/// A script that can't be used. It reads after "failed to read the script NAME: ".
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The reader failed.
    #[error("reading stopped at line {line}: {source}")]
    Read {
        /// The line that was being read.
        line: usize,
        /// What the reader said.
        source: std::io::Error,
    },
    /// A line is no reply.
    #[error("line {line}: {problem}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl Script {
    /// Reads a script to its end.
    ///
    /// # Errors
    ///
    /// The first line that is no reply, by its number, or what the reader failed with.
    pub fn parse(reader: impl Read) -> Result<Self, ScriptError> {
        let mut replies = Vec::new();
        let mut requests = Requests::default();
        for (index, text) in BufReader::new(reader).lines().enumerate() {
            let line = index + 1;
            let text = text.map_err(|source| ScriptError::Read { line, source })?;
            // Editors on Windows put a byte order mark before the first line.
            let text = text.trim_start_matches('\u{feff}').trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let reply = line::parse(text, line, &mut requests);
            replies.push(reply.map_err(|problem| ScriptError::Line { line, problem })?);
        }
        Ok(Self { replies })
    }
}
