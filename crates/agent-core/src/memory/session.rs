//! What a session knows: it must outlive the messages that it stood in.

use serde::Serialize;

/// Files that were touched, what was changed, attempts that failed, and the turns of the
/// conversation. It follows from a session's notes, so that shortening the conversation can't lose
/// it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct SessionMemory {
    /// In the order in which they were last touched, each as it was then.
    pub files: Vec<KnownFile>,
    /// Every change of a file, the latest last.
    pub changes: Vec<Changed>,
    /// Attempts that failed, each as a line, the latest last.
    pub failed: Vec<String>,
    /// The user's requests with their answers, the current one last.
    pub turns: Vec<Turn>,
}

/// A file as the session last saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownFile {
    /// Its path in the workspace.
    pub path: String,
    /// What was done to it.
    pub touch: Touch,
    /// The hash of its bytes then; none once it is gone.
    pub sha256: Option<String>,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    /// It was read.
    Read,
    /// It was made.
    Created,
    /// Its content was changed.
    Edited,
    /// It was removed.
    Deleted,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// What made it.
    pub tool: String,
    /// The file.
    pub file: String,
    /// The hash of its bytes before; none for a new file.
    pub before_sha256: Option<String>,
    /// The same after; none for a file that is gone.
    pub after_sha256: Option<String>,
}

/// A request with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// The user's words.
    pub request: String,
    /// The answer; none where there is none yet, and for turns that are long past.
    pub answer: Option<String>,
}
