//! Whether the best reading is far enough ahead to be applied.
//!
//! How far is enough depends on how much the sketch shows: three unchanged lines on either side of
//! every change leave little room for mistakes, one line leaves much. The numbers were found by
//! logistic regression on some ten thousand edits between published releases, and rounded.

use std::collections::HashSet;

use super::align;
use super::candidate::{Candidate, Change};
use super::index::{Id, Index};
use super::parse::Chunk;
use crate::drift;
use crate::line;

/// Lines of context on either side of a change that count as much context.
const MUCH_CONTEXT: usize = 3;
/// What the leads must come to: with much context; with less, between chunks that only say where;
/// with two lines of it; and with one.
const ENOUGH: [f32; 4] = [2.5, 5.5, 7.6, 8.2];
/// How far a lead counts, and how much that of the second ranking counts against the first's.
const MOST_FIT: f32 = 6.0;
const MOST_COST: f32 = 12.0;
const COST_SHARE: f32 = 0.6;
/// How far either ranking may prefer another reading.
const LEAST_FIT: f32 = -0.5;
const LEAST_COST: f32 = -8.0;
/// What is enough for a line put between two that stand together, in a place that others pin down.
const ENOUGH_PINNED: (f32, f32) = (1.2, 2.0);
/// Lines that stand once in the file, of which so many may not be added again close by: with much
/// context, and with less.
const REPEATED: [f32; 2] = [4.0, 1.0];

/// The best reading, and what it was chosen from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) chunks: &'a [Chunk<'a>],
    /// Per chunk, its places.
    pub(super) candidates: &'a [Vec<Candidate>],
    /// The place of each chunk.
    pub(super) places: &'a [Candidate],
}

