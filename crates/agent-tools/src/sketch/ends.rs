//! Lines at an end of the file that a sketch without a marker there does not show.
//!
//! They may be meant to stay, the marker forgotten, or to go. What the sketch shows beside them
//! tells which is likelier.

use super::candidate::{Candidate, Change};
use super::decline::Reason;
use super::drift;
use super::line;
use super::parse::{Edge, Sketch};

/// Up to this many lines may as well be deleted as left out, beside a chunk that changes something:
/// by whether the sketch has a marker at its other end, and so means its ends.
const UNCLEAR: [usize; 2] = [1, 20];

/// Why the lines at an end of the file cannot be told from deleted ones, if they cannot.
pub(super) fn unclear(
    sketch: &Sketch<'_>,
    places: &[Candidate],
    original: &[&str],
) -> Option<Reason> {
    let (first, last) = (places.first()?, places.last()?);
    let means_ends = usize::from(sketch.start != sketch.end);
    let is_unclear =
        |edge: Edge, lines: usize, place: &Candidate, beyond: Option<(usize, usize)>| {
            let said = match place.change {
                Change::Nothing => !beyond.is_some_and(|gap| bounds(place, gap, original)),
                Change::Insertion | Change::Deletion | Change::Replacement => {
                    lines <= UNCLEAR[means_ends]
                }
            };
            edge == Edge::Open && lines > 0 && said
        };
    let all = original.len();
    let after_first = places.get(1).map(|next| (first.end, next.start));
    if is_unclear(sketch.start, first.start, first, after_first) {
        return Some(Reason::OpenEnd { start_line: 1, end_line: first.start });
    }
    let before_last = places.iter().rev().nth(1).map(|before| (before.end, last.start));
    if is_unclear(sketch.end, all - last.end, last, before_last) {
        return Some(Reason::OpenEnd { start_line: last.end + 1, end_line: all });
    }
    None
}

/// Whether a chunk that changes nothing is the beginning or the end of the block that the chunk
/// beyond the `gap` stands in. Then that is why it is shown; otherwise it shows where the file ends.
fn bounds(place: &Candidate, gap: (usize, usize), original: &[&str]) -> bool {
    let solid = |range: std::ops::Range<usize>| {
        original[range].iter().filter(|line| !line::is_blank(line)).map(|line| drift::width(line))
    };
    let Some(outer) = solid(place.start..place.end).min() else { return false };
    solid(gap.0..gap.1).all(|width| width > outer)
}
