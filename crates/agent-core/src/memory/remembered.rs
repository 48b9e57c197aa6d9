//! What is remembered of a workspace.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, ChangeKind, Report, event::schema};

/// One thing that is to be known, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remembered {
    /// Its number, by which it is accepted or removed.
    pub number: i64,
    /// The words.
    pub text: String,
    /// Who stands behind them.
    pub standing: Standing,
    /// The session that it was proposed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it was said.
    #[schemars(schema_with = "schema::time")]
    pub time: Timestamp,
}

/// Who stands behind what is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The user said it.
    User,
    /// A model proposes it. No model is shown it yet.
    Proposed,
    /// A model proposed it, and the user has accepted that.
    Accepted,
}

/// A conversation that was held before, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Earlier {
    /// Its session.
    pub session: String,
    /// When it was last gone on with.
    pub time: Timestamp,
    /// The user's requests, one a line.
    pub request: String,
    /// How the last of them ended.
    pub outcome: String,
    /// What was read and changed.
    pub files: Vec<Touched>,
    /// The beginning of the last answer, or what went wrong.
    pub summary: String,
}

/// A file of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// Its path in the workspace.
    pub path: String,
    /// Whether the conversation changed it.
    pub changed: bool,
    /// The hash of its bytes when the conversation had last seen it; none where it was gone.
    pub sha256: Option<String>,
}

/// Bytes of the requests, and of the summary, that are kept.
const REQUEST: usize = 400;
const SUMMARY: usize = 400;

/// The most files of a conversation.
const FILES: usize = 40;

impl Earlier {
    /// What there is to remember of a request.
    pub(crate) fn of(report: &Report) -> Self {
        let answer = report.response.as_deref().unwrap_or_default();
        let words = match &report.error {
            Some(error) => error.message.as_str(),
            None => answer,
        };
        let mut files: Vec<Touched> =
            report.history.iter().filter_map(|action| read(action, &report.working_dir)).collect();
        for change in &report.changes {
            let sha256 = match change.kind {
                ChangeKind::Create | ChangeKind::Edit => change.after_sha256.clone(),
                ChangeKind::Delete => None,
            };
            files.push(Touched { path: change.file.clone(), changed: true, sha256 });
        }
        Self {
            session: report.session_id.clone(),
            time: Timestamp::now(),
            request: begin(&report.user_query, REQUEST),
            outcome: report.outcome.name().to_owned(),
            files: merged(Vec::new(), files),
            summary: begin(words, SUMMARY),
        }
    }

    /// The same conversation once it has gone on.
    pub(crate) fn then(self, later: Self) -> Self {
        let request = format!("{}\n{}", self.request, later.request);
        Self {
            request: agent_tools::limit::head_tail(&request, 2 * REQUEST).into_owned(),
            files: merged(self.files, later.files),
            ..later
        }
    }
}

/// The first paragraph of a text, in one line of at most so many bytes.
fn begin(text: &str, most: usize) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.len() > most {
        false => line,
        true => {
            let end = line.floor_char_boundary(most);
            let end = line[..end].rfind(' ').unwrap_or(end);
            format!("{} …", &line[..end])
        }
    }
}

/// Each file once, as it was last. That it was changed stays true when it is read again.
fn merged(before: Vec<Touched>, later: Vec<Touched>) -> Vec<Touched> {
    let mut files: Vec<Touched> = Vec::new();
    for file in before.into_iter().chain(later) {
        match files.iter_mut().find(|known| known.path == file.path) {
            Some(known) => {
                known.changed |= file.changed;
                known.sha256 = file.sha256;
            }
            None => files.push(file),
        }
    }
    let more = files.len().saturating_sub(FILES);
    files.drain(..more);
    files
}

/// The file that an action read.
fn read(action: &Action, root: &str) -> Option<Touched> {
    let text = |key: &str| action.result.get(key).and_then(serde_json::Value::as_str);
    if action.tool != "read_file" || !action.succeeded() {
        return None;
    }
    let path = text("file_path")?.strip_prefix(root)?.trim_start_matches('/').to_owned();
    Some(Touched { path, changed: false, sha256: Some(text("sha256")?.to_owned()) })
}