impl Reading<'_> {
    /// Whether to apply it, given its leads by either ranking.
    pub(super) fn stands_out(&self, fit: f32, cost: f32) -> bool {
        if fit < LEAST_FIT || cost < LEAST_COST {
            return false;
        }
        let sum = fit.min(MOST_FIT) + COST_SHARE * cost.min(MOST_COST);
        let [with_much, between, with_two, with_one] = ENOUGH;
        let [with_much_repeated, with_less_repeated] = REPEATED;
        let context = self.changes().map(|at| self.places[at].context).min().unwrap_or(usize::MAX);
        if context >= MUCH_CONTEXT {
            return sum >= with_much && self.repeated() < with_much_repeated;
        }
        let nothing = |place: &Candidate| place.change == Change::Nothing;
        let least = match context {
            _ if self.places.iter().any(nothing) => between,
            2 => with_two,
            _ => with_one,
        };
        let enough =
            sum >= least || fit >= ENOUGH_PINNED.0 && cost >= ENOUGH_PINNED.1 && self.is_pinned();
        enough && self.repeated() < with_less_repeated
    }

    /// Whether a chunk has another place that nothing of what the sketch shows speaks against.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.changes().any(|at| self.may_delete_other(at) || self.may_be_exact(at))
    }

    /// Whether what a chunk deletes may as well begin, or end, elsewhere: where the same context
    /// stands again. Nothing is shown of what a deletion takes, so nothing else tells.
    fn may_delete_other(&self, at: usize) -> bool {
        let place = &self.places[at];
        let is_shown = place.runs.0.min(place.runs.1) >= MUCH_CONTEXT;
        place.change == Change::Deletion
            && is_shown
            && self
                .neighbours(at)
                .any(|other| other.change == Change::Deletion && other.runs == place.runs)
    }

    /// Whether a chunk has one end to the character and the other at another depth, though a line
    /// stands close by that the other is to the character. A chunk is moved as a whole or not at all.
    fn may_be_exact(&self, at: usize) -> bool {
        let place = &self.places[at];
        let new = &self.chunks[at].lines;
        let old = &self.index.original[place.start..place.end];
        let (Some(first), Some(last)) = (new.first().zip(old.first()), new.last().zip(old.last()))
        else {
            return false;
        };
        let is_moved = |(new, old): (&&str, &&str)| {
            line::alike(new, old) && !drift::is_restyled(line::indent(new), line::indent(old))
        };
        // A blank line is the same at any depth.
        let stays = |(new, old): (&&str, &&str)| new == old && !line::is_blank(new);
        (stays(first) && is_moved(last) || is_moved(first) && stays(last))
            && self.neighbours(at).any(|other| other.is_exact)
    }

    /// Whether nothing is deleted, and so few lines are changed, only because a line that stands
    /// already in what a wider reading would replace is added once more.
    pub(super) fn only_repeats(&self) -> bool {
        let [_, with_less_repeated] = REPEATED;
        self.changes().all(|at| self.places[at].change == Change::Insertion)
            && self.changes().any(|at| self.repeated_by(at) >= with_less_repeated)
    }

    /// The chunks that change something.
    fn changes(&self) -> impl Iterator<Item = usize> {
        (0..self.places.len()).filter(|&at| self.places[at].change != Change::Nothing)
    }

    /// Whether each change only adds lines, between chunks that only say where, and could take no
    /// further lines in.
    fn is_pinned(&self) -> bool {
        let pins =
            |at: usize| self.places.get(at).is_some_and(|place| place.change == Change::Nothing);
        self.changes().all(|at| {
            self.places[at].change == Change::Insertion
                && pins(at.wrapping_sub(1))
                && pins(at + 1)
                && self.wider(at).next().is_none()
        })
    }

    /// How many of the lines that the reading adds stand already in what a wider one would replace:
    /// the sketch may show them because they stay, not because they are new.
    fn repeated(&self) -> f32 {
        self.changes().map(|at| self.repeated_by(at)).sum()
    }

    /// How many of the lines that one chunk adds do.
    fn repeated_by(&self, at: usize) -> f32 {
        let place = &self.places[at];
        let hull = self.wider(at).fold((place.start, place.end), |(start, end), wider| {
            (start.min(wider.start), end.max(wider.end))
        });
        let around = |line: &usize| {
            (hull.0..hull.1).contains(line) && !(place.start..place.end).contains(line)
        };
        let weight = |id: Id| {
            let stands = self.index.positions(id);
            if stands.iter().any(around) { 1.0 / stands.len() as f32 } else { 0.0 }
        };
        if hull == (place.start, place.end) { 0.0 } else { self.added(at).map(weight).sum() }
    }

    /// The lines with words that a chunk adds.
    fn added(&self, at: usize) -> impl Iterator<Item = Id> {
        let new = &self.index.chunks[at];
        let old = &self.index.ids[self.places[at].start..self.places[at].end];
        let pairs = align::align(new, old);
        let kept: HashSet<usize> = pairs.iter().map(|pair| pair.new).collect();
        let lines = new.iter().copied().enumerate();
        lines
            .filter(move |(line, _)| !kept.contains(line))
            .map(|(_, id)| id)
            .filter(|id| !self.index.is_plain(*id))
    }

    /// The places of a chunk that take in more than its own does.
    fn wider(&self, at: usize) -> impl Iterator<Item = &Candidate> {
        let place = self.places[at];
        let is_wider =
            move |other: &&Candidate| other.start <= place.start && place.end <= other.end;
        self.others(at).filter(is_wider)
    }

    /// The places of a chunk that begin or end where its own does.
    fn neighbours(&self, at: usize) -> impl Iterator<Item = &Candidate> {
        let place = self.places[at];
        let shares = move |other: &&Candidate| other.start == place.start || other.end == place.end;
        self.others(at).filter(shares)
    }

    /// The places of a chunk beside its own, between those of its neighbours.
    fn others(&self, at: usize) -> impl Iterator<Item = &Candidate> {
        let place = self.places[at];
        let first = at.checked_sub(1).map_or(0, |before| self.places[before].end);
        let end = self.places.get(at + 1).map_or(self.index.len(), |after| after.start);
        self.candidates[at].iter().filter(move |other| {
            first <= other.start
                && other.end <= end
                && (other.start, other.end) != (place.start, place.end)
        })
    }
}
