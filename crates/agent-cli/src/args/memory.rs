//! `agent memory`

use clap::{Args, Subcommand};

use super::Place;

#[derive(Debug, Args)]
#[command(
    after_help = "A model is shown what the user said or accepted, and the last conversations, with \
    the first request of a session and in at most `memory_bytes` bytes. A run proposes what to \
    remember; nothing comes of it before `agent memory accept`."
)]
pub(crate) struct Memory {
    #[command(subcommand)]
    pub(crate) command: Option<MemoryCommand>,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Show what a model is shown with the first request of a session
    Show,
    /// List all that is remembered: notes with their numbers, and conversations
    List,
    /// Show what a session knows: files with their hashes, its last turns, its changes
    Session {
        /// The session's id, or its beginning; without it the last session in this directory
        id: Option<String>,
    },
    /// Remember something
    Add {
        /// The words
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Accept what a model proposed to remember
    Accept {
        /// Its number, as `agent memory list` shows it
        number: i64,
    },
    /// Forget something
    Remove {
        /// Its number, as `agent memory list` shows it
        number: i64,
    },
    /// Forget everything of this directory, conversations too; sessions stay
    Clear,
}
