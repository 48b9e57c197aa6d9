//! Tests after each reply that changed files.

use std::sync::Arc;

use serde_json::json;

use super::{act::Step, run::Run};
use crate::{
    Change, Cx, Effect, Event,
    command::{CommandError, CommandLine, permission::Execution},
    failure::Stop,
    journal::{Direction, OnConflict, Revert},
    policy::{Past, Verdict},
    session::Note,
    snapshot::{Recorded, watched},
    tools::run_command,
    verify::{OnFailure, TIMEOUT, TestRun, recognise},
};

/// So many runs in a row that fail in the same way end the attempts.
const SAME: u32 = 3;

/// How the tests stand.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// How often a failure was handed back.
    pub(super) retries: u32,
    /// The last run.
    pub(super) last: Option<TestRun>,
    /// Why they were not run, where they were not.
    pub(super) not_run: Option<(String, String)>,
    /// Runs in a row that failed in the same way.
    same: u32,
}

impl Checks {
    /// How they stand after `runs` of this request. What was handed back is what failed.
    pub(super) fn after(runs: &[TestRun]) -> Self {
        let failed = runs.iter().filter(|run| !run.passed).count();
        let alike =
            |last: &TestRun| runs.iter().rev().take_while(|run| run.fails_like(last)).count();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            retries: count(failed),
            same: runs.last().map_or(0, |last| count(alike(last).max(1))),
            last: runs.last().cloned(),
            not_run: None,
        }
    }

    /// What the report says of them.
    pub(super) fn result(&self) -> Option<serde_json::Value> {
        match (&self.last, &self.not_run) {
            (Some(last), _) => serde_json::to_value(last).ok(),
            (None, Some((command, reason))) => {
                Some(json!({ "command": command, "passed": null, "not_run": reason }))
            }
            (None, None) => None,
        }
    }
}

