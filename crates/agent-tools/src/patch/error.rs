//! Why a patch was not applied, in words that let its author mend it.

use crate::sketch::Nearest;

/// Why a patch was not applied. Nothing of it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// There is no hunk in it.
    #[error("there is no change in the patch; give the old lines and the new ones")]
    Empty,
    /// It cannot be read.
    #[error("line {line} of the patch belongs to {what}; write the patch again in full")]
    Malformed {
        /// Which line of the patch.
        line: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// It is for another file.
    #[error("the patch names {named}, not {path}; give a patch for {path}")]
    OtherFile {
        /// The file that it names.
        named: String,
        /// The file that was to be changed.
        path: String,
    },
    /// It adds or deletes a file.
    #[error("the patch would {verb} the file rather than change lines; use the tool for that")]
    NotAnUpdate {
        /// What it would do.
        verb: String,
    },
    /// Old lines are not in the file.
    #[error(
        "the old lines of hunk {hunk}, from {first:?} on, are not in the file{}; \
         read the file again and copy them",
        nearest(candidates)
    )]
    NotFound {
        /// Which hunk, from 1.
        hunk: usize,
        /// The first old line that is not blank.
        first: String,
        /// Lines that come near.
        candidates: Vec<Nearest>,
    },
    /// Old lines are in the file more than once.
    #[error(
        "the old lines of hunk {hunk} stand at lines {}; \
         add unchanged lines until only one place fits",
        numbers(lines)
    )]
    Ambiguous {
        /// Which hunk, from 1.
        hunk: usize,
        /// Where they stand.
        lines: Vec<usize>,
    },
    /// A hunk has no old lines.
    #[error("hunk {hunk} has no old lines to tell where it belongs; add the line before or after")]
    NoContext {
        /// Which hunk, from 1.
        hunk: usize,
    },
    /// Two hunks change the same lines.
    #[error("hunks {first} and {second} change the same lines; make them one")]
    Overlap {
        /// One of them, from 1.
        first: usize,
        /// The other.
        second: usize,
    },
    /// New lines could be indented in two ways.
    #[error(
        "the old lines of hunk {hunk} are indented otherwise than in the file, and the new ones \
         could belong at either depth; copy the old lines exactly"
    )]
    Indentation {
        /// Which hunk, from 1.
        hunk: usize,
    },
    /// A new line stands for something left out.
    #[error("the new lines of hunk {hunk} leave code out with {marker:?}; write them in full")]
    Marker {
        /// Which hunk, from 1.
        hunk: usize,
        /// The line.
        marker: String,
    },
    /// The file would stay as it is.
    #[error("the patch changes nothing: the file already reads so")]
    NoChange,
}

fn nearest(candidates: &[Nearest]) -> String {
    let near: Vec<String> = candidates.iter().map(ToString::to_string).collect();
    if near.is_empty() { String::new() } else { format!(" (nearest: {})", near.join("; ")) }
}

fn numbers(lines: &[usize]) -> String {
    const MOST: usize = 5;
    let shown: Vec<String> = lines.iter().take(MOST).map(ToString::to_string).collect();
    let more = if lines.len() > MOST { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}
