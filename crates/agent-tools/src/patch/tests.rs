//! What patches become, and when they are refused.

use proptest::prelude::*;

use super::*;

const FILE: &str = "\
fn first() {
    let a = 1;
    print(a);
}

fn second() {
    let b = 2;
    print(b);
}
";

fn pair(old: &str, new: &str) -> Result<String, PatchError> {
    merge_text(FILE, &[Hunk::pair(old, new)])
}

#[test]
fn a_pair_is_whole_lines_or_a_piece_of_one() {
    let expected = FILE.replace("let b = 2;", "let b = 3;");
    assert_eq!(pair("    let b = 2;\n", "    let b = 3;\n"), Ok(expected.clone()));
    assert_eq!(pair("let b = 2;", "let b = 3;"), Ok(expected.clone()));
    assert_eq!(pair("b = 2", "b = 3"), Ok(expected));
    let two = pair("a);\n}\n\nfn second", "a);\n}\n\nfn other");
    assert_eq!(two, Ok(FILE.replace("second", "other")));
    assert_eq!(pair("    print(b);\n", ""), Ok(FILE.replace("    print(b);\n", "")));
}

#[test]
fn old_lines_may_differ_in_white_space() {
    let expected = FILE.replace("let b = 2;", "let b = 3;");
    let dedented = pair("let b = 2;\nprint(b);", "let b = 3;\nprint(b);");
    assert_eq!(dedented, Ok(expected.clone()));
    let trailing = pair("    let b = 2;  \n    print(b);", "    let b = 3;\n    print(b);");
    assert_eq!(trailing, Ok(expected.clone()));
    let tabs = pair("\tlet b = 2;\n\tprint(b);", "\tlet b = 3;\n\tprint(b);");
    assert_eq!(tabs, Ok(expected.clone()));
    let blank = pair("\n\n    let b = 2;\n    print(b);\n", "\n\n    let b = 3;\n    print(b);\n");
    assert_eq!(blank, Ok(expected));
}

#[test]
fn a_stricter_match_hides_the_lenient_ones() {
    let file = "if a {\n    x();\n}\nx();\n";
    assert_eq!(
        merge_text(file, &[Hunk::pair("x();", "y();")]).as_deref(),
        Ok("if a {\n    x();\n}\ny();\n")
    );
    let found = locate(&["  x();", "x();", "x(); "], &["x( );"], 0..3);
    assert_eq!(found, Location::Several { starts: vec![0, 1, 2] });
    let found = locate(&["  x();", "x( );", "x(); "], &["x( );"], 0..3);
    assert_eq!(found, Location::One { start: 1, rung: Rung::Exact });
}

#[test]
fn what_cannot_be_placed_is_refused() {
    assert_eq!(pair("}", "};"), Err(PatchError::Ambiguous { hunk: 1, lines: vec![4, 9] }));
    assert_eq!(pair("print(", "log("), Err(PatchError::Ambiguous { hunk: 1, lines: vec![3, 8] }));
    assert_eq!(pair("", "new();"), Err(PatchError::NoContext { hunk: 1 }));
    assert_eq!(pair("", ""), Err(PatchError::Empty));
    assert_eq!(pair("    let a = 1;", "    let a = 1;"), Err(PatchError::NoChange));
    let error = pair("    let b = 22;", "x").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the old lines of hunk 1, from \"    let b = 22;\" on, are not in the file \
         (nearest: line 7:     let b = 2;); read the file again and copy them"
    );
}

#[test]
fn hunks_are_applied_together_or_not_at_all() {
    let hunks =
        [Hunk::pair("    print(b);", "    log(b);"), Hunk::pair("    print(a);", "    log(a);")];
    assert_eq!(merge_text(FILE, &hunks), Ok(FILE.replace("print", "log")));
    let hunks = [Hunk::pair("    print(b);", "    log(b);"), Hunk::pair("missing", "found")];
    assert!(matches!(merge_text(FILE, &hunks), Err(PatchError::NotFound { hunk: 2, .. })));
    let hunks = [Hunk::pair("    print(b);\n}", "}"), Hunk::pair("    print(b);", "    log(b);")];
    assert_eq!(merge_text(FILE, &hunks), Err(PatchError::Overlap { first: 1, second: 2 }));
}

#[test]
fn new_lines_may_not_leave_anything_out() {
    let marker = "    // ... existing code ...";
    let refused = pair("    print(b);", &format!("    log(b);\n{marker}"));
    assert_eq!(refused, Err(PatchError::Marker { hunk: 1, marker: marker.to_owned() }));
}

#[test]
fn an_empty_file_is_filled() {
    assert_eq!(merge_text("", &[Hunk::pair("", "one\ntwo\n")]).as_deref(), Ok("one\ntwo\n"));
}

#[test]
fn endings_and_the_end_of_the_file_stay() {
    let file = "a\r\nb\r\nc";
    assert_eq!(merge_text(file, &[Hunk::pair("b\n", "x\ny\n")]).as_deref(), Ok("a\r\nx\r\ny\r\nc"));
    assert_eq!(merge_text(file, &[Hunk::pair("c\n", "d\n")]).as_deref(), Ok("a\r\nb\r\nd"));
}

