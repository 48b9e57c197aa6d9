//! Pairs, and with them everything about finding and fitting lines.

use super::{Patch, check, merged};
use crate::patch::error::Part;
use crate::patch::{PatchError, merge_patch_text};

fn pair(original: &str, old: &str, new: &str, expected: &str) {
    check(original, &Patch::Pairs(&[(old.to_owned(), new.to_owned())]), expected);
}

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

#[test]
fn old_text_is_whole_lines_or_a_piece_of_them() {
    for (old, new, replaced, replacement) in [
        ("    let b = 2;", "    let b = 3;", "b = 2", "b = 3"),
        ("    let b = 2;\n", "    let b = 3;\n", "b = 2", "b = 3"),
        ("b = 2", "b = 3", "b = 2", "b = 3"),
        ("let b = 2;\n    print(b);", "let b = 3;\n    print(b);", "b = 2", "b = 3"),
        ("a);\n}\n\nfn second", "a);\n}\n\nfn other", "second", "other"),
        ("\nfn second", "\nfn other", "second", "other"),
        ("let b = 2;", "let b = 2;\n    let c = 3;", "b = 2;\n", "b = 2;\n    let c = 3;\n"),
        ("    print(b);", "", "    print(b);\n", ""),
        ("    print(b);\n", "", "    print(b);\n", ""),
        (" = 2", "", " = 2", ""),
        (FILE, "all new", FILE, "all new\n"),
    ] {
        pair(FILE, old, new, &FILE.replace(replaced, replacement));
    }
}

#[test]
fn a_newline_on_one_side_only_is_an_empty_line_if_there_is_one() {
    for (file, old, new, expected) in [
        ("a\nb\n\nd\n", "b\n", "c", "a\nc\nd\n"),
        // Else it ends the line, lest the next one be joined to it.
        ("a\nb\nd\n", "b\n", "c", "a\nc\nd\n"),
        ("a\nx b\nd\n", "b\n", "c", "a\nx c\nd\n"),
        ("a\nb\nd\n", "b", "c\n", "a\nc\n\nd\n"),
        ("a\nb", "b\n", "c\n", "a\nc"),
        ("a\nb\n", "b", "c", "a\nc\n"),
    ] {
        pair(file, old, new, expected);
    }
}

#[test]
fn old_lines_may_differ_in_white_space_and_punctuation() {
    let expected = FILE.replace("b = 2", "b = 3");
    for (old, new) in [
        ("    let b = 2;  \n    print(b);", "    let b = 3;\n    print(b);"),
        ("let b = 2;\nprint(b);", "let b = 3;\nprint(b);"),
        ("        let b = 2;\n        print(b);", "        let b = 3;\n        print(b);"),
        ("\tlet b = 2;\n\tprint(b);", "\tlet b = 3;\n\tprint(b);"),
        // The context drifted, the new line did not.
        ("let b = 2;\nprint(b);", "    let b = 3;\nprint(b);"),
        // Empty lines at the ends that the file does not have.
        ("\n\n    let b = 2;\n    print(b);\n\n", "\n\n    let b = 3;\n    print(b);\n\n"),
        // Line endings are no part of a line.
        ("    let b = 2;\r\n    print(b);\r\n", "    let b = 3;\r\n    print(b);\r\n"),
    ] {
        pair(FILE, old, new, &expected);
    }
    let quoted = "say(“one” – ‘two’);\nend\n";
    pair(
        quoted,
        "say(\"one\" - 'two');",
        "say(\"one\" - 'three');",
        "say(“one” – ‘three’);\nend\n",
    );
    pair(quoted, "say(\"one\" - 'two');\nend", "end", "end\n");
}

#[test]
fn lines_that_stay_are_never_respelled() {
    let file = "if a:  \n\tx()\n\n\ty()\n";
    pair(
        file,
        "if a:\n    x()\n\n    y()",
        "if a:\n    x()\n\n    z()",
        "if a:  \n\tx()\n\n\tz()\n",
    );
}

