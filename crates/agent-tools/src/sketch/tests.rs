//! What a sketch becomes, and when it is declined.

use proptest::prelude::*;

use super::*;

mod doubt;

const FILE: &str = "\
use std::fmt;

fn first() {
    let a = 1;
    print(a);
}

fn second() {
    let b = 2;
    print(b);
}

fn third() {
    let c = 3;
    print(c);
}
";

fn merged(original: &str, sketch: &str) -> String {
    merge_text(original, sketch, "src/lib.rs").unwrap_or_else(|decline| panic!("{decline}"))
}

fn reason(original: &str, sketch: &str) -> Reason {
    match merge(original, sketch, "src/lib.rs") {
        Merge::Declined(decline) => decline.reason,
        Merge::Applied(edits) => panic!("applied: {edits:?}"),
    }
}

#[test]
fn a_line_is_added_between_markers() {
    let sketch = "// ... existing code ...\n    let b = 2;\n    let d = 4;\n    print(b);\n// ... existing code ...\n";
    let edit =
        LineEdit { start_line: 10, end_line: 9, replacement: "    let d = 4;\n".into(), old: None };
    assert_eq!(merge(FILE, sketch, "src/lib.rs"), Merge::Applied(vec![edit]));
}

#[test]
fn a_line_is_replaced_and_another_deleted() {
    let sketch = "\
// ... existing code ...
fn first() {
    let a = 10;
    print(a);
}

fn second() {
    print(b);
}

fn third() {
    // ... existing code ...
}
";
    let expected = FILE.replace("let a = 1;", "let a = 10;").replace("    let b = 2;\n", "");
    assert_eq!(merged(FILE, sketch), expected);
}

#[test]
fn markers_at_the_ends_may_be_forgotten() {
    let sketch = "fn second() {\n    let b = 2;\n    print(b);\n    print(b);\n}\n";
    assert_eq!(
        merged(FILE, sketch),
        FILE.replace("    print(b);\n", "    print(b);\n    print(b);\n")
    );
}

#[test]
fn every_kind_of_comment_can_be_a_marker() {
    let markers = [
        "// ... existing code ...",
        "# ... existing code ...",
        "-- ... existing code ...",
        "/* ... existing code ... */",
        "<!-- ... existing code ... -->",
        ";; ... existing code ...",
        "% ... existing code ...",
        "{/* ... existing code ... */}",
        "<%# ... existing code ... %>",
        "{{!-- ... existing code ... --}}",
        "(* ... existing code ... *)",
        "        // ... existing code ...   ",
        "\t# … existing code …",
        "//... existing code...",
        "// ...existing code...",
        "// ... existing code",
        "// ... Existing Code ...",
        "// ... existing code ... (imports)",
        "// ... existing code for the parser ...",
        "// existing code ...",
        "... existing code ...",
        "// ... rest of the file stays the same ...",
        "# ... (rest of the function is unchanged) ...",
        "// ...",
        "# …",
    ];
    let expected = FILE.replace("let b = 2;", "let b = 20;");
    for marker in markers {
        let sketch =
            format!("{marker}\nfn second() {{\n    let b = 20;\n    print(b);\n{marker}\n");
        assert_eq!(merged(FILE, &sketch), expected, "{marker}");
    }
}

#[test]
fn code_that_merely_has_the_words_is_no_marker() {
    let lines = [
        "    log(\"... existing code ...\");",
        "    // keeps the existing code as it is",
        "    // the existing code ... is slow",
        "    let existing_code = ...;",
        "    ...",
        "    [...rest]",
        "    call(...args); // spreads the rest of them",
        "    // see above ... and below",
    ];
    for line in lines {
        let sketch = format!(
            "// ... existing code ...\n    let b = 2;\n{line}\n    print(b);\n// ... existing code ...\n"
        );
        let expected = FILE.replace("    let b = 2;\n", &format!("    let b = 2;\n{line}\n"));
        assert_eq!(merged(FILE, &sketch), expected, "{line}");
    }
}

#[test]
fn a_comment_of_the_file_that_could_be_a_marker_is_none() {
    let file = FILE.replace("    print(b);\n", "    // ...\n    print(b);\n");
    let sketch = "// ... existing code ...\n    let b = 2;\n    // ...\n    print(b, b);\n}\n\nfn third() {\n// ... existing code ...\n";
    assert_eq!(merged(&file, sketch), file.replace("print(b)", "print(b, b)"));
}

#[test]
fn a_file_that_holds_a_marker_is_left_alone() {
    let file = format!("{FILE}// ... existing code ...\n");
    let sketch =
        "// ... existing code ...\n    let b = 20;\n    print(b);\n// ... existing code ...\n";
    assert_eq!(reason(&file, sketch), Reason::MarkerInFile { line: 17 });
    let file = format!("// a... b…\n\n// … ...\r\n{file}// … existing code …\n");
    assert_eq!(reason(&file, sketch), Reason::MarkerInFile { line: 20 });
}

