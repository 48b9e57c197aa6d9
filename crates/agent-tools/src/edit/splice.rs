//! Puts a file together from the lines that stay and the lines that are new.

use super::plan::Planned;
use crate::text::{LineEnding, TextFile};

/// The bytes of a carriage return and a line feed where characters have two.
const LONGEST_ENDING: usize = 4;

/// The bytes of `file` with the plan applied. The plan is in the order of the lines; since every
/// edit names lines of the old file, one pass from the top gives what applying them from the
/// bottom up would.
pub(super) fn splice(file: &TextFile, plan: &[Planned]) -> Vec<u8> {
    // Room for all of it, so that it is never moved: it may be large.
    let new = plan.iter().flat_map(|edit| &edit.lines).map(|line| line.len() + LONGEST_ENDING);
    let room = file.bytes().len() + new.sum::<usize>() + LONGEST_ENDING;
    let mut bytes = Vec::with_capacity(room);
    bytes.extend_from_slice(file.encoding().bom());
    let mut output = Output { file, bytes, ending: None };
    let mut next = 1;
    for edit in plan {
        output.keep(next, edit.first - 1);
        for (index, line) in edit.lines.iter().enumerate() {
            output.add(line, ending_for(file, edit, index));
        }
        next = edit.first + edit.removed;
    }
    output.keep(next, file.line_count());
    output.finish()
}

struct Output<'a> {
    file: &'a TextFile,
    bytes: Vec<u8>,
    /// The ending that the last line gets if another line follows it.
    ending: Option<LineEnding>,
}

impl Output<'_> {
    /// Copies lines that stay, byte for byte.
    fn keep(&mut self, first: usize, last: usize) {
        // The one line of an empty file is not a line that stays.
        if last < first || self.file.is_empty() {
            return;
        }
        self.end_line();
        self.bytes.extend_from_slice(&self.file.bytes()[self.file.byte_range(first, last)]);
        if self.file.ending(last).is_none() {
            self.ending = Some(ending_near(self.file, last));
        }
    }

    fn add(&mut self, line: &[u8], ending: LineEnding) {
        self.end_line();
        self.bytes.extend_from_slice(line);
        self.ending = Some(ending);
    }

    fn end_line(&mut self) {
        let Some(ending) = self.ending.take() else {
            return;
        };
        for character in ending.as_str().bytes() {
            let (bytes, width) = self.file.encoding().ascii(character);
            self.bytes.extend_from_slice(&bytes[..width]);
        }
    }

    /// A file that ended without a newline still does; an empty one gets it with its first line.
    fn finish(mut self) -> Vec<u8> {
        if self.file.is_empty() || self.file.ending(self.file.line_count()).is_some() {
            self.end_line();
        }
        self.bytes
    }
}

/// A new line ends like the line it replaces; beyond those, like its neighbours.
fn ending_for(file: &TextFile, edit: &Planned, index: usize) -> LineEnding {
    let replaced = (index < edit.removed).then(|| file.ending(edit.first + index)).flatten();
    replaced.unwrap_or_else(|| ending_near(file, edit.first + edit.removed - 1))
}

/// The ending of `line` or the nearest before it, else of the next after it.
fn ending_near(file: &TextFile, line: usize) -> LineEnding {
    // Only the last line can be without an ending, so both searches stop at once.
    let before = (1..=line).rev().find_map(|line| file.ending(line));
    before.or_else(|| file.ending(line + 1)).unwrap_or(LineEnding::Lf)
}
