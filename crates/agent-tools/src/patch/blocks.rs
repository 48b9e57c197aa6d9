//! Search/replace blocks.
//!
//! ````text
//! src/main.rs
//! ```
//! <<<<<<< SEARCH
//! old lines
//! =======
//! new lines
//! >>>>>>> REPLACE
//! ```
//! ````
//!
//! The name may stand before the fence, within it or behind its opening; a block without one is
//! about the file of the block before. Text around the blocks is passed over.

use super::changes::{Changes, Kind};
use super::error::{Part, PatchError};
use super::part::{FilePatch, Operation};
use super::swap::Swap;
use crate::line;

/// The blocks about one file.
type Swaps = Vec<(Part, Swap)>;

/// Reads the blocks of `text`, those of one file together.
pub(super) fn parse(text: &str) -> Result<Vec<FilePatch>, PatchError> {
    let lines = line::split(text);
    let mut files: Vec<(Option<String>, Swaps)> = Vec::new();
    let mut count = 0;
    let mut at = 0;
    // What is looked at for a name: the lines since the last block.
    let mut since = 0;
    while at < lines.len() {
        let Some(width) = Rule::Search.width(lines[at]) else {
            let stray = Rule::Replace.width(lines[at]).is_some();
            if stray {
                return Err(malformed(
                    at,
                    "a block ends here that did not begin; begin it with <<<<<<< SEARCH",
                ));
            }
            at += 1;
            continue;
        };
        let body = Body::read(&lines, at, width)?;
        count += 1;
        let part = Part { noun: "block", number: count, line: Some(at + 1) };
        let swap = Swap::lines(&lines[at + 1..body.middle], &lines[body.middle + 1..body.end]);
        let name =
            name(&lines[since..at]).or_else(|| files.last().and_then(|(name, _)| name.clone()));
        match files.iter_mut().find(|(known, _)| *known == name) {
            Some((_, swaps)) => swaps.push((part, swap)),
            None => files.push((name, vec![(part, swap)])),
        }
        at = body.end + 1;
        since = at;
    }
    let file = |(path, swaps)| FilePatch {
        path,
        operation: Operation::Update { changes: Changes(Kind::Swaps(swaps)), move_to: None },
    };
    Ok(files.into_iter().map(file).collect())
}

/// The lines of a block's rules.
struct Body {
    middle: usize,
    end: usize,
}

impl Body {
    /// Finds the rules of the block that begins at `start` with a rule of `width` signs.
    fn read(lines: &[&str], start: usize, width: usize) -> Result<Self, PatchError> {
        let mut middle = None;
        for (at, line) in lines.iter().enumerate().skip(start + 1) {
            if Rule::Search.width(line).is_some() {
                return Err(malformed(
                    at,
                    "a block begins before the one above ends; end that with >>>>>>> REPLACE",
                ));
            }
            if Rule::Replace.width(line).is_some() {
                let missing = malformed(
                    at,
                    "the block has no line ======= between old and new lines; add it",
                );
                return middle.map(|middle| Self { middle, end: at }).ok_or(missing);
            }
            if Rule::Middle.width(line) == Some(width) && middle.replace(at).is_some() {
                return Err(malformed(
                    at,
                    "the block has a second line =======, and either could divide it; use line edits for text that holds such a line",
                ));
            }
        }
        Err(malformed(
            start,
            "the block that begins here does not end; end it with >>>>>>> REPLACE",
        ))
    }
}

fn malformed(at: usize, what: &'static str) -> PatchError {
    PatchError::Malformed { line: at + 1, what }
}

/// The lines that divide a block.
#[derive(Clone, Copy)]
enum Rule {
    Search,
    Middle,
    Replace,
}

impl Rule {
    /// How many signs the line has, if it is this rule.
    fn width(self, line: &str) -> Option<usize> {
        let (sign, word) = match self {
            Self::Search => ('<', "SEARCH"),
            Self::Middle => ('=', ""),
            Self::Replace => ('>', "REPLACE"),
        };
        let rest = line.trim_start_matches(sign);
        let width = line.len() - rest.len();
        ((5..=9).contains(&width) && rest.trim() == word).then_some(width)
    }
}

/// The name of the file in the lines before a block: the last that is not a bare fence.
fn name(lines: &[&str]) -> Option<String> {
    let fence = |line: &&&str| matches!(line.trim(), "" | "```" | "~~~") || language(line);
    let line = lines.iter().rev().find(|line| !fence(line))?.trim();
    let line = line
        .strip_prefix("```")
        .map_or(line, |info| info.split_whitespace().last().unwrap_or(info));
    let quoted = line.contains('`') && line.matches('`').count() == 2;
    let name = match quoted {
        true => line.split('`').nth(1).unwrap_or_default(),
        false => line
            .trim_start_matches(['#', ' '])
            .trim_matches(['*', '`'])
            .trim_end_matches(':')
            .trim_matches('*'),
    };
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace) && name != "...";
    is_name.then(|| name.to_owned())
}

/// Whether a line opens a fence and names no file.
fn language(line: &str) -> bool {
    line.trim().strip_prefix("```").is_some_and(|info| !info.contains(['.', '/', ' ']))
}
