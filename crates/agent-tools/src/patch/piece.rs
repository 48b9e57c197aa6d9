//! Old text that is a piece of a line, or of several.

use super::Placed;
use super::error::PatchError;
use super::hunk::Hunk;
use crate::sketch::edits;

/// The lines that hold the old text, and their edit; `None` if none do.
pub(super) fn place(
    file: &[&str],
    hunk: &Hunk,
    number: usize,
) -> Result<Option<Placed>, PatchError> {
    let old = hunk.old.join("\n");
    if old.trim().is_empty() {
        return Ok(None);
    }
    let text = file.join("\n");
    let found: Vec<usize> = text.match_indices(&old).map(|(at, _)| at).collect();
    let line_of = |at: usize| text[..at].matches('\n').count();
    match found.as_slice() {
        [] => Ok(None),
        [at] => {
            let (start, end) = (line_of(*at), line_of(at + old.len()) + 1);
            let line_start = text[..*at].rfind('\n').map_or(0, |newline| newline + 1);
            let line_end =
                text[at + old.len()..].find('\n').map_or(text.len(), |to| at + old.len() + to);
            let new = hunk.new.join("\n");
            let line =
                format!("{}{new}{}", &text[line_start..*at], &text[at + old.len()..line_end]);
            let lines: Vec<&str> = line.split('\n').collect();
            let edits = if lines == file[start..end] {
                Vec::new()
            } else {
                vec![edits::edit(start, end, &lines)]
            };
            Ok(Some(Placed { range: start..end, edits }))
        }
        [_, _, ..] => {
            let lines = found.into_iter().map(|at| line_of(at) + 1).collect();
            Err(PatchError::Ambiguous { hunk: number, lines })
        }
    }
}
