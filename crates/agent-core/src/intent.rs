//! What a request is about.
//!
//! Where its words are plain they decide; otherwise what the model decides to do. No model is asked
//! for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, history};

#[rustfmt::skip] // Lists read better as lists than as columns.
mod lists;
mod phrase;
#[cfg(test)]
mod tests;

/// Kinds of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To be answered from the files, which stay as they are.
    Read,
    /// To change files.
    Edit,
    /// To run commands.
    Run,
    /// To take changes back.
    Undo,
    /// To say what the agent can do.
    Profile,
}

impl Intent {
    /// Every intent.
    pub const ALL: [Self; 5] = [Self::Read, Self::Edit, Self::Run, Self::Undo, Self::Profile];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Run => "run",
            Self::Undo => "undo",
            Self::Profile => "profile",
        }
    }

    /// The intent of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|intent| intent.name() == name)
    }

    /// What the words of a request say, where they are plain. In doubt they say nothing: a request
    /// that is taken for a question by mistake could not be carried out.
    pub fn of_words(task: &str) -> Option<Self> {
        phrase::read(task).0
    }

    /// What the actions show: a request that asked for a change was one to edit, one that only ran
    /// commands or took something back was about that.
    pub(crate) fn of(history: &[Action]) -> Self {
        let did = |tool: &str| history.iter().any(|action| action.tool == tool);
        match () {
            () if !history::target_files(history).is_empty() => Self::Edit,
            () if did("undo") => Self::Undo,
            () if did("run_command") => Self::Run,
            () => Self::Read,
        }
    }
}

/// How much a request to undo speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// So many changes, the last first.
    Last(usize),
    /// Everything that the session did which made the last change.
    Everything,
}

/// How much a request to undo speaks of; none where that is not to be told.
pub(crate) fn extent_of_undo(task: &str) -> Option<Extent> {
    phrase::extent_of_undo(task)
}
