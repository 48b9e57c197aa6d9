//! What has been done: actions, changes, and the report that a run leaves.

use agent_llm::{Sent, Usage};
use agent_tools::edit::LineEdit;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Failure, Intent, Outcome, evaluator::Evaluation, event::schema, verify::TestRun};

/// Version of the shape of [`Report`] and of the events.
pub const SCHEMA_VERSION: u32 = 1;

/// A name for a session: later ones sort behind earlier ones.
pub fn new_session_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A decision carried out: one entry of the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// The tool, by its canonical name.
    pub tool: String,
    /// Why: the decision's reason, else its `explanation`, else the reply's text.
    pub reason: String,
    /// The parameters as received.
    pub params: Value,
    /// What the tool gave.
    pub result: Value,
    /// When the action began.
    #[serde(serialize_with = "seconds")]
    #[schemars(schema_with = "schema::time")]
    pub timestamp: Timestamp,
    /// How sure the model said it was, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// For edits: the target's text as it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_content: Option<String>,
    /// For edits: whether the target could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_success: Option<bool>,
}

/// Timestamps are shown in UTC with milliseconds: `2026-11-21T09:30:00.000Z`.
fn seconds<S: serde::Serializer>(timestamp: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{timestamp:.3}"))
}

impl Action {
    /// Whether the tool reported success.
    pub fn succeeded(&self) -> bool {
        self.result.get("success").and_then(Value::as_bool).unwrap_or(false)
    }
}

/// What an action did to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The file, relative to the workspace, with `/`.
    pub file: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// SHA-256 of the bytes before, in lower-case hex; none for a new file.
    pub before_sha256: Option<String>,
    /// SHA-256 of the bytes after; none for a deleted file.
    pub after_sha256: Option<String>,
    /// The change as a unified diff; empty where the content is no text.
    pub diff: String,
}

/// Kinds of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The file is new.
    Create,
    /// Its content changed.
    Edit,
    /// It is gone.
    Delete,
}

/// Tokens and money.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Spent {
    /// Tokens of all calls.
    #[serde(flatten)]
    #[schemars(schema_with = "schema::usage")]
    pub usage: Usage,
    /// US dollars; none where the model's price is not known.
    pub cost: Option<f64>,
}

/// What went to the model's server in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(into = "ShownTraffic")]
pub struct Traffic {
    /// Bytes of all requests.
    pub bytes: u64,
    /// Of these, the bytes that stand before another request of the same conversation.
    pub before: u64,
    /// Of those, the bytes with which that other request begins too. A provider's cache can hold
    /// them.
    pub shared: u64,
}

impl Traffic {
    /// Counts a request.
    pub(crate) fn add(&mut self, sent: Sent) {
        self.bytes += sent.bytes;
        self.before += sent.before;
        self.shared += sent.shared;
    }

    /// How much of an earlier request the next one begins with, from 0 to 1; none where there was
    /// no next one.
    pub fn share(&self) -> Option<f64> {
        (self.before > 0).then(|| self.shared as f64 / self.before as f64)
    }

    fn is_unknown(&self) -> bool {
        self.bytes == 0
    }
}

/// What is told of the traffic.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Traffic")]
struct ShownTraffic {
    /// Bytes of all requests.
    bytes: u64,
    /// Bytes that a request began with in common with the one before it.
    shared_bytes: u64,
    /// These as a share of the requests that came before another one, from 0 to 1.
    shared: Option<f64>,
}

impl From<Traffic> for ShownTraffic {
    fn from(traffic: Traffic) -> Self {
        Self { bytes: traffic.bytes, shared_bytes: traffic.shared, shared: traffic.share() }
    }
}

/// An edit that failed and was not made good by a later one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Undone {
    /// The tool that failed.
    pub tool: String,
    /// The file that it was to change.
    pub target_file: String,
    /// Why it failed.
    pub message: String,
}

/// The shared memory of a run: everything that it was asked, did and said.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// The request in the user's words.
    pub user_query: String,
    /// The workspace's absolute path.
    pub working_dir: String,
    /// Every action in order.
    pub history: Vec<Action>,
    /// Line edits that are planned and not yet applied; empty at the end.
    #[schemars(schema_with = "schema::line_edits")]
    pub edit_operations: Vec<LineEdit>,
    /// The final answer.
    pub response: Option<String>,
    /// The version of this shape.
    pub schema_version: u32,
    /// Names the session.
    pub session_id: String,
    /// The model's full name.
    pub model: String,
    /// What the request was about.
    pub intent: Intent,
    /// Whether the answer is one that was given before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub from_cache: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// The exit code that belongs to it.
    pub exit_code: u8,
    /// Decision steps taken.
    pub turns: u32,
    /// What it cost.
    pub usage: Spent,
    /// What was sent to the model's server; left out where there is none.
    #[serde(skip_serializing_if = "Traffic::is_unknown")]
    pub sent: Traffic,
    /// Every change in order.
    pub changes: Vec<Change>,
    /// The deterministic score; none where nothing was begun.
    pub evaluation: Option<Evaluation>,
    /// Files that edits were aimed at, each once, in order.
    pub target_files: Vec<String>,
    /// Edits that wait for approval.
    pub pending_edits: Vec<Change>,
    /// Whether the run stopped to be approved.
    pub awaiting_approval: bool,
    /// How often failed tests were handed back.
    pub retry_count: u32,
    /// The last test run, where there was one.
    #[schemars(with = "Option<TestRun>")]
    pub last_test_result: Option<Value>,
    /// Edits that failed and stayed undone.
    pub undone: Vec<Undone>,
    /// What went wrong, unless it finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// The edits in `history` that failed, less those whose file a later action changed after all.
pub(crate) fn undone(history: &[Action]) -> Vec<Undone> {
    let mut undone: Vec<Undone> = Vec::new();
    for action in history {
        let Some(target) = edit_target(&action.tool, &action.params) else { continue };
        undone.retain(|earlier| earlier.target_file != target);
        if !action.succeeded() {
            let message = action.result.get("message").and_then(Value::as_str).unwrap_or_default();
            undone.push(Undone {
                tool: action.tool.clone(),
                target_file: target.to_owned(),
                message: message.to_owned(),
            });
        }
    }
    undone
}

/// The files that `history`'s edits were aimed at.
pub(crate) fn target_files(history: &[Action]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for target in history.iter().filter_map(|action| edit_target(&action.tool, &action.params)) {
        if !files.iter().any(|file| file == target) {
            files.push(target.to_owned());
        }
    }
    files
}

/// Whether the tool changes a file that it is given.
pub(crate) fn is_edit(tool: &str) -> bool {
    matches!(tool, "edit_file" | "apply_patch" | "create_file" | "delete_file")
}

/// The file that a call of `tool` changes.
pub(crate) fn edit_target<'a>(tool: &str, params: &'a Value) -> Option<&'a str> {
    let params: &Map<String, Value> = params.as_object().filter(|_| is_edit(tool))?;
    params.get("target_file").or_else(|| params.get("path"))?.as_str()
}
