//! What a run leaves.

use super::run::Run;
use crate::{Intent, Outcome, Report, SCHEMA_VERSION, Spent, failure::Stop, history};

impl Run<'_> {
    /// The shared memory at the end of the run.
    pub(super) fn report(self, task: &str, end: Result<String, Stop>) -> Report {
        let (outcome, response, error) = match end {
            Ok(answer) => (Outcome::Finished, Some(answer), None),
            Err(stop) => (stop.outcome, None, Some(stop.failure)),
        };
        Report {
            user_query: task.to_owned(),
            working_dir: self.agent.workspace.root().display().to_string(),
            edit_operations: Vec::new(),
            response,
            schema_version: SCHEMA_VERSION,
            session_id: self.cx.session_id,
            model: self.agent.model.name().to_owned(),
            intent: Intent::of(&self.history),
            outcome,
            exit_code: outcome.exit_code(),
            turns: self.turn,
            usage: Spent { usage: self.agent.model.spent(), cost: None },
            changes: self.changes,
            evaluation: None,
            target_files: history::target_files(&self.history),
            pending_edits: Vec::new(),
            awaiting_approval: false,
            retry_count: 0,
            last_test_result: None,
            undone: history::undone(&self.history),
            error,
            history: self.history,
        }
    }
}
