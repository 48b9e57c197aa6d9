//! Which lines a header such as `fn main() {` leads to.

use std::ops::Range;

use super::locate::Rung;
use crate::line;

/// The lines that a chain of headers leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scopes {
    /// The blocks that the last header opens, from the header on.
    pub(super) blocks: Vec<Range<usize>>,
    /// All that comes after the headers, from the first place of the last one on.
    pub(super) after: Range<usize>,
}

/// Follows headers, outermost first; the first that is not there is the error.
pub(super) fn scopes<'h>(headers: &'h [String], file: &[&str]) -> Result<Scopes, &'h str> {
    let mut scopes =
        Scopes { blocks: std::iter::once(0..file.len()).collect(), after: 0..file.len() };
    for header in headers {
        let lines = occurrences(header, file);
        let first = lines.iter().find(|line| scopes.after.contains(line)).ok_or(header.as_str())?;
        scopes.after.start = *first;
        let inside = |line: &&usize| scopes.blocks.iter().any(|block| block.contains(line));
        scopes.blocks = lines.iter().filter(inside).map(|line| block(*line, file)).collect();
    }
    Ok(scopes)
}

/// Where a header stands: on a line of its own, or else at the beginning of a line.
fn occurrences(header: &str, file: &[&str]) -> Vec<usize> {
    for rung in [Rung::OuterSpace, Rung::Punctuation] {
        let found = rung.find(&[header], file);
        if !found.is_empty() {
            return found;
        }
    }
    let begins = |line: &&str| line.trim_start().starts_with(header.trim());
    (0..file.len()).filter(|at| begins(&file[*at])).collect()
}

/// A line with those below it that are indented deeper, and with what closes them.
fn block(start: usize, file: &[&str]) -> Range<usize> {
    let own = depth(file[start]);
    let belongs = |line: &&&str| {
        let bracket = line.trim_start().starts_with(['}', ')', ']', '{']);
        line::is_blank(line)
            || depth(line) > own
            || depth(line) == own && (bracket || line.trim() == "end")
    };
    start..start + 1 + file[start + 1..].iter().take_while(belongs).count()
}

fn depth(line: &str) -> usize {
    line::indent(line).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_lead_to_blocks() {
        let file = [
            "class A:",
            "    def f(self):",
            "        pass",
            "",
            "    def g(self):",
            "        pass",
            "class B:",
            "    def f(self):",
            "        pass",
            "end",
            "x = 1",
        ];
        let headers = |chain: &str| chain.split('|').map(str::to_owned).collect::<Vec<_>>();
        for (chain, blocks, after) in [
            ("class A:", &[(0, 6)][..], 0),
            ("class A:|def f(self):", &[(1, 4)], 1),
            ("class B:|def f(self):", &[(7, 9)], 7),
            ("def f(self):", &[(1, 4), (7, 9)], 1),
            ("class B", &[(6, 10)], 6),
            ("x = 1", &[(10, 11)], 10),
            ("class A:|x = 1", &[], 10),
        ] {
            let blocks = blocks.iter().map(|&(start, end)| start..end).collect();
            let expected = Scopes { blocks, after: after..file.len() };
            assert_eq!(scopes(&headers(chain), &file), Ok(expected), "{chain}");
        }
        assert_eq!(scopes(&headers("class A:|class C:"), &file), Err("class C:"));
    }
}
