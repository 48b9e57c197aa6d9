//! Checks a plan against the file before anything is changed.

use super::problem::{EditProblem, Fault, PlanError, numbered};
use super::{EditLimits, LineEdit};
use crate::text::TextFile;

/// An edit that has been checked: its lines exist and nothing else touches them.
#[derive(Debug)]
pub(super) struct Planned {
    /// The first line that is replaced, or before which lines are inserted, counted from 1.
    pub(super) first: usize,
    /// How many lines are replaced.
    pub(super) removed: usize,
    /// The new lines without endings, in the encoding of the file.
    pub(super) lines: Vec<Vec<u8>>,
}

/// Checks every edit and returns the plan in the order of the lines, or everything that is wrong
/// with it.
pub(super) fn check(
    file: &TextFile,
    edits: &[LineEdit],
    limits: &EditLimits,
) -> Result<Vec<Planned>, PlanError> {
    if edits.is_empty() {
        return Err(PlanError::NoEdits);
    }
    if edits.len() > limits.max_edits {
        return Err(PlanError::TooMany { given: edits.len(), max: limits.max_edits });
    }
    let mut problems = Vec::new();
    let mut in_file = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        match check_range(file, edit).and_then(|()| check_current(file, edit)) {
            Ok(()) => in_file.push((index, edit)),
            Err(fault) => problems.push(EditProblem::new(index, edit, fault)),
        }
    }
    // An insertion before line n comes before an edit that replaces line n.
    in_file.sort_by_key(|(_, edit)| (edit.start_line, edit.end_line));
    problems.extend(collisions(&in_file));
    let mut plan = Vec::new();
    for (index, edit) in in_file {
        match encode(file, edit) {
            Ok(planned) => plan.push(planned),
            Err(fault) => problems.push(EditProblem::new(index, edit, fault)),
        }
    }
    if problems.is_empty() {
        return Ok(plan);
    }
    problems.sort_by_key(|problem| problem.edit);
    Err(PlanError::Refused { problems })
}

fn check_range(file: &TextFile, edit: &LineEdit) -> Result<(), Fault> {
    let LineEdit { start_line, end_line, .. } = *edit;
    let lines = file.line_count();
    if start_line == 0 {
        return Err(Fault::LineZero);
    }
    if start_line > lines + 1 || end_line > lines {
        let end_of_file = numbered(file, lines.saturating_sub(2).max(1), lines);
        return Err(Fault::Outside { lines, end_of_file });
    }
    if end_line < start_line - 1 {
        return Err(Fault::Backwards);
    }
    Ok(())
}

/// Compares `old` with the lines as they are, and makes sure that they can be read at all.
fn check_current(file: &TextFile, edit: &LineEdit) -> Result<(), Fault> {
    let range = edit.start_line..=edit.end_line;
    if let Some(line) = range.clone().find(|line| !file.line_is_clean(*line)) {
        return Err(Fault::Undecodable { line, encoding: file.encoding().name() });
    }
    let Some(old) = &edit.old else {
        return Ok(());
    };
    if edit.is_insertion() {
        return if old.is_empty() { Ok(()) } else { Err(Fault::OldOfNothing) };
    }
    let old = match old.as_str() {
        "" => vec![""],
        old => lines_of(old),
    };
    if stands_at(file, &old, edit.start_line) && old.len() == range.clone().count() {
        return Ok(());
    }
    let squeezed = |line: &str| line.split_whitespace().collect::<String>();
    let elsewhere = (1..=file.line_count()).filter(|line| stands_at(file, &old, *line));
    Err(Fault::OldDiffers {
        current: numbered(file, edit.start_line, edit.end_line),
        only_space: range
            .map(|line| squeezed(&file.line(line)))
            .eq(old.iter().map(|line| squeezed(line))),
        elsewhere: elsewhere.take(3).collect(),
    })
}

fn stands_at(file: &TextFile, lines: &[&str], first: usize) -> bool {
    first + lines.len() <= file.line_count() + 1
        && lines.iter().zip(first..).all(|(line, number)| file.line(number) == *line)
}

/// Edits that touch what an earlier line's edit touches. `edits` are in the order of the lines.
fn collisions(edits: &[(usize, &LineEdit)]) -> Vec<EditProblem> {
    let mut problems = Vec::new();
    // The edit that reaches furthest down so far.
    let mut furthest: Option<(usize, &LineEdit)> = None;
    for &(index, edit) in edits {
        if let Some((other_index, other)) = furthest {
            let same = (other.start_line, other.end_line) == (edit.start_line, edit.end_line);
            let meets = edit.start_line <= other.end_line || same;
            // Whichever comes later in the plan is the one to be mended.
            let (late, early) = if index > other_index {
                ((index, edit), other_index)
            } else {
                ((other_index, other), index)
            };
            let other = early + 1;
            let fault = match (same, edit.is_insertion()) {
                (true, true) => Fault::SamePlace { other },
                (true, false) => Fault::Duplicate { other },
                (false, _) => Fault::Overlap { other },
            };
            if meets {
                problems.push(EditProblem::new(late.0, late.1, fault));
            }
        }
        if furthest.is_none_or(|(_, other)| edit.end_line >= other.end_line) {
            furthest = Some((index, edit));
        }
    }
    problems
}

fn encode(file: &TextFile, edit: &LineEdit) -> Result<Planned, Fault> {
    let encoding = file.encoding();
    let refuse = |character| Fault::Unencodable { character, encoding: encoding.name() };
    if edit.replacement.contains('\0') {
        return Err(refuse('\0'));
    }
    // A byte order mark belongs to the file and stays; it is never part of a line.
    let replacement = match edit.replacement.strip_prefix('\u{feff}') {
        Some(rest) if edit.start_line == 1 => rest,
        _ => &edit.replacement,
    };
    let lines: Result<Vec<_>, _> =
        lines_of(replacement).into_iter().map(|line| encoding.encode(line)).collect();
    Ok(Planned {
        first: edit.start_line,
        removed: (edit.end_line + 1).saturating_sub(edit.start_line),
        lines: lines.map_err(refuse)?,
    })
}

/// The whole lines of a replacement, without endings: none for the empty text, and a final newline
/// ends the last line rather than opening another.
fn lines_of(text: &str) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
}
