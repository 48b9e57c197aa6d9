//! Sketches: changed code with markers for what is left out.
//!
//! A sketch shows the lines that change with some unchanged ones around them, and puts a comment
//! such as `// ... existing code ...` wherever lines of the file are left out. [`merge`] finds out
//! which lines of the file each part stands for, and answers with line edits.
//!
//! A sketch never shows what it deletes, so it can be read in more than one way. Two rankings that
//! know little of each other must choose the same reading, each with a clear lead; otherwise the
//! merge is declined, with a reason that says what to write instead. A wrong merge is worse than
//! none.
//!
//! ```
//! use agent_tools::sketch;
//!
//! let file = "fn main() {\n    let name = \"world\";\n    greet(name);\n}\n";
//! let sketch = "// ... existing code ...\n    greet(name);\n    greet(\"moon\");\n}\n";
//! assert_eq!(
//!     sketch::merge_text(file, sketch, "src/main.rs").as_deref(),
//!     Ok("fn main() {\n    let name = \"world\";\n    greet(name);\n    greet(\"moon\");\n}\n")
//! );
//! ```

pub(crate) mod align;
mod candidate;
mod chain;
mod decline;
pub(crate) mod edits;
mod ends;
pub(crate) mod index;
mod lcs;
mod least;
pub(crate) mod marker;
mod parse;
mod place;
mod rank;
mod trust;
mod whole;
mod words;

#[cfg(test)]
mod tests;

pub use decline::{Decline, Nearest, Reason};

use std::collections::HashSet;

use crate::edit::{self, EditLimits, LineEdit, PlanError};
use crate::encoding::Encoding;
use crate::line;
use crate::text::TextFile;
use index::Index;
use parse::Sketch;

/// What became of a sketch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The edits that make the file what the sketch shows, in the order of the lines.
    Applied(Vec<LineEdit>),
    /// The sketch has no reading that stands out.
    Declined(Decline),
}

/// Merges a sketch into the text of a file.
///
/// Line endings do not matter, in either of them. The path only tells what kind of file it is.
pub fn merge(original: &str, sketch: &str, path: &str) -> Merge {
    match plan(original, sketch, path) {
        Ok(edits) => Merge::Applied(edits),
        Err(decline) => Merge::Declined(decline),
    }
}

/// Merges a sketch into the text of a file and gives the new text.
///
/// Lines that stay keep their endings, new lines take their neighbours', and the end of the file
/// stays as it was.
pub fn merge_text(original: &str, sketch: &str, path: &str) -> Result<String, Decline> {
    let edits = plan(original, sketch, path)?;
    let encoding = if original.starts_with(BOM) { Encoding::Utf8Bom } else { Encoding::Utf8 };
    let file = TextFile::with_encoding(original.as_bytes().to_vec(), encoding);
    let edited = edit::apply(&file, &edits, &EditLimits::NONE).map_err(|error| match error {
        PlanError::NoChange => Reason::NoChange,
        refused @ (PlanError::NoEdits | PlanError::TooMany { .. } | PlanError::Refused { .. }) => {
            Reason::Refused(refused)
        }
    })?;
    Ok(String::from_utf8_lossy(edited.text.bytes()).into_owned())
}

/// Whether a line is a marker for left-out code, in a comment of any style.
///
/// An ellipsis alone in a comment of several lines may be text, so it is none by itself. In a sketch
/// it is taken for one unless nothing can be left out there.
pub fn is_marker(line: &str) -> bool {
    marker::read(line).is_some() && !marker::may_be_prose(line)
}

/// A new line that is a marker and that the old text does not hold: written into a file it would
/// take the place of the code that it stands for.
pub fn stray_marker<'a, 'b>(
    new: impl IntoIterator<Item = &'a str>,
    old: impl IntoIterator<Item = &'b str>,
) -> Option<&'a str> {
    let mut markers = new.into_iter().filter(|line| is_marker(line)).peekable();
    markers.peek()?;
    let known: HashSet<&str> = old.into_iter().map(str::trim).collect();
    markers.find(|marker| !known.contains(marker.trim()))
}

const BOM: char = '\u{feff}';

fn plan(original: &str, sketch: &str, path: &str) -> Result<Vec<LineEdit>, Decline> {
    let text = original.strip_prefix(BOM).unwrap_or(original);
    let original = line::split(text);
    let parsed = read(&suspects(text), sketch)?;
    let edits = match whole::edits_between(&parsed, &original, path) {
        Some(edits) => edits,
        None => compared(original, &parsed, path).or_else(|decline| {
            let missing = decline.reason.is_missing();
            let whole = missing.then(|| whole::edits_with_prose(sketch, &line::split(text), path));
            whole.flatten().ok_or(decline)
        })?,
    };
    if edits.is_empty() { Err(Reason::NoChange.into()) } else { Ok(edits) }
}

/// The edits that a sketch comes to, every line of the file compared.
fn compared<'a>(
    original: Vec<&'a str>,
    sketch: &Sketch<'a>,
    path: &str,
) -> Result<Vec<LineEdit>, Decline> {
    let index = Index::new(original, &sketch.chunks, path);
    let edits = if whole::is_whole(sketch, &index) {
        whole::edits(&sketch.chunks[0], &index)
    } else {
        let places = place::place(sketch, &index).map_err(|decline| {
            let unmarked = sketch.markers == 0 && decline.reason.is_about_places();
            let reason = if unmarked { Reason::NotWhole } else { decline.reason };
            Decline { reason, candidates: decline.candidates }
        })?;
        let mut edits = Vec::new();
        for (at, (chunk, place)) in sketch.chunks.iter().zip(&places).enumerate() {
            let unclear = Reason::Indentation { line: chunk.line };
            edits.extend(edits::edits(chunk, at, place, &index).ok_or(unclear)?);
        }
        edits
    };
    Ok(edits)
}

/// The lines of a file that may be taken for markers, with their numbers. Most files have none, so
/// the text is searched as a whole.
fn suspects(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    // Where the line after the last one found begins, and its number.
    let (mut next, mut number) = (0, 1);
    for at in marker::places(text) {
        if at < next {
            continue;
        }
        let start = text[next..at].rfind('\n').map_or(next, |newline| next + newline + 1);
        let line = text[start..].split('\n').next().unwrap_or_default();
        number += memchr::memchr_iter(b'\n', &text.as_bytes()[next..start]).count();
        found.push((number, line::without_return(line)));
        (next, number) = (start + line.len() + 1, number + 1);
    }
    found
}

/// Reads the sketch and makes sure that no marker can end up in the file.
fn read<'a>(suspects: &[(usize, &str)], text: &'a str) -> Result<Sketch<'a>, Reason> {
    let present: HashSet<&str> = suspects.iter().map(|(_, line)| line.trim()).collect();
    let sketch = Sketch::parse(text, |line| present.contains(line));
    if sketch.chunks.is_empty() {
        return Err(Reason::Empty);
    }
    let certain = suspects.iter().find(|(_, line)| marker::is_certain(line));
    if let Some(&(line, _)) = certain.filter(|_| sketch.markers > 0) {
        return Err(Reason::MarkerInFile { line });
    }
    let chunks = if marker::may_hold(text) { &sketch.chunks[..] } else { &[] };
    for chunk in chunks {
        let behind = |line: &&str| marker::trails(line) && !present.contains(line.trim());
        if let Some(at) = chunk.lines.iter().position(behind) {
            return Err(Reason::MarkerBehindCode { line: chunk.line + at });
        }
    }
    Ok(sketch)
}
