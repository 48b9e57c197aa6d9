//! What a run may use up.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Failure, Outcome, failure::Stop};

/// Limits of a run. Each is looked at before a model is called; without one there is none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Tool calls that are carried out.
    pub tool_calls: Option<u64>,
    /// Tokens of all model calls, in and out.
    pub tokens: Option<u64>,
    /// US dollars. It holds nothing back where the model's price is not known.
    pub cost: Option<f64>,
    /// Time, less what was spent waiting for somebody's approval.
    pub time: Option<Duration>,
}

/// A limit that is reached: what the run would have needed next is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// Decision steps.
    #[error("the limit of {0} turns was reached before the model finished")]
    Turns(u32),
    /// Tool calls.
    #[error("the limit of {0} tool calls was reached before the model finished")]
    ToolCalls(u64),
    /// Tokens.
    #[error(
        "the limit of {limit} tokens was reached before the model finished: {spent} were used, and \
         the next request takes about {next}"
    )]
    Tokens {
        /// The limit.
        limit: u64,
        /// Tokens of all calls so far.
        spent: u64,
        /// What the next request takes, as estimated.
        next: u64,
    },
    /// Cost.
    #[error("the limit of {} was reached before the model finished: {} were spent", dollars(.limit), dollars(.spent))]
    Cost {
        /// The limit, in millionths of a dollar.
        limit: u64,
        /// The cost of all calls so far, in millionths of a dollar.
        spent: u64,
    },
    /// Time.
    #[error("the time limit of {} s was reached before the model finished", .0.as_secs())]
    Time(Duration),
}

/// Millionths of a dollar as dollars.
fn dollars(millionths: &u64) -> String {
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    let least = text.find('.').map_or(0, |point| point + 3);
    let kept = text.trim_end_matches('0').len().max(least);
    format!("${}", &text[..kept])
}

impl Exhausted {
    /// Its name in codes, and the option that sets it.
    fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Turns(_) => ("turns", "--max-turns N"),
            Self::ToolCalls(_) => ("tool_calls", "--max-tool-calls N"),
            Self::Tokens { .. } => ("tokens", "--max-tokens N"),
            Self::Cost { .. } => ("cost", "--max-cost USD"),
            Self::Time(_) => ("time", "--time-limit SECONDS"),
        }
    }
}

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Self {
        let (name, option) = exhausted.name();
        let failure = Failure {
            code: format!("agent::budget::{name}"),
            message: exhausted.to_string(),
            help: Some(format!(
                "what was changed stays; `agent resume` goes on, `{option}` allows more"
            )),
        };
        Self { outcome: Outcome::Budget, failure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_says_what_it_was_and_how_to_raise_it() {
        let limit = Duration::from_secs(90);
        for (exhausted, code, message, option) in [
            (Exhausted::Turns(3), "turns", "the limit of 3 turns was", "--max-turns N"),
            (
                Exhausted::ToolCalls(5),
                "tool_calls",
                "the limit of 5 tool calls was",
                "--max-tool-calls N",
            ),
            (
                Exhausted::Tokens { limit: 100, spent: 90, next: 20 },
                "tokens",
                "the limit of 100 tokens was",
                "--max-tokens N",
            ),
            (
                Exhausted::Cost { limit: 500_000, spent: 512_340 },
                "cost",
                "the limit of $0.50 was reached before the model finished: $0.51234 were spent",
                "--max-cost USD",
            ),
            (Exhausted::Time(limit), "time", "the time limit of 90 s was", "--time-limit SECONDS"),
        ] {
            let Stop { outcome, failure } = exhausted.into();
            assert_eq!(outcome, Outcome::Budget);
            assert_eq!(failure.code, format!("agent::budget::{code}"));
            assert!(failure.message.starts_with(message), "{}", failure.message);
            assert!(failure.help.is_some_and(|help| help.contains(&format!("`{option}`"))));
        }
    }

    #[test]
    fn dollars_have_cents_and_no_more_than_they_need() {
        for (millionths, text) in
            [(0, "$0.00"), (1, "$0.000001"), (120_000, "$0.12"), (10_500_000, "$10.50")]
        {
            assert_eq!(dollars(&millionths), text);
        }
    }
}
