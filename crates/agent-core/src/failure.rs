//! What stops a run, with the code and the help that go with it.

mod provider;

use crate::{Change, Failure, Outcome, Signal, model::NoReply};

/// The end of a run that did not finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) outcome: Outcome,
    pub(crate) failure: Failure,
}

impl Stop {
    fn new(outcome: Outcome, code: &str, message: String, help: &str) -> Self {
        let failure = Failure { code: code.to_owned(), message, help: Some(help.to_owned()) };
        Self { outcome, failure }
    }

    pub(crate) fn not_understood(times: u32) -> Self {
        Self::new(
            Outcome::Failed,
            "agent::model::malformed",
            format!("the model's replies could not be understood, {times} times in a row"),
            "try again, or choose a model that is better at calling tools with `-m PROVIDER/MODEL`",
        )
    }

    pub(crate) fn tests_failed(command: &str, attempts: u32, fate: &str) -> Self {
        let message = format!("the tests still fail after {attempts} attempts: `{command}`");
        Self::new(Outcome::Failed, "agent::tests::failed", message, fate)
    }

    pub(crate) fn tests_do_not_run(command: &str, error: &dyn std::fmt::Display) -> Self {
        Self::new(
            Outcome::Failed,
            "agent::tests::not_run",
            format!("the tests could not be run, `{command}`: failed to {error}"),
            "what was changed stays; see whether the command of `--test` works by itself",
        )
    }

    pub(crate) fn unconfined(reason: &str) -> Self {
        Self::new(
            Outcome::Sandbox,
            "agent::sandbox::unavailable",
            format!("commands can't be confined here: {reason}"),
            "install bubblewrap, or use a kernel with Landlock; `--sandbox auto` goes on without",
        )
    }

    pub(crate) fn violation(tool: &str, times: usize) -> Self {
        Self::new(
            Outcome::Policy,
            "agent::policy::repeated_violation",
            format!("the model asked {times} times for what is not allowed, with `{tool}`"),
            "look at the refused calls in the history; run it again in the directory that the task is about (`-C DIR`)",
        )
    }

    pub(crate) fn in_circles(tool: &str, times: usize) -> Self {
        Self::new(
            Outcome::Loop,
            "agent::loop::repeated",
            format!(
                "the model went in circles: `{tool}` was called {times} times with the same \
                 parameters and the same result"
            ),
            "what was changed stays; say more precisely what is wanted, or choose another model with `-m`",
        )
    }

    pub(crate) fn not_undone(reason: &str) -> Self {
        Self::new(
            Outcome::Failed,
            "agent::undo::not_done",
            format!("nothing was taken back: {reason}"),
            "`agent changes` lists what can be taken back; `agent undo` says what is in the way",
        )
    }

    /// A rule of the policy ends the run; `refusal` names it.
    pub(crate) fn denied(refusal: &str) -> Self {
        Self::new(
            Outcome::Policy,
            "agent::policy::stopped",
            format!("a rule ended the run: {refusal}"),
            "what was changed before stays; `agent config policy` shows the rules and where they come from",
        )
    }

    /// Somebody was asked, and said that the run is to end.
    pub(crate) fn denied_by_user() -> Self {
        Self::new(
            Outcome::Refused,
            "agent::approval::cancelled",
            "you were asked, and ended the run".to_owned(),
            "what you allowed before stays, and `agent undo` takes it back; `agent resume` goes on",
        )
    }

    /// Somebody would have had to be asked.
    pub(crate) fn nobody_to_ask(refusal: &str) -> Self {
        Self::new(
            Outcome::Refused,
            "agent::approval::nobody",
            format!("there is nobody to ask: {refusal}"),
            "run it on a terminal, choose `--approval edits`, or write a rule that allows it",
        )
    }

    pub(crate) fn interrupted(signal: Signal) -> Self {
        let what = match signal {
            Signal::Interrupt => "the run was interrupted",
            Signal::Terminate => "the run was asked to end",
        };
        Self::new(
            Outcome::Interrupted(signal),
            "agent::interrupted",
            what.to_owned(),
            "every file is either as it was or as an edit left it; `agent resume` goes on with it",
        )
    }
}

impl Stop {
    /// The same, with what was done before a limit was reached: that much is there to go on with.
    pub(crate) fn naming(mut self, changes: &[Change]) -> Self {
        if self.outcome == Outcome::Budget && !changes.is_empty() {
            let mut files: Vec<&str> = Vec::new();
            for change in changes {
                if !files.contains(&change.file.as_str()) {
                    files.push(&change.file);
                }
            }
            self.failure.message += &format!("; changed by then: {}", files.join(", "));
        }
        self
    }
}

impl From<NoReply> for Stop {
    fn from(no_reply: NoReply) -> Self {
        match no_reply {
            NoReply::Cancelled(signal) => Self::interrupted(signal),
            NoReply::Exhausted(exhausted) => exhausted.into(),
            NoReply::Failed(error) => Self { outcome: (&error).into(), failure: (&error).into() },
        }
    }
}
