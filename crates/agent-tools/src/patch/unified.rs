//! Unified diffs as models write them: line numbers and counts are not believed.

use super::envelope::{finish, read_line};
use super::error::PatchError;
use super::hunk::Hunk;
use super::section::{names, other_file};
use crate::sketch::line;

/// Reads the hunks for the file at `path`. A diff that names no file is for this one.
pub fn unified(text: &str, path: &str) -> Result<Vec<Hunk>, PatchError> {
    let mut hunks = Vec::new();
    let mut hunk = Hunk::default();
    let mut reading = true;
    let mut in_hunk = false;
    let mut other = None;
    let lines = line::split(text);
    for (at, &line) in lines.iter().enumerate() {
        let is_head = |line: &str| line.starts_with("--- ") || line.starts_with("diff --git ");
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if line.starts_with("diff --git ") || line.starts_with("--- ") && next.starts_with("+++ ") {
            finish(&mut hunk, &mut hunks);
            in_hunk = false;
        } else if line.starts_with("+++ ") && at > 0 && is_head(lines[at - 1]) {
            let name = line[4..].split('\t').next().unwrap_or_default();
            if name.trim() == "/dev/null" {
                return Err(PatchError::NotAnUpdate { verb: "delete".to_owned() });
            }
            reading = names(name, path);
            if !reading {
                other = Some(name);
            }
        } else if line.starts_with("@@") {
            finish(&mut hunk, &mut hunks);
            in_hunk = true;
        } else if in_hunk && reading && !line.starts_with('\\') && !line.starts_with("```") {
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
