//! `agent run`

use std::path::PathBuf;

use agent_core::{Intent, command::permission::Pattern, config::Key};
use clap::{Args, ValueEnum};

use super::{Target, Volume};

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The task in words; `-` or nothing reads it from standard input
    pub(crate) task: Option<String>,
    #[command(flatten)]
    pub(crate) target: Target,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: OutputFormat,
    /// Short for --output-format stream-json
    #[arg(long, conflicts_with = "output_format")]
    json: bool,
    /// Write the final answer to this file too
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// What is done without asking: nothing (ask; the default on a terminal), edits (otherwise), or
    /// all; plan changes nothing
    #[arg(long, value_name = "MODE", value_parser = approval)]
    pub(crate) approval: Option<String>,
    /// Change nothing: short for --approval plan
    #[arg(long, conflicts_with = "approval")]
    read_only: bool,
    /// What the task is, whatever its words say: read (files stay as they are), edit, run, undo or
    /// profile
    #[arg(long, value_name = "INTENT", value_parser = intent)]
    pub(crate) intent: Option<Intent>,
    /// Run commands that begin with these words without asking: "cargo test"; may be repeated
    #[arg(long = "allow-command", value_name = "PATTERN", value_parser = Pattern::parse)]
    pub(crate) allow_commands: Vec<Pattern>,
    /// Run these tests after each reply that changed files, and hand failures back to the model
    #[arg(long, value_name = "CMD")]
    pub(crate) test: Option<String>,
    /// How often failed tests are handed back; 3 unless configured
    #[arg(long, value_name = "N")]
    pub(crate) retries: Option<String>,
    /// What becomes of the changes where tests stay red
    #[arg(long, value_enum, default_value_t, value_name = "FATE")]
    pub(crate) on_failure: Fate,
    /// Confine commands: as well as the system can (auto), or else run none (strict), or not (off)
    #[arg(long, value_name = "MODE", value_parser = ["auto", "strict", "off"])]
    pub(crate) sandbox: Option<String>,
    /// Heed in this run what came with the directory: all of its configuration, its MCP servers
    #[arg(long)]
    pub(crate) trust: bool,
    /// Keep no record: what this run changes can't be undone, nor the session resumed
    #[arg(long)]
    pub(crate) ephemeral: bool,
    /// Ask the model, even where an answer that was given before still stands
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Go on with the last session in this directory
    #[arg(short = 'c', long = "continue")]
    pub(crate) go_on: bool,
    /// Go on with the session whose id begins so
    #[arg(short, long, value_name = "ID", conflicts_with = "go_on")]
    pub(crate) resume: Option<String>,
    /// Write a recording of the session to this file, for `agent replay`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Record every file of the directory, up to 50 MB, so that searches are run again too
    #[arg(long, requires = "record")]
    pub(crate) with_tree: bool,
    #[command(flatten)]
    pub(crate) limits: RunLimits,
    /// How the model decides: tools (its provider's tool calls), json (JSON that follows a
    /// schema), or auto, as suits the model
    #[arg(long, value_name = "NAME", value_parser = ["auto", "tools", "json"])]
    pub(crate) protocol: Option<String>,
    /// Have the first step planned by a call of its own; the default with Ollama's models
    #[arg(long)]
    pub(crate) planner: bool,
    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// What a run may use up. They are configuration too, which reads them.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunLimits {
    /// Decision steps after which the run ends; 25 unless configured
    #[arg(long, value_name = "N")]
    max_turns: Option<String>,
    /// Tool calls after which the run ends
    #[arg(long, value_name = "N")]
    max_tool_calls: Option<String>,
    /// Tokens, in and out, after which the run ends
    #[arg(long, value_name = "N")]
    max_tokens: Option<String>,
    /// US dollars after which the run ends; the model's price must be known
    #[arg(long, value_name = "USD")]
    max_cost: Option<String>,
    /// Seconds after which the run ends
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<String>,
}

impl RunLimits {
    /// Each limit that was given: its flag, its key, and its value.
    pub(crate) fn values(&self) -> Vec<(&'static str, Key, &str)> {
        let all = [
            ("--max-turns", Key::MaxTurns, &self.max_turns),
            ("--max-tool-calls", Key::MaxToolCalls, &self.max_tool_calls),
            ("--max-tokens", Key::MaxTokens, &self.max_tokens),
            ("--max-cost", Key::MaxCost, &self.max_cost),
            ("--time-limit", Key::TimeLimit, &self.time_limit),
        ];
        let given =
            all.into_iter().filter_map(|(flag, key, value)| Some((flag, key, value.as_deref()?)));
        given.collect()
    }
}

/// What becomes of changes whose tests stay red.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Fate {
    /// They stay
    #[default]
    Keep,
    /// They are taken back
    Undo,
}

impl Run {
    pub(crate) fn format(&self) -> OutputFormat {
        if self.json { OutputFormat::StreamJson } else { self.output_format }
    }

    /// The approval mode, with the flag that gave it.
    pub(crate) fn approval(&self) -> Option<(&'static str, &str)> {
        match &self.approval {
            Some(mode) => Some(("--approval", mode)),
            None => self.read_only.then_some(("--read-only", "plan")),
        }
    }
}

pub(super) fn approval(mode: &str) -> Result<String, String> {
    match mode {
        "ask" | "edits" | "all" | "plan" => Ok(mode.to_owned()),
        _ => Err("choose ask, edits, all or plan".into()),
    }
}

fn intent(name: &str) -> Result<Intent, String> {
    Intent::named(name).ok_or_else(|| "choose read, edit, run, undo or profile".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The final answer
    #[default]
    Text,
    /// One object: the whole history with the answer
    Json,
    /// One object a line for each event, as it happens
    StreamJson,
}
