//! Tests after edits: what is run, and what came of it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Change, command::CommandResult};

pub(crate) mod parse;
pub mod recognise;

/// How long a test run may take.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(600);

/// Failures that are handed to the model.
const SHOWN: usize = 10;

/// Bytes of output that are handed to the model where nothing in it is understood.
const OUTPUT: usize = 4 * 1024;

/// What is tested after edits, and what becomes of them where it stays red.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// The command, where the user named one; otherwise the recognised one, where it is permitted.
    pub command: Option<String>,
    /// How often failed tests are handed back to the model.
    pub retries: u32,
    /// What becomes of the edits in the end.
    pub on_failure: OnFailure,
}

impl Default for Tests {
    fn default() -> Self {
        Self { command: None, retries: 3, on_failure: OnFailure::Keep }
    }
}

/// What becomes of edits whose tests stay red.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// They stay.
    Keep,
    /// They are taken back.
    Undo,
}

/// One run of the tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestRun {
    /// The command.
    pub command: String,
    /// Which run of the request it is, from 1.
    pub attempt: u32,
    /// Whether they passed.
    pub passed: bool,
    /// The exit code; none at the time limit.
    pub exit_code: Option<i32>,
    /// What failed, as far as the output is understood.
    pub failures: Vec<TestFailure>,
    /// The end of the output where it is not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// What the tests changed in the workspace, recorded like any other change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// A test that failed, or what kept tests from running.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TestFailure {
    /// The test's name; empty for what is no test, such as an error of the compiler.
    pub test: String,
    /// The file that it points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The first lines of what it says.
    pub message: String,
}

impl TestRun {
    /// What a command's end says about the tests.
    pub(crate) fn of(
        command: &str,
        attempt: u32,
        result: &CommandResult,
        changes: Vec<Change>,
    ) -> Self {
        let passed = result.exit_code == Some(0);
        let output = format!("{}\n{}", result.stdout, result.stderr);
        let mut failures = if passed { Vec::new() } else { parse::failures(&output) };
        failures.truncate(SHOWN);
        let unclear = !passed && failures.is_empty();
        let output = if unclear { end(output.trim(), OUTPUT).to_owned() } else { String::new() };
        let (command, exit_code) = (command.to_owned(), result.exit_code);
        Self { command, attempt, passed, exit_code, failures, output, changes }
    }

    /// Whether it failed in the same way.
    pub(crate) fn fails_like(&self, other: &Self) -> bool {
        !self.passed
            && !other.passed
            && self.exit_code == other.exit_code
            && self.failures == other.failures
            && self.output == other.output
    }

    /// What the model is told of a failure.
    pub(crate) fn report(&self) -> String {
        let how = match self.exit_code {
            Some(code) => format!("exit code {code}"),
            None => format!("it did not end within {} s", TIMEOUT.as_secs()),
        };
        let mut text = format!("Tests after your edits: `{}` fails ({how}).\n", self.command);
        for TestFailure { test, file, line, message } in &self.failures {
            let place = match (file, line) {
                (Some(file), Some(line)) => format!(" ({file}:{line})"),
                (Some(file), None) => format!(" ({file})"),
                (None, _) => String::new(),
            };
            let test = if test.is_empty() { "error" } else { test };
            text += &format!("- {test}{place}: {message}\n");
        }
        if !self.output.is_empty() {
            text += &format!("The end of its output:\n{}\n", self.output);
        }
        text + "Find the cause and repair it; the tests run again after your next edit."
    }
}

/// The end of `text`, from the beginning of a line.
fn end(text: &str, limit: usize) -> &str {
    let start = text.len().saturating_sub(limit);
    let start = text.ceil_char_boundary(start);
    match text[start..].find('\n') {
        Some(newline) if start > 0 => &text[start + newline + 1..],
        Some(_) | None => &text[start..],
    }
}
