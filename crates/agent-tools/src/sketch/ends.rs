//! Lines at an end of the file that a sketch without a marker there does not show.
//!
//! They may be meant to stay, the marker forgotten, or to go. What the sketch shows beside them
//! tells which is likelier.

use super::candidate::{Candidate, Change};
use super::decline::Reason;
use super::parse::{Chunk, Edge, Sketch};
use crate::drift;
use crate::line;

/// Up to this many lines may as well be deleted as left out, beside a chunk that changes something:
/// as a rule, and where the sketch has a marker at its other end, and so means its ends.
const UNCLEAR: usize = 1;
const UNCLEAR_WITH_MARKER: usize = 20;
/// Lines of context that a sketch shows on purpose, if it shows them on all sides.
const MEANT: usize = 3;

/// Why the lines at an end of the file cannot be told from deleted ones, if they cannot.
pub(super) fn unclear(
    sketch: &Sketch<'_>,
    places: &[Candidate],
    original: &[&str],
) -> Option<Reason> {
    let (first, last) = (places.first()?, places.last()?);
    let lines = |at: usize| sketch.chunks.get(at).map_or(&[][..], |chunk| &chunk.lines);
    let means_ends = sketch.start != sketch.end;
    let both_open = sketch.start == Edge::Open && sketch.end == Edge::Open;
    let unclear = if means_ends { UNCLEAR_WITH_MARKER } else { UNCLEAR };
    let few = |lines: usize| lines <= unclear;
    if sketch.start == Edge::Open && first.start > 0 {
        let may_go = match first.change {
            Change::Nothing => {
                !places.get(1).is_some_and(|next| opens(lines(0), &original[..next.start]))
            }
            Change::Insertion | Change::Deletion | Change::Replacement => {
                few(first.start) && !heads(lines(0))
                    || both_open && shows_less(places, End::First) && !begins_block(lines(0))
            }
        };
        if may_go {
            return Some(Reason::OpenEnd { start_line: 1, end_line: first.start });
        }
    }
    let all = original.len();
    if sketch.end == Edge::Open
        && last.change == Change::Nothing
        && let Some((end, above)) = sketch.chunks.split_last()
        && !may_open(above, &end.lines)
        && let Some(before) = places.iter().rev().nth(1)
        && original[before.end..last.start].windows(end.lines.len()).any(|at| at == end.lines)
    {
        return Some(Reason::Ambiguous { line: end.line });
    }
    if sketch.end == Edge::Open && last.end < all {
        let may_go = match last.change {
            Change::Nothing => {
                let end = lines(places.len() - 1);
                let before = places.iter().rev().nth(1);
                !before.is_some_and(|before| closes(end, &original[before.end..]))
                    || !is_opened(&sketch.chunks[..places.len() - 1], end, original)
            }
            Change::Insertion | Change::Deletion | Change::Replacement => {
                let end = lines(places.len() - 1);
                few(all - last.end) || both_open && shows_less(places, End::Last) && !is_block(end)
            }
        };
        if may_go {
            return Some(Reason::OpenEnd { start_line: last.end + 1, end_line: all });
        }
    }
    None
}

/// An end of a sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// Whether a sketch shows less of the file at one end than around all its other changes. Then it
/// shows all that is there, since the file begins or ends so now.
fn shows_less(places: &[Candidate], end: End) -> bool {
    let mut shown: Vec<usize> = places.iter().flat_map(|it| [it.runs.0, it.runs.1]).collect();
    let here = match end {
        End::First => shown.remove(0),
        End::Last => shown.remove(shown.len() - 1),
    };
    here < MEANT
        && shown.iter().all(|lines| *lines >= MEANT)
        && places.iter().all(|place| place.change != Change::Nothing)
}

/// Whether the sketch shows the file's own line that begins the block which its last lines end. If
/// that line changes, or is not shown, the last lines are not there to close the block.
fn is_opened(above: &[Chunk<'_>], last: &[&str], original: &[&str]) -> bool {
    opening(above, last).is_some_and(|it| original.iter().any(|line| line::alike(line, it)))
}

/// Whether the sketch shows what may begin the block that its last lines end. Otherwise they are not
/// there to close it, but because something beside them goes.
fn may_open(above: &[Chunk<'_>], last: &[&str]) -> bool {
    opening(above, last).is_some_and(|line| !is_complete(line.trim()))
}

/// The line that is shown nearest above the last ones and not inside of what they end.
fn opening<'a>(above: &[Chunk<'a>], last: &[&str]) -> Option<&'a str> {
    let outer = solid(last).map(|(width, _)| width).min();
    let mut above = above.iter().rev().flat_map(|chunk| solid(&chunk.lines).rev());
    above.find(|(width, _)| Some(*width) <= outer).map(|(_, line)| line)
}

/// Whether a line is a comment, a statement or the end of a block, in the eyes of most languages.
fn is_complete(line: &str) -> bool {
    const COMMENTS: [&str; 6] = ["//", "/*", "*", "#", "--", "<!--"];
    COMMENTS.iter().any(|comment| line.starts_with(comment))
        || line.ends_with([';', ',', '}'])
        || line == "end"
}

/// Whether lines that change nothing begin the block in which the file goes on below `above`: then
/// that is why they are shown. Otherwise they show where the file begins.
fn opens(lines: &[&str], above: &[&str]) -> bool {
    let outer = solid(lines).map(|(width, _)| width).min();
    let nearest = solid(above).rev().find(|(width, _)| Some(*width) <= outer);
    let opening = solid(lines).rev().find(|(width, _)| Some(*width) == outer);
    is_alike(nearest, opening)
}

/// Whether lines that change nothing end the block that stands above `below`: then that is why they
/// are shown. Otherwise they show where the file ends.
fn closes(lines: &[&str], below: &[&str]) -> bool {
    let outer = solid(lines).map(|(width, _)| width).min();
    let nearest = solid(below).find(|(width, _)| Some(*width) <= outer);
    let closing = solid(lines).find(|(width, _)| Some(*width) == outer);
    is_alike(nearest, closing)
}

/// Whether the first of the lines begins a block.
fn begins_block(lines: &[&str]) -> bool {
    let mut widths = solid(lines).map(|(width, _)| width);
    lines.first().is_some_and(|line| !line::is_blank(line)) && widths.next() < widths.next()
}

/// Whether the first of the lines begins a block that the last one ends.
fn is_block(lines: &[&str]) -> bool {
    let mut widths = solid(lines).map(|(width, _)| width);
    begins_block(lines) && widths.next() == widths.next_back()
}

/// Whether lines begin with one that the others are clearly inside of, as with a signature.
fn heads(lines: &[&str]) -> bool {
    let mut widths = solid(lines).map(|(width, _)| width);
    widths.next().is_some_and(|first| widths.all(|width| width > first + 1))
}

/// The lines that are not blank, with their indentation.
fn solid<'a>(lines: &[&'a str]) -> impl DoubleEndedIterator<Item = (usize, &'a str)> {
    lines.iter().filter(|line| !line::is_blank(line)).map(|line| (drift::width(line), *line))
}

fn is_alike(a: Option<(usize, &str)>, b: Option<(usize, &str)>) -> bool {
    a.zip(b).is_some_and(|((_, a), (_, b))| line::alike(a, b))
}
