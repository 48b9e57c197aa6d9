//! The `*** Begin Patch` envelope.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/main.rs
//! @@ fn main() {
//!  context
//! -old
//! +new
//! *** End Patch
//! ```

use super::error::PatchError;
use super::hunk::Hunk;
use super::section::{names, other_file};
use crate::sketch::line;

/// Reads the hunks for the file at `path`.
pub fn envelope(text: &str, path: &str) -> Result<Vec<Hunk>, PatchError> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut hunk = Hunk::default();
    let mut reading = false;
    let mut other = None;
    for line in line::split(text) {
        if let Some(command) = line.trim_end().strip_prefix("*** ") {
            if command == "End of File" {
                hunk.ends_file = reading;
                continue;
            }
            finish(&mut hunk, &mut hunks);
            if let Some((verb, name)) = command.split_once(" File:") {
                reading = names(name, path);
                if !reading {
                    other = Some(name);
                } else if verb != "Update" {
                    return Err(PatchError::NotAnUpdate { verb: verb.to_lowercase() });
                }
            }
        } else if !reading {
            // What is said around the patch, or about another file.
        } else if let Some(header) = line.strip_prefix("@@") {
            if !hunk.is_empty() {
                finish(&mut hunk, &mut hunks);
            }
            let header = header.trim().trim_end_matches("@@").trim_end();
            if !header.is_empty() {
                hunk.headers.push(header.to_owned());
            }
        } else {
            read_line(&mut hunk, line);
        }
    }
    finish(&mut hunk, &mut hunks);
    match (hunks.is_empty(), other) {
        (false, _) => Ok(hunks),
        (true, Some(name)) => Err(other_file(name, path)),
        (true, None) => Err(PatchError::Empty),
    }
}

/// Reads a line of a hunk by its first character. Models forget the space before context.
pub(super) fn read_line(hunk: &mut Hunk, line: &str) {
    if let Some(line) = line.strip_prefix('+') {
        hunk.add(line);
    } else if let Some(line) = line.strip_prefix('-') {
        hunk.delete(line);
    } else {
        hunk.keep(line.strip_prefix(' ').unwrap_or(line));
    }
}

/// Ends a hunk and begins the next.
pub(super) fn finish(hunk: &mut Hunk, hunks: &mut Vec<Hunk>) {
    let mut done = std::mem::take(hunk);
    done.trim_end();
    if !done.is_empty() {
        hunks.push(done);
    }
}
