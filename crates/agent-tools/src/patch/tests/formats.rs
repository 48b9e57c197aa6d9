//! Blocks, envelopes and diffs.

use super::{FilePatch, Operation, Patch, check};
use crate::patch::{PatchError, merge_patch_text};

const FILE: &str = "\
struct A;

impl A {
    fn run(&self) {
        start();
        work();
    }
}

struct B;

impl B {
    fn run(&self) {
        start();
        work();
    }
}
";

/// The file with the last of two equal texts replaced.
fn in_b(old: &str, new: &str) -> String {
    let at = FILE.rfind(old).unwrap();
    format!("{}{new}{}", &FILE[..at], &FILE[at + old.len()..])
}

/// The names and kinds of the files of a patch.
fn files(patch: &Patch<'_>) -> Result<Vec<String>, PatchError> {
    let told = |FilePatch { path, operation }: FilePatch| {
        let path = path.unwrap_or_else(|| "-".to_owned());
        match operation {
            Operation::Update { move_to: Some(to), .. } => format!("move {path} {to}"),
            Operation::Update { move_to: None, .. } => format!("update {path}"),
            Operation::Add { content } => format!("add {path} {content:?}"),
            Operation::Delete => format!("delete {path}"),
        }
    };
    patch.parse().map(|files| files.into_iter().map(told).collect())
}

#[test]
fn blocks_have_names_and_fences_or_not() {
    let block = "<<<<<<< SEARCH\nstruct B;\n=======\nstruct C;\n>>>>>>> REPLACE\n";
    let expected = in_b("struct B;", "struct C;");
    for (text, name) in [
        (block.to_owned(), "-"),
        (format!("src/lib.rs\n{block}"), "src/lib.rs"),
        (format!("src/lib.rs\n```rust\n{block}```\n"), "src/lib.rs"),
        (format!("```rust\nsrc/lib.rs\n{block}```\n"), "src/lib.rs"),
        (format!("```rust src/lib.rs\n{block}```\n"), "src/lib.rs"),
        (format!("I rename it.\n\n### `src/lib.rs`:\n\n```\n{block}```\nDone.\n"), "src/lib.rs"),
        (format!("**src/lib.rs**\n{block}"), "src/lib.rs"),
        (format!("Here is the change:\n{block}"), "-"),
        (block.replace('\n', "\r\n"), "-"),
        (
            block
                .replace("<<<<<<<", "<<<<<")
                .replace("=======", "=====")
                .replace(">>>>>>>", ">>>>>"),
            "-",
        ),
    ] {
        let patch = Patch::SearchReplace(&text);
        assert_eq!(files(&patch), Ok(vec![format!("update {name}")]), "{text}");
        check(FILE, &patch, &expected);
    }
}

#[test]
fn blocks_without_a_name_are_about_the_file_of_the_block_before() {
    let text = "a.rs\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n\
                <<<<<<< SEARCH\nstruct A;\n=======\nstruct C;\n>>>>>>> REPLACE\n\
                src/lib.rs\n<<<<<<< SEARCH\nstruct B;\n=======\n>>>>>>> REPLACE\n";
    let patch = Patch::SearchReplace(text);
    assert_eq!(files(&patch), Ok(vec!["update a.rs".to_owned(), "update src/lib.rs".to_owned()]));
    check(FILE, &patch, &in_b("struct B;\n", ""));
}

#[test]
fn broken_blocks_are_refused() {
    for (text, refusal) in [
        ("nothing", "the patch holds no change; it is to be blocks of <<<<<<< SEARCH"),
        (
            "<<<<<<< SEARCH\na\n=======\nb\n",
            "line 1 of the patch: the block that begins here does not end",
        ),
        (
            "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
            "line 3 of the patch: the block has no line =======",
        ),
        (
            "<<<<<<< SEARCH\na\n=======\n=======\n>>>>>>> REPLACE\n",
            "line 4 of the patch: the block has a second",
        ),
        ("<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n", "line 3 of the patch: a block begins before"),
        ("a\n>>>>>>> REPLACE\n", "line 2 of the patch: a block ends here that did not begin"),
        (
            "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
            "block 1 (line 1 of the patch) has no old text",
        ),
        (
            "<<<<<<< SEARCH\n    start();\n=======\n>>>>>>> REPLACE\n",
            "the old text of block 1 (line 1 of the patch) stands more than once in the file, at lines 5, 14;",
        ),
        (
            "<<<<<<< SEARCH\nstart(\n=======\nstop(\n>>>>>>> REPLACE\n",
            "the old text of block 1 (line 1 of the patch) is not in the file",
        ),
        (
            "a.rs\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\nb.rs\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
            "the patch is for a.rs, b.rs, not for src/lib.rs;",
        ),
    ] {
        check(FILE, &Patch::SearchReplace(text), &format!("!{refusal}"));
    }
}

