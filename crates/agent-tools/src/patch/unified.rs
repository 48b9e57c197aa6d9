//! Unified diffs as models write them: numbers may be wrong or missing, names too.

use super::changes::{Changes, Kind};
use super::envelope::header_text;
use super::error::PatchError;
use super::hunk::{Hunk, Numbers, Side};
use super::part::{FilePatch, Operation};
use super::rows::Reading;
use crate::line;

/// Reads the files of a diff. Lines without any header are taken for one hunk.
pub(super) fn parse(text: &str) -> Result<Vec<FilePatch>, PatchError> {
    let lines = line::split(text);
    let mut diff = Diff::default();
    let headed = |line: &&str| line.starts_with("@@") || line.starts_with("+++ ");
    if !lines.iter().any(headed) {
        diff.reading = Some(Reading::new(1));
    }
    let mut at = 0;
    while at < lines.len() {
        at += diff.read(&lines[at..], at);
    }
    diff.end_file();
    Ok(diff.files)
}

#[derive(Default)]
struct Diff {
    files: Vec<FilePatch>,
    /// The names of the file that is being read, as far as known.
    old: Option<String>,
    new: Option<String>,
    renamed: bool,
    hunks: Vec<Hunk>,
    reading: Option<Reading>,
    /// Whether the diff stands in a fence.
    fenced: bool,
}

impl Diff {
    /// Reads the first of `lines` and what belongs to it; answers how many those are.
    fn read(&mut self, lines: &[&str], at: usize) -> usize {
        let line = lines[0];
        let next = lines.get(1).copied().unwrap_or_default();
        if let (Some(old), Some(new)) = (line.strip_prefix("--- "), next.strip_prefix("+++ "))
            && self.ends_before(lines)
        {
            // After `diff --git` the file has begun already.
            if self.reading.is_some() || !self.hunks.is_empty() {
                self.end_file();
            }
            (self.old, self.new) = (Some(name(old, "a/")), Some(name(new, "b/")));
            // Without any header for the hunk, it begins here.
            if lines.get(2).is_some_and(|line| !line.starts_with("@@")) {
                self.reading = Some(Reading::new(at + 3));
            }
            return 2;
        }
        if line.starts_with("diff --git ") {
            self.end_file();
        } else if let Some(header) = line.strip_prefix("@@") {
            self.end_hunk();
            let mut reading = Reading::new(at + 1);
            reading.hunk.numbers = numbers(line);
            // What follows the ranges is told by programs for the reader, not to find the place.
            if reading.hunk.numbers.is_none() && !line.contains(" -") {
                reading.hunk.headers.extend(header_text(header).map(str::to_owned));
            }
            self.reading = Some(reading);
        } else if line.trim_start().starts_with("```") && (self.fenced || self.reading.is_none()) {
            self.fenced = !self.fenced;
            self.end_hunk();
        } else if let Some(reading) = &mut self.reading {
            if !line.starts_with('\\') {
                reading.read(line);
            }
        } else if let Some(name) = line.strip_prefix("rename from ") {
            (self.old, self.renamed) = (Some(name.to_owned()), true);
        } else if let Some(name) = line.strip_prefix("rename to ") {
            (self.new, self.renamed) = (Some(name.to_owned()), true);
        }
        1
    }

    /// Whether lines that look like the names of the next file are not lines of this hunk.
    fn ends_before(&self, lines: &[&str]) -> bool {
        let Some(reading) = &self.reading else { return true };
        let Some(Numbers { old_count, new_count, .. }) = reading.hunk.numbers else { return true };
        let left = (
            old_count.saturating_sub(reading.hunk.old_lines().len()),
            new_count.saturating_sub(reading.hunk.new_lines().len()),
        );
        left == (0, 0) || left != (1, 1) && lines.get(2).is_some_and(|line| line.starts_with("@@"))
    }

    fn end_hunk(&mut self) {
        self.hunks.extend(self.reading.take().and_then(Reading::finish));
    }

    fn end_file(&mut self) {
        self.end_hunk();
        let (old, new) = (self.old.take(), self.new.take());
        let (hunks, renamed) = (std::mem::take(&mut self.hunks), std::mem::take(&mut self.renamed));
        if hunks.is_empty() && !renamed && new.as_deref() != Some(NOWHERE) {
            return;
        }
        let (path, operation) = match (old, new) {
            (old, Some(new)) if new == NOWHERE => (old, Operation::Delete),
            (Some(old), new) if old == NOWHERE => {
                let rows = hunks.iter().flat_map(|hunk| &hunk.rows);
                let new_rows = rows.filter(|row| row.side == Side::New);
                let content = new_rows.map(|row| format!("{}\n", row.text)).collect();
                (new, Operation::Add { content })
            }
            (old, new) => {
                let path = if renamed { old } else { new.clone().or(old) };
                let move_to = new.filter(|_| renamed);
                (path, Operation::Update { changes: Changes(Kind::Hunks(hunks)), move_to })
            }
        };
        self.files.push(FilePatch { path, operation });
    }
}

/// What stands for a file that does not exist.
const NOWHERE: &str = "/dev/null";

/// A name as a header gives it, without git's prefix, its quotes and what follows a tab.
fn name(text: &str, prefix: &str) -> String {
    let text = text.split('\t').next().unwrap_or(text).trim();
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let text = quoted.map_or_else(|| text.to_owned(), unescape);
    text.strip_prefix(prefix).map_or(text.clone(), str::to_owned)
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    plain
}

/// The ranges of `@@ -1,2 +3,4 @@`, if they are written in full.
fn numbers(line: &str) -> Option<Numbers> {
    let mut words = line.split_whitespace().skip(1);
    let (old, new) = (words.next()?.strip_prefix('-')?, words.next()?.strip_prefix('+')?);
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old_start, old_count), (new_start, new_count)) = (range(old)?, range(new)?);
    Some(Numbers { old_start, old_count, new_start, new_count })
}
