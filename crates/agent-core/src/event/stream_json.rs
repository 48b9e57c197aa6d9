//! Events as JSON lines, in the shape that wrappers of other agents read: `system/init` first, then
//! `assistant` and `user` messages with our own types between them, `result` last.
//!
//! [`published`](super::schema::published) describes every line.

use agent_llm::ToolCall;
use serde_json::Value;

use super::line::{
    Approval, Assistant, Compacted, Cost, Decides, End, Input, Line, Message, Reply, Results, Said,
    Success, System, ToolResult, Trigger, User,
};
use crate::{
    Event, Outcome, Protocol, Report,
    approval::{Answer, Question, What},
    history::SCHEMA_VERSION,
};

/// The event as one JSON object, or nothing for the ones that only a live display needs.
///
/// Every object carries `type` and `session_id`.
pub fn render(event: &Event, session_id: &str) -> Option<Value> {
    let message = match event {
        Event::Started { session_id: _, model, tools, working_dir } => {
            let schema_version = SCHEMA_VERSION;
            Message::System(System::Init { schema_version, model, cwd: working_dir, tools })
        }
        Event::Replied { purpose, text, calls, usage, cost, sent: _ } => {
            let words = (!text.is_empty()).then_some(Said::Text { text });
            let content = words.into_iter().chain(calls.iter().map(tool_use)).collect();
            let usage = Cost { usage: *usage, cost: *cost };
            let message = Reply { role: Assistant::Assistant, content, usage };
            Message::Assistant { purpose: *purpose, message }
        }
        Event::ActionFinished { call_id, action, observation, elapsed: _ } => {
            tool_result(call_id, observation, Success::of(action.succeeded()))
        }
        Event::CallRejected { call_id, message } => tool_result(call_id, message, Success::Error),
        Event::Approval { question, answer } => approval(question, answer.as_ref()),
        Event::Changed(change) => Message::Change { change },
        Event::Retry(retry) => Message::Retry {
            attempt: retry.attempt,
            delay_ms: u64::try_from(retry.delay.as_millis()).unwrap_or(u64::MAX),
            error: retry.error.to_string(),
        },
        Event::Test(test) => Message::Test { test },
        Event::Compacted { before, after, left_out } => {
            let compact_metadata = Compacted {
                trigger: Trigger::Auto,
                pre_tokens: *before,
                post_tokens: *after,
                messages_left_out: *left_out,
            };
            Message::System(System::CompactBoundary { compact_metadata })
        }
        Event::ProtocolChanged { to, why } => {
            let protocol = match to {
                Protocol::Json => Decides::Json,
                Protocol::Auto | Protocol::Tools => Decides::Tools,
            };
            Message::System(System::ProtocolChanged { protocol, reason: why })
        }
        Event::Proposed(proposed) => Message::Memory { proposed },
        Event::Warning(message) => Message::Warning { message },
        Event::Finished(report) => Message::Result(Box::new(end(report))),
        Event::ModelCalled { .. }
        | Event::Text(_)
        | Event::Reasoning(_)
        | Event::ActionStarted { .. } => return None,
    };
    serde_json::to_value(Line { message, session_id }).ok()
}

impl Success {
    fn of(succeeded: bool) -> Self {
        if succeeded { Self::Success } else { Self::Error }
    }
}

fn tool_use(call: &ToolCall) -> Said<'_> {
    let input = serde_json::from_str(&call.arguments)
        .map_or(Input::Malformed(&call.arguments), Input::Object);
    Said::ToolUse { id: &call.id, name: &call.name, input }
}

fn tool_result<'a>(tool_use_id: &'a str, content: &'a str, success: Success) -> Message<'a> {
    let is_error = matches!(success, Success::Error);
    let result = ToolResult::ToolResult { tool_use_id, content, is_error };
    Message::User { message: Results { role: User::User, content: [result] } }
}

fn approval<'a>(question: &'a Question, answer: Option<&'a Answer>) -> Message<'a> {
    let (mut changes, mut command, mut what) = (None, None, None);
    match &question.what {
        What::Changes(all) => changes = Some(all.as_slice()),
        What::Command(line) => command = Some(line.as_str()),
        What::Other(words) => what = Some(words.as_str()),
    }
    let reason = match answer {
        Some(Answer::Reject(reason)) => Some(reason.as_str()),
        Some(Answer::Once | Answer::Each | Answer::Always(_) | Answer::Cancel) | None => None,
    };
    Message::Approval(Approval {
        tool: &question.tool,
        why: &question.why,
        rule: &question.rule,
        answer: answer.map(Answer::name),
        changes,
        command,
        what,
        reason,
    })
}

fn end(report: &Report) -> End<'_> {
    let finished = report.outcome == Outcome::Finished;
    End {
        subtype: Success::of(finished),
        is_error: !finished,
        intent: report.intent,
        outcome: report.outcome,
        exit_code: report.exit_code,
        result: report.response.as_deref(),
        num_turns: report.turns,
        usage: report.usage,
        changes: &report.changes,
        undone: &report.undone,
        error: report.error.as_ref(),
        evaluation: report.evaluation.as_ref(),
        sent: (report.sent.bytes > 0).then_some(report.sent),
        from_cache: report.from_cache,
        awaiting_approval: report.awaiting_approval,
        pending_edits: report.awaiting_approval.then_some(&report.pending_edits),
    }
}
