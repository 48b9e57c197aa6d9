//! What a hunk does to the lines at its place.

use std::ops::Range;

use super::error::{Part, PatchError};
use super::hunk::{Hunk, Row, Side};
use super::locate::Rung;
use crate::drift::{self, Block, Drift};
use crate::line;

/// How many times the drift decide nothing of it: fewer than with sketches, since here it is sure
/// which lines are old.
pub(super) const FEW: usize = 3;

/// New lines for some lines of the file, counted from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) new: Vec<String>,
}

/// What the hunks of one patch come to at their places, and what they show of its author.
///
/// Where the old lines are indented otherwise than in the file, the new ones may have to move like
/// them, or may stand where they should already. Each hunk is judged by what surrounds its new
/// lines; one that leaves it open follows the others, and two that differ settle nothing.
#[derive(Debug, Default)]
pub(super) struct Fitting {
    /// What other hunks showed.
    known: Option<Habit>,
    left: bool,
    moved: bool,
    /// The first hunk that left it open.
    open: Option<(Part, usize)>,
}

/// What the new lines of a patch are like whose old lines are indented otherwise than in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// They are indented as they should be.
    Left,
    /// They are indented like the old lines.
    Moved,
}

impl Fitting {
    /// Another try, knowing what this one showed; `Ok(None)` if there is no need for one.
    pub(super) fn again(&self) -> Result<Option<Self>, PatchError> {
        let Some((part, start)) = self.open else { return Ok(None) };
        let known = match (self.known, self.left, self.moved) {
            (None, true, false) => Habit::Left,
            (None, false, true) => Habit::Moved,
            _ => return Err(PatchError::Indentation { part, line: start + 1 }),
        };
        Ok(Some(Self { known: Some(known), ..Self::default() }))
    }

    /// What `hunk` comes to where its old lines stand at `start`, in the order of the lines.
    ///
    /// Lines that stay keep the file's spelling.
    pub(super) fn fit(
        &mut self,
        hunk: &Hunk,
        rung: Rung,
        file: &[&str],
        start: usize,
        part: Part,
    ) -> Vec<Splice> {
        let runs = runs(&hunk.rows, start);
        let mut new: Vec<Vec<String>> =
            runs.iter().map(|run| run.new.iter().map(|&line| line.to_owned()).collect()).collect();
        if rung >= Rung::Indentation {
            let old = hunk.old_lines();
            let drift = Drift::between(old.iter().copied().zip(file[start..].iter().copied()));
            if !matches!(drift, Drift::Style { .. }) || !is_in_style(&runs, &old, &file[start..]) {
                new = self.indent(&drift, &runs, new, file).unwrap_or_else(|open| {
                    self.open.get_or_insert((part, start));
                    open
                });
            }
        }
        if self.left && self.moved {
            self.open.get_or_insert((part, start));
        }
        if rung == Rung::Punctuation {
            for (run, new) in runs.iter().zip(&mut new) {
                restore(run, file, new);
            }
        }
        runs.into_iter().zip(new).map(|(run, new)| Splice { range: run.range, new }).collect()
    }

