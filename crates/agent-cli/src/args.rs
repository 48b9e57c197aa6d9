//! The command line as it was typed: text with types, nothing looked up yet.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

mod cache;
mod chat;
mod config;
mod eval;
mod inspect;
mod mcp;
mod memory;
mod record;
mod run;
mod sessions;
#[cfg(test)]
mod tests;
mod tool;

pub(crate) use cache::Cache;
pub(crate) use chat::{Chat, ChatOptions};
pub(crate) use config::{Config, Here};
pub(crate) use eval::Eval;
pub(crate) use inspect::{Debug as DebugCommand, Doctor, Prompt};
pub(crate) use mcp::{Add, Mcp, Part, Serve};
pub(crate) use memory::{Memory, MemoryCommand};
pub(crate) use record::{Changes, Diff, Place, Revert, Scope, Shape};
pub(crate) use run::{Fate, OutputFormat, Run};
pub(crate) use sessions::{Export, Prune, Remove, Replay, Resume, Sessions, SessionsCommand, Show};
pub(crate) use tool::Tool;

/// A coding agent: says what it does, and does it in real files.
#[derive(Debug, Parser)]
#[command(
    name = "agent",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, `agent` is `agent chat`."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    options: ChatOptions,
}

impl Arguments {
    /// The command: without one, the chat.
    pub(crate) fn chosen(self) -> Command {
        let Self { command, options } = self;
        command.unwrap_or_else(|| Command::Chat(Box::new(Chat { request: None, options })))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Talk: several requests in one session, with an answer to each and approval of each change
    Chat(Box<Chat>),
    /// Do one task and end: progress on standard error, the answer alone on standard output
    #[command(visible_alias = "exec")]
    Run(Box<Run>),
    /// Watch a whole job: no network and no key, a recorded model, the real tools
    Demo(Demo),
    /// Call one tool directly and print its result as JSON
    Tool(Tool),
    /// Take back the last changes in this directory, whichever session made them
    Undo(Revert),
    /// Make changes again that were taken back
    Redo(Revert),
    /// List the recorded changes in this directory, the latest first
    Changes(Changes),
    /// Show a recorded change as a unified diff
    Diff(Diff),
    /// List past sessions, show one, or remove some
    Sessions(Sessions),
    /// Go on with a session, also with one that was cut off
    #[command(
        after_help = "With a TASK this is the session's next request; without one it goes on with \
        the request that was cut off."
    )]
    Resume(Box<Resume>),
    /// Run a recorded session again in a scratch directory, and name the first difference
    Replay(Replay),
    /// Show or change what is remembered of this directory from one session to the next
    Memory(Memory),
    /// Show how good past answers in this directory were: by day, model and intent
    Eval(Eval),
    /// Show or empty the cache of answers
    #[command(subcommand)]
    Cache(Cache),
    /// List the models of every configured provider
    Models(Models),
    /// See whether everything is there: configuration, model, sandbox, state; exit code 1 if not
    Doctor(Doctor),
    /// Look behind the scenes
    #[command(subcommand)]
    Debug(DebugCommand),
    /// Lend the tools to other programs over MCP, or use those of others
    #[command(subcommand)]
    Mcp(Mcp),
    /// Show or change the configuration
    #[command(subcommand)]
    Config(Config),
    /// Print a completion script: `source <(agent completions bash)`
    Completions(Completions),
    /// Print a manual page: `agent man run | man -l -`
    Man(Man),
}

/// What to work on, and with which model.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Target {
    /// Work in this directory
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// The model: openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME or replay/PATH
    #[arg(short, long, value_name = "PROVIDER/MODEL")]
    pub(crate) model: Option<String>,
    /// Address of the model's server; for openai it ends in /v1
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Take the values that the configuration keeps under this name: [preset.NAME]
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
}

/// How much is said on standard error.
#[derive(Debug, Default, Clone, Copy, Args)]
pub(crate) struct Volume {
    /// Say more on standard error; twice and three times for the program's own log
    #[arg(short, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Say nothing on standard error but warnings and errors
    #[arg(short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Work in this new or empty directory and leave it there
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Models {
    /// Ask this provider alone: openai, anthropic, gemini or ollama
    pub(crate) provider: Option<String>,
    #[command(flatten)]
    pub(crate) target: Target,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell that reads it
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command that it is about: nothing for the program itself
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// Print every command in one page of Markdown instead
    #[arg(long, conflicts_with = "command")]
    pub(crate) markdown: bool,
}