#[test]
fn a_marker_behind_code_is_refused() {
    let sketch = "// ... existing code ...\n    let b = 2;\n    d(); // ... existing code ...\n    print(b);\n// ... existing code ...\n";
    assert_eq!(reason(FILE, sketch), Reason::MarkerBehindCode { line: 3 });
}

#[test]
fn two_places_are_one_too_many() {
    let file = "fn a() {\n    run();\n    stop();\n}\n\nfn b() {\n    run();\n    stop();\n}\n";
    let sketch = "// ... existing code ...\n    run();\n    wait();\n    stop();\n// ... existing code ...\n";
    let Merge::Declined(decline) = merge(file, sketch, "x.rs") else { panic!("applied") };
    assert_eq!(decline.reason, Reason::Ambiguous { line: 2 });
    let places: Vec<_> = decline.candidates.iter().map(|c| (c.start_line, c.end_line)).collect();
    assert_eq!(places.len(), 2);
    assert!(places.contains(&(2, 3)) && places.contains(&(7, 8)), "{places:?}");
}

#[test]
fn order_decides_between_two_places() {
    let file = "fn a() {\n    run();\n    stop();\n}\n\nfn b() {\n    run();\n    stop();\n}\n";
    let sketch = "// ... existing code ...\nfn b() {\n    run();\n    wait();\n    stop();\n// ... existing code ...\n";
    assert_eq!(
        merged(file, sketch),
        "fn a() {\n    run();\n    stop();\n}\n\nfn b() {\n    run();\n    wait();\n    stop();\n}\n"
    );
}

#[test]
fn context_that_is_not_there_is_named_with_what_comes_nearest() {
    let sketch =
        "// ... existing code ...\n    let b = 22;\n    print(b);\n// ... existing code ...\n";
    let Merge::Declined(decline) = merge(FILE, sketch, "x.rs") else { panic!("applied") };
    assert_eq!(decline.reason, Reason::NoAnchor { line: 2, text: "    let b = 22;".into() });
    assert_eq!(
        decline.candidates.first(),
        Some(&Nearest { start_line: 9, end_line: 9, text: "    let b = 2;".into() })
    );
    assert_eq!(
        decline.to_string().lines().next(),
        Some(
            "line 2 of the sketch, \"    let b = 22;\", stands beside a marker but is not in the \
             file; begin and end each part with unchanged lines of the file"
        )
    );
}

#[test]
fn parts_in_the_wrong_order_are_declined() {
    let sketch = "// ... existing code ...\n    let c = 3;\n    more();\n    print(c);\n// ... existing code ...\n    let a = 1;\n    more();\n    print(a);\n// ... existing code ...\n";
    assert_eq!(reason(FILE, sketch), Reason::OutOfOrder);
}

#[test]
fn nothing_to_do_is_said() {
    assert_eq!(reason(FILE, ""), Reason::Empty);
    assert_eq!(reason(FILE, "// ... existing code ...\n"), Reason::Empty);
    assert_eq!(reason(FILE, FILE), Reason::NoChange);
    let sketch =
        "// ... existing code ...\nfn second() {\n    let b = 2;\n// ... existing code ...\n";
    assert_eq!(reason(FILE, sketch), Reason::NoChange);
}

#[test]
fn a_whole_file_becomes_line_edits() {
    let new = FILE.replace("let b = 2;", "let b = 3;");
    let edit =
        LineEdit { start_line: 9, end_line: 9, replacement: "    let b = 3;\n".into(), old: None };
    assert_eq!(merge(FILE, &new, "src/lib.rs"), Merge::Applied(vec![edit]));
}

#[test]
fn a_few_lines_without_markers_never_replace_the_file() {
    assert_eq!(reason(FILE, "fn fourth() {\n    unknown();\n}\n"), Reason::NotWhole);
    assert_eq!(reason(FILE, "fn fourth() {}\n"), Reason::NotWhole);
}

#[test]
fn the_end_of_the_file_is_not_cut_off_silently() {
    let file =
        "a();\nb();\nc();\nd();\ne();\nf();\ng();\nh();\ni();\nj();\nk();\nl();\nm();\nn();\n";
    let sketch = "// ... existing code ...\nh();\nx();\ni();\nj();\n";
    assert_eq!(reason(file, sketch), Reason::OpenEnd { start_line: 11, end_line: 14 });
}

#[test]
fn the_beginning_of_the_file_is_not_cut_off_for_want_of_a_marker() {
    let function = "def total(x):\n    a = 1\n    return a\n";
    let sketch = "def sum_of(x):\n    a = 1\n# ... existing code ...\n";
    assert_eq!(merged(function, sketch), function.replace("total", "sum_of"));
    for head in ["# head\n", "# head\n# of two lines\n", "# head\n\n\n"] {
        let file = format!("{head}{function}");
        assert_eq!(reason(&file, sketch), Reason::Ambiguous { line: 1 }, "{head:?}");
    }
}