    /// The new lines with the indentation that they are to have; as they are given, as an error,
    /// where it cannot be told.
    fn indent(
        &mut self,
        drift: &Drift,
        runs: &[Run<'_>],
        given: Vec<Vec<String>>,
        file: &[&str],
    ) -> Result<Vec<Vec<String>>, Vec<Vec<String>>> {
        let blocks: Vec<Block<'_>> = runs.iter().map(|run| block(run, file)).collect();
        let settled = drift.settle(&blocks, drift::unit(file), FEW);
        let moved = moved(drift, &given);
        if let (Some(settled), Some(moved)) = (&settled, &moved)
            && moved != &given
        {
            self.left |= settled == &given;
            self.moved |= settled == moved;
        }
        match (settled, self.known, moved) {
            (Some(settled), _, _) => Ok(settled),
            (None, Some(Habit::Moved), Some(moved)) => Ok(moved),
            (None, Some(Habit::Left), Some(_)) => Ok(given),
            (None, _, _) => Err(given),
        }
    }
}

/// Whether the new lines are indented with what the file is indented with, tabs or spaces, where
/// the old lines are not.
fn is_in_style(runs: &[Run<'_>], old: &[&str], file: &[&str]) -> bool {
    let (tab, space) = ('\t', ' ');
    let differ = |is: char, was: char| {
        let mut pairs =
            old.iter().zip(file).map(|(old, file)| (line::indent(old), line::indent(file)));
        pairs.any(|(old, file)| old != file && old.starts_with(was) && file.starts_with(is))
    };
    let mut new = runs.iter().flat_map(|run| &run.new);
    match (differ(tab, space), differ(space, tab)) {
        (true, false) => new.all(|line| !line.starts_with("  ")),
        (false, true) => new.all(|line| !line::indent(line).contains('\t')),
        _ => false,
    }
}

/// The lines moved as the drift would have them; `None` where it gives no direction.
fn moved(drift: &Drift, lines: &[Vec<String>]) -> Option<Vec<Vec<String>>> {
    let shift = |line: &String| match drift {
        _ if line::is_blank(line) => Some(line.clone()),
        Drift::Dedented(more) => Some(format!("{more}{line}")),
        Drift::Indented(more) => line.strip_prefix(more.as_str()).map(str::to_owned),
        Drift::None | Drift::Style { .. } | Drift::Irregular => None,
    };
    lines.iter().map(|lines| lines.iter().map(shift).collect()).collect()
}

/// A change between lines that stay.
struct Run<'a> {
    /// The file's lines that go.
    range: Range<usize>,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

fn runs(rows: &[Row], start: usize) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut at = start;
    for changed in rows.chunk_by(|a, b| (a.side == Side::Kept) == (b.side == Side::Kept)) {
        let side = |side: Side| {
            changed.iter().filter(move |row| row.side == side).map(|row| row.text.as_str())
        };
        let (kept, old) = (side(Side::Kept).count(), side(Side::Old).collect::<Vec<_>>());
        let range = at..at + old.len();
        at += kept + old.len();
        if kept == 0 {
            runs.push(Run { range, old, new: side(Side::New).collect() });
        }
    }
    runs
}

fn block<'a>(run: &'a Run<'a>, file: &'a [&'a str]) -> Block<'a> {
    let solid = |line: &&&str| !line::is_blank(line);
    Block {
        new: &run.new,
        deleted: &file[run.range.clone()],
        before: file[..run.range.start].iter().rev().find(solid).copied(),
        after: file[run.range.end..].iter().find(solid).copied(),
    }
}

/// Gives lines that are changed in part the file's own spelling in the rest of them, so that
/// typographic quotes do not become straight ones in passing.
fn restore(run: &Run<'_>, file: &[&str], new: &mut [String]) {
    if run.old.len() != new.len() {
        return;
    }
    for ((old, file), new) in run.old.iter().zip(&file[run.range.clone()]).zip(new) {
        let (old, file): (Vec<char>, Vec<char>) =
            (old.trim().chars().collect(), file.trim().chars().collect());
        let (indent, text) = new.split_at(line::indent(new).len());
        let text: Vec<char> = text.trim_end().chars().collect();
        if old.len() != file.len() {
            continue;
        }
        let lead = old.iter().zip(&text).take_while(|(a, b)| a == b).count();
        let (old, text) = (&old[lead..], &text[lead..]);
        let tail = old.iter().rev().zip(text.iter().rev()).take_while(|(a, b)| a == b).count();
        let middle = text[..text.len() - tail].iter();
        let restored = file[..lead].iter().chain(middle).chain(&file[file.len() - tail..]);
        *new = indent.chars().chain(restored.copied()).collect();
    }
}
