//! Why a patch was not applied, in words that let its author mend it.

use std::fmt;

use super::nearest::Near;
use crate::edit::PlanError;

/// Why a patch was not applied. Nothing of it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// There is no change in it.
    #[error("the patch holds no change; it is to be {expected}")]
    Empty {
        /// What the format looks like.
        expected: &'static str,
    },
    /// It cannot be read.
    #[error("line {line} of the patch: {what}")]
    Malformed {
        /// Which line of the patch.
        line: usize,
        /// What is wrong there, and what to do.
        what: &'static str,
    },
    /// It is for several files, and this is none of them.
    #[error("the patch is for {}, not for {path}; give the changes to {path}", named.join(", "))]
    OtherFiles {
        /// The files that it names.
        named: Vec<String>,
        /// The file that was to be changed.
        path: String,
    },
    /// It creates the file, which is there already.
    #[error("the patch creates {path}, which is not empty; change its lines instead")]
    Exists {
        /// The file.
        path: String,
    },
    /// It deletes the file.
    #[error("the patch deletes {path} as a whole and leaves no text; delete the file instead")]
    Deletes {
        /// The file.
        path: String,
    },
    /// The old text is not in the file.
    #[error(
        "the old text of {part} is not in the file{}; read the file and copy the lines",
        listed(nearest)
    )]
    NotFound {
        /// Which part of the patch.
        part: Part,
        /// The places that come nearest.
        nearest: Vec<Near>,
    },
    /// A line that leads to the place is not in the file.
    #[error(
        "{header:?}, which leads to {part}, is not in the file{}; copy a line of the file that stands above the change, or leave it out",
        listed(nearest)
    )]
    NoHeader {
        /// Which part of the patch.
        part: Part,
        /// The line.
        header: String,
        /// The lines that come nearest.
        nearest: Vec<Near>,
    },
    /// The old text is in the file more than once.
    #[error(
        "the old text of {part} stands more than once in the file, at lines {}; \
         add unchanged lines before or after it until it fits only one place",
        numbers(lines)
    )]
    Ambiguous {
        /// Which part of the patch.
        part: Part,
        /// Where it begins, counted from 1: the first places.
        lines: Vec<usize>,
    },
    /// There is no old text.
    #[error(
        "{part} has no old text, and the file is not empty; \
         give a line beside the change, both as old and as part of the new text"
    )]
    NoOldText {
        /// Which part of the patch.
        part: Part,
    },
    /// Old text and new text are the same.
    #[error(
        "the old and the new text of {part} are the same; leave it out, or write what is to be new"
    )]
    Same {
        /// Which part of the patch.
        part: Part,
    },
    /// Two parts change the same lines.
    #[error("{first} and {second} change the same lines; make them one")]
    Overlap {
        /// One of them.
        first: Part,
        /// The other.
        second: Part,
    },
    /// New lines could be indented in two ways.
    #[error(
        "the old text of {part} stands at line {line} with another indentation, and the new lines \
         could belong at either depth; copy the old lines with their white space"
    )]
    Indentation {
        /// Which part of the patch.
        part: Part,
        /// Where it stands, counted from 1.
        line: usize,
    },
    /// A new line stands for something left out.
    #[error(
        "{part} would write the line {marker:?} into the file; write the code that it stands for"
    )]
    Marker {
        /// Which part of the patch.
        part: Part,
        /// The line.
        marker: String,
    },
    /// The file would stay as it is.
    #[error("the patch changes nothing: the file already reads so")]
    NoChange,
    /// The edits cannot be carried out.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl PatchError {
    /// The refusal of a part that could stand at all of `starts`, counted from 0.
    pub(super) fn ambiguous(part: Part, starts: &[usize]) -> Self {
        const MOST: usize = 100;
        let mut lines: Vec<usize> = starts.iter().take(MOST).map(|start| start + 1).collect();
        lines.dedup();
        Self::Ambiguous { part, lines }
    }
}

/// A part of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// What it is called: a pair, a block or a hunk.
    pub(super) noun: &'static str,
    /// Which of them, counted from 1.
    pub(super) number: usize,
    /// Where in the patch it begins, counted from 1; nothing for a pair.
    pub(super) line: Option<usize>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.noun, self.number)?;
        self.line.map_or(Ok(()), |line| write!(f, " (line {line} of the patch)"))
    }
}

fn listed(nearest: &[Near]) -> String {
    let near: Vec<String> = nearest.iter().map(ToString::to_string).collect();
    if near.is_empty() { String::new() } else { format!(" (nearest: {})", near.join("; ")) }
}

fn numbers(lines: &[usize]) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = lines.iter().take(MOST).map(ToString::to_string).collect();
    format!("{}{}", shown.join(", "), if lines.len() > MOST { " and more" } else { "" })
}
