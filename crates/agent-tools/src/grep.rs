//! Searching the content of the workspace's files, line by line.
//!
//! The result is the same on every run: files are searched on several threads, but their matches
//! are taken in the byte order of the paths, and the first ones are shown.

mod excerpt;
mod file;
mod pattern;
mod shares;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::walk::{
    GlobError, Globs, IgnoreRules, Scope, Skipped, Start, StartError, Step, Walk, start,
};
use crate::{Workspace, WorkspacePath};
use file::{FileSearch, Searched};
use pattern::Pattern;
use shares::search_in_order;

/// What to search for, and where.
#[derive(Debug, Clone, Default)]
pub struct GrepQuery {
    /// A regular expression, or exact text where it is no valid one.
    pub query: String,
    /// `None` is smart case: upper and lower case differ only if the query has an upper-case letter.
    pub case_sensitive: Option<bool>,
    /// Globs of the files to search, as after `rg -g`, with commas between them.
    pub include: Option<String>,
    /// Globs of the files and directories to leave out.
    pub exclude: Option<String>,
    /// Whether to search what ignore files leave out.
    pub include_ignored: bool,
    /// The directory or file to search; the whole workspace by default.
    pub path: Option<WorkspacePath>,
    /// How much to find.
    pub limits: GrepLimits,
}

/// The bounds of a search and of its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrepLimits {
    /// How many matching lines are reported.
    pub matches: usize,
    /// How many characters of a line are shown.
    pub line_chars: usize,
    /// How much memory a thread may use for a line. The rest of a file with a longer line is not
    /// searched.
    pub line_bytes: usize,
}

impl Default for GrepLimits {
    fn default() -> Self {
        Self { matches: 50, line_chars: 500, line_bytes: 8 << 20 }
    }
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineMatch {
    /// The file, relative to the workspace, with `/`.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u64,
    /// The line without its ending, cut around the match if it is long.
    pub content: String,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GrepReport {
    /// In the byte order of the paths, then by line.
    pub matches: Vec<LineMatch>,
    /// There are more matches than these.
    pub truncated: bool,
    /// What was passed over before the last match that the limit allows.
    pub skipped: Skipped,
    /// The query was searched as exact text.
    pub literal: bool,
    /// What whoever asked should know about how the query was understood.
    pub note: Option<String>,
}

/// Why nothing was searched.
#[derive(Debug, thiserror::Error)]
pub enum GrepError {
    /// There is nothing to search for.
    #[error("the query is empty; pass the text or the regular expression to search for")]
    Empty,
    /// The query can only match across lines.
    #[error(
        "the query {query:?} holds a line break, but lines are searched one at a time; \
         search for a part that stands on one line"
    )]
    LineBreak {
        /// The query as it was given.
        query: String,
    },
    /// The query asks for a NUL byte.
    #[error("the query {query:?} asks for a NUL character, which no text file holds; leave it out")]
    Nul {
        /// The query as it was given.
        query: String,
    },
    /// The query cannot be searched for, not even as exact text.
    #[error("cannot search for the query: {problem}; search for a shorter part of it")]
    Query {
        /// What is wrong with it.
        problem: String,
    },
    /// A glob is not valid.
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// The path cannot be searched.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Somebody stopped the search.
    #[error("the search was cancelled")]
    Cancelled,
}

/// Searches files, and reports the first matching lines.
pub fn grep(
    workspace: &Workspace,
    query: &GrepQuery,
    cancel: &AtomicBool,
) -> Result<GrepReport, GrepError> {
    let pattern = Pattern::new(&query.query, query.case_sensitive)?;
    let root = workspace.resolve(".").map_err(StartError::Path)?;
    let globs = Globs::new(workspace, &root, query.include.as_deref(), query.exclude.as_deref())?;
    let path = query.path.as_ref().unwrap_or(&root);
    let new_search = || FileSearch::new(&pattern.matcher, query.limits, cancel);

    let mut found = Found { limit: query.limits.matches, report: GrepReport::default() };
    match start(workspace, path)? {
        // A file that is named is searched, whatever ignore rules and globs say.
        Start::File => {
            let file = workspace.open_file(path).map_err(StartError::Path)?;
            let _ = found.take(&Step::File(path.clone()), new_search().search(file));
        }
        Start::Dir => {
            let rules = if query.include_ignored { IgnoreRules::Off } else { IgnoreRules::Honour };
            let scope = Scope::named(workspace, path, rules);
            let walk = Walk::new(workspace, scope, &globs, cancel);
            search_in_order(workspace, walk, new_search, |step, searched| {
                found.take(step, searched)
            });
        }
    }
    if cancel.load(Ordering::Relaxed) {
        return Err(GrepError::Cancelled);
    }
    let literal = pattern.not_a_regex.is_some();
    let note = pattern.not_a_regex.map(|problem| {
        format!(
            "the query is not a valid regular expression ({problem}), so it was searched as exact \
             text; to use it as a regular expression, put a backslash before its special characters"
        )
    });
    Ok(GrepReport { literal, note, ..found.report })
}

/// The report as it grows, file by file in the order of the walk.
struct Found {
    limit: usize,
    report: GrepReport,
}

impl Found {
    fn take(&mut self, step: &Step, searched: Searched) -> ControlFlow<()> {
        let report = &mut self.report;
        let room = self.limit - report.matches.len();
        if searched.lines.len() > room {
            report.truncated = true;
        }
        if let Some(reason) = searched.skipped
            && room > 0
        {
            report.skipped.add(reason);
        }
        if let Step::File(path) = step {
            let file = path.to_string();
            report.matches.extend(
                searched.lines.into_iter().take(room).map(|(line, content)| LineMatch {
                    file: file.clone(),
                    line,
                    content,
                }),
            );
        }
        if report.truncated { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
