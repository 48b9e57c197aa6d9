//! Line edits: a plan of them is checked as a whole, then applied as a whole or not at all.

mod line_edit;
mod plan;
mod problem;
mod splice;

use crate::text::TextFile;

pub use line_edit::LineEdit;
pub use problem::{EditProblem, Fault, PlanError};

/// What a plan may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct EditLimits {
    /// The most edits in one plan.
    pub max_edits: usize,
}

impl Default for EditLimits {
    fn default() -> Self {
        Self { max_edits: 30 }
    }
}

impl EditLimits {
    /// For plans that are not somebody's list, such as the differences between two texts.
    pub const NONE: Self = Self { max_edits: usize::MAX };
}

/// A file after its edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The new content, in the encoding of the old.
    pub text: TextFile,
    /// How many edits were applied: all of the plan.
    pub edits: usize,
}

/// Applies a plan, given in any order, to the lines of `file` as they are before any of the edits.
///
/// Bytes outside the named lines never change, with one exception: when text is appended to a file
/// without a final newline, its last line gets an ending, and the file still ends without one. New
/// lines take the ending of the line they replace or of their neighbours.
pub fn apply(
    file: &TextFile,
    edits: &[LineEdit],
    limits: &EditLimits,
) -> Result<Edited, PlanError> {
    let plan = plan::check(file, edits, limits)?;
    let bytes = splice::splice(file, &plan);
    if bytes == file.bytes() {
        return Err(PlanError::NoChange);
    }
    let text = TextFile::with_encoding(bytes, file.encoding());
    Ok(Edited { text, edits: edits.len() })
}
