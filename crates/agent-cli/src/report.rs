//! The result object of a request that ended before an agent could begin.

use agent_core::{
    Event, Intent, Outcome, Report, SCHEMA_VERSION, Spent, Traffic, event::stream_json,
};
use agent_llm::Usage;
use serde_json::{Value, json};

use crate::error::Error;

/// What is known of the request by then.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) task: String,
    pub(crate) working_dir: String,
}

/// A report of nothing done.
pub(crate) fn unstarted(request: Request) -> Report {
    Report {
        user_query: request.task,
        working_dir: request.working_dir,
        history: Vec::new(),
        edit_operations: Vec::new(),
        response: None,
        schema_version: SCHEMA_VERSION,
        session_id: String::new(),
        model: String::new(),
        intent: Intent::Read,
        from_cache: false,
        outcome: Outcome::Config,
        exit_code: Outcome::Config.exit_code(),
        turns: 0,
        usage: Spent { usage: Usage::default(), cost: None },
        sent: Traffic::default(),
        changes: Vec::new(),
        evaluation: None,
        target_files: Vec::new(),
        pending_edits: Vec::new(),
        awaiting_approval: false,
        retry_count: 0,
        last_test_result: None,
        undone: Vec::new(),
        error: None,
    }
}

/// The whole report as `--output-format json` shows it.
pub(crate) fn object(request: Request, error: &Error) -> Value {
    ended_by(error, json!(unstarted(request)))
}

/// The last event of `stream-json`.
pub(crate) fn result_event(error: &Error) -> Value {
    let finished = Event::Finished(Box::new(unstarted(Request::default())));
    ended_by(error, stream_json::render(&finished, "").unwrap_or_default())
}

/// A usage error is no outcome of a run, so that a report can't say it by itself.
fn ended_by(error: &Error, mut object: Value) -> Value {
    object["outcome"] = json!(error.end.name());
    object["exit_code"] = json!(error.end.exit_code());
    object["error"] = json!(error.failure);
    object
}
