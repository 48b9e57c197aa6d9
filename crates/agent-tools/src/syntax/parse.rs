//! Parsing within bounds.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};
use tree_sitter_language::LanguageFn;

/// How much work one parse may be.
///
/// Work is counted, not timed: the same file always gets the same answer, whatever else the
/// machine is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxLimits {
    /// The longest text that is parsed, in bytes.
    pub max_bytes: usize,
    /// The parser's operations on one text. Most take about one for every two bytes, dense ones
    /// and those that are no text of their language at all up to two for each byte.
    pub max_operations: usize,
    /// The most errors that are listed.
    pub max_errors: usize,
}

impl Default for SyntaxLimits {
    /// Two megabytes, and operations for about a quarter of a second, up to a second where all
    /// of the text is faulty.
    fn default() -> Self {
        Self { max_bytes: 2_000_000, max_operations: 600_000, max_errors: 10 }
    }
}

/// Why a text was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unparsed {
    TooLarge,
    TooMuchWork,
}

/// The parser calls back after this many operations.
const OPERATIONS_PER_CALL: usize = 100;

pub(super) fn parse(
    grammar: LanguageFn,
    text: &str,
    limits: &SyntaxLimits,
) -> Result<Tree, Unparsed> {
    if text.len() > limits.max_bytes {
        return Err(Unparsed::TooLarge);
    }
    let mut parser = Parser::new();
    // A grammar of another version than the library's; the tests load every one of them.
    parser.set_language(&grammar.into()).map_err(|_| Unparsed::TooMuchWork)?;
    let bytes = text.as_bytes();
    let mut calls_left = limits.max_operations / OPERATIONS_PER_CALL;
    let mut progress = |_: &tree_sitter::ParseState| match calls_left.checked_sub(1) {
        Some(left) => {
            calls_left = left;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser
        .parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
        .ok_or(Unparsed::TooMuchWork)
}