#[test]
fn envelopes_hold_files() {
    let text = "*** Begin Patch\n*** Add File: a.rs\n+one\n+\n+two\n*** Update File: src/old.rs\n\
                *** Move to: src/lib.rs\n@@\n-x\n+y\n\n*** Delete File: b.rs\n*** Update File: c.rs\n\
                *** Move to: d.rs\n*** End Patch\n";
    for text in
        [text.to_owned(), format!("Sure:\n```\n{text}```\n"), format!("<<'EOF'\n{text}EOF\n")]
    {
        let expected = [
            "add a.rs \"one\\n\\ntwo\\n\"",
            "move src/old.rs src/lib.rs",
            "delete b.rs",
            "move c.rs d.rs",
        ];
        assert_eq!(files(&Patch::V4a(&text)), Ok(expected.map(str::to_owned).to_vec()));
    }
}

/// An envelope around the hunks for the file.
fn envelope(hunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: src/lib.rs\n{hunks}*** End Patch")
}

#[test]
fn headers_and_order_say_which_of_two_places() {
    let changed = in_b("        work();\n", "        rest();\n");
    for hunks in [
        // A header, the beginning of one, several, one that is shown again, one with a range.
        "@@ impl B {\n         start();\n-        work();\n+        rest();\n",
        "@@ impl B\n         start();\n-        work();\n+        rest();\n",
        "@@ impl B {\n@@     fn run(&self) {\n-        work();\n+        rest();\n",
        "@@ impl B {\n impl B {\n     fn run(&self) {\n         start();\n-        work();\n+        rest();\n",
        // The hunk before is further down than the first place.
        "@@\n struct B;\n \n-impl B {\n+impl B {\n@@\n         start();\n-        work();\n+        rest();\n",
        // The only place at the end of the file.
        "@@\n-        work();\n+        rest();\n     }\n }\n*** End of File\n",
    ] {
        check(FILE, &Patch::V4a(&envelope(hunks)), &changed);
    }
    // The hunk after is further up than the last place.
    let hunks = "@@\n-        work();\n+        rest();\n@@\n-struct B;\n+struct C;\n";
    let expected = FILE.replacen("work", "rest", 1).replace("struct B", "struct C");
    check(FILE, &Patch::V4a(&envelope(hunks)), &expected);
    // Both places, one after the other.
    let hunks = "@@\n-        work();\n+        rest();\n".repeat(2);
    check(FILE, &Patch::V4a(&envelope(&hunks)), &FILE.replace("work", "rest"));
    // Hunks in no order whose lines stand only once.
    let hunks = "@@\n-struct B;\n+struct D;\n@@\n-struct A;\n+struct C;\n";
    let expected = FILE.replace("struct B", "struct D").replace("struct A", "struct C");
    check(FILE, &Patch::V4a(&envelope(hunks)), &expected);
}

#[test]
fn hunks_that_show_the_same_context_are_told_apart() {
    let file = "a\nb\nc\n";
    let hunks = "@@\n-a\n+A\n b\n@@\n b\n-c\n+C\n";
    check(file, &Patch::V4a(&envelope(hunks)), "A\nb\nC\n");
    let hunks = "@@\n a\n+x\n b\n@@\n a\n+y\n b\n";
    check(file, &Patch::V4a(&envelope(hunks)), "a\nx\ny\nb\nc\n");
}

#[test]
fn lines_at_the_end_of_the_file() {
    check("a\n", &Patch::V4a(&envelope("@@\n+b\n*** End of File\n")), "a\nb\n");
    check("", &Patch::V4a(&envelope("@@\n+b\n")), "b\n");
    check("a", &Patch::V4a(&envelope("@@\n a\n+b\n")), "a\nb");
    check("", &Patch::V4a("*** Begin Patch\n*** Add File: src/lib.rs\n+b\n*** End Patch"), "b\n");
}

