//! Why a definition was not put in place, in words that let its author mend it.

use super::Definition;

/// A definition, or a file, that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Decline {
    /// There is no grammar for this kind of file, or its text is too much for it.
    #[error("definitions can't be told apart in this kind of file; give line edits or a sketch")]
    Unreadable,
    /// There is no code.
    #[error("there is no code in the answer; give the whole new text in one fence")]
    Empty,
    /// The file has no definition of this name.
    #[error("the file defines no {wanted:?}{}", listed("; it defines ", .nearest))]
    Absent {
        /// The name that was looked for.
        wanted: String,
        /// Names that come near, best first.
        nearest: Vec<String>,
    },
    /// It has several.
    #[error("the file defines {wanted:?} more than once; name one of {}", .candidates.join(", "))]
    Ambiguous {
        /// The name that was looked for.
        wanted: String,
        /// A name for each that is the only one.
        candidates: Vec<String>,
    },
    /// Code of something else stands on the same lines.
    #[error(
        "{name} shares a line with other code, so it can't be replaced as a whole; give line edits"
    )]
    SharesLine {
        /// The definition.
        name: String,
    },
    /// What was given does not define what was asked for.
    #[error("the code does not define {wanted}{}", listed("; it defines ", .given))]
    OtherName {
        /// What it should define.
        wanted: String,
        /// What it defines.
        given: Vec<String>,
    },
    /// What was given is not whole in its language.
    #[error("the code is not complete: it can't be parsed as a definition on its own")]
    Broken,
    /// Other definitions of the file are given too, and differently.
    #[error("the code also changes {}; give {wanted} alone", .names.join(", "))]
    AlsoChanges {
        /// What was to be replaced.
        wanted: String,
        /// What would be changed besides.
        names: Vec<String>,
    },
    /// There is code that belongs to no definition.
    #[error("{text:?} is no part of a definition; give the definition alone")]
    Stray {
        /// The code.
        text: String,
    },
    /// Definitions would be gone.
    #[error("{} would be lost; give the whole text, with everything that stays", .names.join(", "))]
    Lost {
        /// Which.
        names: Vec<String>,
    },
    /// Much of the text would be gone.
    #[error(
        "{after} lines would take the place of {before}; give the whole text, with everything that stays"
    )]
    Shrinks {
        /// Lines with code before.
        before: usize,
        /// Lines with code after.
        after: usize,
    },
    /// There is a marker for left-out code.
    #[error("{line:?} stands for code that is left out; give the whole text")]
    Marker {
        /// The line.
        line: String,
    },
    /// The lines can't be moved to where the definition is.
    #[error(
        "the code is indented in a way that fits nowhere in the file; indent it as the file does"
    )]
    Indentation,
    /// The file would stay as it is.
    #[error("the code is the same as in the file: nothing would change")]
    NoChange,
}

fn listed(before: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("{before}{}", names.join(", ")) }
}

/// How many names are worth showing.
const MOST: usize = 5;

impl Decline {
    pub(super) fn absent(wanted: &str, definitions: &[Definition]) -> Self {
        let close = |name: &str| {
            let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_lowercase();
            let (a, b) = (last(wanted), last(name));
            let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            let within = usize::from(a.contains(&b) || b.contains(&a)) * b.len();
            (shared + within) * 10 / (a.len().max(b.len()) + 1)
        };
        let mut nearest: Vec<String> = definitions.iter().map(Definition::name).collect();
        nearest.sort_by_key(|name| std::cmp::Reverse(close(name)));
        nearest.dedup();
        nearest.truncate(MOST);
        Self::Absent { wanted: wanted.to_owned(), nearest }
    }
}
