//! The commands that look at things and change nothing.

use clap::{Args, Subcommand};

use super::{Shape, Target};

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Debug {
    /// Print what the model would see first, and send nothing
    Prompt(Prompt),
    /// Print the JSON Schema of what `agent run` puts out: every event, and the result object
    Schema,
}

#[derive(Debug, Args)]
pub(crate) struct Prompt {
    /// The task in words
    #[arg(default_value = "(the task)")]
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) target: Target,
    /// In this approval mode
    #[arg(long, value_name = "MODE", value_parser = super::run::approval)]
    pub(crate) approval: Option<String>,
    /// How the model decides: tools, json, or auto, as suits the model
    #[arg(long, value_name = "NAME", value_parser = ["auto", "tools", "json"])]
    pub(crate) protocol: Option<String>,
    /// What goes to standard output; as JSON the whole request
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: Shape,
}
