//! `agent eval`

use std::path::PathBuf;

use clap::Args;

use super::Shape;

#[derive(Debug, Args)]
#[command(
    after_help = "A score goes from 1 to 5. It is counted from what happened: outcome, tests, \
    failed and declined edits, turns, size of the change. `evaluator.model` has a model judge too."
)]
pub(crate) struct Eval {
    /// The answers in this directory
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Those in every directory
    #[arg(long, conflicts_with = "directory")]
    pub(crate) all: bool,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: Shape,
}
