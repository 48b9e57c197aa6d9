//! The fewest changed lines, where text that stands several times leaves little else to go by.
//!
//! The rankings go by how rare lines are, and see hardly any difference between two places with
//! the same text. The order of the chunks may tell such places apart all the same: one place leaves
//! the others the room that they need, and the other makes them replace what they need not.

use super::candidate::Candidate;
use super::index::Index;
use super::lcs::Lcs;

/// Whether the text that a place replaces is in the file more than once.
pub(super) fn stands_again(index: &Index<'_>, place: &Candidate) -> bool {
    let text = &index.original[place.start..place.end];
    !text.is_empty() && index.original.windows(text.len()).filter(|at| *at == text).nth(1).is_some()
}

/// The places of a chunk, each costing as many lines as are deleted and added there.
pub(super) fn counted(index: &Index<'_>, chunk: usize, places: &[Candidate]) -> Vec<Candidate> {
    let lines = &index.chunks[chunk];
    let mut common = Lcs::new(lines.iter().map(|id| id.exact), index.exact_count());
    let mut read = 0..0;
    let count = |place: &Candidate| {
        // Places come by start and then by end.
        if read.start != place.start || read.end > place.end {
            common.restart();
            read = place.start..place.start;
        }
        for id in &index.ids[read.end..place.end] {
            common.push(id.exact);
        }
        read.end = place.end;
        let changed = place.end - place.start + lines.len() - 2 * common.count() as usize;
        Candidate { cost: changed as f32, ..*place }
    };
    places.iter().map(count).collect()
}
