//! `cargo xtask bench [edits|crash|store|tasks|instructions]`: measurements. Alone: what the agent
//! itself costs.
#![expect(
    clippy::disallowed_methods,
    reason = "the benchmark runs the built program in a scratch directory"
)]

mod cost;
pub(crate) mod crash;
mod edits;
mod instructions;
mod store;
mod table;
mod tasks;

use std::{path::PathBuf, time::Duration};

use lexopt::prelude::*;

use crate::{Failure, process::Program, repository, text};

/// Measures what is asked for and prints a table, or JSON with `--json`.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut options = cost::Options::default();
    let mut alone = true;
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            Value(what) if what == "edits" && alone => return edits::run(arguments),
            Value(what) if what == "crash" && alone => return crash::run(arguments),
            Value(what) if what == "store" && alone => return store::run(arguments),
            Value(what) if what == "tasks" && alone => return tasks::run(arguments),
            Value(what) if what == "instructions" && alone => return instructions::run(arguments),
            Long("json") => options.as_json = true,
            Long("against") => {
                options.against.push(arguments.value().map_err(text)?.string().map_err(text)?);
            }
            Long("turns") => {
                options.turns = Some(arguments.value().map_err(text)?.parse().map_err(text)?);
            }
            Long("whole") => options.share = cost::Share::Whole,
            Long("build") => options.build = cost::Build::Timed,
            Long("tree") => options.tree = Some(arguments.value().map_err(text)?.into()),
            Long("agent") => options.agent = Some(arguments.value().map_err(text)?.into()),
            Short(_) | Long(_) | Value(_) => return Err(text(argument.unexpected())),
        }
        alone = false;
    }
    cost::run(&options)
}

/// Builds the program as users run it.
fn build() -> Result<PathBuf, Failure> {
    let root = repository::root();
    let arguments = ["build", "--release", "--package", "agent-cli", "--bin", "agent"];
    Program::cargo(&arguments).attached(&root)?;
    Ok(repository::target_directory()?.join("release/agent"))
}

fn milliseconds(times: Vec<Duration>) -> Option<f64> {
    median(&mut times.into_iter().map(|time| time.as_secs_f64() * 1000.0).collect::<Vec<_>>())
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}
