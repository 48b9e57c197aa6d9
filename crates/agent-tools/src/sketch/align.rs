//! Which lines of a chunk are the file's own, once its place is known.

use super::index::Id;

/// Above this many line pairs only the lines at both ends are compared.
const MOST_PAIRS: usize = 4_000_000;

/// A line of a chunk that is a line of the file, by their numbers in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) new: usize,
    pub(crate) old: usize,
}

/// What counts as the same line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// Lines that are equal; alike ones where there is nothing better.
    Equal,
    /// Lines that are alike.
    Alike,
}

/// Pairs lines of `new` and `old` that are alike, in order, as many as possible.
pub(crate) fn align(new: &[Id], old: &[Id], sameness: Sameness) -> Vec<Pair> {
    let same = |new: Id, old: Id| match sameness {
        Sameness::Equal => new == old,
        Sameness::Alike => new.loose == old.loose,
    };
    let shorter = new.len().min(old.len());
    let head = (0..shorter).take_while(|&at| same(new[at], old[at])).count();
    let tail = (0..shorter - head)
        .take_while(|&at| same(new[new.len() - 1 - at], old[old.len() - 1 - at]))
        .count();
    let mut pairs: Vec<Pair> = (0..head).map(|at| Pair { new: at, old: at }).collect();
    let gain = |a: Id, b: Id| match (a.loose == b.loose, a.exact == b.exact, sameness) {
        (true, true, Sameness::Equal) => 9,
        (true, false, Sameness::Equal) | (true, _, Sameness::Alike) => 8,
        (false, _, _) => 0,
    };
    middle(&new[head..new.len() - tail], &old[head..old.len() - tail], head, gain, &mut pairs);
    pairs.extend(
        (0..tail).rev().map(|at| Pair { new: new.len() - 1 - at, old: old.len() - 1 - at }),
    );
    pairs
}

fn middle(
    new: &[Id],
    old: &[Id],
    offset: usize,
    gain: impl Fn(Id, Id) -> u32,
    pairs: &mut Vec<Pair>,
) {
    if new.is_empty() || old.is_empty() || new.len() * old.len() > MOST_PAIRS {
        return;
    }
    // best[i][j]: the most that new[i..] and old[j..] have in common.
    let width = old.len() + 1;
    let mut best = vec![0u32; (new.len() + 1) * width];
    for i in (0..new.len()).rev() {
        for j in (0..old.len()).rev() {
            let skip = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let gain = gain(new[i], old[j]);
            let take = if gain > 0 { best[(i + 1) * width + j + 1] + gain } else { 0 };
            best[i * width + j] = skip.max(take);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < new.len() && j < old.len() {
        let here = best[i * width + j];
        let gain = gain(new[i], old[j]);
        if gain > 0 && here == best[(i + 1) * width + j + 1] + gain {
            pairs.push(Pair { new: offset + i, old: offset + j });
            i += 1;
            j += 1;
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
}