#[test]
fn the_strictest_rung_decides() {
    let file = "if a {\n    x();\n}\nx();\n";
    pair(file, "x();", "y();", "if a {\n    x();\n}\ny();\n");
    pair(file, "    x();", "    y();", "if a {\n    y();\n}\nx();\n");
    pair("x; \nx;\n", "x;", "y;", "x; \ny;\n");
    pair(
        "x; \nx;  \n",
        "x;",
        "y;",
        "!the old text of pair 1 stands more than once in the file, at lines 1, 2;",
    );
}

#[test]
fn what_is_not_certain_is_refused() {
    for (old, new, refusal) in [
        (
            "}",
            "};",
            "the old text of pair 1 stands more than once in the file, at lines 4, 9; add unchanged",
        ),
        (
            "print(",
            "log(",
            "the old text of pair 1 stands more than once in the file, at lines 3, 8;",
        ),
        ("", "x", "pair 1 has no old text, and the file is not empty;"),
        ("", "", "the old and the new text of pair 1 are the same;"),
        ("    let a = 1;", "    let a = 1;", "the old and the new text of pair 1 are the same;"),
        ("    let a = 1;\n", "    let a = 1;", "the patch changes nothing"),
        (
            "    let b = 22;",
            "x",
            "the old text of pair 1 is not in the file (nearest: line 7 is \"    let b = 2;\" where \
             the patch has \"    let b = 22;\"); read the file",
        ),
        (
            "fn second() {\n    let c = 2;\n    print(b);",
            "x",
            "the old text of pair 1 is not in the file (nearest: line 7 is \"    let b = 2;\" where \
             the patch has \"    let c = 2;\" (2 of 3 lines agree)",
        ),
        (
            "let b = 2;",
            "if c {\n    let b = 2;\n}",
            "the old text of pair 1 stands at line 7 with another",
        ),
        (
            "    print(b);",
            "    log(b);\n    // ... existing code ...",
            "pair 1 would write the line \"    // ... existing code ...\" into the file;",
        ),
        // Nothing says how deep the new line is: every old line drifted in its own way.
        (
            "  let b = 2;\nprint(b);",
            "  let b = 2;\n  c();\nprint(b);",
            "the old text of pair 1 stands at line 7",
        ),
    ] {
        pair(FILE, old, new, &format!("!{refusal}"));
    }
}

#[test]
fn a_marker_that_the_file_has_is_text() {
    let file = "a\n# ... existing code ...\nb\n";
    pair(
        file,
        "a\n# ... existing code ...",
        "c\n# ... existing code ...",
        "c\n# ... existing code ...\nb\n",
    );
}

#[test]
fn each_pair_is_about_the_result_of_the_ones_before() {
    let pairs = |pairs: &[(&str, &str)]| {
        let owned = |(old, new): &(&str, &str)| ((*old).to_owned(), (*new).to_owned());
        let pairs: Vec<_> = pairs.iter().map(owned).collect();
        merged(FILE, &Patch::Pairs(&pairs))
    };
    let swapped = pairs(&[("let a", "let tmp"), ("let b", "let a"), ("let tmp", "let b")]);
    assert_eq!(
        swapped,
        Ok(FILE.replace("let a", "let x").replace("let b", "let a").replace("let x", "let b"))
    );
    let in_any_order = pairs(&[("    print(b);", "    log(b);"), ("    print(a);", "    log(a);")]);
    assert_eq!(in_any_order, Ok(FILE.replace("print", "log")));
    let and_back = pairs(&[("let a", "let c"), ("let c", "let a")]);
    assert_eq!(and_back, Err("the patch changes nothing: the file already reads so".to_owned()));
    let second = pairs(&[("let a", "let c"), ("let a", "let d")]);
    assert!(
        second
            .is_err_and(|refusal| refusal.starts_with("the old text of pair 2 is not in the file"))
    );
}

