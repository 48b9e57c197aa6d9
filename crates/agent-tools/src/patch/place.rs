//! Where the hunks of a patch belong that lists them in the order of the file.

use std::ops::Range;

use super::error::{Part, PatchError};
use super::hunk::{Hunk, Numbers};
use super::locate::Rung;
use super::nearest::nearest;
use super::scope;

/// A hunk's place: where its old lines stand, counted from 0, and how closely they agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Which hunk of the patch it is, from 0.
    pub(super) at: usize,
    /// The hunk, without lines at its ends that the file turned out not to have.
    pub(super) hunk: Hunk,
    pub(super) start: usize,
    pub(super) rung: Rung,
}

impl Place {
    /// The lines from the first to the last that change.
    fn changed(&self) -> Range<usize> {
        let changed = changed(&self.hunk);
        self.start + changed.start..self.start + changed.end
    }
}

/// The places that come into question for a hunk.
struct Candidates {
    hunk: Hunk,
    rung: Rung,
    starts: Vec<usize>,
}

/// Finds the place of every hunk. `part` names a hunk by its index.
pub(super) fn place(
    hunks: &[Hunk],
    file: &[&str],
    part: impl Fn(usize) -> Part,
) -> Result<Vec<Place>, PatchError> {
    if let Some(places) = as_numbered(hunks, file) {
        return Ok(places);
    }
    let numbered = hunks.iter().enumerate();
    let candidates: Vec<Candidates> = numbered
        .map(|(at, hunk)| candidates(hunk, file, part(at)))
        .collect::<Result<_, PatchError>>()?;
    let starts: Vec<usize> = match candidates.iter().position(|found| found.starts.len() > 1) {
        None => candidates.iter().map(|found| found.starts[0]).collect(),
        Some(several) => in_order(&candidates, |hunk| 0..hunk.old_lines().len())
            .or_else(|| in_order(&candidates, changed))
            .ok_or_else(|| PatchError::ambiguous(part(several), &candidates[several].starts))?,
    };
    let mut places: Vec<Place> = (candidates.into_iter().zip(starts).enumerate())
        .map(|(at, (Candidates { hunk, rung, .. }, start))| Place { at, hunk, start, rung })
        .collect();
    places.sort_by_cached_key(|place| (place.changed().start, place.changed().end, place.at));
    for pair in places.windows(2) {
        if pair[1].changed().start < pair[0].changed().end {
            return Err(PatchError::Overlap { first: part(pair[0].at), second: part(pair[1].at) });
        }
    }
    Ok(places)
}

/// Which of a hunk's old lines lie between the first change and the last.
fn changed(hunk: &Hunk) -> Range<usize> {
    let (lead, tail) = hunk.margins();
    let old = hunk.old_lines().len();
    lead.min(old)..(old - tail.min(old)).max(lead.min(old))
}

/// The places that the line numbers give, if every one of them is right.
///
/// A program that makes diffs never errs, and shows three lines of context where there are so
/// many. Of any other diff the numbers are not believed, however near they come: a model that
/// miscounts may hit upon a like place by chance.
fn as_numbered(hunks: &[Hunk], file: &[&str]) -> Option<Vec<Place>> {
    const CONTEXT: usize = 3;
    let mut shift = 0;
    let mut end = 0;
    let mut places = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        let Numbers { old_start, old_count, new_start, new_count } = hunk.numbers?;
        let old = hunk.old_lines();
        // Of no lines the number is that of the line before.
        let start = |start: usize, count: usize| start.checked_sub(usize::from(count > 0));
        let at = start(old_start, old_count)?;
        let below = at.checked_add(old_count)?;
        let (lead, tail) = hunk.margins();
        let made_by_a_program = (old_count, new_count) == (old.len(), hunk.new_lines().len())
            && at >= end
            && start(new_start, new_count)? == at.checked_add_signed(shift)?
            && (lead >= CONTEXT || at == 0)
            && (tail >= CONTEXT || below == file.len());
        if !made_by_a_program || file.get(at..below)? != old {
            return None;
        }
        end = below;
        shift += new_count.checked_signed_diff(old_count)?;
        places.push(Place { at: index, hunk: hunk.clone(), start: at, rung: Rung::Exact });
    }
    Some(places)
}

/// The places that come into question for a hunk, at least one.
fn candidates(hunk: &Hunk, file: &[&str], part: Part) -> Result<Candidates, PatchError> {
    let old = hunk.old_lines();
    if old.is_empty() {
        return if file.is_empty() || hunk.ends_file && hunk.headers.is_empty() {
            Ok(Candidates { hunk: hunk.clone(), rung: Rung::Exact, starts: vec![file.len()] })
        } else {
            Err(PatchError::NoOldText { part })
        };
    }
    let scopes = scope::scopes(&hunk.headers, file).map_err(|header| PatchError::NoHeader {
        part,
        header: header.to_owned(),
        nearest: nearest(&[header], file),
    })?;
    for hunk in [Some(hunk.clone()), hunk.without_blank_margins()].into_iter().flatten() {
        let old = hunk.old_lines();
        for rung in Rung::LADDER {
            let mut starts = rung.find(&old, file);
            narrow(&mut starts, |start| start + old.len() == file.len() && hunk.ends_file);
            starts.retain(|start| scopes.after.contains(start));
            let within = |start, block: &Range<usize>| {
                block.start <= start && start + old.len() <= block.end
            };
            narrow(&mut starts, |start| scopes.blocks.iter().any(|block| within(start, block)));
            if !starts.is_empty() {
                return Ok(Candidates { hunk, rung, starts });
            }
        }
    }
    Err(PatchError::NotFound { part, nearest: nearest(&old, file) })
}

/// Leaves only the places that are right, unless none is.
fn narrow(starts: &mut Vec<usize>, right: impl Fn(usize) -> bool) {
    if starts.iter().any(|start| right(*start)) {
        starts.retain(|start| right(*start));
    }
}

/// The one way of taking a candidate of each hunk so that all stand in order and apart, as far as
/// the old lines go that `part` names.
///
/// There is no other if taking the earliest each time and taking the latest come to the same.
fn in_order(candidates: &[Candidates], part: impl Fn(&Hunk) -> Range<usize>) -> Option<Vec<usize>> {
    let parts: Vec<Range<usize>> = candidates.iter().map(|found| part(&found.hunk)).collect();
    let mut earliest = Vec::new();
    let mut from = 0;
    for (found, part) in candidates.iter().zip(&parts) {
        let start = *found.starts.iter().find(|start| **start + part.start >= from)?;
        earliest.push(start);
        from = start + part.end;
    }
    let mut until = usize::MAX;
    for ((found, part), earliest) in candidates.iter().zip(&parts).zip(&earliest).rev() {
        let latest = found.starts.iter().rev().find(|start| **start + part.end <= until)?;
        if latest != earliest {
            return None;
        }
        until = latest + part.start;
    }
    Some(earliest)
}
