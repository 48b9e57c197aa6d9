//! The types of which a line of `stream-json` is made. Their documentation is part of the published
//! schema.

use agent_llm::{Purpose, Usage};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::schema;
use crate::{
    Change, Failure, Intent, Outcome,
    evaluator::Evaluation,
    history::{Spent, Traffic, Undone},
    memory::Remembered,
    verify::TestRun,
};

/// One line of `stream-json`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub(super) struct Line<'a> {
    #[serde(flatten)]
    pub(super) message: Message<'a>,
    /// Names the session; empty where none was begun.
    pub(super) session_id: &'a str,
}

/// What a line tells, by its type.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Message<'a> {
    /// Something about the session itself.
    System(System<'a>),
    /// A reply of the model, complete.
    Assistant {
        /// What the model was called for.
        #[schemars(schema_with = "schema::purpose")]
        purpose: Purpose,
        /// The reply.
        message: Reply<'a>,
    },
    /// The result of a tool call, as the model sees it.
    User {
        /// The result.
        message: Results<'a>,
    },
    /// Somebody is asked (`answer` is null), or has answered.
    Approval(Approval<'a>),
    /// A file was changed.
    Change {
        /// What was done to it.
        change: &'a Change,
    },
    /// The tests were run.
    Test {
        /// What came of it.
        test: &'a TestRun,
    },
    /// A model call failed and is repeated.
    Retry {
        /// The try that failed, from 1.
        attempt: u32,
        /// Milliseconds until the next one.
        delay_ms: u64,
        /// Why it failed.
        error: String,
    },
    /// The model proposes to remember something.
    Memory {
        /// What, and the number by which it is accepted.
        proposed: &'a Remembered,
    },
    /// Something that the user should know.
    Warning {
        /// In words.
        message: &'a str,
    },
    /// The end: always the last line, and there once.
    Result(Box<End<'a>>),
}

/// Something about the session itself.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(super) enum System<'a> {
    /// A request begins: the first line, unless nothing could begin.
    Init {
        /// The version of this shape.
        schema_version: u32,
        /// The model's full name.
        model: &'a str,
        /// The workspace's absolute path.
        cwd: &'a str,
        /// The tools on offer, in their order.
        tools: &'a [String],
    },
    /// The conversation was shortened, to fit the model's window.
    CompactBoundary {
        /// What it came to.
        compact_metadata: Compacted,
    },
    /// The model is asked to decide in another way from here on; `--protocol` chooses one for good.
    ProtocolChanged {
        /// In which.
        protocol: Decides,
        /// Why: what was seen in this session.
        reason: &'a str,
    },
}

/// How the model says what is to be done.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decides {
    /// By its provider's tool calls.
    Tools,
    /// By JSON that follows a schema.
    Json,
}

/// How a conversation was shortened.
#[derive(Serialize, JsonSchema)]
pub(super) struct Compacted {
    /// What made it shorten.
    pub(super) trigger: Trigger,
    /// Tokens of the next request before, as estimated.
    pub(super) pre_tokens: u64,
    /// The same now.
    pub(super) post_tokens: u64,
    /// Messages that gave way to a digest of them.
    pub(super) messages_left_out: usize,
}

/// What makes a conversation shorten.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Trigger {
    /// The window was full.
    Auto,
}

/// A reply of the model.
#[derive(Serialize, JsonSchema)]
pub(super) struct Reply<'a> {
    /// Whose message it is.
    pub(super) role: Assistant,
    /// Its words and calls in order.
    pub(super) content: Vec<Said<'a>>,
    /// What it cost.
    pub(super) usage: Cost,
}

/// The model's role.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Assistant {
    /// The model.
    Assistant,
}

/// A part of a reply.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Said<'a> {
    /// Words.
    Text {
        /// The words.
        text: &'a str,
    },
    /// A tool call.
    ToolUse {
        /// Pairs the call with its result.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// Its parameters.
        input: Input<'a>,
    },
}

/// The parameters of a call.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Input<'a> {
    /// As a JSON object.
    Object(Map<String, Value>),
    /// As they came, where they are no JSON object.
    Malformed(&'a str),
}

/// What one reply cost.
#[derive(Serialize, JsonSchema)]
pub(super) struct Cost {
    #[serde(flatten)]
    #[schemars(schema_with = "schema::usage")]
    pub(super) usage: Usage,
    /// US dollars, where the model's price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost: Option<f64>,
}

/// Results of tool calls.
#[derive(Serialize, JsonSchema)]
pub(super) struct Results<'a> {
    /// Whose message it is.
    pub(super) role: User,
    /// The results: one.
    pub(super) content: [ToolResult<'a>; 1],
}

/// The role in which results are given.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum User {
    /// The side that is not the model's.
    User,
}

/// A part of a message with results.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ToolResult<'a> {
    /// The result of a tool call.
    ToolResult {
        /// The call.
        tool_use_id: &'a str,
        /// What the model sees of it.
        content: &'a str,
        /// Whether the call failed, or was not carried out.
        is_error: bool,
    },
}

/// A question with its answer.
#[derive(Serialize, JsonSchema)]
pub(super) struct Approval<'a> {
    /// The tool.
    pub(super) tool: &'a str,
    /// Why it is asked.
    pub(super) why: &'a str,
    /// The rule that says so.
    pub(super) rule: &'a str,
    /// The answer; null while there is none.
    #[schemars(schema_with = "schema::answer")]
    pub(super) answer: Option<&'static str>,
    /// The changes that would be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<&'a [Change]>,
    /// The command that would run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<&'a str>,
    /// What would be done otherwise, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) what: Option<&'a str>,
    /// Why it was rejected, in the user's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
}

/// How a request ended.
#[derive(Serialize, JsonSchema)]
pub(super) struct End<'a> {
    /// Whether it finished.
    pub(super) subtype: Success,
    /// Whether it did not.
    pub(super) is_error: bool,
    /// What the request was about.
    pub(super) intent: Intent,
    /// How it ended.
    pub(super) outcome: Outcome,
    /// The exit code that belongs to it.
    pub(super) exit_code: u8,
    /// The final answer; null where there is none.
    pub(super) result: Option<&'a str>,
    /// Decision steps taken.
    pub(super) num_turns: u32,
    /// What it cost.
    pub(super) usage: Spent,
    /// Every change in order.
    pub(super) changes: &'a [Change],
    /// Edits that failed and stayed undone.
    pub(super) undone: &'a [Undone],
    /// What went wrong; null where it finished.
    pub(super) error: Option<&'a Failure>,
    /// The deterministic score; null where nothing was begun.
    pub(super) evaluation: Option<&'a Evaluation>,
    /// What was sent to the model's server, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sent: Option<Traffic>,
    /// Whether the answer is one that was given before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) from_cache: bool,
    /// Whether the run stopped to be approved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) awaiting_approval: bool,
    /// What then waits for approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pending_edits: Option<&'a [Change]>,
}

/// Whether a request finished.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Success {
    /// It did.
    Success,
    /// It did not.
    Error,
}