#[test]
fn a_newline_that_is_gone_takes_an_empty_line_with_it() {
    let merged = |file| merge_text(file, &[Hunk::pair("b\n", "c")]);
    assert_eq!(merged("a\nb\n\nd\n").as_deref(), Ok("a\nc\nd\n"));
    assert_eq!(merged("a\nb\nd\n").as_deref(), Ok("a\nc\nd\n"));
}

#[test]
fn search_replace_blocks_are_read() {
    let text = "\
I change both.

src/lib.rs
```rust
<<<<<<< SEARCH
    print(a);
=======
    log(a);
>>>>>>> REPLACE
```

<<<<<<< SEARCH
    print(b);
=======
>>>>>>> REPLACE
";
    let hunks = search_replace(text, "src/lib.rs");
    let expected =
        vec![Hunk::pair("    print(a);", "    log(a);"), Hunk::pair("    print(b);", "")];
    assert_eq!(hunks, Ok(expected));
    assert_eq!(
        search_replace(text, "src/main.rs"),
        Err(PatchError::OtherFile { named: "src/lib.rs".into(), path: "src/main.rs".into() })
    );
    assert_eq!(search_replace("nothing", "x"), Err(PatchError::Empty));
    let broken = "<<<<<<< SEARCH\na\n=======\nb\n";
    assert!(matches!(search_replace(broken, "x"), Err(PatchError::Malformed { line: 4, .. })));
    let broken = "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n";
    assert!(matches!(search_replace(broken, "x"), Err(PatchError::Malformed { line: 3, .. })));
}

#[test]
fn envelopes_are_read() {
    let text = "\
*** Begin Patch
*** Update File: other.rs
@@
-x
+y
*** Update File: src/lib.rs
@@ fn second() {
     let b = 2;
-    print(b);
+    log(b);
*** End Patch";
    let hunks = envelope(text, "src/lib.rs").unwrap();
    assert_eq!(hunks.len(), 1);
    assert_eq!(hunks[0].headers, ["fn second() {"]);
    assert_eq!(merge_text(FILE, &hunks), Ok(FILE.replace("print(b)", "log(b)")));
    let add = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch";
    assert_eq!(envelope(add, "a.rs"), Err(PatchError::NotAnUpdate { verb: "add".into() }));
    assert!(matches!(envelope(add, "b.rs"), Err(PatchError::OtherFile { .. })));
}

#[test]
fn a_header_says_which_of_two_places() {
    let file = "fn a() {\n    run();\n}\n\nfn b() {\n    run();\n}\n";
    let text = "*** Begin Patch\n*** Update File: x.rs\n@@ fn b() {\n-    run();\n+    stop();\n*** End Patch";
    let merged = merge_text(file, &envelope(text, "x.rs").unwrap());
    assert_eq!(merged.as_deref(), Ok("fn a() {\n    run();\n}\n\nfn b() {\n    stop();\n}\n"));
}

#[test]
fn diffs_with_wrong_numbers_are_read() {
    let text = "\
--- a/src/lib.rs
+++ b/src/lib.rs
@@ -90,4 +95,5 @@ fn second() {
 fn second() {
     let b = 2;
+    more();
     print(b);
\\ No newline at end of file
";
    let hunks = unified(text, "src/lib.rs").unwrap();
    let expected = FILE.replace("    print(b);\n", "    more();\n    print(b);\n");
    assert_eq!(merge_text(FILE, &hunks), Ok(expected));
    assert!(matches!(unified(text, "src/main.rs"), Err(PatchError::OtherFile { .. })));
    assert_eq!(unified("", "x"), Err(PatchError::Empty));
}

#[test]
fn a_deleted_line_that_looks_like_a_head_is_one_of_the_hunk() {
    let text = "@@\n--- old comment\n+-- new comment\n";
    let merged = merge_text("-- old comment\nselect 1;\n", &unified(text, "x.sql").unwrap());
    assert_eq!(merged.as_deref(), Ok("-- new comment\nselect 1;\n"));
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(
        file in "([ a-c}]{0,4}\n){0,8}",
        patch in "((<<<<<<< SEARCH|=======|>>>>>>> REPLACE|@@|\\*\\*\\* Update File: x|--- a/x|\\+\\+\\+ b/x|[-+ ]?[ a-c}]{0,4})\n){0,12}",
    ) {
        for read in [search_replace, envelope, unified] {
            if let Ok(hunks) = read(&patch, "x") {
                let _ = merge_text(&file, &hunks);
            }
        }
    }

    #[test]
    fn an_exact_pair_is_applied_or_refused_as_ambiguous(
        lines in proptest::collection::vec("[ab]{1,3}", 1..20), from in 0..20_usize, len in 1..4_usize,
    ) {
        let from = from.min(lines.len() - 1);
        let to = (from + len).min(lines.len());
        let file: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let old = lines[from..to].join("\n");
        let expected: Vec<&str> = lines[..from].iter().map(String::as_str)
            .chain(["new"]).chain(lines[to..].iter().map(String::as_str)).collect();
        match merge_text(&file, &[Hunk::pair(&old, "new")]) {
            Ok(text) => prop_assert_eq!(text, format!("{}\n", expected.join("\n"))),
            Err(error) => prop_assert!(matches!(error, PatchError::Ambiguous { .. }), "{error}"),
        }
    }
}
