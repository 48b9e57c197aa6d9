//! One change as a patch gives it, before its place in the file is known.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::line;

/// Which side of a change a line is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Both: it stays.
    Kept,
    /// The old one alone: it goes.
    Old,
    /// The new one alone.
    New,
}

/// A line of a hunk, without its ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) side: Side,
    pub(super) text: String,
}

/// Where a unified diff says that a hunk belongs, in lines counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) old_start: usize,
    pub(super) old_count: usize,
    pub(super) new_start: usize,
    pub(super) new_count: usize,
}

/// Lines that stay, lines that go and lines that come, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) rows: Vec<Row>,
    /// Lines somewhere above, outermost first, such as the signature of the function.
    pub(super) headers: Vec<String>,
    /// Whether it is said to end the file.
    pub(super) ends_file: bool,
    pub(super) numbers: Option<Numbers>,
    /// Where in the patch it begins, counted from 1.
    pub(super) line: usize,
}

impl Hunk {
    /// The hunk that replaces `old` with `new`. Lines that both have are kept.
    pub(super) fn between(old: &[&str], new: &[&str]) -> Self {
        let mut rows = Vec::new();
        let mut add = |side, lines: &[&str]| {
            rows.extend(lines.iter().map(|text| Row { side, text: (*text).to_owned() }));
        };
        // Of lines that repeat, such as closing brackets, it pairs those between equal neighbours.
        for op in capture_diff_slices(Algorithm::Histogram, old, new) {
            if let DiffOp::Equal { .. } = op {
                add(Side::Kept, &old[op.old_range()]);
            } else {
                add(Side::Old, &old[op.old_range()]);
                add(Side::New, &new[op.new_range()]);
            }
        }
        Self { rows, ..Self::default() }
    }

    pub(super) fn push(&mut self, side: Side, text: &str) {
        self.rows.push(Row { side, text: text.to_owned() });
    }

    /// The lines that are looked for.
    pub(super) fn old_lines(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| row.side != Side::New).map(|row| row.text.as_str()).collect()
    }

    /// The lines that take their place.
    pub(super) fn new_lines(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| row.side != Side::Old).map(|row| row.text.as_str()).collect()
    }

    /// Whether anything goes or comes.
    pub(super) fn changes(&self) -> bool {
        self.rows.iter().any(|row| row.side != Side::Kept)
    }

    /// How many lines stay before the first change and after the last.
    pub(super) fn margins(&self) -> (usize, usize) {
        let kept = |row: &&Row| row.side == Side::Kept;
        let lead = self.rows.iter().take_while(kept).count();
        let tail = self.rows[lead..].iter().rev().take_while(kept).count();
        (lead, tail)
    }

    /// The hunk without the blank lines that it begins or ends with and that stay, if it has any
    /// and something else to be found by.
    pub(super) fn without_blank_margins(&self) -> Option<Self> {
        let blank = |row: &&Row| row.side == Side::Kept && line::is_blank(&row.text);
        let lead = self.rows.iter().take_while(blank).count();
        let tail = self.rows[lead..].iter().rev().take_while(blank).count();
        let rows = &self.rows[lead..self.rows.len() - tail];
        let found_by = |row: &Row| row.side != Side::New && !line::is_blank(&row.text);
        (lead + tail > 0 && rows.iter().any(found_by)).then(|| Self {
            rows: rows.to_vec(),
            numbers: None,
            ..self.clone()
        })
    }
}
