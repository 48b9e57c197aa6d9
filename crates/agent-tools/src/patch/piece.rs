//! Old text that begins or ends within a line.

use super::error::{Part, PatchError};
use super::fit::{FEW, Splice};
use crate::drift::{self, Block, Drift};
use crate::line;

/// The lines that hold `old`, with `new` in its place; `None` if it is nowhere.
pub(super) fn splice(
    old: &str,
    new: &str,
    file: &[&str],
    part: Part,
) -> Result<Option<Splice>, PatchError> {
    // A newline that both end with is no part of the change, and one that only the old text ends
    // with would join the next line to the new text.
    let (old, new) = match old.strip_suffix('\n') {
        Some(old) => (old, new.strip_suffix('\n').unwrap_or(new)),
        None => (old, new),
    };
    if file.is_empty() {
        return Ok(None);
    }
    let mut text = file.join("\n");
    text.push('\n');
    let found = occurrences(&text, old);
    let line_of = |at: usize| text[..at].matches('\n').count();
    let start = match found.as_slice() {
        [] => return Ok(None),
        [start] => *start,
        found => {
            let lines: Vec<usize> = found.iter().map(|at| line_of(*at)).collect();
            return Err(PatchError::ambiguous(part, &lines));
        }
    };
    let end = start + old.len();
    let before = &text[text[..start].rfind('\n').map_or(0, |at| at + 1)..start];
    let after = &text[end..];
    let after = &after[..after.find('\n').unwrap_or(after.len())];
    let (first, last) = (line_of(start), line_of(end).min(file.len() - 1));
    let whole = format!("{before}{new}{after}");
    let lines: Vec<&str> = whole.split('\n').collect();
    let unclear = old.lines().filter(|line| !line::is_blank(line)).count() < 2
        && line::is_blank(before)
        && is_shifted(before, &lines, &file[last + 1..], drift::unit(file));
    if unclear {
        return Err(PatchError::Indentation { part, line: first + 1 });
    }
    let new = lines.into_iter().map(str::to_owned).collect();
    Ok(Some(Splice { range: first..last + 1, new }))
}

/// The first places where `text` has `part`, overlapping ones too.
fn occurrences(text: &str, part: &str) -> Vec<usize> {
    const MOST: usize = 10;
    let step = part.chars().next().map_or(1, char::len_utf8);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(part)) {
        found.push(from + at);
        from += at + step;
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Whether the lines after the first would rather be indented by as much as the first is in the
/// file: then both texts were written without the indentation that the file has.
fn is_shifted(indent: &str, lines: &[&str], after: &[&str], unit: usize) -> bool {
    let Some((first, rest)) = lines.split_first() else { return false };
    let block = Block {
        new: rest,
        deleted: &[],
        before: Some(first),
        after: after.iter().find(|line| !line::is_blank(line)).copied(),
    };
    let settled = Drift::Dedented(indent.to_owned()).settle(&[block], unit, FEW);
    settled.is_some_and(|settled| settled.concat() != rest)
}
