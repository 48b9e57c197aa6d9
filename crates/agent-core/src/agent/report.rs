//! What a run leaves.

use super::run::Run;
use crate::{
    Failure, Intent, Outcome, Report, SCHEMA_VERSION,
    evaluator::{Evaluation, Signals},
    failure::Stop,
    history,
    session::{By, Ended, Note},
};

impl Run<'_> {
    /// The shared memory at the end of the run, which no crash takes back then. For a power failure
    /// closing the store sees to that, or whoever goes on with it.
    pub(super) async fn report(mut self, end: Result<String, Stop>) -> Report {
        let (outcome, response, error) = match end {
            Ok(answer) => (Outcome::Finished, Some(answer), None),
            Err(stop) => (stop.outcome, None, Some(stop.naming(&self.fold.changes).failure)),
        };
        let redactor = &self.agent.redactor;
        let error = error
            .map(|error| Failure { message: redactor.clean(&error.message).into_owned(), ..error });
        let usage = self.agent.model.spent();
        self.keep(&Note::Ended(Box::new(Ended {
            outcome: outcome.name().to_owned(),
            exit_code: outcome.exit_code(),
            response: response.clone(),
            turns: self.turn,
            usage: usage.usage,
            error: error.clone(),
        })));
        self.flush().await;
        let intent = self.intent();
        let from_cache = self.by() == By::Cache;
        let tests = std::mem::take(&mut self.fold.tests);
        let max_turns = self.agent.settings.max_turns;
        let task = self.fold.requested.map(|requested| requested.task);
        let history = self.fold.history;
        let mut report = Report {
            user_query: task.unwrap_or_default(),
            working_dir: self.agent.workspace.root().display().to_string(),
            edit_operations: Vec::new(),
            response,
            schema_version: SCHEMA_VERSION,
            session_id: self.cx.session_id,
            model: self.agent.model.name().to_owned(),
            intent: intent.unwrap_or_else(|| Intent::of(&history)),
            from_cache,
            outcome,
            exit_code: outcome.exit_code(),
            turns: self.turn,
            usage,
            sent: self.agent.model.spending().traffic(),
            changes: self.fold.changes,
            evaluation: None,
            target_files: history::target_files(&history),
            awaiting_approval: !self.pending.is_empty(),
            pending_edits: self.pending,
            retry_count: self.checks.retries,
            last_test_result: self.checks.result(),
            undone: history::undone(&history),
            error,
            history,
        };
        let signals = Signals::of(&report, &tests, max_turns);
        report.evaluation = Some(Evaluation::of(signals));
        report
    }
}
