//! Searching one file.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkError, SinkFinish, SinkMatch,
};

use super::GrepLimits;
use super::excerpt::{excerpt, without_ending};
use crate::walk::Reason;

/// What searching one file gave.
#[derive(Debug, Default)]
pub(super) struct Searched {
    /// Line numbers and lines.
    pub(super) lines: Vec<(u64, String)>,
    /// Why the file, or the rest of it, was passed over.
    pub(super) skipped: Option<Reason>,
}

/// Searches files one after the other, with buffers that are used again.
pub(super) struct FileSearch<'a> {
    searcher: Searcher,
    matcher: &'a RegexMatcher,
    limits: GrepLimits,
    cancel: &'a AtomicBool,
}

impl<'a> FileSearch<'a> {
    pub(super) fn new(
        matcher: &'a RegexMatcher,
        limits: GrepLimits,
        cancel: &'a AtomicBool,
    ) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(limits.line_bytes))
            .build();
        Self { searcher, matcher, limits, cancel }
    }

    /// Finds one line more than may be shown, to know whether there are more.
    pub(super) fn search(&mut self, file: File) -> Searched {
        let mut lines = Lines {
            matcher: self.matcher,
            limits: self.limits,
            found: Vec::new(),
            is_binary: false,
        };
        let reader = Cancellable { file, cancel: self.cancel };
        let result = self.searcher.search_reader(self.matcher, reader, &mut lines);
        let Lines { found, is_binary, .. } = lines;
        match result {
            // What stands before the first NUL is no text either.
            Ok(()) if is_binary => Searched { lines: Vec::new(), skipped: Some(Reason::Binary) },
            Ok(()) => Searched { lines: found, skipped: None },
            Err(error) => Searched { lines: found, skipped: Some(reason_of(&error)) },
        }
    }
}

/// An error with a number comes from the system; without one it is the searcher's, whose buffer may
/// not grow any further.
fn reason_of(error: &io::Error) -> Reason {
    if error.raw_os_error().is_some() { Reason::Unreadable } else { Reason::LineTooLong }
}

/// A file that reads as broken off when the search is cancelled, so that a huge one does not hold
/// the search up.
struct Cancellable<'a> {
    file: File,
    cancel: &'a AtomicBool,
}

impl Read for Cancellable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.load(Ordering::Relaxed) { Ok(0) } else { self.file.read(buffer) }
    }
}

struct Lines<'a> {
    matcher: &'a RegexMatcher,
    limits: GrepLimits,
    found: Vec<(u64, String)>,
    is_binary: bool,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let line = without_ending(found.bytes());
        let hit = self.matcher.find(line).map_err(io::Error::error_message)?;
        let hit = hit.map_or(0, |hit| hit.start());
        let number = found.line_number().unwrap_or(0);
        self.found.push((number, excerpt(line, hit, self.limits.line_chars)));
        Ok(self.found.len() <= self.limits.matches)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}
