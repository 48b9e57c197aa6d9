//! From the text of a query to a matcher.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

use super::GrepError;

/// Memory for a compiled query and for each thread's cache of it.
const MAX_COMPILED_BYTES: usize = 10 << 20;

/// Matching a query takes time in proportion to its length for every character that is searched.
const MAX_QUERY_CHARS: usize = 2000;

/// A query ready to be matched, line by line.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) matcher: RegexMatcher,
    /// Why the query is no regular expression and was taken as exact text.
    pub(super) not_a_regex: Option<String>,
}

impl Pattern {
    pub(super) fn new(query: &str, case_sensitive: Option<bool>) -> Result<Self, GrepError> {
        // A line break at the end comes from copying a whole line.
        let query = query.strip_suffix('\n').unwrap_or(query);
        let query = query.strip_suffix('\r').unwrap_or(query);
        if query.is_empty() {
            return Err(GrepError::Empty);
        }
        if query.contains('\n') {
            return Err(GrepError::LineBreak { query: query.to_owned() });
        }
        let refused = |problem| GrepError::Query { problem };
        let chars = query.chars().count();
        if chars > MAX_QUERY_CHARS {
            return Err(refused(format!(
                "it has {chars} characters, and {MAX_QUERY_CHARS} is the most"
            )));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_smart(case_sensitive.is_none())
            .case_insensitive(case_sensitive == Some(false))
            // The searcher hands over many lines at a time; `^` and `$` mean each of them.
            .multi_line(true)
            // `$` also matches before `\r\n`, but lines end at `\n`, so that `\r` can be found.
            .crlf(true)
            .line_terminator(Some(b'\n'))
            .ban_byte(Some(0))
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES);
        let problem = match syntax_problem(query) {
            Some(problem) => problem,
            None => match builder.build(query) {
                Ok(matcher) => return Ok(Self { matcher, not_a_regex: None }),
                Err(error) => problem_of(query, &error)?,
            },
        };
        match builder.fixed_strings(true).build(query) {
            Ok(matcher) => Ok(Self { matcher, not_a_regex: Some(problem) }),
            Err(error) => Err(refused(problem_of(query, &error)?)),
        }
    }
}

/// grep-regex wraps the query in a group before it parses it, which makes `a)|(b` valid and shows
/// in its messages; so the syntax is checked beforehand.
fn syntax_problem(query: &str) -> Option<String> {
    let error = regex_syntax::ast::parse::Parser::new().parse(query).err()?;
    Some(format!("{} at column {}", error.kind(), error.span().start.column))
}

/// What makes the query no regular expression, unless it asks for what no line can hold.
fn problem_of(query: &str, error: &grep_regex::Error) -> Result<String, GrepError> {
    let kind = error.kind();
    if matches!(kind, ErrorKind::NotAllowed(_)) {
        return Err(GrepError::LineBreak { query: query.to_owned() });
    }
    if matches!(kind, ErrorKind::Banned(_)) {
        return Err(GrepError::Nul { query: query.to_owned() });
    }
    // An error may be several lines long, with the reason on the last.
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or(&text);
    Ok(reason.strip_prefix("error: ").unwrap_or(reason).to_owned())
}