#[test]
fn lines_are_appended_at_an_open_end() {
    let sketch = "// ... existing code ...\n    let c = 3;\n    print(c);\n}\n\nfn fourth() {}\n";
    assert_eq!(merged(FILE, sketch), format!("{FILE}\nfn fourth() {{}}\n"));
}

#[test]
fn an_empty_file_is_filled() {
    assert_eq!(merged("", "one\ntwo\n"), "one\ntwo\n");
}

#[test]
fn line_endings_do_not_matter() {
    let sketch = "// ... existing code ...\nfn second() {\n    let b = 20;\n    print(b);\n// ... existing code ...\n";
    let expected = FILE.replace("let b = 2;", "let b = 20;");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(merged(FILE, &crlf(sketch)), expected);
    assert_eq!(merged(&crlf(FILE), sketch), crlf(&expected));
    assert_eq!(merged(&crlf(FILE), &crlf(sketch)), crlf(&expected));
}

#[test]
fn the_byte_order_mark_and_a_missing_final_newline_stay() {
    let file = format!("\u{feff}{}", FILE.trim_end());
    let sketch =
        "use std::fmt;\nuse std::io;\n\nfn first() {\n    let a = 1;\n// ... existing code ...\n";
    assert_eq!(
        merged(&file, sketch),
        file.replace("use std::fmt;\n", "use std::fmt;\nuse std::io;\n")
    );
}

#[test]
fn new_lines_follow_a_chunk_that_was_dedented() {
    let sketch = "// ... existing code ...\nlet b = 2;\nif b > 1 {\n    print(a);\n}\nprint(b);\n// ... existing code ...\n";
    let expected = FILE
        .replace("    print(b);\n", "    if b > 1 {\n        print(a);\n    }\n    print(b);\n");
    assert_eq!(merged(FILE, sketch), expected);
}

#[test]
fn new_lines_stay_where_only_the_context_drifted() {
    let sketch = "// ... existing code ...\n        let b = 2;\n    more();\n        print(b);\n    }\n// ... existing code ...\n";
    assert_eq!(
        merged(FILE, sketch),
        FILE.replace("    print(b);\n", "    more();\n    print(b);\n")
    );
}

#[test]
fn spaces_become_tabs_in_a_file_with_tabs() {
    let file = FILE.replace("    ", "\t");
    let sketch = "// ... existing code ...\nfn second() {\n    let b = 2;\n    more();\n    print(b);\n// ... existing code ...\n";
    assert_eq!(merged(&file, sketch), file.replace("\tprint(b);\n", "\tmore();\n\tprint(b);\n"));
}

/// Files of a few kinds of lines, so that much repeats.
fn file() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        Just(String::new()),
        Just("}".to_owned()),
        (0..20_u8).prop_map(|n| format!("    call_{n}();")),
        (0..200_u8).prop_map(|n| format!("fn name_{n}() {{")),
    ];
    proptest::collection::vec(line, 0..60)
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(original in ".{0,200}", sketch in "(.{0,40}\n|// \\.\\.\\. existing code \\.\\.\\.\n){0,8}") {
        if let Ok(text) = merge_text(&original, &sketch, "x") {
            prop_assert!(!text.lines().any(marker::is_certain));
        }
    }

    #[test]
    fn what_is_applied_has_no_marker_and_keeps_the_other_lines(
        old in file(), from in 0..60_usize, len in 0..12_usize, new in "    new_[a-z]{3}\\(\\);", at in 0..12_usize,
    ) {
        let from = from.min(old.len());
        let to = (from + len).min(old.len());
        let mut chunk = old[from..to].to_vec();
        chunk.insert(at.min(chunk.len()), new);
        let marker = "// ... existing code ...";
        let sketch = format!("{marker}\n{}\n{marker}\n", chunk.join("\n"));
        let original: String = old.iter().map(|line| format!("{line}\n")).collect();
        if let Merge::Applied(edits) = merge(&original, &sketch, "x.rs") {
            let text = merge_text(&original, &sketch, "x.rs").unwrap();
            prop_assert!(!text.contains("existing code"));
            let mut rest: Vec<&str> = line::split(&text);
            let mut kept = Vec::new();
            for edit in edits.iter().rev() {
                prop_assert!(edit.start_line >= 1 && edit.end_line <= old.len());
            }
            let mut next = 1;
            for edit in &edits {
                prop_assert!(edit.start_line >= next && edit.end_line + 1 >= edit.start_line);
                kept.extend(&old[next - 1..edit.start_line - 1]);
                next = edit.end_line + 1;
            }
            kept.extend(&old[next - 1..]);
            for line in kept {
                let found = rest.iter().position(|text| text == line);
                prop_assert!(found.is_some(), "{line:?} is gone");
                rest.drain(..=found.unwrap());
            }
        }
    }
}
