//! Search/replace blocks.
//!
//! ```text
//! src/main.rs
//! <<<<<<< SEARCH
//! old lines
//! =======
//! new lines
//! >>>>>>> REPLACE
//! ```

use super::error::PatchError;
use super::hunk::Hunk;
use super::section::{names, other_file};
use crate::sketch::line;

enum Part {
    Outside,
    Search(Hunk),
    Replace(Hunk),
}

/// Reads the blocks for the file at `path`. Fences and prose around them are passed over.
pub fn search_replace(text: &str, path: &str) -> Result<Vec<Hunk>, PatchError> {
    let mut hunks = Vec::new();
    let mut part = Part::Outside;
    let mut name: Option<&str> = None;
    for (at, line) in line::split(text).into_iter().enumerate() {
        let malformed = |what| Err(PatchError::Malformed { line: at + 1, what });
        part = match (part, Rule::of(line)) {
            (Part::Outside, Some(Rule::Search)) => {
                if let Some(name) = name.filter(|name| !names(name, path)) {
                    return Err(other_file(name, path));
                }
                Part::Search(Hunk::default())
            }
            (Part::Outside, Some(Rule::Middle) | None) => {
                let said = line.trim().trim_matches(['`', '*', '#', ' ', ':']);
                if !said.is_empty() && !line.trim_start().starts_with("```") {
                    name = (said.contains(['.', '/']) && !said.contains(' ')).then_some(said);
                }
                Part::Outside
            }
            (Part::Search(hunk), Some(Rule::Middle)) => Part::Replace(hunk),
            (Part::Search(mut hunk), None) => {
                hunk.delete(line);
                Part::Search(hunk)
            }
            (Part::Replace(hunk), Some(Rule::Replace)) => {
                hunks.push(hunk);
                Part::Outside
            }
            (Part::Replace(mut hunk), None) => {
                hunk.add(line);
                Part::Replace(hunk)
            }
            (Part::Search(_), Some(_)) => return malformed("a block whose ======= is missing"),
            (Part::Replace(_), Some(_)) => return malformed("a block without >>>>>>> REPLACE"),
            (Part::Outside, Some(Rule::Replace)) => {
                return malformed("the end of a block without a beginning");
            }
        };
    }
    match part {
        Part::Outside if hunks.is_empty() => Err(PatchError::Empty),
        Part::Outside => Ok(hunks),
        Part::Search(_) | Part::Replace(_) => Err(PatchError::Malformed {
            line: line::split(text).len(),
            what: "a block that does not end with >>>>>>> REPLACE",
        }),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Search,
    Middle,
    Replace,
}

impl Rule {
    fn of(line: &str) -> Option<Self> {
        let line = line.trim_end();
        let after = |sign: char| {
            let rest = line.trim_start_matches(sign);
            (5..=9).contains(&(line.len() - rest.len())).then_some(rest.trim_start())
        };
        if after('<').is_some_and(|rest| rest.eq_ignore_ascii_case("SEARCH")) {
            return Some(Self::Search);
        }
        if after('>').is_some_and(|rest| rest.eq_ignore_ascii_case("REPLACE")) {
            return Some(Self::Replace);
        }
        // A heading in Markdown or reStructuredText is seldom underlined by exactly seven signs.
        (line == "=======").then_some(Self::Middle)
    }
}
