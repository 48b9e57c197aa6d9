//! Syntax errors, and above all those that an edit introduced.
//!
//! [`check`] lists the errors of a text; [`introduced`] compares two versions of a file and lists
//! only those that were not there before. An error found is nearly certain; no error found is
//! weak evidence: a parser for editors accepts more than a compiler does.

mod balance;
mod compare;
mod detect;
mod doubt;
mod fault;
mod hazard;
mod language;
mod parse;
mod reading;

use std::fmt;

use doubt::Doubt;
use fault::Fault;
use parse::Unparsed;
use reading::Reading;

pub use language::Language;
pub use parse::SyntaxLimits;

/// A place where a text is not as its language wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// What is wrong, as far as the parser can tell.
    pub message: String,
    /// The line itself, shortened when it is very long.
    pub text_of_line: String,
}

impl fmt::Display for SyntaxError {
    /// `12:5: missing ")": foo(a`, which goes well after the name of the file and a colon.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        if !self.text_of_line.is_empty() {
            write!(f, ": {}", self.text_of_line)?;
        }
        Ok(())
    }
}

/// What became of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The text was parsed.
    Checked {
        /// What it was parsed as.
        language: Language,
        /// What is wrong with it, in the order of the lines; at most
        /// [`SyntaxLimits::max_errors`].
        errors: Vec<SyntaxError>,
    },
    /// Neither the name nor the first line tells a language that can be checked.
    UnknownLanguage,
    /// The text is longer than [`SyntaxLimits::max_bytes`].
    TooLarge {
        /// The language that it seems to be in.
        language: Language,
    },
    /// The parser reached [`SyntaxLimits::max_operations`], or would not have come to an end.
    TimedOut {
        /// The language that it seems to be in.
        language: Language,
    },
}

impl Verdict {
    /// The errors that were found: none when nothing was checked.
    pub fn errors(&self) -> &[SyntaxError] {
        match self {
            Self::Checked { errors, .. } => errors,
            Self::UnknownLanguage | Self::TooLarge { .. } | Self::TimedOut { .. } => &[],
        }
    }
}

/// Lists the syntax errors of a text; `path` is only used to tell its language.
pub fn check(path: &str, text: &str, limits: &SyntaxLimits) -> Verdict {
    compare_versions(path, None, text, limits)
}

/// Lists the syntax errors of `after` that an edit of `before` introduced.
///
/// Errors that were there before do not count, even if the edit moved them or changed what the
/// parser makes of them. Where a grammar is known to reject what a compiler accepts (macros,
/// templates inside another language), a more lenient reading of both texts decides.
pub fn introduced(path: &str, before: &str, after: &str, limits: &SyntaxLimits) -> Verdict {
    compare_versions(path, Some(before), after, limits)
}

fn compare_versions(
    path: &str,
    before: Option<&str>,
    after: &str,
    limits: &SyntaxLimits,
) -> Verdict {
    let Some(language) = Language::of(path, after.lines().next().unwrap_or_default()) else {
        return Verdict::UnknownLanguage;
    };
    let mut fewest: Option<Vec<Fault>> = None;
    for reading in Reading::all(language) {
        let faults = match introduced_in(&reading, language, before, after, limits) {
            Ok(faults) => faults,
            Err(Unparsed::TooLarge) => return Verdict::TooLarge { language },
            Err(Unparsed::TooMuchWork) => return Verdict::TimedOut { language },
        };
        if faults.is_empty() {
            return Verdict::Checked { language, errors: Vec::new() };
        }
        if fewest.as_ref().is_none_or(|fewest| faults.len() < fewest.len()) {
            fewest = Some(faults);
        }
    }
    let mut faults = fewest.unwrap_or_default();
    faults.truncate(limits.max_errors);
    let errors = faults.into_iter().map(|fault| located(fault, after)).collect();
    Verdict::Checked { language, errors }
}

/// The new faults of a text in one reading; the old text is parsed only if there are any.
fn introduced_in(
    reading: &Reading,
    language: Language,
    before: Option<&str>,
    after: &str,
    limits: &SyntaxLimits,
) -> Result<Vec<Fault>, Unparsed> {
    let mut new = reading.faults(after, limits)?;
    if new.is_empty() {
        return Ok(new);
    }
    let mut old = Vec::new();
    if let Some(before) = before {
        old = reading.faults(before, limits)?;
        new = compare::introduced((before, &old), (after, &new));
    }
    let doubt = Doubt::new(language, before, &old, after);
    new.retain(|fault| !doubt.doubts(fault));
    Ok(new)
}

/// The tree of a text that its grammar survives, within the limits.
pub(crate) fn tree(
    language: Language,
    text: &str,
    limits: &SyntaxLimits,
) -> Option<tree_sitter::Tree> {
    let text = hazard::defused(language, text)?;
    parse::parse(language.grammar(), &text, limits).ok()
}

/// The longest line that an error repeats, in characters.
const MAX_LINE: usize = 200;

fn located(fault: Fault, text: &str) -> SyntaxError {
    let at = text.floor_char_boundary(fault.at);
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let text_of_line = match line.char_indices().nth(MAX_LINE) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    };
    SyntaxError {
        line: compare::line_of(text, at) + 1,
        column: text[start..at].chars().count() + 1,
        message: fault.message,
        text_of_line,
    }
}
