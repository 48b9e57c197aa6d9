//! Why a sketch was not merged, in words that let its author mend it.

use std::collections::HashSet;
use std::fmt;

use crate::edit::PlanError;
use crate::line;

/// A sketch that was not merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decline {
    /// Why.
    pub reason: Reason,
    /// The places in the file that come nearest to what was looked for, best first.
    pub candidates: Vec<Nearest>,
}

impl fmt::Display for Decline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        for nearest in &self.candidates {
            write!(f, "\n  {nearest}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Decline {}

impl From<Reason> for Decline {
    fn from(reason: Reason) -> Self {
        Self { reason, candidates: Vec::new() }
    }
}

/// Why a sketch was not merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// There is nothing but markers in it, or nothing at all.
    #[error("the sketch holds no code; write the changed lines with a line of context around them")]
    Empty,
    /// A line beside a marker is not in the file.
    #[error(
        "line {line} of the sketch, {text:?}, stands beside a marker but is not in the file; \
         begin and end each part with unchanged lines of the file"
    )]
    NoAnchor {
        /// Which line of the sketch.
        line: usize,
        /// What it says.
        text: String,
    },
    /// The context is there, but not in this order.
    #[error(
        "the parts of the sketch are in the file, but not in this order or not apart from each \
         other; write them in the file's order, each with unchanged lines around the change"
    )]
    OutOfOrder,
    /// There are several places, or none is clearly the best.
    #[error(
        "the part at line {line} of the sketch fits in more than one way; \
         add unchanged lines before and after the change until only one place fits"
    )]
    Ambiguous {
        /// Where in the sketch the part begins.
        line: usize,
    },
    /// Lines at an end of the file are neither shown nor behind a marker.
    #[error(
        "lines {start_line}-{end_line} of the file are not in the sketch, and no marker stands for \
         them; put a marker there to keep them, or delete them with a line edit"
    )]
    OpenEnd {
        /// The first of them.
        start_line: usize,
        /// The last.
        end_line: usize,
    },
    /// A sketch without markers is neither the whole file nor a part that fits.
    #[error(
        "the sketch has no marker, is not the whole file, and fits nowhere for sure; \
         put a marker wherever lines of the file are left out"
    )]
    NotWhole,
    /// New lines could be indented in two ways.
    #[error(
        "the context at line {line} of the sketch is indented otherwise than in the file, and the \
         new lines could belong at either depth; write the context exactly as it is in the file"
    )]
    Indentation {
        /// Where in the sketch the part begins.
        line: usize,
    },
    /// The file has lines that look like markers.
    #[error(
        "line {line} of the file looks like a marker itself, so a sketch of this file cannot be \
         told from its text; use line edits"
    )]
    MarkerInFile {
        /// Which line.
        line: usize,
    },
    /// A marker is on a line with code.
    #[error(
        "line {line} of the sketch has a marker behind code; put the marker on a line of its own"
    )]
    MarkerBehindCode {
        /// Which line of the sketch.
        line: usize,
    },
    /// The new text cannot be written into the file.
    #[error("{0}")]
    Refused(PlanError),
    /// The file would stay as it is.
    #[error("the sketch changes nothing: the file already reads so")]
    NoChange,
}

impl Reason {
    /// Whether a chunk has no place, as opposed to too many.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::NoAnchor { .. } | Self::OutOfOrder)
    }

    /// Whether it is because of where the chunks stand.
    pub(super) fn is_about_places(&self) -> bool {
        self.is_missing() || matches!(self, Self::Ambiguous { .. })
    }
}

/// A place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line.
    pub start_line: usize,
    /// Its last line.
    pub end_line: usize,
    /// What stands in the first line.
    pub text: String,
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start_line < self.end_line {
            write!(f, "lines {}-{}: {}", self.start_line, self.end_line, self.text)
        } else {
            write!(f, "line {}: {}", self.start_line, self.text)
        }
    }
}

impl Nearest {
    /// How many are worth showing.
    pub(super) const MOST: usize = 3;

    /// The place `start..end`, from 0.
    pub(super) fn at(start: usize, end: usize, original: &[&str]) -> Self {
        let text = original.get(start).copied().unwrap_or_default().to_owned();
        Self { start_line: start + 1, end_line: end, text }
    }

    /// The lines that share most words with `line`.
    pub(crate) fn to(line: &str, original: &[&str]) -> Vec<Self> {
        let wanted: HashSet<&str> = words(line).collect();
        let mut found: Vec<(usize, usize)> = original
            .iter()
            .enumerate()
            .filter_map(|(at, text)| {
                let has: HashSet<&str> = words(text).collect();
                let shared = wanted.intersection(&has).count();
                let all = wanted.len() + has.len() - shared;
                (2 * shared >= all && shared > 0 || line::alike(line, text))
                    .then(|| (1000 - 1000 * shared / all.max(1), at))
            })
            .collect();
        found.sort_unstable();
        found.into_iter().take(Self::MOST).map(|(_, at)| Self::at(at, at + 1, original)).collect()
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
