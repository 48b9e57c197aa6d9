//! Inserting, removing and replacing by line number: single line edits under plainer names.

use crate::edit::{self, EditLimits, Edited, LineEdit, PlanError};
use crate::text::TextFile;

/// Inserts `content` before line `line_number`; one more than the number of lines appends.
pub fn insert(text: &TextFile, line_number: usize, content: &str) -> Result<Edited, PlanError> {
    // Line 0 stays line 0, so that it is refused rather than guessed at.
    let end_line = line_number.saturating_sub(1);
    apply(text, line_number, end_line, content)
}

/// Removes the lines from `start_line` to `end_line`. Without a start it begins with the first
/// line, without an end it goes on to the last, and without either nothing of the text is left.
pub fn remove(
    text: &TextFile,
    start_line: Option<usize>,
    end_line: Option<usize>,
) -> Result<Edited, PlanError> {
    let start_line = start_line.unwrap_or(1);
    // A start beyond the last line is refused, not taken for an empty range at the end.
    let end_line = end_line.unwrap_or(text.line_count().max(start_line));
    apply(text, start_line, end_line, "")
}

/// Replaces the lines from `start_line` to `end_line` with `content`.
pub fn replace(
    text: &TextFile,
    start_line: usize,
    end_line: usize,
    content: &str,
) -> Result<Edited, PlanError> {
    apply(text, start_line, end_line, content)
}

fn apply(
    text: &TextFile,
    start_line: usize,
    end_line: usize,
    content: &str,
) -> Result<Edited, PlanError> {
    let edit = LineEdit { start_line, end_line, replacement: content.to_owned(), old: None };
    edit::apply(text, &[edit], &EditLimits::default())
}
