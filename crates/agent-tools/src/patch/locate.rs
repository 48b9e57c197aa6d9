//! Where old lines stand in a file: a ladder of leniency.
//!
//! The strictest rung that finds anything decides. If it finds the lines once, that is the place;
//! if it finds them twice, there is no telling which is meant, and a more lenient rung could only
//! find more.

use std::ops::Range;

use crate::sketch::line;

/// How leniently lines are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Every character counts.
    Exact,
    /// White space at the ends of lines does not.
    TrailingSpace,
    /// Nor does indentation.
    Indentation,
    /// White space does not count at all.
    Spacing,
}

impl Rung {
    const ALL: [Self; 4] = [Self::Exact, Self::TrailingSpace, Self::Indentation, Self::Spacing];

    fn same(self, a: &str, b: &str) -> bool {
        match self {
            Self::Exact => a == b,
            Self::TrailingSpace => a.trim_end() == b.trim_end(),
            Self::Indentation => a.trim() == b.trim(),
            Self::Spacing => line::alike(a, b),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// The lines stand in one place.
    One {
        /// The first of them, from 0.
        start: usize,
        /// What it took to find them.
        rung: Rung,
    },
    /// They stand in several places.
    Several {
        /// The first line of each, from 0.
        starts: Vec<usize>,
    },
    /// They are not there.
    Nowhere,
}

/// Looks for `old` among the lines of `file` that lie in `range`.
pub fn locate(file: &[&str], old: &[impl AsRef<str>], range: Range<usize>) -> Location {
    let end = range.end.min(file.len());
    if old.is_empty() || range.start + old.len() > end {
        return Location::Nowhere;
    }
    for rung in Rung::ALL {
        let stands = |start: &usize| {
            old.iter().zip(&file[*start..]).all(|(old, line)| rung.same(old.as_ref(), line))
        };
        let starts: Vec<usize> = (range.start..=end - old.len()).filter(stands).collect();
        match starts.as_slice() {
            [] => {}
            [start] => return Location::One { start: *start, rung },
            [_, _, ..] => return Location::Several { starts },
        }
    }
    Location::Nowhere
}

/// The lines that belong to a header such as `fn main() {`: those below it that are indented
/// deeper, with what closes it. `None` unless `range` has the header once.
pub(super) fn scope(file: &[&str], header: &str, range: Range<usize>) -> Option<Range<usize>> {
    let Location::One { start, .. } = locate(file, &[header], range.clone()) else { return None };
    let depth = |line: &str| line::indent(line).len();
    let own = depth(file[start]);
    let mut end = start + 1;
    while let Some(line) = file.get(end).filter(|_| end < range.end) {
        let closes = line.trim_start().starts_with(['}', ')', ']', '{']);
        if !line::is_blank(line) && depth(line) <= own && !(closes && depth(line) == own) {
            break;
        }
        end += 1;
    }
    Some(start..end)
}
