//! The commands about sessions.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Run, Scope, Shape};

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The session's id, or its beginning; without it the last session in this directory
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Sessions {
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
    #[command(flatten)]
    pub(crate) list: Scope,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List the sessions in this directory, the latest first
    List(Scope),
    /// Show what was asked, done and answered in a session
    Show(Show),
    /// Write a session as a recording that `agent replay` runs again
    Export(Export),
    /// Remove a session; what it changed can still be undone
    Rm(Remove),
    /// Remove old sessions, and the contents of old changes, which can't be undone then
    Prune(Prune),
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The session's id, or its beginning
    pub(crate) id: String,
    /// What goes to standard output; as JSON everything that is kept
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: Shape,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The session's id, or its beginning
    pub(crate) id: String,
    /// Write to this file instead of standard output
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// With every file of the directory, up to 50 MB, so that searches are run again too
    #[arg(long)]
    pub(crate) with_tree: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 everything was the same; 1 something was different; 2 it is \
    no recording that can be run again."
)]
pub(crate) struct Replay {
    /// A file that `agent run --record` or `agent sessions export` wrote
    pub(crate) recording: PathBuf,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: Shape,
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The sessions' ids, or their beginnings
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// What is older than this many days
    #[arg(long, value_name = "DAYS", default_value = "30")]
    pub(crate) older_than: u32,
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: Shape,
}
