//! Any text is survived.

use agent_tools::syntax::{SyntaxLimits, Verdict, check, introduced};
use proptest::prelude::*;

use crate::sample::samples;

const PATHS: [&str; 21] = [
    "a.sh", "a.c", "a.h", "a.cpp", "a.cs", "a.css", "a.go", "a.html", "a.java", "a.js", "a.json",
    "a.jsonc", "a.kt", "a.php", "a.py", "a.rb", "a.rs", "a.toml", "a.tsx", "a.ts", "a.yaml",
];

/// Errors lie in the text and in its order.
fn lies_within(verdict: &Verdict, text: &str) {
    let lines = text.split('\n').count();
    for error in verdict.errors() {
        assert!((1..=lines).contains(&error.line), "{error:?}");
        assert!(error.column >= 1 && !error.message.is_empty(), "{error:?}");
    }
    assert!(verdict.errors().is_sorted_by_key(|error| (error.line, error.column)), "{verdict:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_checked(path in prop::sample::select(&PATHS[..]), text in "(?s).{0,200}") {
        lies_within(&check(path, &text, &SyntaxLimits::default()), &text);
    }

    #[test]
    fn any_code_is_checked(
        path in prop::sample::select(&PATHS[..]),
        parts in prop::collection::vec(
            prop::sample::select(&["(", ")", "{", "}", "\"", "'", "\n", "\r\n", "if", "ä", "<", ">",
                "#if", "\\", "/*", "*/", "//", "=", ",", ":", " ", "\t", "x", "\0", "\u{feff}",
                "\u{10ffff}", "<<", "EOF"][..]),
            0..80,
        ),
    ) {
        let text = parts.concat();
        lies_within(&check(path, &text, &SyntaxLimits::default()), &text);
    }

    #[test]
    fn any_edit_is_compared(
        number in any::<prop::sample::Index>(),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
        other in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let samples = samples();
        let sample = number.get(&samples);
        let without = |(from, to): (prop::sample::Index, prop::sample::Index)| {
            let (from, to) = (from.index(sample.text.len()), to.index(sample.text.len()));
            let mut text = sample.text.clone();
            text.replace_range(from.min(to)..from.max(to), "");
            text
        };
        let (before, after) = (without(cut), without(other));
        let verdict = introduced(&sample.name, &before, &after, &SyntaxLimits::default());
        lies_within(&verdict, &after);
        // Nothing changed: nothing was introduced.
        let same = introduced(&sample.name, &after, &after, &SyntaxLimits::default());
        prop_assert_eq!(same.errors(), &[]);
    }
}

/// Texts that ended the process in the C code of a grammar.
#[test]
fn known_crashes_are_survived() {
    let limits = SyntaxLimits::default();
    let texts = ["$\n}EOF<a>'{\u{10ffff}", "echo {\u{10ffff}..\u{10ffff}}\n"];
    for text in texts {
        assert!(matches!(check("a.sh", text, &limits), Verdict::Checked { .. }), "{text}");
    }
    assert!(matches!(check("a.yaml", &"- ".repeat(300), &limits), Verdict::TimedOut { .. }));
    let name = "A".repeat(300);
    let heredoc = format!("x = <<~{name}\n  text\n{name}\n");
    assert!(matches!(check("a.rb", &heredoc, &limits), Verdict::TimedOut { .. }));
}
