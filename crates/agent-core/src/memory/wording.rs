//! Whether two requests ask for the same.

use std::collections::HashSet;

/// Words in common, of all the words of both, from which requests are similar.
const SIMILAR: f64 = 0.7;

/// What says nothing about what is asked for.
const POLITE: [&str; 6] = ["please", "pls", "hi", "hey", "hello", "thanks"];
const POLITE_PAIRS: [[&str; 2]; 4] =
    [["can", "you"], ["could", "you"], ["would", "you"], ["will", "you"]];

/// How alike two requests are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Likeness {
    /// They ask for the same in the same words.
    Same,
    /// Most of their words are the same; how many of all.
    Similar(f64),
    /// They are about something else.
    Different,
}

/// A normalised request that others are compared with.
pub(crate) struct Wording<'r> {
    request: &'r str,
    words: HashSet<String>,
}

impl<'r> Wording<'r> {
    pub(crate) fn of(request: &'r str) -> Self {
        Self { request, words: words(request) }
    }

    /// Compares it with another normalised request.
    pub(crate) fn likeness(&self, other: &str) -> Likeness {
        if self.request == other {
            return Likeness::Same;
        }
        // Of most others there are too few or too many words, which takes no set of them to see.
        let most = other.split(' ').count();
        if (most as f64) < self.words.len() as f64 * SIMILAR {
            return Likeness::Different;
        }
        let other = words(other);
        let common = self.words.intersection(&other).count() as f64;
        let overlap = common / self.words.union(&other).count().max(1) as f64;
        if overlap >= SIMILAR { Likeness::Similar(overlap) } else { Likeness::Different }
    }
}

fn words(text: &str) -> HashSet<String> {
    text.split(' ').map(str::to_lowercase).collect()
}

fn is_polite(word: &str) -> bool {
    POLITE.contains(&word.to_lowercase().as_str())
}

/// A request less what says nothing about what is asked for: spaces, final marks, courtesy, and the
/// capital of a sentence's first word. All other capitals stay: they tell names apart.
pub(crate) fn normalised(request: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut first = true;
    for word in request.split_whitespace() {
        let bare = word.trim_matches(|c: char| {
            matches!(
                c,
                '.' | ',' | '?' | '!' | ':' | ';' | '"' | '\'' | '`' | '“' | '”' | '(' | ')'
            )
        });
        let ends = word.ends_with(['.', '?', '!', ':', ';']);
        if bare.is_empty() {
            first |= ends;
            continue;
        }
        let lower = bare.to_lowercase();
        // "I" and "README" are no capitals of a sentence.
        let capital = bare.chars().skip(1).all(char::is_lowercase);
        words.push(if first && capital { lower.clone() } else { bare.to_owned() });
        first = ends || words.iter().all(|word| is_polite(word));
    }
    // In the middle they may be names.
    words.drain(..words.iter().take_while(|word| is_polite(word)).count());
    if words.len() > 1 && words.last().is_some_and(|word| word.eq_ignore_ascii_case("please")) {
        words.pop();
    }
    words.retain(|word| word != "the");
    if let [one, other, ..] = words.as_slice()
        && POLITE_PAIRS.iter().any(|pair| *one == pair[0] && *other == pair[1])
    {
        words.drain(..2);
    }
    words.join(" ")
}