#[test]
fn pairs_of_one_patch_are_indented_alike() {
    let file = "class A:\n    def a(self):\n        one()\n\n    def b(self):\n        two()\n\n    x = 1\n";
    let owned = |old: &str, new: &str| (old.to_owned(), new.to_owned());
    let open = owned("    two()\n\nx = 1\n", "    two()\n\n    y = 1\n\nx = 1\n");
    let moved = owned("def a(self):\n    one()", "def a(self):\n    zero()\n    one()");
    let left = owned("def a(self):\n    one()", "def a(self):\n        zero()\n    one()");
    let with_zero = file.replace("        one", "        zero()\n        one");
    let refusal = "!the old text of pair 1 stands at line 6 with another indentation";
    let check =
        |pairs: &[(String, String)], expected: &str| check(file, &Patch::Pairs(pairs), expected);
    check(std::slice::from_ref(&open), refusal);
    check(std::slice::from_ref(&moved), &with_zero);
    check(std::slice::from_ref(&left), &with_zero);
    let expected = with_zero.replace("two()\n", "two()\n\n        y = 1\n");
    check(&[open.clone(), moved.clone()], &expected);
    let expected = with_zero.replace("two()\n", "two()\n\n    y = 1\n");
    check(&[open, left], &expected);
    let other = owned("def b(self):\n    two()", "def b(self):\n        zero()\n    two()");
    check(&[moved, other], "!the old text of pair 2 stands at line 6 with another indentation");
}

#[test]
fn a_new_block_is_as_deep_as_what_it_stands_between() {
    let file = "class A:\n    def a(self):\n        for x in y:\n            one(x)\n\n    def b(self):\n        two()\n";
    let expected = file.replace("\n    def b", "\n    def c(self):\n        three()\n\n    def b");
    // All of the text lacks the class's indentation, the new method too.
    let old = "    for x in y:\n        one(x)\n\ndef b(self):\n    two()\n";
    let new =
        "    for x in y:\n        one(x)\n\ndef c(self):\n    three()\n\ndef b(self):\n    two()\n";
    pair(file, old, new, &expected);
}

#[test]
fn lines_that_fit_stay_where_the_old_ones_drifted_each_in_its_own_way() {
    let file = "def a():\n    if x:\n        one()\n\n\ndef b():\n    two()\n";
    let old = "    one()\n\n\ndef b():\n   two()\n";
    let new = "    one()\n\n\ndef c():\n   two()\n";
    pair(file, old, new, &file.replace("def b", "def c"));
}

#[test]
fn an_empty_file_is_filled_and_a_full_one_emptied() {
    pair("", "", "one\ntwo", "one\ntwo\n");
    pair("\u{feff}", "", "one\n", "\u{feff}one\n");
    pair("one\ntwo\n", "one\ntwo\n", "", "");
    pair("", "one", "two", "!the old text of pair 1 is not in the file;");
    pair("", "\n\n", "", "!the old text of pair 1 is not in the file;");
}

#[test]
fn endings_marks_and_the_end_of_the_file_stay() {
    let file = "\u{feff}a\r\nb\r\nc";
    pair(file, "b\n", "x\ny\n", "\u{feff}a\r\nx\r\ny\r\nc");
    pair(file, "a\nb", "a\nx", "\u{feff}a\r\nx\r\nc");
    pair(file, "c\n", "d\n", "\u{feff}a\r\nb\r\nd");
    pair(file, "c", "c\nd\n", "\u{feff}a\r\nb\r\nc\r\nd\r\n");
    pair("a\nb\r\nc\n", "b", "x", "a\nx\r\nc\n");
}

#[test]
fn no_marker_is_left_over_by_two_pairs() {
    let pairs = [("call(x);", "go(); // ... existing code ..."), ("go();", "")]
        .map(|(old, new)| (old.to_owned(), new.to_owned()));
    let refused = merge_patch_text("a.rs", "call(x);\n", &Patch::Pairs(&pairs));
    let part = Part { noun: "pair", number: 2, line: None };
    let marker = " // ... existing code ...".to_owned();
    assert_eq!(refused, Err(PatchError::Marker { part, marker }));
}