#[test]
fn broken_envelopes_are_refused() {
    let update = |hunks: &str| envelope(hunks);
    for (text, refusal) in [
        (String::new(), "the patch holds no change; it is to be *** Begin Patch"),
        (
            "*** Begin Patch\n*** Update File: a\n-x\n".to_owned(),
            "line 1 of the patch: the patch does not end with *** End Patch",
        ),
        (update(""), "line 2 of the patch: nothing of this file changes"),
        (update("@@\n struct A;\n"), "line 2 of the patch: nothing of this file changes"),
        (update("*** Rename File: x\n"), "line 3 of the patch: unknown instruction"),
        (
            "*** Begin Patch\n*** Move to: x\n*** End Patch".to_owned(),
            "line 2 of the patch: this belongs below",
        ),
        (
            "*** Begin Patch\n*** Add File: x\nno sign\n*** End Patch".to_owned(),
            "line 3 of the patch: every line of *** Add File",
        ),
        (
            "*** Begin Patch\n*** Add File: src/lib.rs\n+x\n*** End Patch".to_owned(),
            "the patch creates src/lib.rs, which is not empty;",
        ),
        (
            "*** Begin Patch\n*** Delete File: src/lib.rs\n*** End Patch".to_owned(),
            "the patch deletes src/lib.rs as a whole",
        ),
        (update("@@\n+x\n"), "hunk 1 (line 3 of the patch) has no old text"),
        (
            update("@@ impl C {\n-struct A;\n+x\n"),
            "\"impl C {\", which leads to hunk 1 (line 3 of the patch), is not in the file",
        ),
        (
            update("@@ impl B {\n-struct A;\n+x\n"),
            "the old text of hunk 1 (line 3 of the patch) is not in the file",
        ),
        (
            update("@@ fn run(&self) {\n-        work();\n+x\n"),
            "the old text of hunk 1 (line 3 of the patch) stands more than once in the file, at lines 6, 15;",
        ),
        (
            update("@@\n-        work();\n+x\n"),
            "the old text of hunk 1 (line 3 of the patch) stands more than once in the file, at lines 6, 15;",
        ),
        (update("@@\n-        work();\n+x\n@@\n-struct A;\n+y\n"), "the old text of hunk 1"),
        (
            update("@@\n-struct A;\n+x\n@@\n-struct A;\n+y\n"),
            "hunk 1 (line 3 of the patch) and hunk 2 (line 6 of the patch) change the same lines;",
        ),
        (update("@@\n-struct A;\n+struct A;\n"), "the patch changes nothing"),
    ] {
        check(FILE, &Patch::V4a(&text), &format!("!{refusal}"));
    }
}

