//! The commands about recorded changes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 done; 1 there was nothing to do, or a file can't be written; \
    10 the record of changes can't be used; 15 refused, because somebody else has changed a file \
    since: nothing is done then."
)]
pub(crate) struct Revert {
    /// How many changes; all there are where there are fewer
    #[arg(default_value = "1", value_name = "N", value_parser = count)]
    pub(crate) count: usize,
    /// Overwrite files that somebody else has changed since; what they hold is kept in the record
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a whole number from 1".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// Which directory it is about, and how that is told.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// What belongs to this directory
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", global = true)]
    pub(crate) output_format: Shape,
}

/// What of the state directory, and how it is told.
#[derive(Debug, Args)]
pub(crate) struct Scope {
    /// What belongs to this directory
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// What belongs to any directory
    #[arg(long, conflicts_with = "directory")]
    pub(crate) all: bool,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: Shape,
}

/// Text or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Shape {
    /// For people
    #[default]
    Text,
    /// One object
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Changes {
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The change's number, as `agent changes` shows it; without it the whole last session
    pub(crate) id: Option<i64>,
    /// The changes of this directory
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}
