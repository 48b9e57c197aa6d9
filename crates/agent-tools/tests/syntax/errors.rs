//! What is said about an error, and where.

use agent_tools::syntax::{Language, SyntaxError, SyntaxLimits, Verdict, check, introduced};

fn errors(path: &str, text: &str) -> Vec<String> {
    let verdict = check(path, text, &SyntaxLimits::default());
    verdict.errors().iter().map(ToString::to_string).collect()
}

#[test]
fn every_grammar_loads_and_reads_its_language() {
    let paths = [
        "a.sh", "a.c", "a.h", "a.cpp", "a.cs", "a.css", "a.go", "a.html", "a.java", "a.js",
        "a.json", "a.jsonc", "a.kt", "a.php", "a.py", "a.rb", "a.rs", "a.toml", "a.tsx", "a.ts",
        "a.yaml",
    ];
    let verdicts = paths.map(|path| check(path, "", &SyntaxLimits::default()));
    let expected = Language::ALL.map(|language| Verdict::Checked { language, errors: Vec::new() });
    assert_eq!(verdicts, expected);
}

#[test]
fn an_error_has_a_line_a_column_and_a_reason() {
    let text = "fn main() {\n    let ä = f(1;\n}\n";
    let verdict = check("a.rs", text, &SyntaxLimits::default());
    let error = SyntaxError {
        line: 2,
        column: 16,
        message: "missing `)` for the `(` of line 2".to_owned(),
        text_of_line: "    let ä = f(1;".to_owned(),
    };
    assert_eq!(verdict, Verdict::Checked { language: Language::Rust, errors: vec![error] });
}

#[test]
fn the_message_names_what_is_missing_or_too_much() {
    assert_eq!(
        errors("a.java", "class A {\n  void f() {\n    g();\n}\n"),
        ["4:2: missing `}` for the `{` of line 1: }"]
    );
    assert_eq!(errors("a.go", "package a\n\nfunc f() {\n}\n}\n"), ["5:1: unexpected `}`: }"]);
    assert_eq!(
        errors("a.json", "{\n  \"a\": ,\n}\n"),
        ["2:3: syntax error in `\"a\": ,`:   \"a\": ,"]
    );
    assert_eq!(
        errors("a.html", "<div>\n<b>x</i>\n</div>\n"),
        ["2:1: `<b>` is never closed: <b>x</i>", "2:5: `</i>` closes no open element: <b>x</i>",]
    );
}

#[test]
fn a_long_line_is_shortened_and_a_long_list_too() {
    let text = format!("x = [{}\n", ") ".repeat(500));
    let verdict = check("a.py", &text, &SyntaxLimits::default());
    let error = &verdict.errors()[0];
    assert_eq!(error.text_of_line.chars().count(), 201);
    assert!(error.text_of_line.ends_with('…'));
    let many = "x = (]\n".repeat(100);
    let limits = SyntaxLimits { max_errors: 3, ..SyntaxLimits::default() };
    assert!(check("a.py", &many, &limits).errors().len() <= 3);
}

#[test]
fn a_file_of_an_unknown_language_is_not_checked() {
    let limits = SyntaxLimits::default();
    assert_eq!(check("README.md", "}{", &limits), Verdict::UnknownLanguage);
    assert_eq!(introduced("a.xyz", "", "}{", &limits), Verdict::UnknownLanguage);
}
