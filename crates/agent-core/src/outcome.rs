//! How a run ends: one enum decides the exit code, the JSON result and the message.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::cancel::Signal;

/// The end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The model finished, and said so.
    Finished,
    /// The model gave up, or could not be understood.
    Failed,
    /// The configuration is wrong or incomplete.
    Config,
    /// The provider refused the key.
    Auth,
    /// The provider failed, after retries.
    Provider,
    /// A limit was reached: turns, calls, tokens, cost or time.
    Budget,
    /// A violation of the policy stopped the run.
    Policy,
    /// Approval was denied, or needed with nobody to ask.
    Refused,
    /// The model went in circles.
    Loop,
    /// The sandbox that was asked for can't be had.
    Sandbox,
    /// A signal ended the run.
    Interrupted(Signal),
}

impl Outcome {
    /// Every outcome, for tables and tests.
    pub const ALL: [Self; 12] = [
        Self::Finished,
        Self::Failed,
        Self::Config,
        Self::Auth,
        Self::Provider,
        Self::Budget,
        Self::Policy,
        Self::Refused,
        Self::Loop,
        Self::Sandbox,
        Self::Interrupted(Signal::Interrupt),
        Self::Interrupted(Signal::Terminate),
    ];

    /// The exit code of the process.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Finished => 0,
            Self::Failed => 1,
            Self::Config => 10,
            Self::Auth => 11,
            Self::Provider => 12,
            Self::Budget => 13,
            Self::Policy => 14,
            Self::Refused => 15,
            Self::Loop => 16,
            Self::Sandbox => 17,
            Self::Interrupted(Signal::Interrupt) => 130,
            Self::Interrupted(Signal::Terminate) => 143,
        }
    }

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Config => "config",
            Self::Auth => "auth",
            Self::Provider => "provider",
            Self::Budget => "budget",
            Self::Policy => "policy",
            Self::Refused => "refused",
            Self::Loop => "loop",
            Self::Sandbox => "sandbox",
            Self::Interrupted(_) => "interrupted",
        }
    }
}

impl Serialize for Outcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The name with which a program that was called wrongly ends: no run, and so no [`Outcome`].
const USAGE: &str = "usage";

impl JsonSchema for Outcome {
    fn schema_name() -> Cow<'static, str> {
        "Outcome".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut names: Vec<&str> = Self::ALL.iter().map(|outcome| outcome.name()).collect();
        names.dedup();
        names.push(USAGE);
        json_schema!({
            "description": "How it ended. The exit code says the same.",
            "type": "string",
            "enum": names,
        })
    }
}

/// What went wrong, for people and for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// A stable name: `agent::provider::unauthorized`.
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_distinct_and_only_success_is_zero() {
        let mut codes: Vec<u8> = Outcome::ALL.iter().map(|outcome| outcome.exit_code()).collect();
        assert_eq!(codes, [0, 1, 10, 11, 12, 13, 14, 15, 16, 17, 130, 143]);
        codes.dedup();
        assert_eq!(codes.len(), Outcome::ALL.len());
    }
}
