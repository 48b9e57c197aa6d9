//! `agent mcp`

use clap::{Args, Subcommand, ValueEnum};

use super::Target;

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// Lend the tools to another program, as an MCP server on standard input and output
    Serve(Serve),
    /// List the servers whose tools are used here, with what those cost in every request
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        target: Target,
    },
    /// Show one server and its tools
    Get {
        /// The server
        name: String,
        #[command(flatten)]
        target: Target,
    },
    /// Declare a server in your own configuration: agent mcp add NAME -- COMMAND ARGS
    Add {
        /// A name for it
        name: String,
        /// A variable that it sees, beside those that every command does; may be repeated
        #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
        env: Vec<(String, String)>,
        /// The program with its arguments
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Remove a server from your own configuration
    Remove {
        /// The server
        name: String,
    },
    /// Call a tool of a server and print its result as JSON
    Call {
        /// The server
        server: String,
        /// The tool, as the server names it
        tool: String,
        /// Its parameters as a JSON object
        #[arg(value_name = "JSON", default_value = "{}")]
        params: String,
        #[command(flatten)]
        target: Target,
    },
    /// Trust a server that came with this directory, as it stands: its command, arguments and
    /// environment
    Trust {
        /// The server
        name: String,
        #[command(flatten)]
        target: Target,
    },
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
    /// Tell an agent of this program what a model is not told
    #[arg(long, hide = true)]
    pub(crate) for_agent: bool,
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

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) | None => Err("write NAME=VALUE".to_owned()),
    }
}
