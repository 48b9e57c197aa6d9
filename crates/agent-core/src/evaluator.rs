//! How good an answer was: a score from 1 to 5 with its reason, from what can be counted.
//!
//! It says nothing that a model thinks of it; what a configured model does is kept apart, see
//! [`Judge`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Intent, Report, verify::TestRun};

mod judge;
mod kept;
mod score;
#[cfg(test)]
mod tests;

pub use judge::{Judge, Judgement};
pub use kept::Kept;

/// A score with its reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// From 1, of no use, to 5, nothing to be said against it.
    pub score: u8,
    /// What it is made of, in words.
    pub reason: String,
    /// What was counted.
    pub signals: Signals,
}

/// What is counted. It holds nothing of what was asked or answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signals {
    /// The outcome's name.
    pub outcome: String,
    /// What the request was about.
    pub intent: Intent,
    /// Whether there is an answer in words.
    #[serde(default)]
    pub answered: bool,
    /// Whether the answer was given before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_cache: bool,
    /// Words of the request.
    #[serde(default)]
    pub request_words: usize,
    /// Decision steps.
    #[serde(default)]
    pub turns: u32,
    /// Decision steps that it might have taken.
    #[serde(default)]
    pub max_turns: u32,
    /// Calls that were carried out.
    #[serde(default)]
    pub calls: usize,
    /// Those of them that failed.
    #[serde(default)]
    pub failed_calls: usize,
    /// Edits that a person or a rule declined.
    #[serde(default)]
    pub declined: usize,
    /// Edits that would have introduced a syntax error.
    #[serde(default)]
    pub syntax_errors: usize,
    /// Edits that failed and stayed undone.
    #[serde(default)]
    pub undone: usize,
    /// Files that were changed.
    #[serde(default)]
    pub files: usize,
    /// Lines that were added or removed.
    #[serde(default)]
    pub lines: u64,
    /// Whether the tests passed when they first ran after an edit.
    #[serde(default)]
    pub tests_first: Option<bool>,
    /// Whether they passed in the end.
    #[serde(default)]
    pub tests_last: Option<bool>,
    /// How often their failure was handed back.
    #[serde(default)]
    pub retries: u32,
}

impl Evaluation {
    /// The score of what was counted.
    pub fn of(signals: Signals) -> Self {
        let (score, reason) = score::score(&signals);
        Self { score, reason, signals }
    }
}

impl Signals {
    /// Counts what a report tells, with the test runs of its request.
    pub(crate) fn of(report: &Report, tests: &[TestRun], max_turns: u32) -> Self {
        let done = || report.history.iter().filter(|action| action.tool != "finish");
        let failed = || done().filter(|action| !action.succeeded());
        let says = |action: &&crate::Action, words: &str| {
            action.result["message"].as_str().is_some_and(|message| message.contains(words))
        };
        let mut files: Vec<&str> = report.changes.iter().map(|change| &*change.file).collect();
        files.sort_unstable();
        files.dedup();
        let lines = report.changes.iter().map(|change| {
            let (added, removed) = agent_tools::diff::counts(&change.diff);
            added + removed
        });
        let answer = report.response.as_deref().unwrap_or_default();
        Self {
            outcome: report.outcome.name().to_owned(),
            intent: report.intent,
            answered: !answer.trim().is_empty(),
            from_cache: report.from_cache,
            request_words: report.user_query.split_whitespace().count(),
            turns: report.turns,
            max_turns,
            calls: done().count(),
            failed_calls: failed().count(),
            declined: failed().filter(|action| action.result.get("rule").is_some()).count(),
            syntax_errors: failed().filter(|action| says(action, "syntax error")).count(),
            undone: report.undone.len(),
            files: files.len(),
            lines: lines.sum(),
            tests_first: tests.first().map(|run| run.passed),
            tests_last: tests.last().map(|run| run.passed),
            retries: report.retry_count,
        }
    }
}
