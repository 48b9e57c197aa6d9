//! The project's own chores: `cargo xtask` lists them.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool speaks to its terminal"
)]

mod bench;
#[path = "../../tests/support/case.rs"]
#[expect(dead_code, reason = "a chore only checks cases; the end-to-end tests run them")]
mod case;
mod ci;
mod conformance;
mod dist;
mod e2e;
mod golden;
#[path = "../../tests/support/loopback/mod.rs"]
#[expect(dead_code, reason = "the end-to-end tests use the rest")]
mod loopback;
mod process;
mod record;
mod repository;
mod tidy;

use std::process::ExitCode;

use lexopt::prelude::*;

/// Why a chore did not succeed, in words for the person at the terminal.
type Failure = String;

const CHORES: &str = "\
cargo xtask ci                       everything the gate runs
cargo xtask tidy                     layers, sizes of files, hygiene of sources and fixtures
cargo xtask e2e [FILTER] [--bless]   the end-to-end cases; --bless rewrites their golden files
cargo xtask golden [--bless]          what the program shows: docs/ and fixtures/outcomes
cargo xtask record FILE NAME         a recording becomes an end-to-end case; --why says what for
cargo xtask conformance [PART]       MCP against its test suite and other programs (npm and PyPI)
cargo xtask bench [--json]           what the agent itself costs, beside a bare loop
                                     --against NAME|FILE: beside another agent (xtask/clients)
                                     --agent FILE: of this program instead of a fresh build
                                     --turns N: a long run has so many instead of 1,000
                                     --tree DIR: searching that, too, beside rg and fd
                                     --whole: lines, files, directories as large as is promised
                                     --build: how long building everything anew takes
cargo xtask bench crash [N]          kills runs at N moments: is every file old or new, and undone?
cargo xtask bench instructions       what the hot paths take, counted by valgrind; --bless writes it down
cargo xtask bench tasks --base-url URL  small tasks for a small model: how many it solves
cargo xtask dist                     the program as others install it, in one archive
cargo xtask bench edits --git DIR    how edits of a git history fare (python3 and git needed)
";

fn main() -> ExitCode {
    match dispatch(lexopt::Parser::from_env()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let chore = match arguments.next().map_err(text)? {
        None | Some(Long("help") | Short('h')) => {
            print!("{CHORES}");
            return Ok(());
        }
        Some(Value(chore)) => chore.string().map_err(text)?,
        Some(other) => return Err(text(other.unexpected())),
    };
    match chore.as_str() {
        "ci" => no_more(arguments).and_then(|()| ci::run()),
        "tidy" => no_more(arguments).and_then(|()| tidy::run()),
        "e2e" => e2e::run(arguments),
        "golden" => golden::run(arguments),
        "dist" => no_more(arguments).and_then(|()| dist::run()),
        "record" => record::run(arguments),
        "conformance" => conformance::run(arguments),
        "bench" => bench::run(arguments),
        unknown => Err(format!("there is no chore `{unknown}`; these are:\n{CHORES}")),
    }
}

fn no_more(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    match arguments.next().map_err(text)? {
        None => Ok(()),
        Some(argument) => Err(text(argument.unexpected())),
    }
}

/// An error of a library as a failure of the chore.
fn text(error: impl std::fmt::Display) -> Failure {
    error.to_string()
}
