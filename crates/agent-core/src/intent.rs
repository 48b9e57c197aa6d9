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
}

impl Intent {
    /// What the actions show: a request that asked for a change was one to edit.
    pub(crate) fn of(history: &[Action]) -> Self {
        if crate::history::target_files(history).is_empty() { Self::Read } else { Self::Edit }
    }
}
