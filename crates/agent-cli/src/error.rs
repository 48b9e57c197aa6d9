//! What ends a command before an agent runs, or instead of one.

use std::{fmt::Display, io};

use agent_core::{Failure, Outcome, Signal, config};

/// A failure with the way in which the process ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Error {
    pub(crate) end: End,
    pub(crate) failure: Failure,
}

/// How a process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The command line makes no sense.
    Usage,
    /// As a run that ended so.
    Run(Outcome),
}

impl End {
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Run(outcome) => outcome.exit_code(),
        }
    }

    /// Its name in results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Run(outcome) => outcome.name(),
        }
    }
}

impl Error {
    fn new(end: End, code: &str, message: impl Display, help: impl Into<String>) -> Self {
        let (code, message) = (code.to_owned(), message.to_string());
        Self { end, failure: Failure { code, message, help: Some(help.into()) } }
    }

    /// The command line makes no sense. `code` follows `agent::usage::`.
    pub(crate) fn usage(code: &str, message: impl Display, help: impl Into<String>) -> Self {
        Self::new(End::Usage, &format!("agent::usage::{code}"), message, help)
    }

    /// The configuration is wrong or incomplete. `code` follows `agent::config::`.
    pub(crate) fn config(code: &str, message: impl Display, help: impl Into<String>) -> Self {
        Self::new(End::Run(Outcome::Config), &format!("agent::config::{code}"), message, help)
    }

    /// A signal came before there was anything to interrupt.
    pub(crate) fn interrupted(signal: Signal) -> Self {
        let end = End::Run(Outcome::Interrupted(signal));
        Self::new(end, "agent::interrupted", "interrupted", "nothing was done; start it again")
    }

    /// The system would not do what any program may ask for.
    pub(crate) fn system(what: &str, error: &io::Error) -> Self {
        let message = format!("failed to {what}: {error}");
        let help = "see whether the machine is out of memory, processes or file descriptors";
        Self::new(End::Run(Outcome::Failed), "agent::system", message, help)
    }

    /// A provider that can't be asked, or whose answer was an error.
    pub(crate) fn provider(error: &agent_llm::Error) -> Self {
        Self { end: End::Run(error.into()), failure: error.into() }
    }

    /// The demonstration did not show what it should. `code` follows `agent::demo::`.
    pub(crate) fn demo(code: &str, message: impl Display, help: &str) -> Self {
        Self::new(End::Run(Outcome::Failed), &format!("agent::demo::{code}"), message, help)
    }

    /// An end with a code of its own.
    pub(crate) fn of(end: End, code: &str, message: &str, help: &str) -> Self {
        Self::new(end, code, message, help)
    }

    /// A run's own end.
    pub(crate) fn of_run(outcome: Outcome, failure: Failure) -> Self {
        Self { end: End::Run(outcome), failure }
    }

    /// What was to be delivered could not be written.
    pub(crate) fn output(what: &str, error: &io::Error) -> Self {
        Self::new(
            End::Run(Outcome::Failed),
            "agent::output",
            format!("failed to write {what}: {error}"),
            "make room, or send the output somewhere else",
        )
    }
}

impl From<config::Error> for Error {
    fn from(error: config::Error) -> Self {
        let typed = match error.origin() {
            Some(config::Origin::Flag(_)) | None => true,
            Some(config::Origin::Default)
            | Some(config::Origin::File { .. })
            | Some(config::Origin::Environment(_)) => false,
        };
        match &error {
            config::Error::Syntax { .. } => Self::config("syntax", &error, error.help()),
            config::Error::UnknownKey { .. } if typed => {
                Self::usage("unknown_key", &error, error.help())
            }
            config::Error::UnknownKey { .. } => Self::config("unknown_key", &error, error.help()),
            config::Error::WrongValue { .. } if typed => {
                Self::usage("wrong_value", &error, error.help())
            }
            config::Error::WrongValue { .. } => Self::config("wrong_value", &error, error.help()),
            config::Error::UnknownPreset { .. } if typed => {
                Self::usage("unknown_preset", &error, error.help())
            }
            config::Error::UnknownPreset { .. } => {
                Self::config("unknown_preset", &error, error.help())
            }
            config::Error::BadServer { .. } => Self::config("bad_server", &error, error.help()),
            config::Error::BadRule { .. } => Self::config("bad_rule", &error, error.help()),
        }
    }
}
