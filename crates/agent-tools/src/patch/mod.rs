//! Patches as models write them: pairs, search/replace blocks, envelopes and unified diffs.
//!
//! Each form is read into [`Hunk`]s: old lines and what they become. [`plan`] finds the old lines
//! in the file, strictly first and then more leniently ([`locate`]), and answers with line edits
//! for all of them or with a [`PatchError`] that says what to write instead.
//!
//! ```
//! use agent_tools::patch::{self, Hunk};
//!
//! let file = "fn main() {\n    greet(\"world\");\n}\n";
//! let hunks = [Hunk::pair("greet(\"world\");", "greet(\"moon\");")];
//! assert_eq!(
//!     patch::merge_text(file, &hunks).as_deref(),
//!     Ok("fn main() {\n    greet(\"moon\");\n}\n")
//! );
//! ```

mod blocks;
mod envelope;
mod error;
mod fit;
mod hunk;
mod locate;
mod piece;
mod section;
mod unified;

#[cfg(test)]
mod tests;

pub use blocks::search_replace;
pub use envelope::envelope;
pub use error::PatchError;
pub use hunk::Hunk;
pub use locate::{Location, Rung, locate};
pub use unified::unified;

use std::ops::Range;

use crate::edit::{self, EditLimits, LineEdit};
use crate::encoding::Encoding;
use crate::sketch::{Nearest, line, marker};
use crate::text::TextFile;

const BOM: char = '\u{feff}';

/// The line edits that a patch comes to, in the order of the lines.
pub fn plan(original: &str, hunks: &[Hunk]) -> Result<Vec<LineEdit>, PatchError> {
    if hunks.iter().all(Hunk::is_empty) {
        return Err(PatchError::Empty);
    }
    let file = line::split(original.strip_prefix(BOM).unwrap_or(original));
    let mut placed: Vec<(Range<usize>, usize)> = Vec::new();
    let mut edits = Vec::new();
    for (at, hunk) in hunks.iter().enumerate() {
        let number = at + 1;
        let marker =
            hunk.new.iter().find(|line| marker::is_certain(line) && !hunk.old.contains(line));
        if let Some(marker) = marker {
            return Err(PatchError::Marker { hunk: number, marker: marker.clone() });
        }
        let Placed { range, edits: found } = place(&file, hunk, number)?;
        let clash =
            placed.iter().find(|(other, _)| other.start < range.end && range.start < other.end);
        if let Some((_, first)) = clash {
            return Err(PatchError::Overlap { first: *first, second: number });
        }
        placed.push((range, number));
        edits.extend(found);
    }
    if edits.is_empty() {
        return Err(PatchError::NoChange);
    }
    edits.sort_by_key(|edit| (edit.start_line, edit.end_line));
    Ok(edits)
}

/// Applies a patch to the text of a file and gives the new text.
///
/// Lines that stay keep their endings, new lines take their neighbours', and the end of the file
/// stays as it was.
pub fn merge_text(original: &str, hunks: &[Hunk]) -> Result<String, PatchError> {
    let edits = plan(original, hunks)?;
    let encoding = if original.starts_with(BOM) { Encoding::Utf8Bom } else { Encoding::Utf8 };
    let file = TextFile::with_encoding(original.as_bytes().to_vec(), encoding);
    let edited = edit::apply(&file, &edits, &EditLimits::NONE).map_err(|_| PatchError::NoChange)?;
    Ok(String::from_utf8_lossy(edited.text.bytes()).into_owned())
}

/// A hunk at its place.
struct Placed {
    /// The lines of the file that the old ones are, from 0.
    range: Range<usize>,
    edits: Vec<LineEdit>,
}

/// Finds a hunk's old lines.
fn place(file: &[&str], hunk: &Hunk, number: usize) -> Result<Placed, PatchError> {
    if hunk.old.is_empty() {
        if file.is_empty() {
            let edit = crate::sketch::edits::edit(0, 0, &hunk.new);
            return Ok(Placed { range: 0..0, edits: vec![edit] });
        }
        return Err(PatchError::NoContext { hunk: number });
    }
    let range = range(file, hunk);
    let shorter = hunk.without_newline();
    let trimmed = hunk.without_blank_edges();
    for hunk in [Some(hunk), shorter.as_ref(), trimmed.as_ref()].into_iter().flatten() {
        match locate(file, &hunk.old, range.clone()) {
            Location::One { start, .. } => {
                let edits = fit::edits(hunk, file, start)
                    .ok_or(PatchError::Indentation { hunk: number })?;
                return Ok(Placed { range: start..start + hunk.old.len(), edits });
            }
            Location::Several { starts } => {
                let lines = starts.into_iter().map(|start| start + 1).collect();
                return Err(PatchError::Ambiguous { hunk: number, lines });
            }
            Location::Nowhere => {}
        }
    }
    piece::place(file, shorter.as_ref().unwrap_or(hunk), number)?.ok_or_else(|| {
        let first = hunk.old.iter().find(|line| !line::is_blank(line));
        let first = first.or(hunk.old.first()).cloned().unwrap_or_default();
        let candidates = Nearest::to(&first, file);
        PatchError::NotFound { hunk: number, first, candidates }
    })
}

/// The lines of the file that a hunk's headers leave.
fn range(file: &[&str], hunk: &Hunk) -> Range<usize> {
    let end = file.len();
    let from = if hunk.ends_file { end.saturating_sub(hunk.old.len()) } else { 0 };
    let mut range = 0..end;
    for header in &hunk.headers {
        if let Some(scope) = locate::scope(file, header, range.clone())
            && locate(file, &hunk.old, scope.clone()) != Location::Nowhere
        {
            range = scope;
        }
    }
    if from > range.start && locate(file, &hunk.old, from..end) != Location::Nowhere {
        return from..end;
    }
    range
}
