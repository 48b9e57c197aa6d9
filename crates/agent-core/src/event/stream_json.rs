//! Events as JSON lines, in the shape that wrappers of other agents read: `system/init` first, then
//! `assistant` and `user` messages with our own types between them, `result` last.

use agent_llm::{Purpose, ToolCall};
use serde_json::{Map, Value, json};

use crate::{
    Event, Outcome, Report,
    approval::{Answer, Question, What},
    history::SCHEMA_VERSION,
};

/// The event as one JSON object, or nothing for the ones that only a live display needs.
///
/// Every object carries `type` and `session_id`.
pub fn render(event: &Event, session_id: &str) -> Option<Value> {
    let mut object = match event {
        Event::Started { session_id: _, model, tools, working_dir } => json!({
            "type": "system",
            "subtype": "init",
            "schema_version": SCHEMA_VERSION,
            "model": model,
            "cwd": working_dir,
            "tools": tools,
        }),
        Event::Replied { purpose, text, calls, usage, cost, sent: _ } => {
            let mut usage = json!(usage);
            if let Some(cost) = cost {
                usage["cost"] = json!(cost);
            }
            assistant(*purpose, text, calls, &usage)
        }
        Event::ActionFinished { call_id, action, observation, elapsed: _ } => {
            tool_result(call_id, observation, !action.succeeded())
        }
        Event::CallRejected { call_id, message } => tool_result(call_id, message, true),
        Event::Approval { question, answer } => approval(question, answer.as_ref()),
        Event::Changed(change) => json!({ "type": "change", "change": change }),
        Event::Retry(retry) => json!({
            "type": "retry",
            "attempt": retry.attempt,
            "delay_ms": u64::try_from(retry.delay.as_millis()).unwrap_or(u64::MAX),
            "error": retry.error.to_string(),
        }),
        Event::Test(run) => json!({ "type": "test", "test": run }),
        Event::Compacted { before, after, left_out } => json!({
            "type": "system",
            "subtype": "compact_boundary",
            "compact_metadata": {
                "trigger": "auto",
                "pre_tokens": before,
                "post_tokens": after,
                "messages_left_out": left_out,
            },
        }),
        Event::Warning(message) => json!({ "type": "warning", "message": message }),
        Event::Finished(report) => result(report),
        Event::ModelCalled { .. }
        | Event::Text(_)
        | Event::Reasoning(_)
        | Event::ActionStarted { .. } => return None,
    };
    if let Some(fields) = object.as_object_mut() {
        fields.insert("session_id".to_owned(), Value::from(session_id));
    }
    Some(object)
}

fn assistant(purpose: Purpose, text: &str, calls: &[ToolCall], usage: &Value) -> Value {
    let mut content = Vec::new();
    if !text.is_empty() {
        content.push(json!({ "type": "text", "text": text }));
    }
    for call in calls {
        let input = serde_json::from_str::<Map<String, Value>>(&call.arguments)
            .map_or_else(|_| Value::from(call.arguments.as_str()), Value::Object);
        content.push(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": input,
        }));
    }
    json!({
        "type": "assistant",
        "purpose": purpose,
        "message": { "role": "assistant", "content": content, "usage": usage },
    })
}

fn approval(question: &Question, answer: Option<&Answer>) -> Value {
    let mut object = json!({
        "type": "approval",
        "tool": question.tool,
        "why": question.why,
        "rule": question.rule,
        "answer": answer.map(Answer::name),
    });
    match &question.what {
        What::Changes(changes) => object["changes"] = json!(changes),
        What::Command(line) => object["command"] = json!(line),
        What::Other(words) => object["what"] = json!(words),
    }
    if let Some(Answer::Reject(reason)) = answer {
        object["reason"] = json!(reason);
    }
    object
}

fn tool_result(call_id: &str, content: &str, is_error: bool) -> Value {
    json!({
        "type": "user",
        "message": {
            "role": "user",
            "content": [{
                "type": "tool_result",
                "tool_use_id": call_id,
                "content": content,
                "is_error": is_error,
            }],
        },
    })
}

fn result(report: &Report) -> Value {
    let finished = report.outcome == Outcome::Finished;
    let mut object = json!({
        "type": "result",
        "subtype": if finished { "success" } else { "error" },
        "is_error": !finished,
        "intent": report.intent,
        "outcome": report.outcome,
        "exit_code": report.exit_code,
        "result": report.response,
        "num_turns": report.turns,
        "usage": report.usage,
        "changes": report.changes,
        "undone": report.undone,
        "error": report.error,
        "evaluation": report.evaluation,
    });
    if let Ok(sent) = serde_json::to_value(report.sent)
        && report.sent.bytes > 0
    {
        object["sent"] = sent;
    }
    if report.from_cache {
        object["from_cache"] = json!(true);
    }
    if report.awaiting_approval {
        object["awaiting_approval"] = json!(true);
        object["pending_edits"] = json!(report.pending_edits);
    }
    object
}
