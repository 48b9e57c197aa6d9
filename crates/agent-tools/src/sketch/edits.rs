//! Line edits from the places of a sketch's chunks.

use super::align::{self, Likeness, Pair};
use super::candidate::{Candidate, Change};
use super::index::{Id, Index};
use super::parse::Chunk;
use crate::drift::{self, Block, Drift};
use crate::edit::LineEdit;
use crate::line;

/// How many times the drift decide nothing of it. Found by trying it on sketches made from the
/// differences between published releases.
const FEW: usize = 6;

/// What is done to the lines `start..end` of the file, from 0.
struct Hunk<'a> {
    start: usize,
    end: usize,
    new: Vec<&'a str>,
}

/// The edits that put `chunk` at its place; `None` when the indentation of its new lines cannot be told.
pub(super) fn edits(
    chunk: &Chunk<'_>,
    at: usize,
    place: &Candidate,
    index: &Index<'_>,
) -> Option<Vec<LineEdit>> {
    if place.change == Change::Nothing {
        return Some(Vec::new());
    }
    let (new, old) = (&index.chunks[at], &index.ids[place.start..place.end]);
    let text = |pair: &Pair| (chunk.lines[pair.new], index.original[place.start + pair.old]);
    let context = context(&chunk.lines, new, old);
    let drift = Drift::between(context.iter().map(text));
    // Tabs here and spaces there are told from a change by all lines that match.
    let restyled = match drift {
        Drift::None => Drift::between(shared(new, old).iter().map(text)),
        Drift::Style { .. } | Drift::Dedented(_) | Drift::Indented(_) | Drift::Irregular => {
            drift.clone()
        }
    };
    let likeness = |a: usize, b: usize| {
        let (sketch, file) = (chunk.lines[a], index.original[place.start + b]);
        match (new[a].loose == old[b].loose, restyled.explains(sketch, file)) {
            (true, true) if drift == Drift::None && sketch != file => Likeness::Alike,
            (true, true) => Likeness::Same,
            (true, false) => Likeness::Doubtful,
            (false, _) => Likeness::None,
        }
    };
    let pairs = match (&drift, &restyled) {
        (Drift::Style { .. } | Drift::Dedented(_) | Drift::Indented(_), _)
        | (Drift::None, Drift::Style { tab: Some(_) }) => {
            align::align_by(new.len(), old.len(), likeness)
        }
        (Drift::None | Drift::Irregular, _) => align::align(new, old),
    };
    // In a chunk that has drifted a line that is alike is the file's own; in one that has not, its white space was changed on purpose.
    let keeps = |pair: &&Pair| {
        let (sketch, file) = text(pair);
        sketch == file
            || drift != Drift::None
            || line::is_blank(sketch)
            || drift::is_restyled(line::indent(sketch), line::indent(file))
                && sketch.trim() == file.trim()
    };
    let kept: Vec<Pair> = pairs.iter().filter(keeps).copied().collect();
    let hunks = hunks(&kept, chunk, place);
    let blocks: Vec<Block<'_>> = hunks.iter().map(|hunk| block(hunk, index)).collect();
    let unit = drift::unit(&index.original);
    let settled = drift.settle(&blocks, unit, FEW)?;
    if matches!((&drift, &restyled), (Drift::None, Drift::Style { tab: Some(_) }))
        && restyled.settle(&blocks, unit, FEW).is_none_or(|other| other != settled)
    {
        return None;
    }
    Some(hunks.iter().zip(settled).map(|(hunk, new)| edit(hunk.start, hunk.end, &new)).collect())
}

/// The edit that replaces the lines `start..end`, from 0.
pub(crate) fn edit(start: usize, end: usize, new: &[impl AsRef<str>]) -> LineEdit {
    let mut replacement = String::new();
    for line in new {
        replacement.push_str(line.as_ref());
        replacement.push('\n');
    }
    LineEdit { start_line: start + 1, end_line: end, replacement, old: None }
}

/// The lines that match one after the other from either end: what the sketch shows as context. A run whose first line is equal ends where white
/// space differs: from there on the difference is a change.
fn context(lines: &[&str], new: &[Id], old: &[Id]) -> Vec<Pair> {
    let shorter = new.len().min(old.len());
    let run = |pairs: &mut dyn Iterator<Item = Pair>| -> Vec<Pair> {
        let mut found: Vec<Pair> = Vec::new();
        let mut equal = None;
        for pair in
            pairs.take(shorter).take_while(|pair| new[pair.new].loose == old[pair.old].loose)
        {
            if !line::is_blank(lines[pair.new]) {
                let is = new[pair.new].exact == old[pair.old].exact;
                if *equal.get_or_insert(is) && !is {
                    break;
                }
            }
            found.push(pair);
        }
        found
    };
    let mut context = run(&mut (0..).map(|at| Pair { new: at, old: at }));
    let tail = run(&mut (1..=shorter).map(|at| Pair { new: new.len() - at, old: old.len() - at }));
    let ends = context.last().map_or((0, 0), |pair| (pair.new + 1, pair.old + 1));
    context.extend(tail.into_iter().filter(|pair| pair.new >= ends.0 && pair.old >= ends.1));
    context
}

/// The lines that match one after the other from either end, white space aside.
fn shared(new: &[Id], old: &[Id]) -> Vec<Pair> {
    let alike = |pair: &Pair| new[pair.new].loose == old[pair.old].loose;
    let shorter = new.len().min(old.len());
    let head = (0..shorter).map(|at| Pair { new: at, old: at }).take_while(alike);
    let mut shared: Vec<Pair> = head.collect();
    let left = shorter - shared.len();
    let tail = (1..=left).map(|at| Pair { new: new.len() - at, old: old.len() - at });
    shared.extend(tail.take_while(alike));
    shared
}

/// What lies between kept lines.
fn hunks<'a>(kept: &[Pair], chunk: &Chunk<'a>, place: &Candidate) -> Vec<Hunk<'a>> {
    let mut hunks = Vec::new();
    let (mut new, mut old) = (0, 0);
    let end = Pair { new: chunk.lines.len(), old: place.end - place.start };
    for pair in kept.iter().chain([&end]) {
        if pair.new > new || pair.old > old {
            hunks.push(Hunk {
                start: place.start + old,
                end: place.start + pair.old,
                new: chunk.lines[new..pair.new].to_vec(),
            });
        }
        (new, old) = (pair.new + 1, pair.old + 1);
    }
    hunks
}

fn block<'a>(hunk: &'a Hunk<'a>, index: &'a Index<'a>) -> Block<'a> {
    let solid = |line: &&&str| !line::is_blank(line);
    Block {
        new: &hunk.new,
        deleted: &index.original[hunk.start..hunk.end],
        before: index.original[..hunk.start].iter().rev().find(solid).copied(),
        after: index.original[hunk.end..].iter().find(solid).copied(),
    }
}
