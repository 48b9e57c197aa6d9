//! `agent config`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Target;

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print every setting
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
        #[command(flatten)]
        target: Target,
    },
    /// Print the path of the user's configuration file
    Path {
        #[command(flatten)]
        here: Here,
    },
    /// Print a configuration file that holds every key with its default, as comments
    Default,
    /// Write that file where yours belongs, unless there is one
    Init,
    /// Show what is allowed: every rule with its origin, or the one that decides about a call
    Policy {
        /// A tool
        tool: Option<String>,
        /// The parameters of a call as a JSON object
        #[arg(value_name = "JSON", requires = "tool")]
        params: Option<String>,
        /// Forget the rule of this number, which somebody made by answering "always"
        #[arg(long, value_name = "N", conflicts_with = "tool")]
        forget: Option<usize>,
        /// In this approval mode
        #[arg(long, value_name = "MODE", value_parser = super::run::approval)]
        approval: Option<String>,
        #[command(flatten)]
        target: Target,
    },
    /// Trust the directory's own configuration file, as it stands: all of it counts until it changes
    Trust {
        #[command(flatten)]
        target: Target,
    },
    /// Write a value into the user's configuration file
    Set {
        /// A key, as `agent config show` prints it
        key: String,
        /// Its value
        #[arg(allow_hyphen_values = true)]
        value: String,
        #[command(flatten)]
        here: Here,
    },
}

/// Whether it is about everything of the user's, or one directory.
#[derive(Debug, Args)]
pub(crate) struct Here {
    /// For you in this directory alone
    #[arg(long)]
    pub(crate) here: bool,
    /// The same for that directory
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}
