//! Where one chunk may stand.

use super::index::{Id, Index};
use super::lcs::Lcs;
use super::parse::Edge;
use super::rank::{self, Run};

/// Places kept for one beginning, and for one chunk, by each ranking. What falls off is far behind
/// what stays.
const KEPT_PER_START: usize = 8;
const KEPT: usize = 4_000;
/// Lines of the file that are read for one chunk, over all its beginnings.
const WORK: usize = 200_000;
/// Beginnings that are looked at for one chunk: those whose first lines fit best.
const STARTS: usize = 2_000;
/// So many chunks get as much as that; more share it.
const CHUNKS: usize = 4;

/// What a chunk does at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing: the chunk stands in the file as it is.
    Nothing,
    /// Adds lines and deletes none.
    Insertion,
    /// Deletes lines and adds none.
    Deletion,
    /// Both.
    Replacement,
}

/// A place of a chunk: it stands for the lines `start..end` of the file, from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The first ranking: how well the chunk's ends fit here. More is better.
    pub(super) fit: f32,
    /// The second ranking: how much changes here. Less is better.
    pub(super) cost: f32,
    pub(super) change: Change,
    /// How many lines match at the end where fewer do.
    pub(super) context: usize,
    /// How many match one after the other at its beginning, and how many at its end.
    pub(super) runs: (usize, usize),
    /// Whether the chunk's first and last line stand there to the character.
    pub(super) is_exact: bool,
}

/// The places of a chunk.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// By start.
    pub(super) places: Vec<Candidate>,
    /// Whether none that the chunk could have was left out.
    pub(super) is_complete: bool,
}

/// Which lines of a file a chunk may take, seen from its neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) first: usize,
    /// One past the last.
    pub(super) end: usize,
}

/// A chunk with what bounds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'a> {
    pub(super) index: &'a Index<'a>,
    /// Which chunk of the sketch it is.
    pub(super) chunk: usize,
    pub(super) before: Edge,
    pub(super) after: Edge,
}

