//! `cargo xtask golden`: what the program shows, held against `docs/` and `fixtures/outcomes`.

use lexopt::prelude::*;

use crate::{Failure, process::Program, repository, text};

/// Compares, or with `--bless` rewrites what differs first.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut bless = false;
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            Long("bless") => bless = true,
            Short(_) | Long(_) | Value(_) => return Err(text(argument.unexpected())),
        }
    }
    let words = ["test", "--package", "agent-cli", "--test", "cli", "--", "golden::"];
    let root = repository::root();
    let tests = Program::cargo(&words);
    if bless {
        // Pages speak of the files that are written here, and may fail until they are there.
        drop(Program { environment: &[("AGENT_GOLDEN_BLESS", "1")], ..tests }.attached(&root));
    }
    tests.attached(&root)
}
