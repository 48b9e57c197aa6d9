use super::*;

/// What is understood of an output, a failure a line: `test | place | words`.
fn understood(output: &str) -> Vec<String> {
    let line = |failure: TestFailure| {
        let TestFailure { test, file, line, message } = failure;
        let place = match (file, line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (file, _) => file.unwrap_or_default(),
        };
        format!("{test} | {place} | {message}")
    };
    failures(output).into_iter().map(line).collect()
}

#[test]
fn failures_are_understood_in_every_format() {
    for (name, output, expected) in [
        (
            "cargo",
            include_str!("../../../../../fixtures/test-outputs/cargo.txt"),
            &[
                "tests::adds | a.rs:3 | assertion `left == right` failed: sum / left: 0 / right: 4",
                "tests::gives_up | a.rs:5 | no",
            ][..],
        ),
        (
            "rustc",
            include_str!("../../../../../fixtures/test-outputs/rustc.txt"),
            &[" | src.rs:1 | error[E0308]: mismatched types"],
        ),
        (
            "pytest",
            include_str!("../../../../../fixtures/test-outputs/pytest.txt"),
            &[
                "tests/test_calc.py::test_a | tests/test_calc.py:5 | assert 0 == 4",
                "tests/test_calc.py::TestB::test_b | tests/test_calc.py:13 | KeyError: 'x'",
            ],
        ),
        (
            "unittest",
            include_str!("../../../../../fixtures/test-outputs/unittest.txt"),
            &[
                "test_b (test_x.T.test_b) | /work/test_x.py:6 | KeyError: 'x'",
                "test_a (test_x.T.test_a) | /work/test_x.py:4 | AssertionError: 1 != 2",
            ],
        ),
        (
            "node, TAP",
            include_str!("../../../../../fixtures/test-outputs/node-tap.txt"),
            &[
                "adds | /work/a.test.js:3 | Expected values to be strictly equal: / 2 !== 3",
                "throws | /work/a.test.js:7 | oh no",
            ],
        ),
        (
            "node, spec",
            include_str!("../../../../../fixtures/test-outputs/node-spec.txt"),
            &[
                "adds | a.test.js:3 | AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
                "throws | a.test.js:7 | Error: oh no",
            ],
        ),
        (
            "go",
            include_str!("../../../../../fixtures/test-outputs/go.txt"),
            &["TestAdd | calc_test.go:7 | Add(2, 2) = 0, want 4"],
        ),
        (
            "go, not built",
            include_str!("../../../../../fixtures/test-outputs/go-build.txt"),
            &[" | ./calc.go:3 | undefined: c"],
        ),
        (
            "anything",
            include_str!("../../../../../fixtures/test-outputs/generic.txt"),
            &[
                " |  | FAIL  sum adds up: expected '600', got ''",
                " | lib/sum.sh:4 | lib/sum.sh:4: syntax error: unexpected end",
            ],
        ),
        ("nothing", "", &[]),
        ("no failure", "3 passed\n", &[]),
    ] {
        assert_eq!(understood(output), expected, "{name}");
    }
}

#[test]
fn broken_output_breaks_nothing() {
    let whole = [
        include_str!("../../../../../fixtures/test-outputs/cargo.txt"),
        include_str!("../../../../../fixtures/test-outputs/pytest.txt"),
        include_str!("../../../../../fixtures/test-outputs/unittest.txt"),
        include_str!("../../../../../fixtures/test-outputs/node-tap.txt"),
        include_str!("../../../../../fixtures/test-outputs/node-spec.txt"),
        include_str!("../../../../../fixtures/test-outputs/go.txt"),
    ];
    for text in whole {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            drop(failures(&text[..end]));
            drop(failures(&text[end..]));
        }
    }
}
