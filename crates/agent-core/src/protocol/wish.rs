//! What a request wants, as far as its words tell.

/// Kinds of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// An answer: nothing is to be changed.
    Answer,
    /// Something is to be changed.
    Change,
    /// The words don't tell.
    Unclear,
}

const QUESTIONS: [&str; 21] = [
    "what",
    "which",
    "who",
    "where",
    "when",
    "why",
    "how",
    "does",
    "do",
    "is",
    "are",
    "was",
    "can",
    "list",
    "explain",
    "describe",
    "show",
    "tell",
    "count",
    "find",
    "summarize",
];

const CHANGES: [&str; 29] = [
    "add",
    "change",
    "fix",
    "rename",
    "make",
    "replace",
    "set",
    "update",
    "remove",
    "delete",
    "create",
    "write",
    "implement",
    "correct",
    "repair",
    "increase",
    "decrease",
    "insert",
    "move",
    "refactor",
    "edit",
    "convert",
    "append",
    "let",
    "turn",
    "drop",
    "use",
    "bump",
    "raise",
];

/// Words of somebody who says what is wrong: that it is to be put right goes without saying.
const REPORTS: [&str; 12] = [
    "broken",
    "bug",
    "crashes",
    "fails",
    "failing",
    "incorrect",
    "incorrectly",
    "instead",
    "must",
    "should",
    "throws",
    "wrong",
];

const REMOVALS: [&str; 5] = ["remove", "delete", "drop", "rid", "strip"];

impl Wish {
    pub(crate) fn of(task: &str) -> Self {
        let words = words(task);
        let polite = ["please", "could", "can", "would", "you", "now", "then", "kindly", "hi"];
        let first = words.iter().find(|word| !polite.contains(&word.as_str()));
        let is_in = |list: &[&str], word: &String| list.contains(&word.as_str());
        match first {
            Some(first) if is_in(&CHANGES, first) => Self::Change,
            Some(first) if is_in(&QUESTIONS, first) => {
                // "Find the bug and fix it" is no question.
                let later = words.iter().skip(1).any(|word| is_in(&CHANGES[..14], word));
                if later && !task.trim_end().ends_with('?') { Self::Unclear } else { Self::Answer }
            }
            Some(_) if task.trim_end().ends_with('?') => Self::Answer,
            Some(_) if words.iter().any(|word| is_in(&CHANGES, word) || is_in(&REPORTS, word)) => {
                Self::Change
            }
            Some(_) | None => Self::Unclear,
        }
    }
}

/// Whether a request says that something is to go.
pub(crate) fn removes(task: &str) -> bool {
    words(task).iter().any(|word| REMOVALS.contains(&word.as_str()))
}

/// Whether it says that a name is to go, with what it stands for or without.
pub(crate) fn lets_names_go(task: &str) -> bool {
    removes(task) || renames(task)
}

/// Whether it gives another name to something.
pub(crate) fn renames(task: &str) -> bool {
    words(task).iter().any(|word| word == "rename")
}

fn words(task: &str) -> Vec<String> {
    let words = task.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_apart_by_their_words() {
        for (task, wish) in [
            ("What does shop.py do?", Wish::Answer),
            ("How many functions are in a.py", Wish::Answer),
            ("Can you tell me where the limit is set?", Wish::Answer),
            ("Rename total to sum.", Wish::Change),
            ("Please fix the bug in a.py", Wish::Change),
            ("Could you add a test?", Wish::Change),
            ("The test in test_a.py fails. Fix a.py.", Wish::Change),
            ("total raises an error for an empty list. It should be 0 then.", Wish::Change),
            ("The sum in a.py is wrong.", Wish::Change),
            ("Should total be 0 for an empty list?", Wish::Answer),
            ("Find the bug and fix it.", Wish::Unclear),
            ("hello", Wish::Unclear),
            ("", Wish::Unclear),
        ] {
            assert_eq!(Wish::of(task), wish, "{task}");
        }
        assert!(removes("Delete the function `x`."));
        assert!(!removes("Add a function."));
        // What is renamed stays.
        assert!(!removes("Rename `x` to `y`."));
        assert!(lets_names_go("Rename `x` to `y`.") && lets_names_go("Delete `x`."));
    }
}
