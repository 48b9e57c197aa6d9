//! What a request says of the tests: that they are to be changed, that they are to stay, or
//! nothing.
//!
//! A small model that is told of a failing test changes the test as readily as the code. Whether
//! that was asked for its words tell.

use super::{Files, lets_names_go, wish::renames};
use crate::policy::is_test;

/// What is said of the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AboutTests {
    /// They are to be changed, or may be for all that is said.
    MayChange,
    /// They fail, or are spoken of as what the code has to do: they stay.
    Stay,
    /// Nothing.
    Unsaid,
}

/// Whatever is named behind these is to be changed.
const CHANGES: [&str; 42] = [
    "add",
    "adapt",
    "adjust",
    "append",
    "bump",
    "change",
    "clean",
    "convert",
    "cover",
    "create",
    "decrease",
    "delete",
    "disable",
    "drop",
    "edit",
    "enable",
    "expand",
    "extend",
    "generate",
    "implement",
    "improve",
    "increase",
    "insert",
    "mark",
    "modify",
    "move",
    "parametrize",
    "port",
    "put",
    "raise",
    "refactor",
    "remove",
    "rename",
    "replace",
    "rewrite",
    "set",
    "simplify",
    "skip",
    "split",
    "strip",
    "update",
    "write",
];

/// The same, where it is said that it must not be.
const CHANGING: [&str; 11] = [
    "alter",
    "altering",
    "changing",
    "deleting",
    "editing",
    "modifying",
    "removing",
    "rewriting",
    "skipping",
    "touch",
    "touching",
];

/// Behind these something else begins; to mend a test is to mend the code that it tests.
const BOUNDARIES: [&str; 27] = [
    "as",
    "because",
    "but",
    "correct",
    "fix",
    "get",
    "if",
    "let",
    "like",
    "make",
    "mend",
    "pass",
    "passes",
    "passing",
    "repair",
    "resolve",
    "satisfies",
    "satisfy",
    "since",
    "so",
    "solve",
    "that",
    "until",
    "what",
    "when",
    "which",
    "while",
];

const NEGATIONS: [&str; 6] = ["don't", "don’t", "dont", "never", "not", "without"];

const ARTICLES: [&str; 6] = ["a", "any", "in", "its", "the", "these"];

/// Words of an outcome: the tests are what the code is measured by.
const OUTCOMES: [&str; 16] = [
    "broken",
    "breaks",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "failures",
    "green",
    "pass",
    "passes",
    "passing",
    "red",
    "succeed",
    "succeeds",
    "traceback",
];

/// What the words so far say of what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Nothing,
    /// It is to be changed.
    Change,
    /// It is not what is meant.
    Not,
    /// It is not to be changed.
    Keep,
}

impl AboutTests {
    pub(crate) fn of(task: &str) -> Self {
        let (mut mentioned, mut wanted, mut verb, mut outcome) = (false, false, false, false);
        let mut says = Says::Nothing;
        let mut begins = true;
        for token in task.split_whitespace() {
            let word = token.trim_matches(|c: char| "`'\"()[],;:!?*".contains(c));
            let word = word.strip_suffix('.').unwrap_or(word);
            let lower = word.to_lowercase();
            let is = |list: &[&str]| list.contains(&lower.as_str());
            let is_test = is_about_tests(word);
            outcome |= is(&OUTCOMES) || lower.starts_with("assertionerror");
            mentioned |= is_test;
            says = match says {
                // "Test the parser" asks for a test, "Test a fails" does not.
                _ if begins && lower == "test" => {
                    verb = true;
                    Says::Nothing
                }
                _ if is(&NEGATIONS) => Says::Not,
                Says::Not | Says::Keep if is_test => return Self::Stay,
                Says::Not if is(&ARTICLES) => Says::Not,
                Says::Not if is(&CHANGES) || is(&CHANGING) => Says::Keep,
                Says::Change if is_test => {
                    wanted = true;
                    Says::Change
                }
                _ if is(&BOUNDARIES) => Says::Nothing,
                Says::Nothing | Says::Not | Says::Change if is(&CHANGES) => Says::Change,
                Says::Not => Says::Nothing,
                same @ (Says::Nothing | Says::Change | Says::Keep) => same,
            };
            begins = token.ends_with(['.', ';', '!', '?', ':']);
            if begins || says == Says::Keep && token.ends_with(',') {
                says = Says::Nothing;
            }
        }
        match (mentioned, wanted || verb && !outcome, outcome) {
            (_, true, _) | (true, false, false) => Self::MayChange,
            (true, false, true) => Self::Stay,
            (false, false, _) => Self::Unsaid,
        }
    }

