//! Whether the best reading is far enough ahead to be applied.
//!
//! How far is enough depends on how much the sketch shows: three unchanged lines on either side of
//! every change leave little room for mistakes, one line leaves much. The numbers were found by
//! logistic regression on some ten thousand edits between published releases, and rounded.

use std::collections::HashSet;

use super::align;
use super::candidate::{Candidate, Change};
use super::index::{Id, Index};

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
        let repeated = |at: usize| -> f32 {
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
        };
        self.changes().map(repeated).sum()
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

    /// The places of a chunk that take in more than its own does, between those of its neighbours.
    fn wider(&self, at: usize) -> impl Iterator<Item = &Candidate> {
        let place = self.places[at];
        let first = at.checked_sub(1).map_or(0, |before| self.places[before].end);
        let end = self.places.get(at + 1).map_or(self.index.len(), |after| after.start);
        self.candidates[at].iter().filter(move |wider| {
            (first..=place.start).contains(&wider.start)
                && (place.end..=end).contains(&wider.end)
                && (wider.start, wider.end) != (place.start, place.end)
        })
    }
}