impl Query<'_> {
    fn ids(&self) -> &[Id] {
        &self.index.chunks[self.chunk]
    }

    /// Where in `room` the chunk may begin; beside a marker only where its first line stands.
    pub(super) fn starts(&self, room: Room) -> Vec<usize> {
        let Some(first) = self.ids().first() else { return Vec::new() };
        let inside = |at: &usize| (room.first..room.end).contains(at);
        let mut starts: Vec<usize> =
            self.index.positions(*first).iter().copied().filter(inside).collect();
        if self.before == Edge::Open && room.first == 0 && starts.first() != Some(&0) {
            starts.insert(0, 0);
        }
        starts
    }

    /// Where in `room` the chunk may end; beside a marker only behind its last line.
    pub(super) fn ends(&self, room: Room) -> Vec<usize> {
        let Some(last) = self.ids().last() else { return Vec::new() };
        let file_end = self.index.len();
        let inside = |end: &usize| (room.first + 1..=room.end).contains(end);
        let mut ends: Vec<usize> =
            self.index.positions(*last).iter().map(|at| at + 1).filter(inside).collect();
        if self.after == Edge::Open && room.end == file_end && ends.last() != Some(&file_end) {
            ends.push(file_end);
        }
        ends
    }

    /// Every place in `room` that is worth comparing, by start.
    pub(super) fn candidates(&self, room: Room) -> Found {
        let index = self.index;
        let ends = self.ends(room);
        let mut starts: Vec<(usize, Run)> =
            self.starts(room).into_iter().map(|at| (at, self.head(at, room))).collect();
        let shared = |all: usize| all * CHUNKS / index.chunks.len().max(CHUNKS);
        let (most, work) = (shared(STARTS), shared(WORK));
        let mut is_complete = starts.len() <= most;
        if !is_complete {
            starts.sort_by(|a, b| b.1.weight().total_cmp(&a.1.weight()));
            starts.truncate(most);
        }
        let tails: Vec<Run> = ends.iter().map(|&end| self.tail(end, room)).collect();
        // Lines without a word match anywhere, so they say nothing of what is common.
        let worded = |id: &Id| if index.is_plain(*id) { 0 } else { id.loose };
        let mut common = Lcs::new(self.ids().iter().map(worded), index.loose_count());
        let mut words = index.words.compare(self.chunk);
        let reach = (work / starts.len().max(1)).max(2 * self.ids().len() + 64);
        let mut all = Vec::new();
        let mut here = Vec::new();
        for (start, head) in starts {
            common.restart();
            words.restart();
            let mut read = start;
            let first = ends.partition_point(|&end| end < start);
            for (&end, &tail) in ends[first..].iter().zip(&tails[first..]) {
                if end - start > reach {
                    is_complete = false;
                    break;
                }
                for line in read..end {
                    common.push(index.ids[line].loose);
                    words.push(line);
                }
                read = end;
                if self.allows(start, end) {
                    let place = rank::Place { start, end, head, tail };
                    here.push(rank::weigh(self, place, common.count(), words.apart()));
                }
            }
            is_complete &= !keep_best(&mut here, KEPT_PER_START);
            all.append(&mut here);
        }
        is_complete &= !keep_best(&mut all, KEPT);
        all.sort_unstable_by_key(|place| (place.start, place.end));
        Found { places: all, is_complete }
    }

    /// Whether the chunk's first and last line can both have their place in `start..end`.
    fn allows(&self, start: usize, end: usize) -> bool {
        let lines = end - start;
        if self.ids().len() == 1 {
            // A line alone beside a marker is context, and context deletes nothing.
            return lines == 1;
        }
        lines >= self.anchors(start, end)
    }

    /// Whether a place takes more of the file than an open end may that is no line of the file: a
    /// file must not lose its beginning or its end because a sketch left out a marker.
    pub(super) fn oversteps(&self, place: &Candidate) -> bool {
        let lines = place.end - place.start;
        match self.anchors(place.start, place.end) {
            0 => lines > 0,
            1 => lines > self.ids().len(),
            _ => false,
        }
    }

    /// How many of the chunk's first and last line stand at the ends of `start..end`.
    fn anchors(&self, start: usize, end: usize) -> usize {
        let is = |at: Option<usize>, id: Option<&Id>| {
            at.and_then(|at| self.index.ids.get(at)).map(|id| id.loose) == id.map(|id| id.loose)
        };
        let first = is(Some(start), self.ids().first());
        let last = is(end.checked_sub(1), self.ids().last());
        usize::from(first) + usize::from(last)
    }

    /// The run of lines that the chunk and the file share from `start` on.
    fn head(&self, start: usize, room: Room) -> Run {
        let run = Run::of(self.index, self.ids().iter().zip(&self.index.ids[start..room.end]));
        if start == 0 && self.before == Edge::Open { run.at_file_end(self.index) } else { run }
    }

    /// The run of lines that the chunk and the file share up to `end`.
    fn tail(&self, end: usize, room: Room) -> Run {
        let file = self.index.ids[room.first..end].iter().rev();
        let run = Run::of(self.index, self.ids().iter().rev().zip(file));
        let at_end = end == self.index.len() && self.after == Edge::Open;
        if at_end { run.at_file_end(self.index) } else { run }
    }
}

/// Keeps the best `count` places by each ranking, and says whether there were more.
fn keep_best(places: &mut Vec<Candidate>, count: usize) -> bool {
    if places.len() <= 2 * count {
        return false;
    }
    places.select_nth_unstable_by(count, |a, b| a.cost.total_cmp(&b.cost));
    let mut rest = places.split_off(count);
    rest.select_nth_unstable_by(count, |a, b| b.fit.total_cmp(&a.fit));
    rest.truncate(count);
    places.append(&mut rest);
    true
}
