//! Which lines of a chunk are the file's own, once its place is known.

use std::ops::Range;

use super::index::Id;

/// Above this many line pairs only the lines at both ends are compared.
const MOST_PAIRS: usize = 4_000_000;

/// A line of a chunk that is a line of the file, by their numbers in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) new: usize,
    pub(crate) old: usize,
}

/// How much alike two lines are: the first counts more than the second, and both far more than the
/// third.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// The same line.
    Same = 18,
    /// The same but for white space.
    Alike = 16,
    /// The same but for white space, which differs more than it should.
    Doubtful = 1,
    /// Another line.
    None = 0,
}

/// Pairs the lines of `new` and `old`, in order, for as much likeness as possible.
pub(crate) fn align(new: &[Id], old: &[Id]) -> Vec<Pair> {
    align_by(new.len(), old.len(), |a, b| match (new[a].loose == old[b].loose, new[a] == old[b]) {
        (_, true) => Likeness::Same,
        (true, false) => Likeness::Alike,
        (false, false) => Likeness::None,
    })
}

/// Pairs so many new and old lines, in order, for as much likeness as possible.
pub(crate) fn align_by(
    new: usize,
    old: usize,
    likeness: impl Fn(usize, usize) -> Likeness,
) -> Vec<Pair> {
    let same = |new: usize, old: usize| likeness(new, old) == Likeness::Same;
    let shorter = new.min(old);
    let head = (0..shorter).take_while(|&at| same(at, at)).count();
    let tail = (0..shorter - head).take_while(|&at| same(new - 1 - at, old - 1 - at)).count();
    let mut pairs: Vec<Pair> = (0..head).map(|at| Pair { new: at, old: at }).collect();
    middle(head..new - tail, head..old - tail, likeness, &mut pairs);
    pairs.extend((0..tail).rev().map(|at| Pair { new: new - 1 - at, old: old - 1 - at }));
    pairs
}

fn middle(
    new: Range<usize>,
    old: Range<usize>,
    likeness: impl Fn(usize, usize) -> Likeness,
    pairs: &mut Vec<Pair>,
) {
    if new.is_empty() || old.is_empty() || new.len() * old.len() > MOST_PAIRS {
        return;
    }
    let gain = |i: usize, j: usize| likeness(new.start + i, old.start + j) as u32;
    // best[i][j]: the most that new[i..] and old[j..] have in common.
    let width = old.len() + 1;
    let mut best = vec![0u32; (new.len() + 1) * width];
    for i in (0..new.len()).rev() {
        for j in (0..old.len()).rev() {
            let skip = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let gain = gain(i, j);
            let take = if gain > 0 { best[(i + 1) * width + j + 1] + gain } else { 0 };
            best[i * width + j] = skip.max(take);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < new.len() && j < old.len() {
        let here = best[i * width + j];
        let gain = gain(i, j);
        if gain > 0 && here == best[(i + 1) * width + j + 1] + gain {
            pairs.push(Pair { new: new.start + i, old: old.start + j });
            i += 1;
            j += 1;
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
}
