//! How good a place of a chunk looks, by two rankings that know little of each other.
//!
//! The first looks at the chunk's ends: a model shows context there, and rare lines that match tell
//! more than frequent ones. It does not look inside, where a chunk is new. The second asks how much
//! would change: whole lines, and words, since a changed line keeps most of its words. All numbers
//! were found by trying them on sketches made from the differences between published releases of
//! programs in thirteen languages.

use super::candidate::{Candidate, Change, Query};
use super::index::{Id, Index};

/// Lines compared at each end of a chunk. More would let a long unchanged run outweigh all else.
const END_LINES: usize = 4;
/// What a line counts whose white space differs, against an equal one.
const LOOSE_LINE: f32 = 0.8;
/// What the file's own end counts, where the sketch ends with it, against a line that stands once.
const FILE_END: f32 = 0.7;
/// What a place gains where nothing is deleted, or nothing is added.
const PURE_BONUS: f32 = 3.0;
/// What a place loses for each doubling of the lines it takes.
const LENGTH: f32 = 0.5;
/// What a place loses, by either ranking, where other brackets are deleted than added.
const UNBALANCED_FIT: f32 = 3.0;
const UNBALANCED_COST: f32 = 4.0;
/// What a place loses where the chunk changes nothing. Chunks of a few lines often only say where
/// the next one stands; a longer one was written to change something.
const NO_CHANGE: f32 = 30.0;
const NO_CHANGE_SHORT_FIT: f32 = 10.0;
const NO_CHANGE_SHORT_COST: f32 = 3.0;
const SHORT: usize = 3;
/// What each line costs that has no word in it: next to nothing, since such lines match anywhere.
const PLAIN_LINE: f32 = 0.5;
/// What each word costs that is deleted or added.
const WORD: f32 = 0.3;
/// What each of the first lines of context saves, at either end.
const CONTEXT_LINES: usize = 3;
const CONTEXT: f32 = 2.0;
/// What an end costs whose outermost line differs in white space.
const LOOSE_END: f32 = 2.0;

/// What the second ranking counts against the first where both choose together.
const COST_SHARE: f32 = 0.3;

/// Both rankings as one. More is better.
pub(super) fn together(place: &Candidate) -> f32 {
    place.fit - COST_SHARE * place.cost
}

/// A place to be weighed, with the context at its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) head: Run,
    pub(super) tail: Run,
}

/// Weighs a place where the chunk and the file have `common` lines, and words `apart`.
pub(super) fn weigh(query: &Query<'_>, place: Place, common: u32, apart: u32) -> Candidate {
    let Place { start, end, head, tail } = place;
    let index = query.index;
    let (replaced, lines) = (end - start, index.chunks[query.chunk].len());
    let change = change(replaced, lines, head, tail);

    let mut fit = head.weight + tail.weight - LENGTH * (replaced as f32 + 1.0).log2();
    let plain = index.plain(start, end);
    let worded = replaced - plain + index.worded(query.chunk);
    let mut cost = worded as f32 - 2.0 * common as f32;
    cost += PLAIN_LINE * plain as f32 + WORD * apart as f32;

    let (head_context, tail_context) = (head.context(replaced), tail.context(replaced));
    let context = head_context + tail_context.min(replaced - head_context);
    cost -= CONTEXT * context as f32;
    cost += LOOSE_END * f32::from(u8::from(head.begins_loose()) + u8::from(tail.begins_loose()));

    match change {
        Change::Nothing if lines > SHORT => {
            fit -= NO_CHANGE;
            cost += NO_CHANGE;
        }
        Change::Nothing => {
            fit -= NO_CHANGE_SHORT_FIT;
            cost += NO_CHANGE_SHORT_COST;
        }
        Change::Insertion | Change::Deletion => fit += PURE_BONUS,
        Change::Replacement => {}
    }
    if index.file_brackets(start, end) != index.chunk_brackets(query.chunk) {
        fit -= UNBALANCED_FIT;
        cost += UNBALANCED_COST;
    }
    let context = match (head.at_file_end, tail.at_file_end) {
        (true, true) => usize::MAX,
        (true, false) => tail.lines,
        (false, true) => head.lines,
        // A line is context at one end only.
        (false, false) => head.lines.min(tail.lines).min(lines.min(replaced) / 2),
    };
    let is_exact = head.begins_exact() && tail.begins_exact();
    let runs = (head.lines, tail.lines);
    Candidate { start, end, fit, cost, change, context, runs, is_exact }
}

fn change(replaced: usize, lines: usize, head: Run, tail: Run) -> Change {
    let kept = head.lines.min(replaced) + tail.lines;
    if replaced == lines && head.lines >= lines {
        // With equal ends, lines inside whose white space differs are meant to change.
        let reindents = head.first_exact && tail.first_exact && head.exact < lines;
        return if reindents { Change::Replacement } else { Change::Nothing };
    }
    if kept >= replaced && lines > replaced {
        Change::Insertion
    } else if kept >= lines && replaced > lines {
        Change::Deletion
    } else {
        Change::Replacement
    }
}

/// Lines that match one after the other, from one end of a chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    lines: usize,
    /// How many of them, from that end, are equal to the character.
    exact: usize,
    first_exact: bool,
    weight: f32,
    /// Whether it begins at an end of the file that is the sketch's end too.
    at_file_end: bool,
}

impl Run {
    pub(super) fn of<'i>(index: &Index<'_>, pairs: impl Iterator<Item = (&'i Id, &'i Id)>) -> Self {
        let mut run = Self::default();
        for (chunk, file) in pairs.take_while(|(chunk, file)| chunk.loose == file.loose) {
            let exact = chunk.exact == file.exact;
            if exact && run.exact == run.lines {
                run.exact += 1;
            }
            if run.lines < END_LINES {
                run.weight += index.weight(*chunk) * if exact { 1.0 } else { LOOSE_LINE };
            }
            run.lines += 1;
        }
        run.first_exact = run.exact > 0;
        run
    }

    /// The run of an end that is the file's own too. Without a matching line it says nothing.
    pub(super) fn at_file_end(mut self, index: &Index<'_>) -> Self {
        self.at_file_end = true;
        if self.lines > 0 {
            self.weight += FILE_END * index.most_weight();
        }
        self
    }

    /// How much the first lines of the run tell.
    pub(super) fn weight(self) -> f32 {
        self.weight
    }

    fn begins_exact(self) -> bool {
        self.lines > 0 && self.first_exact
    }

    fn begins_loose(self) -> bool {
        self.lines > 0 && !self.first_exact
    }

    fn context(self, replaced: usize) -> usize {
        self.lines.min(CONTEXT_LINES).min(replaced)
    }
}

/// Whether brackets must come in pairs in a file of this name. In prose they need not.
pub(super) fn pairs_brackets(path: &str) -> bool {
    const PROSE: [&str; 8] = ["md", "markdown", "mdx", "rst", "adoc", "txt", "tex", "org"];
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    !PROSE.iter().any(|prose| extension.eq_ignore_ascii_case(prose))
}
