//! `agent mcp`

use std::net::SocketAddr;

use clap::{Args, Subcommand, ValueEnum};

use super::Target;

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// Lend the tools to another program, as an MCP server on standard input and output, or over HTTP
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
        /// As JSON, with the schemas of its tools
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        target: Target,
    },
    /// Declare a server in your own configuration: agent mcp add NAME -- COMMAND ARGS
    Add(Add),
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
pub(crate) struct Add {
    /// A name for it
    pub(crate) name: String,
    /// A variable that it sees, beside those that every command does; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, conflicts_with = "url")]
    pub(crate) env: Vec<(String, String)>,
    /// Its address, where it runs somewhere else
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// What is sent along with every request, as in 'Authorization: Bearer ${TOKEN}', which names
    /// a variable; may be repeated
    #[arg(long, value_name = "NAME: VALUE", value_parser = header, requires = "url")]
    pub(crate) header: Vec<(String, String)>,
    /// The program with its arguments
    #[arg(
        last = true,
        required_unless_present = "url",
        conflicts_with = "url",
        value_name = "COMMAND"
    )]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Only the tools for files, or only those for commands
    #[arg(value_enum)]
    pub(crate) part: Option<Part>,
    /// Listen at an address of this machine, such as 127.0.0.1:8080, instead of standard input;
    /// with AGENT_MCP_TOKEN set, hosts have to send it as their bearer token
    #[arg(long, value_name = "ADDRESS", conflicts_with = "for_agent")]
    pub(crate) http: Option<SocketAddr>,
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

fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        Some(_) | None => Err("write 'NAME: VALUE'".to_owned()),
    }
}
