//! `cargo xtask e2e`: the end-to-end cases alone.

use lexopt::prelude::*;

use crate::{Failure, process::Program, repository, text};

/// Runs the cases whose name contains the filter, or all of them.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut filter = None;
    let mut bless = false;
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            Long("bless") => bless = true,
            Value(value) if filter.is_none() => filter = Some(value.string().map_err(text)?),
            Short(_) | Long(_) | Value(_) => return Err(text(argument.unexpected())),
        }
    }
    let mut words = vec!["test", "--package", "agent-cli", "--test", "e2e", "--"];
    words.extend(filter.as_deref());
    let root = repository::root();
    let cases = Program::cargo(&words);
    if bless {
        Program { environment: &[("AGENT_E2E_BLESS", "1")], ..cases }.attached(&root)?;
    }
    // One driver writes the golden files; afterwards every other has to agree with it.
    cases.attached(&root)
}
