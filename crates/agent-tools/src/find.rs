//! Finding files by an approximate name.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use serde::Serialize;

use crate::Workspace;
use crate::walk::{
    GlobError, Globs, IgnoreRules, Scope, Skipped, Smallest, StartError, Step, Walk,
};

/// The bounds of a search for files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FindLimits {
    /// How many files are reported.
    pub files: usize,
}

impl Default for FindLimits {
    fn default() -> Self {
        Self { files: 10 }
    }
}

/// The files whose paths resemble a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The best first, relative to the workspace, with `/`. Of two that are equally good the
    /// shorter path comes first, then the one that sorts first.
    pub files: Vec<String>,
    /// How many files match at all.
    pub total: usize,
    /// What was passed over.
    pub skipped: Skipped,
}

/// Why no files were looked for.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// There is nothing to look for.
    #[error("the query is empty; pass a part of the file's name or path")]
    Empty,
    /// The query is a glob, and not a valid one.
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// The workspace cannot be walked.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Somebody stopped the search.
    #[error("the search for files was cancelled")]
    Cancelled,
}

/// Finds the files whose path holds the letters of each word of `query` in order, the closer
/// together and the nearer to the beginnings of names the better. A query with a `*` is a glob.
pub fn file_search(
    workspace: &Workspace,
    query: &str,
    limits: FindLimits,
    cancel: &AtomicBool,
) -> Result<Found, FindError> {
    let root = workspace.resolve(".").map_err(StartError::Path)?;
    let query = relative(workspace, query.trim());
    if query.is_empty() {
        return Err(FindError::Empty);
    }
    let is_glob = query.contains('*');
    let globs = Globs::new(workspace, &root, is_glob.then_some(query), None)?;
    let mut likeness = if is_glob { None } else { Some(Likeness::new(query)) };

    let mut best = Smallest::new(limits.files, Candidate::cmp);
    let mut skipped = Skipped::default();
    let scope = Scope::named(workspace, &root, IgnoreRules::Honour);
    for step in Walk::new(workspace, scope, &globs, cancel) {
        match step {
            Step::Skipped(reason) => skipped.add(reason),
            Step::File(path) => {
                let path = path.to_string();
                let score = match &mut likeness {
                    Some(likeness) => likeness.score(&path),
                    None => Some(0),
                };
                if let Some(score) = score {
                    best.offer(Candidate { score: Reverse(score), len: path.len(), path });
                }
            }
        }
    }
    if cancel.load(Ordering::Relaxed) {
        return Err(FindError::Cancelled);
    }
    let total = best.offered();
    let files = best.into_sorted().into_iter().map(|candidate| candidate.path).collect();
    Ok(Found { files, total, skipped })
}

/// The query without what an absolute or explicitly relative path begins with.
fn relative<'q>(workspace: &Workspace, query: &'q str) -> &'q str {
    let below = Path::new(query).strip_prefix(workspace.root()).ok().and_then(Path::to_str);
    let query = below.unwrap_or(query);
    query.strip_prefix("./").unwrap_or(query)
}

/// A file that matches. The order of the fields is the order of the result.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    score: Reverse<u32>,
    len: usize,
    path: String,
}

/// How well paths match a query.
struct Likeness {
    pattern: Pattern,
    matcher: Matcher,
    chars: Vec<char>,
}

impl Likeness {
    fn new(query: &str) -> Self {
        let pattern =
            Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        Self { pattern, matcher: Matcher::new(Config::DEFAULT.match_paths()), chars: Vec::new() }
    }

    /// Higher is better; `None` is no match.
    fn score(&mut self, path: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(path, &mut self.chars), &mut self.matcher)
    }
}
