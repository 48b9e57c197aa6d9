//! `agent mcp`

use clap::{Args, Subcommand, ValueEnum};

use super::Target;

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// Lend the tools to another program, as an MCP server on standard input and output
    Serve(Serve),
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Only the tools for files, or only those for commands
    #[arg(value_enum)]
    pub(crate) part: Option<Part>,
    /// Lend only what changes nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Keep no record: what is changed can't be undone
    #[arg(long)]
    pub(crate) ephemeral: bool,
    #[command(flatten)]
    pub(crate) target: Target,
}

/// A part of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The tools for files
    Fs,
    /// The tools for commands
    Exec,
}