impl Run<'_> {
    /// Runs the tests where the step changed files, and keeps the model at work while they fail.
    pub(super) async fn verified(&mut self, step: Step, before: usize) -> Result<Step, Stop> {
        let changed = self.fold.changes.len() > before;
        let red = self.checks.last.as_ref().is_some_and(|last| !last.passed);
        let finishing = matches!(step, Step::Finished(_));
        if changed {
            let Some(run) = self.test().await? else { return Ok(step) };
            let command = run.command.clone();
            self.keep(&Note::Tested(Box::new(run.clone())));
            self.agent.sink.emit(&Event::Test(run.clone()));
            let same = self.checks.last.as_ref().is_some_and(|last| run.fails_like(last));
            self.checks.same = if same { self.checks.same + 1 } else { 1 };
            let passed = run.passed;
            self.checks.last = Some(run);
            if passed {
                if !finishing {
                    self.say(format!("Tests after your edits: `{command}` passes."));
                }
                return Ok(step);
            }
        } else if !(red && finishing) {
            return Ok(step);
        }
        let Some(last) = &self.checks.last else { return Ok(step) };
        if self.checks.retries == self.agent.tests.retries || self.checks.same >= SAME {
            return Err(self.give_up().await);
        }
        let report = last.report();
        self.checks.retries += 1;
        self.say(report);
        Ok(Step::Acted)
    }

    /// The command that tests this workspace: the one that was named, or the recognised one where
    /// it needs no permission.
    fn test_command(&mut self) -> Option<String> {
        if let Some(command) = &self.agent.tests.command {
            return Some(command.clone());
        }
        let command = self.recognised()?;
        let effects = [Effect::Execute(Execution::line(&command))];
        let policy = self.agent.toolbox.policy();
        let judgement = policy.judge(run_command::NAME, &effects, Past::default());
        if judgement.verdict == Verdict::Allow {
            return Some(command);
        }
        if self.checks.not_run.is_none() {
            let reason = "it is not permitted: name it with `--test`, or permit it with \
                          `--allow-command`";
            self.checks.not_run = Some((command, reason.to_owned()));
        }
        None
    }

    fn recognised(&self) -> Option<String> {
        recognise::recognised(&self.agent.workspace).test
    }

    /// Runs the tests, if there are any.
    async fn test(&mut self) -> Result<Option<TestRun>, Stop> {
        if let Some(before) = &self.agent.tested_before {
            return Ok(before());
        }
        let Some(command) = self.test_command() else { return Ok(None) };
        self.run_tests(&command).await.map(Some)
    }

    async fn run_tests(&self, command: &str) -> Result<TestRun, Stop> {
        let dir = self.agent.workspace.root().to_owned();
        let line = CommandLine::shell(command, dir, TIMEOUT, 256 * 1024);
        let attempt = self.checks.last.as_ref().map_or(1, |last| last.attempt + 1);
        let cx = Cx { tool: "test".to_owned(), ..self.cx.clone() };
        let run = || self.agent.commands.runner.run(&line, &self.cx.cancel);
        let (ended, changes) = match watched(&cx, run()).await {
            Ok((ended, recorded)) => (ended, self.changed_by_tests(recorded)),
            // The tests can be run all the same.
            Err(_) => (run().await, Vec::new()),
        };
        match ended {
            Ok(mut result) => {
                for output in [&mut result.stdout, &mut result.stderr] {
                    *output = self.agent.redactor.clean(output).into_owned();
                }
                Ok(TestRun::of(command, attempt, &result, changes))
            }
            Err(error) => Err(match (self.cx.cancel.signal(), error) {
                (Some(signal), _) => Stop::interrupted(signal),
                (None, CommandError::Unconfined { reason, .. }) => Stop::unconfined(&reason),
                (None, error @ (CommandError::Io { .. } | CommandError::Cancelled { .. })) => {
                    Stop::tests_do_not_run(command, &error)
                }
            }),
        }
    }

    /// Tells of what the tests changed.
    fn changed_by_tests(&self, recorded: Recorded) -> Vec<Change> {
        let Recorded { mut changes, restored, .. } = recorded;
        if let Some(words) = restored.words() {
            self.warn(vec![format!("the tests changed what they may not: {words}")]);
        }
        for change in &mut changes {
            change.diff = self.agent.redactor.clean(&change.diff).into_owned();
            self.agent.sink.emit(&Event::Changed(change.clone()));
        }
        changes
    }

    /// The end of a run whose tests stay red.
    async fn give_up(&mut self) -> Stop {
        let Some(last) = &self.checks.last else { return Stop::tests_failed("", 0, "") };
        let (command, attempts) = (last.command.clone(), last.attempt);
        let fate = match self.agent.tests.on_failure {
            OnFailure::Keep => "what was changed stays; `agent undo` takes it back".to_owned(),
            OnFailure::Undo => self.take_back().await,
        };
        Stop::tests_failed(&command, attempts, &fate)
    }

    /// Takes back everything that this session changed, and says how that went.
    async fn take_back(&mut self) -> String {
        let Some(journal) = self.cx.journal.clone() else {
            return "what was changed stays: no record was kept from which to take it back"
                .to_owned();
        };
        let workspace = Arc::clone(&self.cx.workspace);
        let revert = Revert {
            direction: Direction::Undo,
            count: usize::MAX,
            session: Some(self.cx.session_id.clone()),
            on_conflict: OnConflict::Refuse,
        };
        let reverted =
            tokio::task::spawn_blocking(move || journal.revert(&workspace, &revert)).await;
        match reverted {
            Ok(Ok(reverted)) => {
                for change in reverted.into_iter().flat_map(|one| one.made.changes) {
                    let diff = self.agent.redactor.clean(&change.diff).into_owned();
                    self.agent.sink.emit(&Event::Changed(Change { diff, ..change }));
                }
                "what was changed was taken back; `agent redo` makes it again".to_owned()
            }
            Ok(Err(error)) => format!("what was changed stays: {error}"),
            Err(error) => format!("what was changed stays: {error}"),
        }
    }
}
