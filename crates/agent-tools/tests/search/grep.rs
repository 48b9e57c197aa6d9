//! What queries mean.

use std::sync::atomic::AtomicBool;

use agent_tools::grep::{GrepError, GrepQuery, grep};
use agent_tools::walk::Reason;

use crate::sample::{Sample, files, lines, text};

#[test]
fn matches_come_in_the_byte_order_of_paths_then_by_line() {
    let sample =
        Sample::with_content(&["b", "a/z", "a-b/x", "a.rs", "a/b/c", "B", ".a"], "1 x\nno\n3 x\n");
    let mut expected = Vec::new();
    for file in [".a", "B", "a-b/x", "a.rs", "a/b/c", "a/z", "b"] {
        expected.push(format!("{file}:1:1 x"));
        expected.push(format!("{file}:3:3 x"));
    }
    assert_eq!(sample.lines("x"), expected);
    let report = sample.grep(&text("x"));
    let mut sorted = report.matches.clone();
    sorted.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    assert_eq!(report.matches, sorted);
}

#[test]
fn a_query_is_a_regular_expression_matched_line_by_line() {
    let sample = Sample::new(&[("a", "fn one() {}\nlet two = 2;\n\n  three\tx\nlast line")]);
    for (query, expected) in [
        (r"^fn \w+\(", vec!["a:1:fn one() {}"]),
        (r"\d", vec!["a:2:let two = 2;"]),
        (r"^\s+\w", vec!["a:4:  three\tx"]),
        ("^$", vec!["a:3:"]),
        (r"line$", vec!["a:5:last line"]),
        (r"\Afn", vec!["a:1:fn one() {}"]),
        (r"one|two", vec!["a:1:fn one() {}", "a:2:let two = 2;"]),
        (r"[^x]*three[^\n]x", vec!["a:4:  three\tx"]),
        (r"e\s", vec!["a:4:  three\tx"]),
        (r"two\s+last", vec![]),
    ] {
        assert_eq!(sample.lines(query), expected, "{query}");
    }
}

#[test]
fn a_query_that_is_no_regular_expression_is_exact_text() {
    let sample = Sample::new(&[("a", "main()\nmain(1)\nx)(y\n[0..]\nxy a{,\nA\\Q\n(?<n>*)")]);
    for (query, problem, expected) in [
        ("main(", "unclosed group at column 5", vec!["a:1:main()", "a:2:main(1)"]),
        ("main(1", "unclosed group at column 5", vec!["a:2:main(1)"]),
        ("x)(y", "unopened group at column 2", vec!["a:3:x)(y"]),
        ("[0..", "unclosed character class at column 1", vec!["a:4:[0..]"]),
        ("a{,", "unclosed counted repetition at column 2", vec!["a:5:xy a{,"]),
        ("a\\Q", "unrecognized escape sequence at column 2", vec![]),
        ("A\\Q", "unrecognized escape sequence at column 2", vec!["a:6:A\\Q"]),
        ("(?<n>*", "repetition operator missing expression at column 6", vec!["a:7:(?<n>*)"]),
        (r"\p{Nonsense}", "Unicode property not found", vec![]),
    ] {
        let report = sample.grep(&text(query));
        assert_eq!(lines(&report), expected, "{query}");
        assert!(report.literal, "{query}");
        assert_eq!(
            report.note.unwrap(),
            format!(
                "the query is not a valid regular expression ({problem}), so it was searched as \
                 exact text; to use it as a regular expression, put a backslash before its special \
                 characters"
            )
        );
    }
    let regex = sample.grep(&text("main()"));
    assert_eq!((regex.literal, regex.note), (false, None));
}

#[test]
fn case_matters_when_asked_for_or_when_the_query_has_an_upper_case_letter() {
    let sample = Sample::new(&[("a", "foo\nFoo\nFOO\nähre\nÄHRE\nfoo(\nFOO(")]);
    for (query, case_sensitive, expected) in [
        ("foo$", None, vec![1, 2, 3]),
        ("Foo", None, vec![2]),
        ("FOO$", None, vec![3]),
        (r"\bfoo\W*$", None, vec![1, 2, 3, 6, 7]),
        (r"^\S+O$", None, vec![3]),
        ("foo$", Some(true), vec![1]),
        ("Foo$", Some(false), vec![1, 2, 3]),
        ("ähre", None, vec![4, 5]),
        // Exact text follows the same rule.
        ("foo(", None, vec![6, 7]),
        ("FOO(", None, vec![7]),
        ("foo(", Some(true), vec![6]),
        ("FOO(", Some(false), vec![6, 7]),
    ] {
        let report = sample.grep(&GrepQuery { case_sensitive, ..text(query) });
        let found: Vec<_> = report.matches.iter().map(|found| found.line).collect();
        assert_eq!(found, expected, "{query} {case_sensitive:?}");
    }
}

