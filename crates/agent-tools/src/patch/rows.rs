//! The lines of a hunk as patches write them.

use super::hunk::{Hunk, Numbers, Side};

/// A hunk that is being read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) hunk: Hunk,
    /// How many lines at its end are empty, even of the space that marks a line that stays. They
    /// may be lines of the file or of the layout.
    bare: usize,
}

impl Reading {
    pub(super) fn new(line: usize) -> Self {
        Self { hunk: Hunk { line, ..Hunk::default() }, bare: 0 }
    }

    /// Reads a line. One without a sign is taken to stay: models forget the space.
    pub(super) fn read(&mut self, line: &str) {
        if line.is_empty() && self.hunk.rows.is_empty() {
            return;
        }
        self.bare = if line.is_empty() { self.bare + 1 } else { 0 };
        let (side, text) = match line.split_at_checked(1) {
            Some(("+", text)) => (Side::New, text),
            Some(("-", text)) => (Side::Old, text),
            Some((" ", text)) => (Side::Kept, text),
            _ => (Side::Kept, line),
        };
        self.hunk.push(side, text);
    }

    /// Whether as many lines have been read as its header announces.
    pub(super) fn is_full(&self) -> bool {
        let counts = (self.hunk.old_lines().len(), self.hunk.new_lines().len());
        self.hunk
            .numbers
            .is_some_and(|Numbers { old_count, new_count, .. }| counts == (old_count, new_count))
    }

    /// The hunk without the empty lines that only end its text; nothing if it changes nothing.
    pub(super) fn finish(mut self) -> Option<Hunk> {
        while self.bare > 0 && !self.is_full() {
            self.hunk.rows.pop();
            self.bare -= 1;
        }
        self.hunk.changes().then_some(self.hunk)
    }
}
