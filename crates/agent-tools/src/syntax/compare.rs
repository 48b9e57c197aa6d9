//! Which faults of a text were not there before it was edited.

use std::iter;

use similar::{Algorithm, DiffOp};

use super::fault::Fault;

/// Lines of the old text, and the lines of the new text that stand in their place.
#[derive(Debug, Clone, Copy)]
struct Hunk {
    old: (usize, usize),
    new: (usize, usize),
}

/// A parser misses a bracket anywhere between two tokens, comments and blank lines included.
const SLACK: usize = 2;

/// More changed lines than this are one hunk: the precise difference would cost too much.
const MAX_DIFFED: usize = 5_000;

/// The faults of `after` that the edit introduced, given the faults of both texts.
///
/// A text that was whole before has only new faults. In one that was broken already, the parser
/// may see the same damage in another place after any edit, so what counts as old is judged
/// generously, in this order:
///
/// 1. A fault inside what could not be read before, or close to it, is old, and so is one in lines
///    that were edited there, and one that encloses it and does not begin in other edited lines.
/// 2. If an old fault vanished although its line was not changed, or if the edit is close to one,
///    the parser may have come to see the damage otherwise. Faults in lines that were not edited
///    are then old, and so are as many in the edited lines as vanished in this way.
/// 3. Each old fault that vanished with the lines that were edited was mended. It accounts for
///    one fault in lines that were not touched, which it may have hidden.
///
/// The rest is new.
pub(super) fn introduced(before: (&str, &[Fault]), after: (&str, &[Fault])) -> Vec<Fault> {
    let (old_text, old) = before;
    let (new_text, new) = after;
    if old.is_empty() || new.is_empty() {
        return new.to_vec();
    }
    let hunks = hunks(old_text, new_text);
    let regions: Vec<_> = old.iter().map(|fault| mapped(&hunks, fault.lines)).collect();
    let damaged = |hunk: &&Hunk| regions.iter().any(|region| overlap(hunk.new, *region, SLACK));
    let (at_damage, elsewhere): (Vec<&Hunk>, Vec<&Hunk>) = hunks.iter().partition(damaged);
    let among = |hunks: &[&Hunk], line| hunks.iter().any(|h| overlap(h.new, (line, line), 1));
    let mut seen_again = vec![false; old.len()];
    let mut rest = Vec::new();
    for fault in new {
        let line = line_of(new_text, fault.at);
        let in_edit = among(&elsewhere, line);
        let mut is_old = !in_edit && among(&at_damage, line);
        let is_same = |region: &(usize, usize)| {
            let encloses = !in_edit && fault.lines.0 <= region.0 && region.1 <= fault.lines.1;
            encloses || overlap(*region, (line, line), SLACK)
        };
        let mut same = regions.iter().zip(&mut seen_again).filter(|(region, _)| is_same(region));
        if let Some((_, first)) = same.next() {
            is_old = true;
            // One fault stands for one of several in the same place.
            let mut seen = iter::once(first).chain(same.map(|(_, seen)| seen));
            seen.find(|seen| !**seen).into_iter().for_each(|seen| *seen = true);
        }
        if !is_old {
            rest.push((fault, in_edit));
        }
    }
    // An edit beside a line leaves the line as it was.
    let changed = |fault: &Fault| {
        let line = line_of(old_text, fault.at);
        hunks.iter().any(|hunk| (hunk.old.0..hunk.old.1).contains(&line))
    };
    let gone = |was_changed: bool| {
        let gone = old.iter().zip(&seen_again);
        gone.filter(|(fault, seen)| !**seen && changed(fault) == was_changed).count()
    };
    let (mut moved, mut mended) = (gone(false), gone(true));
    let seen_otherwise = moved > 0 || !at_damage.is_empty();
    let mut introduced = Vec::new();
    for (fault, in_edit) in rest {
        let accounted_for =
            if in_edit { take_one(&mut moved) } else { seen_otherwise || take_one(&mut mended) };
        if !accounted_for {
            introduced.push(fault.clone());
        }
    }
    introduced
}

/// Takes one off a number, if it is not zero already.
fn take_one(number: &mut usize) -> bool {
    let left = number.checked_sub(1);
    *number = left.unwrap_or_default();
    left.is_some()
}

/// The line of a byte, counted from 0.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    bytes[..at.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// Whether two ranges of lines, both inclusive, meet when one is widened by `slack`.
fn overlap(a: (usize, usize), b: (usize, usize), slack: usize) -> bool {
    a.0 <= b.1 + slack && b.0 <= a.1 + slack
}

/// Where lines of the old text are in the new text; lines that were replaced are where their
/// replacement is.
fn mapped(hunks: &[Hunk], (first, last): (usize, usize)) -> (usize, usize) {
    let map = |line: usize, end: bool| {
        let mut moved = line;
        for hunk in hunks {
            if line < hunk.old.0 {
                break;
            }
            if line < hunk.old.1 {
                return if end { hunk.new.1 } else { hunk.new.0 };
            }
            moved = line - hunk.old.1 + hunk.new.1;
        }
        moved
    };
    (map(first, false), map(last, true))
}

/// The changed lines of both texts; the ends are exclusive.
fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let old: Vec<&str> = old.split('\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = old.iter().zip(&new).take_while(same).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if old.len().max(new.len()) > MAX_DIFFED {
        return vec![Hunk { old: (head, head + old.len()), new: (head, head + new.len()) }];
    }
    similar::capture_diff_slices(Algorithm::Myers, old, new)
        .into_iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| {
            let (old, new) = (op.old_range(), op.new_range());
            Hunk {
                old: (head + old.start, head + old.end),
                new: (head + new.start, head + new.end),
            }
        })
        .collect()
}
