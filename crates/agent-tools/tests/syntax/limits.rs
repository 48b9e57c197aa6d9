//! Texts that are too much.

use agent_tools::syntax::{Language, SyntaxLimits, Verdict, check, introduced};

#[test]
fn a_text_over_the_limit_is_not_parsed() {
    let limits = SyntaxLimits { max_bytes: 10, ..SyntaxLimits::default() };
    let too_large = Verdict::TooLarge { language: Language::Rust };
    assert_eq!(check("a.rs", "fn f() {}\n\n", &limits), too_large);
    assert!(matches!(check("a.rs", "fn f() {}\n", &limits), Verdict::Checked { .. }));
    assert_eq!(introduced("a.rs", "fn f() {}\n\n", "fn f() {\n", &limits), too_large);
}

#[test]
fn work_over_the_limit_is_given_up() {
    let text = "fn f() { g(1, 2, 3); }\n".repeat(1_000);
    let limits = SyntaxLimits { max_operations: 1_000, ..SyntaxLimits::default() };
    assert_eq!(check("a.rs", &text, &limits), Verdict::TimedOut { language: Language::Rust });
    assert!(matches!(check("a.rs", &text, &SyntaxLimits::default()), Verdict::Checked { .. }));
}

#[test]
fn nothing_but_open_brackets_is_not_parsed() {
    let text = "%q(".repeat(20_000);
    let timed_out = Verdict::TimedOut { language: Language::C };
    assert_eq!(check("a.c", &text, &SyntaxLimits::default()), timed_out);
}

#[test]
fn hostile_texts_come_to_an_end() {
    let texts = ["(", "[", "{", "<", "\"", "`", "<a>", "#if\n", "a.b(", "/*", "${", "'''", "- "];
    // A number that shows what is quadratic, and leaves it affordable.
    const REPEATED: usize = 1_000;
    for language in ["sh", "c", "cpp", "go", "html", "js", "kt", "php", "py", "rb", "rs", "yaml"] {
        for text in texts {
            let path = format!("a.{language}");
            let text = text.repeat(REPEATED);
            let verdict = check(&path, &text, &SyntaxLimits::default());
            assert!(verdict.errors().len() <= SyntaxLimits::default().max_errors, "{path}");
        }
    }
}