    /// Whether the tests are kept as they are: where the request says so, and where it says nothing
    /// of them. Where there is nothing else to be changed, they are not.
    pub(crate) fn keeps(self, task: &str, files: &Files) -> bool {
        let is_code = |path: &String| !is_test(path);
        match self {
            Self::MayChange => false,
            Self::Stay => !renames(task) && files.paths.iter().any(is_code),
            // A name that goes does so everywhere.
            Self::Unsaid => {
                let about = files.shown.iter().map(|file| &file.path).chain(&files.named);
                !lets_names_go(task) && about.into_iter().any(is_code)
            }
        }
    }
}

/// Whether a word names a test file, a test, or what tests consist of.
fn is_about_tests(word: &str) -> bool {
    if word.contains(['.', '/']) && is_test(word) {
        return true;
    }
    let parts = word.split(|c: char| !c.is_alphanumeric());
    parts.into_iter().any(|part| {
        let lower = part.to_lowercase();
        matches!(
            lower.as_str(),
            "test"
                | "tests"
                | "testcase"
                | "testcases"
                | "unittest"
                | "unittests"
                | "spec"
                | "specs"
                | "assertion"
                | "assertions"
                | "expectation"
                | "expectations"
                | "snapshot"
                | "snapshots"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_whether_tests_are_to_change() {
        use AboutTests::{MayChange, Stay, Unsaid};
        for (task, expected) in [
            ("test_words.py fails: AssertionError: assert 3 == 2. Fix words.py.", Stay),
            ("tests/test_price.py fails:\n\n>  assert f(1) == 2\n\nMake it pass.", Stay),
            ("The test in test_calc.py fails. Fix calc.py.", Stay),
            ("Test test_add fails, fix it", Stay),
            ("Fix the failing test.", Stay),
            ("Fix the failing test in tests/test_price.py", Stay),
            ("Make the tests pass", Stay),
            ("Get the test suite green again.", Stay),
            ("Change add in calc.py so that the test passes.", Stay),
            ("Change calc.py to make test_calc.py pass.", Stay),
            ("Find out why test_words.py fails.", Stay),
            ("Fix calc.py, and do not change the tests.", Stay),
            ("Add a case for zero without touching test_calc.py", Stay),
            ("Don't edit tests; fix the code", Stay),
            ("Mend calc.py and not the test.", Stay),
            ("Implement what test_stack.py expects, so that it passes.", Stay),
            ("cart.spec.ts is red. Repair cart.ts.", Stay),
            ("Add a test for zero to test_calc.py.", MayChange),
            ("Write tests for calc.py", MayChange),
            ("calc.py fails for zero. Fix it and add a test.", MayChange),
            ("Write a failing test for add.", MayChange),
            ("Test the parser with an empty file.", MayChange),
            ("Rename `old` to `new` in calc.py and test_calc.py.", MayChange),
            ("Change the expected value in tests/test_calc.py to 4.", MayChange),
            ("Update the snapshots.", MayChange),
            ("add is not covered by tests. Add some tests, please", MayChange),
            ("There is no test for add, write one for it in test_calc.py", MayChange),
            ("Remove the failing test.", MayChange),
            ("Fix the import in test_calc.py.", MayChange),
            ("Fix test_calc.py", MayChange),
            ("Der Test soll angepasst werden.", MayChange),
            ("Change TAX in shop.py to 0.25.", Unsaid),
            ("Fix the bug in contest.py.", Unsaid),
            ("It fails for zero. Fix it.", Unsaid),
            ("", Unsaid),
        ] {
            assert_eq!(AboutTests::of(task), expected, "{task}");
        }
    }
}
