//! What observers see. One enum feeds the terminal, `stream-json` and golden files alike.

use std::time::Duration;

use agent_llm::{Purpose, Retry, Sent, ToolCall, Usage};
use serde_json::Value;

use crate::{
    Action, Change, Protocol, Report,
    approval::{Answer, Question},
    memory::Remembered,
    verify::TestRun,
};

mod line;
pub mod schema;
pub mod stream_json;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A request begins. Always first.
    Started {
        /// Names the session.
        session_id: String,
        /// The model's full name.
        model: String,
        /// The tools on offer, in their order.
        tools: Vec<String>,
        /// The workspace's absolute path.
        working_dir: String,
    },
    /// A model call begins.
    ModelCalled {
        /// What it is for.
        purpose: Purpose,
        /// The decision step that it belongs to, from 1.
        turn: u32,
    },
    /// Words of a reply as they come, unless a schema holds them. [`Event::Replied`] repeats them.
    Text(String),
    /// Words of the model's reasoning as they come.
    Reasoning(String),
    /// A model call failed and is repeated: text since [`Event::ModelCalled`] is void.
    Retry(Retry),
    /// A reply is complete.
    Replied {
        /// What the call was for.
        purpose: Purpose,
        /// Its words.
        text: String,
        /// Its tool calls.
        calls: Vec<ToolCall>,
        /// Its tokens.
        usage: Usage,
        /// US dollars; none where the model's price is not known.
        cost: Option<f64>,
        /// The request's size; none where nothing was sent.
        sent: Option<Sent>,
    },
    /// An action begins.
    ActionStarted {
        /// The call that it carries out.
        call_id: String,
        /// The tool.
        tool: String,
        /// Why.
        reason: String,
        /// Its parameters as received.
        params: Value,
    },
    /// An action ended.
    ActionFinished {
        /// The call that it carried out.
        call_id: String,
        /// The history's entry.
        action: Action,
        /// What the model sees of it.
        observation: String,
        /// How long it took.
        elapsed: Duration,
    },
    /// A call that could not be carried out was answered.
    CallRejected {
        /// The call.
        call_id: String,
        /// What the model is told.
        message: String,
    },
    /// Somebody is asked, or has answered.
    Approval {
        /// What is asked.
        question: Box<Question>,
        /// The answer, once there is one.
        answer: Option<Answer>,
    },
    /// A file was changed.
    Changed(Change),
    /// The tests were run.
    Test(TestRun),
    /// The conversation was shortened, to fit the model's window.
    Compacted {
        /// Tokens of the next request before, as estimated.
        before: u64,
        /// The same now.
        after: u64,
        /// Messages that gave way to a digest of them.
        left_out: usize,
    },
    /// The model is asked to decide in another way from here on.
    ProtocolChanged {
        /// In which.
        to: Protocol,
        /// Why; it reads after "since ".
        why: String,
    },
    /// The model proposes to remember something. Nothing comes of it before the user accepts it.
    Proposed(Remembered),
    /// Something that the user should know.
    Warning(String),
    /// The request ended. Always last.
    Finished(Box<Report>),
}

/// Watches a run. It never steers it and never blocks it.
pub trait EventSink: Send + Sync {
    /// Takes note of an event.
    fn emit(&self, event: &Event);
}

/// A sink that takes no note.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl EventSink for Silent {
    fn emit(&self, _event: &Event) {}
}
