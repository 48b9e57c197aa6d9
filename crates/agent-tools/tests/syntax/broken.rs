//! Files that were broken before they were edited.

use agent_tools::syntax::{SyntaxLimits, introduced};

use crate::mutation::MUTATIONS;
use crate::sample::{Sample, samples, valid_edits};

/// The lines of what an edit introduced.
fn lines(path: &str, before: &str, after: &str) -> Vec<usize> {
    let verdict = introduced(path, before, after, &SyntaxLimits::default());
    verdict.errors().iter().map(|error| error.line).collect()
}

#[test]
fn an_edit_that_adds_no_error_passes() {
    let mut edits = 0;
    for sample in samples() {
        for mutation in &MUTATIONS {
            for text in (mutation.apply)(&sample.text, &sample.language).into_iter().take(1) {
                let broken =
                    Sample { language: sample.language.clone(), name: sample.name.clone(), text };
                // No quotes or brackets: where a literal is left open, a comment is part of it.
                for edited in valid_edits(&broken, "a note") {
                    let found = lines(&broken.name, &broken.text, &edited);
                    assert_eq!(
                        found, [0; 0],
                        "{}: {}:\n{}\n=>\n{edited}",
                        sample.name, mutation.name, broken.text
                    );
                    edits += 1;
                }
            }
        }
    }
    assert!(edits > 5_000, "{edits}");
}

#[test]
fn a_repair_passes() {
    for sample in samples() {
        for mutation in &MUTATIONS {
            for broken in (mutation.apply)(&sample.text, &sample.language) {
                assert_eq!(lines(&sample.name, &broken, &sample.text), [0; 0], "{broken}");
            }
        }
    }
}

const FUNCTIONS: &str =
    "fn a() {\n    x(1;\n}\n\nfn b() {\n    y(2);\n}\n\nfn c() {\n    z(3);\n}\n";

#[test]
fn a_second_error_elsewhere_is_introduced() {
    assert_eq!(lines("a.rs", FUNCTIONS, &FUNCTIONS.replace("z(3)", "z(3")), [10]);
}

#[test]
fn an_error_that_moved_is_not_introduced() {
    assert_eq!(lines("a.rs", FUNCTIONS, &format!("// one\n// two\n\n{FUNCTIONS}")), [0; 0]);
}

#[test]
fn a_half_repair_is_not_introduced() {
    assert_eq!(lines("a.rs", FUNCTIONS, &FUNCTIONS.replace("x(1;", "x(1, ;")), [0; 0]);
}

#[test]
fn mending_one_error_does_not_excuse_another() {
    let after = FUNCTIONS.replace("x(1;", "x(1);").replace("z(3)", "z(3");
    assert_eq!(lines("a.rs", FUNCTIONS, &after), [10]);
}
