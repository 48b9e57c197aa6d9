//! `agent chat`, and `agent` alone.

use agent_core::{command::permission::Pattern, config::Key};
use clap::Args;

use super::{Target, run::RunLimits};

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The first request, in words
    pub(crate) request: Option<String>,
    #[command(flatten)]
    pub(crate) options: ChatOptions,
}

/// How a chat is held.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ChatOptions {
    #[command(flatten)]
    pub(crate) target: Target,
    /// What is done without asking: nothing (ask; the default on a terminal), edits (otherwise), or
    /// all; plan changes nothing
    #[arg(long, value_name = "MODE", value_parser = super::run::approval)]
    pub(crate) approval: Option<String>,
    /// Change nothing: short for --approval plan
    #[arg(long, conflicts_with = "approval")]
    read_only: bool,
    /// Run commands that begin with these words without asking: "cargo test"; may be repeated
    #[arg(long = "allow-command", value_name = "PATTERN", value_parser = Pattern::parse)]
    pub(crate) allow_commands: Vec<Pattern>,
    /// Run these tests after each reply that changed files, and hand failures back to the model
    #[arg(long, value_name = "CMD")]
    pub(crate) test: Option<String>,
    /// Confine commands: as well as the system can (auto), or else run none (strict), or not (off)
    #[arg(long, value_name = "MODE", value_parser = ["auto", "strict", "off"])]
    pub(crate) sandbox: Option<String>,
    /// Ask the model, even where an answer that was given before still stands
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Heed in this chat what came with the directory: all of its configuration, its MCP servers
    #[arg(long)]
    pub(crate) trust: bool,
    /// Go on with the last session in this directory
    #[arg(short = 'c', long = "continue")]
    pub(crate) go_on: bool,
    /// Go on with the session whose id begins so
    #[arg(short, long, value_name = "ID", conflicts_with = "go_on")]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    limits: RunLimits,
}

impl ChatOptions {
    /// The approval mode, with the flag that gave it.
    pub(crate) fn approval(&self) -> Option<(&'static str, &str)> {
        match &self.approval {
            Some(mode) => Some(("--approval", mode)),
            None => self.read_only.then_some(("--read-only", "plan")),
        }
    }

    /// From here on in this mode.
    pub(crate) fn in_mode(self, mode: &str) -> Self {
        Self { approval: Some(mode.to_owned()), read_only: false, ..self }
    }

    /// Each limit that was given: its flag, its key, and its value.
    pub(crate) fn limits(&self) -> Vec<(&'static str, Key, &str)> {
        self.limits.values()
    }
}