#[test]
fn diffs_are_read_as_models_write_them() {
    let expected = in_b("struct B;\n", "struct B;\nstruct C;\n");
    for text in [
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -9,3 +9,4 @@\n \n struct B;\n+struct C;\n \n",
        // Wrong numbers and counts, ranges missing or elided, no header, no hunk header.
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -90,30 +91,7 @@ impl A {\n \n struct B;\n+struct C;\n \n",
        "--- src/lib.rs\n+++ src/lib.rs\n@@\n struct B;\n+struct C;\n",
        "@@ ... @@\n struct B;\n+struct C;\n",
        "@@ -9 @@\n struct B;\n+struct C;\n",
        "--- old\n+++ new\n struct B;\n+struct C;\n",
        " struct B;\n+struct C;\n",
        // Lines that stay without their space, and empty lines of the layout.
        "@@ -9,3 +9,4 @@\n\nstruct B;\n+struct C;\n\nimpl B {\n\n\n",
        "Here:\n```diff\n@@ -1 +1 @@\n struct B;\n+struct C;\n```\nThat is all.\n",
        "diff --git a/src/lib.rs b/src/lib.rs\nindex 1..2 100644\n--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n struct B;\n+struct C;\n\\ No newline at end of file\n",
        "@@ -10 +10,2 @@\r\n struct B;\r\n+struct C;\r\n",
    ] {
        check(FILE, &Patch::UnifiedDiff(text), &expected);
    }
}

#[test]
fn diffs_hold_files() {
    let text = "diff --git a/a.rs b/b.rs\nsimilarity index 100%\nrename from a.rs\nrename to b.rs\n\
                diff --git a/c.rs b/d.rs\nrename from c.rs\nrename to d.rs\n--- a/c.rs\n+++ b/d.rs\n@@ -1 +1 @@\n-x\n+y\n\
                --- /dev/null\n+++ b/e.rs\n@@ -0,0 +1,2 @@\n+one\n+two\n\
                --- a/f.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                --- \"a/\\\"g\\\".rs\"\t2026-01-01\n+++ \"b/\\\"g\\\".rs\"\n@@ -1 +1 @@\n-x\n+y\n";
    let expected = [
        "move a.rs b.rs",
        "move c.rs d.rs",
        "add e.rs \"one\\ntwo\\n\"",
        "delete f.rs",
        "update \"g\".rs",
    ];
    assert_eq!(files(&Patch::UnifiedDiff(text)), Ok(expected.map(str::to_owned).to_vec()));
}

#[test]
fn lines_that_look_like_names_are_lines_of_the_hunk() {
    let file = "-- old\nselect 1;\n";
    check(file, &Patch::UnifiedDiff("@@\n--- old\n+-- new\n"), "-- new\nselect 1;\n");
    let counted = "@@ -1,2 +1,2 @@\n--- old\n+++ new\n select 1;\n";
    check(file, &Patch::UnifiedDiff(counted), "++ new\nselect 1;\n");
    let two = "@@ -1 +1 @@\n--- old\n+++ new\n@@ -2 +2 @@\n-select 1;\n+select 2;\n";
    check(file, &Patch::UnifiedDiff(two), "++ new\nselect 2;\n");
}

#[test]
fn line_numbers_are_believed_if_all_of_them_are_right() {
    let file = "x\ny\n".repeat(20);
    let diff =
        |start: usize| format!("@@ -{start},7 +{start},7 @@\n x\n y\n x\n-y\n+z\n x\n y\n x\n");
    let expected = format!("{}x\nz\n{}", "x\ny\n".repeat(5), "x\ny\n".repeat(14));
    check(&file, &Patch::UnifiedDiff(&diff(9)), &expected);
    let ambiguous = "!the old text of hunk 1 (line 1 of the patch) stands more than once in the file, at lines 1, 3,";
    for text in [
        diff(10),
        diff(9).replace("+9,7", "+8,7"),
        diff(9).replace("-9,7", "-9,8"),
        diff(9).replace("@@ -9,7 +9,7 @@", "@@"),
    ] {
        check(&file, &Patch::UnifiedDiff(&text), ambiguous);
    }
    // Less context than programs give: the place may be hit by chance.
    check(&file, &Patch::UnifiedDiff("@@ -12 +12 @@\n-y\n+z\n"), "!the old text of hunk 1");
}

#[test]
fn broken_diffs_are_refused() {
    for (text, refusal) in [
        ("", "the patch holds no change; it is to be hunks that begin with @@"),
        ("just words\n", "the patch holds no change"),
        ("@@ -1 +1 @@\n struct A;\n", "the patch holds no change"),
        ("@@ -18446744073709551615,2 +1,2 @@\n-struct A;\n+x\n y\n", "the old text of hunk 1"),
        ("@@ -3,0 +4 @@\n+x\n", "hunk 1 (line 1 of the patch) has no old text"),
        (
            "@@ -1 +1 @@\n-struct X;\n+struct Y;\n",
            "the old text of hunk 1 (line 1 of the patch) is not in the file",
        ),
        ("@@ impl C {\n-struct A;\n+x\n", "\"impl C {\", which leads to hunk 1"),
        ("--- a/src/lib.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "the patch deletes src/lib.rs"),
        ("--- /dev/null\n+++ b/src/lib.rs\n@@ -0,0 +1 @@\n+x\n", "the patch creates src/lib.rs"),
        (
            "@@ -1 +1,2 @@\n struct A;\n+// ... rest of the code unchanged ...\n",
            "hunk 1 (line 1 of the patch) would write the line",
        ),
    ] {
        check(FILE, &Patch::UnifiedDiff(text), &format!("!{refusal}"));
    }
}

#[test]
fn no_marker_becomes_the_first_line_of_a_new_file() {
    let text = "src/a.rs\n<<<<<<< SEARCH\n=======\n\t# ... existing code ...\n>>>>>>> REPLACE\n";
    let refused = merge_patch_text("src/a.rs", "", &Patch::SearchReplace(text));
    assert!(matches!(refused, Err(PatchError::Marker { .. })), "{refused:?}");
    let text = text.replace("\t# ... existing code ...", "fn a() {}");
    let added = merge_patch_text("src/a.rs", "", &Patch::SearchReplace(&text));
    assert_eq!(added, Ok("fn a() {}\n".to_owned()));
}
