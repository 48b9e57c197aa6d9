//! Where lines stand in a file: a ladder of leniency, strictest rung first.

use crate::drift::Drift;

/// How closely lines must agree. Each rung allows all that the rungs before it allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rung {
    /// Every character.
    Exact,
    /// All but white space at the ends of lines.
    TrailingSpace,
    /// All but that and an indentation that differs in the same way on every line.
    Indentation,
    /// All but white space at either end of each line.
    OuterSpace,
    /// All but that and typographic quotes, dashes, spaces and ellipses.
    Punctuation,
}

impl Rung {
    /// All rungs, strictest first.
    pub(super) const LADDER: [Self; 5] =
        [Self::Exact, Self::TrailingSpace, Self::Indentation, Self::OuterSpace, Self::Punctuation];

    /// Whether two lines agree. On every rung this is an equivalence.
    fn agree(self, a: &str, b: &str) -> bool {
        match self {
            Self::Exact => a == b,
            Self::TrailingSpace => a.trim_end() == b.trim_end(),
            Self::Indentation => trim_indent(a) == trim_indent(b),
            Self::OuterSpace => a.trim() == b.trim(),
            Self::Punctuation => plain(a.trim()).eq(plain(b.trim())),
        }
    }

    /// Where `file` has the lines `wanted`, counted from 0: the first line of each place.
    ///
    /// Places may overlap. Every line is looked at a bounded number of times however often the
    /// lines repeat (Knuth, Morris and Pratt).
    pub(super) fn find(self, wanted: &[&str], file: &[&str]) -> Vec<usize> {
        let Some(last) = wanted.len().checked_sub(1) else { return Vec::new() };
        // Per line, the length of the longest beginning of `wanted` that ends there.
        let mut borders = vec![0; wanted.len()];
        for at in 1..wanted.len() {
            let mut length: usize = borders[at - 1];
            while length > 0 && !self.agree(wanted[length], wanted[at]) {
                length = borders[length - 1];
            }
            borders[at] = length + usize::from(self.agree(wanted[length], wanted[at]));
        }
        let mut found = Vec::new();
        let mut length = 0;
        for (at, line) in file.iter().enumerate() {
            while length > 0 && !self.agree(wanted[length], line) {
                length = borders[length - 1];
            }
            length += usize::from(self.agree(wanted[length], line));
            if length == wanted.len() {
                found.push(at - last);
                length = borders[last];
            }
        }
        if self == Self::Indentation {
            found.retain(|start| is_uniform(wanted, &file[*start..]));
        }
        found
    }
}

/// Whether the indentation of all lines differs in the same way.
fn is_uniform(wanted: &[&str], file: &[&str]) -> bool {
    Drift::between(wanted.iter().copied().zip(file.iter().copied())) != Drift::Irregular
}

fn trim_indent(line: &str) -> &str {
    line.trim_end().trim_start_matches([' ', '\t'])
}

/// A line's characters with typographic ones replaced by those that a keyboard has.
fn plain(line: &str) -> impl Iterator<Item = char> {
    line.chars().flat_map(|c| {
        let (plain, times) = match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => ('-', 1),
            '\u{2018}'..='\u{201b}' => ('\'', 1),
            '\u{201c}'..='\u{201f}' => ('"', 1),
            '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => (' ', 1),
            '\u{2026}' => ('.', 3),
            other => (other, 1),
        };
        std::iter::repeat_n(plain, times)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(wanted: &str, file: &str) -> Option<(Rung, Vec<usize>)> {
        let (wanted, file): (Vec<_>, Vec<_>) =
            (wanted.split('|').collect(), file.split('|').collect());
        Rung::LADDER.into_iter().find_map(|rung| {
            let found = rung.find(&wanted, &file);
            (!found.is_empty()).then_some((rung, found))
        })
    }

    #[test]
    fn the_strictest_rung_that_finds_anything_decides() {
        for (wanted, file, expected) in [
            ("b", "a|b|c", Some((Rung::Exact, vec![1]))),
            ("b", "a|b|b ", Some((Rung::Exact, vec![1]))),
            ("a|b", "a|a|b|a|b", Some((Rung::Exact, vec![1, 3]))),
            ("a|a", "a|a|a|b|a|a", Some((Rung::Exact, vec![0, 1, 4]))),
            ("b |c", "a|b|c  ", Some((Rung::TrailingSpace, vec![1]))),
            ("b|  c", "  b|    c|b|c", Some((Rung::Indentation, vec![0]))),
            ("b|\tc", "b|    c", Some((Rung::Indentation, vec![0]))),
            ("b|c", "  b|      c", Some((Rung::OuterSpace, vec![0]))),
            ("say \"hi\" - now...", " say “hi” – now…", Some((Rung::Punctuation, vec![0]))),
            ("b|c", "b|x|c", None),
            ("b|c|d", "c|d", None),
            ("b c", "b  c", None),
        ] {
            assert_eq!(find(wanted, file), expected, "{wanted:?} in {file:?}");
        }
        assert_eq!(Rung::Exact.find(&[], &["a"]), Vec::<usize>::new());
    }
}
