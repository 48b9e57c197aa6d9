//! Why a plan is refused, in words that let its author mend it.

use std::fmt;

use super::LineEdit;
use crate::text::TextFile;

/// Why a plan was not applied. Nothing of it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The plan is empty.
    #[error("there are no edits in the plan; give at least one")]
    NoEdits,
    /// The plan has more edits than allowed.
    #[error(
        "there are {given} edits in the plan, and at most {max} are allowed; \
         join neighbouring edits, or make the change in several calls"
    )]
    TooMany {
        /// How many edits there are.
        given: usize,
        /// How many are allowed.
        max: usize,
    },
    /// Some of the edits cannot be applied, in the order in which they were given.
    #[error("{}", listed(problems))]
    Refused {
        /// One for each edit that cannot.
        problems: Vec<EditProblem>,
    },
    /// The file would stay as it is.
    #[error(
        "the plan changes nothing: the lines already read so; \
         read the file again if another change was meant"
    )]
    NoChange,
}

/// One edit that cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditProblem {
    /// Which edit of the plan, counted from 1.
    pub edit: usize,
    /// The first line it names.
    pub start_line: usize,
    /// The last line it names.
    pub end_line: usize,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The first line is line 0.
    LineZero,
    /// The last line comes too far before the first.
    Backwards,
    /// The lines are not in the file.
    Outside {
        /// How many lines there are.
        lines: usize,
        /// The last of them, numbered.
        end_of_file: String,
    },
    /// Another edit names exactly the same lines.
    Duplicate {
        /// The other edit, counted from 1.
        other: usize,
    },
    /// Another edit names some of the same lines.
    Overlap {
        /// The other edit, counted from 1.
        other: usize,
    },
    /// Another edit inserts at the same place, and nothing says which comes first.
    SamePlace {
        /// The other edit, counted from 1.
        other: usize,
    },
    /// The lines do not hold what the edit believes.
    OldDiffers {
        /// What they hold, numbered.
        current: String,
        /// Whether only white space differs.
        only_space: bool,
        /// First lines of places, at most three, that do hold it.
        elsewhere: Vec<usize>,
    },
    /// An insertion, which replaces no line, believes that a line holds something.
    OldOfNothing,
    /// A line holds bytes that are not text, which a replacement would lose.
    Undecodable {
        /// The line.
        line: usize,
        /// The encoding of the rest.
        encoding: &'static str,
    },
    /// The replacement holds a character that the file cannot.
    Unencodable {
        /// The character.
        character: char,
        /// The encoding of the file.
        encoding: &'static str,
    },
}

impl EditProblem {
    pub(super) fn new(index: usize, edit: &LineEdit, fault: Fault) -> Self {
        let LineEdit { start_line, end_line, .. } = *edit;
        Self { edit: index + 1, start_line, end_line, fault }
    }

    fn write_fault(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start_line;
        match &self.fault {
            Fault::LineZero => write!(f, "lines are counted from 1"),
            Fault::Backwards => write!(
                f,
                "the end comes before the start; end_line is {} to insert before line {start}, \
                 {start} to replace that line alone",
                start - 1
            ),
            Fault::Outside { lines, end_of_file } => write!(
                f,
                "the file ends at line {lines}:\n{end_of_file}\nname lines up to {lines}; \
                 to append, use start_line {} and end_line {lines}",
                lines + 1
            ),
            Fault::Duplicate { other } => {
                write!(f, "edit {other} replaces the same lines; keep one of the two")
            }
            Fault::Overlap { other } => {
                write!(f, "edit {other} touches the same lines; make one edit of the two")
            }
            Fault::SamePlace { other } => write!(
                f,
                "edit {other} inserts at the same place, and nothing says which text comes first; \
                 make one edit of the two"
            ),
            Fault::OldDiffers { current, only_space, elsewhere } => {
                write_difference(f, current, *only_space, elsewhere)
            }
            Fault::OldOfNothing => {
                write!(f, "an insertion replaces no line, so its old must be left out")
            }
            Fault::Undecodable { line, encoding } => write!(
                f,
                "line {line} holds bytes that are not {encoding} and would be lost; \
                 edit other lines, or ask the user to repair this one"
            ),
            Fault::Unencodable { character: '\0', .. } => {
                write!(f, "the replacement holds a NUL character, which no text file does")
            }
            Fault::Unencodable { character, encoding } => write!(
                f,
                "the file is in {encoding}, which has no `{character}` (U+{:04X}); \
                 use characters of that encoding",
                u32::from(*character)
            ),
        }
    }
}

impl fmt::Display for EditProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { edit, start_line: start, end_line: end, .. } = *self;
        if matches!(self.fault, Fault::LineZero | Fault::Backwards) {
            // Here the numbers make no range, so each is named for what it is.
            write!(f, "edit {edit} (start_line {start}, end_line {end}): ")?;
        } else if end < start {
            write!(f, "edit {edit} (before line {start}): ")?;
        } else if end == start {
            write!(f, "edit {edit} (line {start}): ")?;
        } else {
            write!(f, "edit {edit} (lines {start} to {end}): ")?;
        }
        self.write_fault(f)
    }
}

fn write_difference(
    f: &mut fmt::Formatter<'_>,
    current: &str,
    only_space: bool,
    elsewhere: &[usize],
) -> fmt::Result {
    let space = if only_space { " (only white space differs)" } else { "" };
    write!(f, "old is not what stands there now{space}:\n{current}\n")?;
    match elsewhere {
        [] => write!(f, "plan the edit again from the current lines"),
        [line] => {
            write!(f, "old stands at line {line}; plan the edit again from the current lines")
        }
        lines => {
            let lines: Vec<_> = lines.iter().map(usize::to_string).collect();
            let lines = lines.join(", ");
            write!(f, "old stands at lines {lines}; plan the edit again from the current lines")
        }
    }
}

fn listed(problems: &[EditProblem]) -> String {
    let lines: Vec<_> = problems.iter().map(EditProblem::to_string).collect();
    format!("nothing was changed, because the plan does not fit the file:\n{}", lines.join("\n"))
}

/// Lines `first` to `last` with their numbers; of many or long lines only a part.
pub(super) fn numbered(file: &TextFile, first: usize, last: usize) -> String {
    const MAX_LINES: usize = 5;
    const MAX_CHARS: usize = 160;
    let shown = last.min(first + MAX_LINES - 1);
    let mut lines: Vec<String> = (first..=shown)
        .map(|number| {
            let line = file.line(number);
            let cut = line.char_indices().nth(MAX_CHARS);
            match cut {
                Some((at, _)) => format!("{number} | {}…", &line[..at]),
                None => format!("{number} | {line}"),
            }
        })
        .collect();
    if shown < last {
        lines.push(format!("… {} more", last - shown));
    }
    lines.join("\n")
}
