//! The edits that a hunk makes at its place.

use std::collections::HashMap;

use super::hunk::Hunk;
use crate::edit::LineEdit;
use crate::sketch::align::{self, Pair, Sameness};
use crate::sketch::drift::{self, Block, Drift};
use crate::sketch::edits;
use crate::sketch::index::Id;
use crate::sketch::line;

/// The edits that replace the old lines of `hunk`, which stand in `file` from `start` on.
///
/// Lines that both sides have stay as the file has them. The indentation of the others follows the
/// drift of the old lines; `None` when it cannot be told.
pub(super) fn edits(hunk: &Hunk, file: &[&str], start: usize) -> Option<Vec<LineEdit>> {
    let Hunk { old, new, .. } = hunk;
    let place = &file[start..start + old.len()];
    let drift = Drift::between(old.iter().map(String::as_str).zip(place.iter().copied()));
    let (new_ids, old_ids) = ids(new, old);
    let pairs = align::align(&new_ids, &old_ids, Sameness::Equal);
    let end = Pair { new: new.len(), old: old.len() };
    let lines: Vec<&str> = new.iter().map(String::as_str).collect();

    let mut spans = Vec::new();
    let (mut next_new, mut next_old) = (0, 0);
    for pair in pairs.into_iter().chain([end]) {
        if pair.new > next_new || pair.old > next_old {
            spans.push((next_new..pair.new, start + next_old..start + pair.old));
        }
        (next_new, next_old) = (pair.new + 1, pair.old + 1);
    }
    let solid = |line: &&&str| !line::is_blank(line);
    let blocks: Vec<Block<'_>> = spans
        .iter()
        .map(|(new, old)| Block {
            new: &lines[new.clone()],
            deleted: &file[old.clone()],
            before: file[..old.start].iter().rev().find(solid).copied(),
            after: file[old.end..].iter().find(solid).copied(),
        })
        .collect();
    let settled = drift.settle(&blocks, drift::unit(file))?;
    let edit = |((_, old), new): (&(_, std::ops::Range<usize>), Vec<String>)| {
        edits::edit(old.start, old.end, &new)
    };
    Some(spans.iter().zip(settled).map(edit).collect())
}

/// Numbers for lines, equal for equal lines.
fn ids(new: &[String], old: &[String]) -> (Vec<Id>, Vec<Id>) {
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut id = |line: &String| {
        let next = known.len() as u32 + 1;
        let number = *known.entry(line.clone()).or_insert(next);
        Id { loose: number, exact: number }
    };
    (new.iter().map(&mut id).collect(), old.iter().map(&mut id).collect())
}
