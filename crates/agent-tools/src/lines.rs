//! Inserting, removing and replacing by line number: single line edits under plainer names.

use crate::edit::LineEdit;

/// Inserts `content` before line `line_number`; one more than the number of lines appends.
pub fn insert(line_number: usize, content: &str) -> LineEdit {
    // Line 0 stays line 0, so that it is refused rather than guessed at.
    replace(line_number, line_number.saturating_sub(1), content)
}

/// Removes the lines from `start_line` to `end_line` of a file that has `line_count` lines. Without
/// a start it begins with the first line, without an end it goes on to the last, and without either
/// nothing of the text is left.
pub fn remove(start_line: Option<usize>, end_line: Option<usize>, line_count: usize) -> LineEdit {
    let start_line = start_line.unwrap_or(1);
    // A start beyond the last line is refused, not taken for an empty range at the end.
    replace(start_line, end_line.unwrap_or(line_count.max(start_line)), "")
}

/// Replaces the lines from `start_line` to `end_line` with `content`.
pub fn replace(start_line: usize, end_line: usize, content: &str) -> LineEdit {
    LineEdit { start_line, end_line, replacement: content.to_owned(), old: None }
}
