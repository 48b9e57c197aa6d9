//! What a request is about.

use serde::Serialize;

use crate::Action;

/// Kinds of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To be answered from the files.
    Read,
    /// To change files.
    Edit,
    /// To run commands.
    Run,
    /// To take changes back.
    Undo,
}

impl Intent {
    /// What the actions show: a request that asked for a change was one to edit, one that only ran
    /// commands or took something back was about that.
    pub(crate) fn of(history: &[Action]) -> Self {
        let did = |tool: &str| history.iter().any(|action| action.tool == tool);
        match () {
            () if !crate::history::target_files(history).is_empty() => Self::Edit,
            () if did("undo") => Self::Undo,
            () if did("run_command") => Self::Run,
            () => Self::Read,
        }
    }
}
