//! A file while it is being changed, line by line, and what the changes come to.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::LineEdit;

/// The lines of a file as they are so far, each knowing which line of the original it is.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    original: &'a [&'a str],
    lines: Vec<Line<'a>>,
}

#[derive(Clone, Debug)]
struct Line<'a> {
    text: Cow<'a, str>,
    /// Its number in the original, from 0; none for a new line.
    origin: Option<usize>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(original: &'a [&'a str]) -> Self {
        let line =
            |(at, text): (usize, &&'a str)| Line { text: Cow::Borrowed(*text), origin: Some(at) };
        Self { original, lines: original.iter().enumerate().map(line).collect() }
    }

    /// The lines as they are so far.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.lines.iter().map(|line| &*line.text).collect()
    }

    /// Puts lines in the place of others. Equal lines at either end stay as they are.
    pub(super) fn replace(&mut self, range: Range<usize>, new: &[String]) {
        let old = &self.lines[range.clone()];
        let lead = old.iter().zip(new).take_while(|(old, new)| old.text == **new).count();
        let (old, new) = (&old[lead..], &new[lead..]);
        let tail =
            old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old.text == **new);
        let tail = tail.count();
        let new = new[..new.len() - tail].iter();
        let new = new.map(|text| Line { text: Cow::Owned(text.clone()), origin: None });
        self.lines.splice(range.start + lead..range.end - tail, new);
    }

    /// The line edits that make the original what the draft is now, in the order of the lines.
    pub(super) fn edits(&self) -> Vec<LineEdit> {
        let mut edits = Vec::new();
        let mut next = 0;
        let mut new: Vec<&str> = Vec::new();
        for line in &self.lines {
            if let Some(origin) = line.origin {
                edits.extend(self.edit(next..origin, &new));
                next = origin + 1;
                new.clear();
            } else {
                new.push(&line.text);
            }
        }
        edits.extend(self.edit(next..self.original.len(), &new));
        edits
    }

    fn edit(&self, old: Range<usize>, new: &[&str]) -> Option<LineEdit> {
        if self.original[old.clone()] == *new {
            return None;
        }
        let mut replacement = String::new();
        for line in new {
            replacement.push_str(line);
            replacement.push('\n');
        }
        Some(LineEdit { start_line: old.start + 1, end_line: old.end, replacement, old: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start_line: usize, end_line: usize, replacement: &str) -> LineEdit {
        LineEdit { start_line, end_line, replacement: replacement.to_owned(), old: None }
    }

    fn lines(text: &str) -> Vec<String> {
        text.split_terminator('|').map(str::to_owned).collect()
    }

    #[test]
    fn changes_come_to_line_edits_of_the_original() {
        for (changes, expected) in [
            (vec![(1..2, "B")], vec![edit(2, 2, "B\n")]),
            (vec![(1..1, "x|y")], vec![edit(2, 1, "x\ny\n")]),
            (vec![(0..4, "a|B|c|d")], vec![edit(2, 2, "B\n")]),
            (vec![(2..4, "")], vec![edit(3, 4, "")]),
            (vec![(4..4, "|")], vec![edit(5, 4, "\n")]),
            // The second counts in the lines that the first left.
            (vec![(0..1, "x|y|z"), (4..5, "C")], vec![edit(1, 1, "x\ny\nz\n"), edit(3, 3, "C\n")]),
            // Changing a new line again is one edit, changing it back none.
            (vec![(1..2, "B"), (1..2, "BB")], vec![edit(2, 2, "BB\n")]),
            (vec![(1..2, "B"), (1..2, "b")], vec![]),
        ] {
            let original = ["a", "b", "c", "d"];
            let mut draft = Draft::new(&original);
            for (range, new) in &changes {
                draft.replace(range.clone(), &lines(new));
            }
            assert_eq!(draft.edits(), expected, "{changes:?}");
        }
    }
}
