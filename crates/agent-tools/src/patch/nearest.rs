//! The places in a file that come nearest to lines that are not in it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;

use crate::line;

/// A place that is nearly what was looked for, and where it first differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// The line that differs, counted from 1.
    pub line: usize,
    /// What stands there.
    pub found: String,
    /// What was expected there.
    pub wanted: String,
    /// How many lines agree but for white space around them.
    pub agreeing: usize,
    /// How many lines were looked for.
    pub of: usize,
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, found, wanted, agreeing, of } = self;
        write!(f, "line {line} is {found:?} where the patch has {wanted:?}")?;
        if *of > 1 { write!(f, " ({agreeing} of {of} lines agree)") } else { Ok(()) }
    }
}

/// How many places are worth showing.
const MOST: usize = 3;

/// How many equal lines of one text are told apart; beyond that they say nothing of a place.
const MOST_EQUAL: usize = 8;

/// How many lines agree at a place, and how many of them have a word in them.
#[derive(Clone, Copy, Default)]
struct Votes {
    lines: usize,
    worded: usize,
}

/// The places in `file` that share most lines with `wanted`, best first; if none shares any, the
/// lines that look most like the first of `wanted`.
pub(super) fn nearest(wanted: &[&str], file: &[&str]) -> Vec<Near> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().enumerate().filter(|(_, line)| !line::is_blank(line)) {
        let places = places.entry(line.trim()).or_default();
        if places.len() < MOST_EQUAL {
            places.push(at);
        }
    }
    // A place may begin before the file does, so places are counted from where the file would
    // begin if `wanted` stood wholly before it.
    let mut votes: HashMap<usize, Votes> = HashMap::new();
    for (at, line) in file.iter().enumerate() {
        for place in places.get(line.trim()).into_iter().flatten() {
            let votes = votes.entry(at + wanted.len() - place).or_default();
            votes.lines += 1;
            votes.worded += usize::from(line.contains(char::is_alphanumeric));
        }
    }
    let mut votes: Vec<(usize, Votes)> = votes.into_iter().collect();
    votes.sort_unstable_by_key(|(place, votes)| {
        (Reverse(votes.worded), Reverse(votes.lines), *place)
    });
    let near = |(place, votes): (usize, Votes)| {
        let line = |at: usize| (place + at).checked_sub(wanted.len()).filter(|at| *at < file.len());
        let differs = |trim: fn(&str) -> &str| {
            (0..wanted.len())
                .find(|at| line(*at).is_none_or(|line| trim(file[line]) != trim(wanted[*at])))
        };
        let at = differs(str::trim).or_else(|| differs(|line| line))?;
        let line = line(at)?;
        Some(near(line, file[line], wanted[at], votes.lines, wanted.len()))
    };
    let found: Vec<Near> = votes.into_iter().take(MOST).filter_map(near).collect();
    if found.is_empty() { look_alikes(wanted, file) } else { found }
}

fn near(line: usize, found: &str, wanted: &str, agreeing: usize, of: usize) -> Near {
    const MOST_CHARS: usize = 160;
    let cut = |text: &str| match text.char_indices().nth(MOST_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    };
    Near { line: line + 1, found: cut(found), wanted: cut(wanted), agreeing, of }
}

/// The lines that share most of their beginning and end with the first of `wanted`.
fn look_alikes(wanted: &[&str], file: &[&str]) -> Vec<Near> {
    let Some(first) = wanted.iter().find(|line| !line::is_blank(line)) else { return Vec::new() };
    let mut found: Vec<(usize, usize)> = (file.iter().enumerate())
        .map(|(at, line)| (alike(line.trim().as_bytes(), first.trim().as_bytes()), at))
        .filter(|(alike, _)| *alike >= 50)
        .collect();
    found.sort_unstable_by_key(|(alike, at)| (Reverse(*alike), *at));
    let near = |(_, at): (usize, usize)| near(at, file[at], first, 0, wanted.len());
    found.into_iter().take(MOST).map(near).collect()
}

/// How much of two lines is the same at their ends, in per cent.
fn alike(a: &[u8], b: &[u8]) -> usize {
    let lead = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&a[lead..], &b[lead..]);
    let tail = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count();
    100 * (lead + tail) / a.len().max(b.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_at_the_best_place_is_told() {
        let file =
            ["fn a() {", "    one();", "    two();", "}", "", "fn b() {", "    three();", "}"];
        for (wanted, expected) in [
            (
                vec!["fn a() {", "    one();", "    to();", "}"],
                "line 3 is \"    two();\" where the patch has \"    to();\" (3 of 4 lines agree)",
            ),
            (vec!["    thre();"], "line 7 is \"    three();\" where the patch has \"    thre();\""),
            (
                vec!["fn b() {", "}"],
                "line 7 is \"    three();\" where the patch has \"}\" (1 of 2 lines agree)",
            ),
            (vec!["nothing like it"], ""),
            (vec!["", ""], ""),
        ] {
            let told = nearest(&wanted, &file).first().map(ToString::to_string);
            assert_eq!(told.unwrap_or_default(), expected, "{wanted:?}");
        }
    }
}
