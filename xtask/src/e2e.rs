//! `cargo xtask e2e`: the end-to-end cases alone.

use lexopt::prelude::*;

use crate::{Failure, process::Program, repository, text};

/// Runs the cases whose name contains the filter, or all of them.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut filter = None;
    let mut environment: &[(&str, &str)] = &[];
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            Long("bless") => environment = &[("AGENT_E2E_BLESS", "1")],
            Value(value) if filter.is_none() => filter = Some(value.string().map_err(text)?),
            Short(_) | Long(_) | Value(_) => return Err(text(argument.unexpected())),
        }
    }
    let mut words = vec!["test", "--package", "agent-cli", "--test", "e2e", "--"];
    words.extend(filter.as_deref());
    Program { environment, ..Program::cargo(&words) }.attached(&repository::root())
}