#[test]
fn queries_that_cannot_match_a_line_are_refused_with_the_reason() {
    let sample = Sample::with_content(&["a"], "text\n");
    let line_break = |query: &str| {
        format!(
            "the query {query:?} holds a line break, but lines are searched one at a time; search \
             for a part that stands on one line"
        )
    };
    let nul = |query: &str| {
        format!(
            "the query {query:?} asks for a NUL character, which no text file holds; leave it out"
        )
    };
    let empty = "the query is empty; pass the text or the regular expression to search for";
    for (query, message) in [
        ("", empty.to_owned()),
        ("\n", empty.to_owned()),
        ("\r\n", empty.to_owned()),
        ("a\nb", line_break("a\nb")),
        (r"a\nb", line_break(r"a\nb")),
        ("(\nb", line_break("(\nb")),
        (r"\x00", nul(r"\x00")),
        ("a\0", nul("a\0")),
        ("(\0", nul("(\0")),
    ] {
        assert_eq!(sample.try_grep(&text(query)).unwrap_err().to_string(), message, "{query:?}");
    }
    // The ending of a copied line is not part of it.
    assert_eq!(sample.lines("text\n"), ["a:1:text"]);
    assert_eq!(sample.lines("text\r\n"), ["a:1:text"]);
}

#[test]
fn a_query_too_large_to_compile_is_exact_text_and_one_too_long_is_refused() {
    let sample = Sample::new(&[("a", "x{9999}{9999}\n")]);
    let report = sample.grep(&text(r"x{9999}{9999}"));
    assert_eq!(lines(&report), ["a:1:x{9999}{9999}"]);
    let note = report.note.unwrap();
    assert!(note.contains("compiled regex exceeds size limit"), "{note}");

    sample.write("b", "y".repeat(2000).as_bytes());
    assert_eq!(files(&sample.grep(&text(&"y".repeat(2000)))), ["b"]);
    assert_eq!(
        sample.try_grep(&text(&"y".repeat(2001))).unwrap_err().to_string(),
        "cannot search for the query: it has 2001 characters, and 2000 is the most; search for a \
         shorter part of it"
    );
}

#[test]
fn line_endings_are_not_part_of_lines() {
    let sample = Sample::new(&[
        ("dos", "one;\r\ntwo;\r\n\r\nthree"),
        ("mac", "a\rb;\rc\n"),
        ("unix", "one;\n"),
    ]);
    assert_eq!(sample.lines(";$"), ["dos:1:one;", "dos:2:two;", "mac:1:a\rb;\rc", "unix:1:one;"]);
    assert_eq!(sample.lines("^$"), ["dos:3:"]);
    assert_eq!(sample.lines("^three$"), ["dos:4:three"]);
    // Windows line endings themselves can be searched for.
    assert_eq!(sample.lines(r"one;\r"), ["dos:1:one;"]);
}

#[test]
fn text_in_other_encodings_is_found() {
    let sample = Sample::new(&[("utf8-bom", "\u{feff}größe = 1\n")]);
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
    };
    sample.write("utf16-be", &utf16("größe = 2\r\n", u16::to_be_bytes));
    sample.write("utf16-le", &utf16("zeile\ngröße = 3\n", u16::to_le_bytes));
    sample.write("latin1", b"gr\xf6\xdfe = 4\nabc\n");
    assert_eq!(
        sample.lines("^gr.*e = "),
        ["utf16-be:1:größe = 2", "utf16-le:2:größe = 3", "utf8-bom:1:größe = 1"]
    );
    assert_eq!(sample.lines("e = 4"), ["latin1:1:gr\u{fffd}\u{fffd}e = 4"]);
    assert!(sample.grep(&text("größe")).skipped.is_empty());
}

#[test]
fn binary_files_are_passed_over_as_a_whole() {
    let sample = Sample::new(&[("a.txt", "text\n"), ("late.bin", "text\n")]);
    sample.write("b.bin", b"\x7fELF\0\0text\n");
    let mut late = b"text\n".repeat(40_000);
    late.push(0);
    // The NUL comes long after the first line that matches, but before the 51st.
    let padding = b"other\n".repeat(40_000);
    late = [b"text\n".as_slice(), &padding, &late[late.len() - 1..], b"text\n"].concat();
    sample.write("late.bin", &late);
    let report = sample.grep(&text("text"));
    assert_eq!(lines(&report), ["a.txt:1:text"]);
    assert_eq!(report.skipped.count(Reason::Binary), 2);
    assert_eq!(report.skipped.to_string(), "2 binary");
}

#[test]
fn a_search_can_be_cancelled() {
    let sample = Sample::with_content(&["a", "b/c"], "text\n");
    for path in [".", "a"] {
        let query = GrepQuery { path: Some(sample.path(path)), ..text("text") };
        let stopped = grep(&sample.ws, &query, &AtomicBool::new(true));
        assert!(matches!(stopped, Err(GrepError::Cancelled)), "{stopped:?}");
    }
}

#[test]
fn nothing_to_search_is_nothing_found() {
    for files in [&[][..], &[("empty/deep/", "")], &[("empty", "")]] {
        let report = Sample::new(files).grep(&text("."));
        assert_eq!(report, agent_tools::grep::GrepReport::default());
    }
}

#[test]
fn a_place_that_cannot_be_searched_is_named() {
    let sample = Sample::with_content(&["src/main.rs"], "text\n");
    for (path, message) in [
        ("src/mian.rs", "`src/mian.rs` does not exist; similar names that do exist: `src/main.rs`"),
        (
            "src/main.rs/x",
            "`src/main.rs/x` cannot exist, because `src/main.rs` is not a directory; list its \
             directory to see what is there",
        ),
    ] {
        let query = GrepQuery { path: Some(sample.path(path)), ..text("text") };
        assert_eq!(sample.try_grep(&query).unwrap_err().to_string(), message);
    }
}
