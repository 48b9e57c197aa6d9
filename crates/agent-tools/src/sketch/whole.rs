//! A whole file given as a sketch.

use super::align;
use super::edits;
use super::index::Index;
use super::marker;
use super::parse::{Chunk, Sketch};
use crate::edit::LineEdit;
use crate::line;

/// The line edits of a sketch that is plainly the whole new file, since half of the old one stands
/// in it at the beginning and the end. Only what lies between is compared: most of a long file that
/// is given as a whole stays as it is.
pub(super) fn edits_between(
    sketch: &Sketch<'_>,
    original: &[&str],
    path: &str,
) -> Option<Vec<LineEdit>> {
    let [chunk] = sketch.chunks.as_slice() else { return None };
    let (new, old) = (chunk.lines.as_slice(), original);
    if sketch.markers > 0 || new.len() * 2 < old.len() {
        return None;
    }
    let head = new.iter().zip(old).take_while(|(new, old)| new == old).count();
    let (new, old) = (&new[head..], &old[head..]);
    let tail = new.iter().rev().zip(old.iter().rev()).take_while(|(new, old)| new == old).count();
    let (new, old) = (&new[..new.len() - tail], &old[..old.len() - tail]);
    let solid = |lines: &[&str]| lines.iter().filter(|line| !line::is_blank(line)).count();
    if solid(old) * 2 > solid(original) {
        return None;
    }
    let chunk = Chunk { lines: new.to_vec(), line: chunk.line + head };
    let index = Index::new(old.to_vec(), std::slice::from_ref(&chunk), path);
    let mut edits = edits(&chunk, &index);
    for edit in &mut edits {
        edit.start_line += head;
        edit.end_line += head;
    }
    Some(edits)
}

/// The same for a sketch that has lines in its comments that could be markers. They are not if every
/// one of them is new and among new lines, where nothing of the old file goes.
pub(super) fn edits_with_prose(text: &str, original: &[&str], path: &str) -> Option<Vec<LineEdit>> {
    let sketch = Sketch::parse(text, marker::may_be_prose);
    let edits = edits_between(&sketch, original, path)?;
    let leaves_out = |edit: &LineEdit| {
        let markers = edit.replacement.lines().any(|line| marker::read(line).is_some());
        markers && edit.end_line >= edit.start_line
    };
    (!edits.iter().any(leaves_out)).then_some(edits)
}

/// Whether a sketch without markers is the whole new file: it is as long as half of the old one at least, and has half of the old one's lines.
pub(super) fn is_whole(sketch: &Sketch<'_>, index: &Index<'_>) -> bool {
    let [chunk] = index.chunks.as_slice() else { return false };
    if sketch.markers > 0 || chunk.len() * 2 < index.len() {
        return false;
    }
    let mut left = vec![0_usize; index.loose_count()];
    for id in chunk {
        left[id.loose as usize] += 1;
    }
    let solid = || index.ids.iter().zip(&index.original).filter(|(_, line)| !line::is_blank(line));
    let mut kept = 0;
    for (id, _) in solid() {
        let left = &mut left[id.loose as usize];
        if id.loose != 0 && *left > 0 {
            *left -= 1;
            kept += 1;
        }
    }
    kept * 2 >= solid().count()
}

/// The line edits that turn the file into the chunk.
pub(super) fn edits(chunk: &Chunk<'_>, index: &Index<'_>) -> Vec<LineEdit> {
    let mut edits = Vec::new();
    let (mut new, mut old) = (0, 0);
    let pairs = align::align(&index.chunks[0], &index.ids);
    let equal = pairs
        .into_iter()
        .map(|pair| (pair.new, pair.old))
        .filter(|&(new, old)| chunk.lines[new] == index.original[old]);
    for (next_new, next_old) in equal.chain([(chunk.lines.len(), index.len())]) {
        if next_new > new || next_old > old {
            edits.push(edits::edit(old, next_old, &chunk.lines[new..next_new]));
        }
        (new, old) = (next_new + 1, next_old + 1);
    }
    edits
}
