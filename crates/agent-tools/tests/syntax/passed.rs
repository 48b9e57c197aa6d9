//! Edits that leave a valid file valid are never blocked.

use agent_tools::syntax::{SyntaxLimits, check, introduced};

use crate::sample::{comment, samples, valid_edits};

#[test]
fn samples_are_valid() {
    for sample in samples() {
        let verdict = check(&sample.name, &sample.text, &SyntaxLimits::default());
        assert_eq!(verdict.errors(), [], "{}", sample.name);
    }
}

#[test]
fn valid_edits_pass() {
    for sample in samples() {
        for edited in valid_edits(&sample, "it's a note: [( {") {
            let verdict = introduced(&sample.name, &sample.text, &edited, &SyntaxLimits::default());
            assert_eq!(verdict.errors(), [], "{}:\n{edited}", sample.name);
        }
    }
}

#[test]
fn every_language_but_json_has_comments() {
    let without: Vec<_> = samples()
        .iter()
        .filter(|sample| comment(&sample.language, "").is_none())
        .map(|sample| sample.language.clone())
        .collect();
    assert_eq!(without, ["json", "json"]);
}

/// What a grammar does not understand and a compiler does.
#[test]
fn what_only_a_compiler_understands_passes() {
    let cases = [
        ("a.c", "int x;\n", "int x;\nMY_EXPORT int f(void);\n"),
        ("a.c", "int x;\n", "int x;\nstatic FORCE_INLINE size_t f(int a) { return a; }\n"),
        (
            "a.c",
            "void f(int a) {\n}\n",
            "void f(int a) {\n#if A\n  if (a) {\n#else\n  if (!a) {\n#endif\n    g();\n  }\n}\n",
        ),
        ("a.cpp", "int x;\n", "int x;\nMY_API class Foo {\n};\n"),
        ("a.h", "int x;\n", "int x;\nnamespace a::b { class C {}; }\n"),
        ("a.yaml", "a: 1\n", "a: 1\n{% if x %}\nb: {{ y }}\n{% endif %}\n"),
        ("a.html", "<p>a</p>\n", "<p>a</p>\n{% if x %}<div {{ y }}>{% endif %}\n"),
        ("a.html", "<?php f(); ?>\n", "<?php f(); ?>\n<p <?= $x ?>>a</p>\n"),
        ("tsconfig.json", "{}\n", "{\n  // note\n  \"a\": [1, 2,],\n}\n"),
        ("a.json", "{\"a\": 1}\n", "{\n  // note\n  \"a\": 1\n}\n"),
        ("a.css", "a { color: red }\n", "a { background: url(../b.svg) 0 1px; }\n"),
        ("a.rs", "fn f() {}\n", "fn f() {\n    let x = str![[r#\"\n\"#]];\n}\n"),
    ];
    for (path, before, after) in cases {
        let verdict = introduced(path, before, after, &SyntaxLimits::default());
        assert_eq!(verdict.errors(), [], "{path}: {after}");
    }
}
