//! What is drawn of a directory.

use std::sync::atomic::AtomicBool;

use agent_tools::tree::{TreeError, TreeQuery, list_dir};

use crate::sample::Sample;

fn project() -> Sample {
    Sample::with_content(
        &[
            ".env",
            ".git/HEAD",
            ".gitignore",
            "README.md",
            "src/bin/tool/main.rs",
            "src/lib.rs",
            "src/view.ts",
            "target/debug/x",
            "tests/data/a.json",
            "tests/all.rs",
            "a.log",
        ],
        "target/\n*.log\n",
    )
}

fn glob(glob: &str) -> TreeQuery {
    TreeQuery { glob: Some(glob.to_owned()), ..TreeQuery::default() }
}

#[test]
fn directories_come_first_then_files_by_name() {
    let sample = project();
    let tree = sample.tree(".", &TreeQuery::default());
    assert_eq!(
        tree.drawing,
        "./\n\
         ├── src/\n\
         │   ├── bin/\n\
         │   │   └── tool/\n\
         │   │       └── main.rs\n\
         │   ├── lib.rs\n\
         │   └── view.ts\n\
         ├── tests/\n\
         │   ├── data/\n\
         │   │   └── a.json\n\
         │   └── all.rs\n\
         ├── .env\n\
         ├── .gitignore\n\
         └── README.md"
    );
    assert_eq!((tree.dirs, tree.files, tree.links, tree.truncated), (5, 8, 0, false));
    assert_eq!(tree.skipped.to_string(), "2 ignored");
    assert_eq!(
        sample.tree("src/bin", &TreeQuery::default()).drawing,
        "src/bin/\n└── tool/\n    └── main.rs"
    );
    // A directory that is named is listed though a rule leaves it out.
    assert_eq!(
        sample.tree("target", &TreeQuery::default()).drawing,
        "target/\n└── debug/\n    └── x"
    );
}

#[test]
fn a_glob_leaves_the_files_that_match_and_the_way_to_them() {
    let sample = project();
    let tree = sample.tree(".", &glob("*.rs"));
    assert_eq!(
        tree.drawing,
        "./\n\
         ├── src/\n\
         │   ├── bin/\n\
         │   │   └── tool/\n\
         │   │       └── main.rs\n\
         │   └── lib.rs\n\
         └── tests/\n    \
             └── all.rs"
    );
    assert_eq!((tree.dirs, tree.files), (4, 3));
    // Of what is ignored only what may hold such files counts.
    assert_eq!(tree.skipped.to_string(), "1 ignored");

    for (path, pattern, expected) in [
        ("src", "*.ts", "src/\n└── view.ts"),
        ("src", "bin/**", "src/\n└── bin/\n    └── tool/\n        └── main.rs"),
        ("src", "bin", "src/\n└── bin/\n    └── tool/\n        └── main.rs"),
        ("src", "*.{ts,md}", "src/\n└── view.ts"),
        (".", "*.md,.env", "./\n├── .env\n└── README.md"),
        (
            ".",
            "data/*.json",
            "./\n└── (no file below this directory matches `data/*.json`; passed over: 1 ignored)",
        ),
        ("tests", "data/*.json", "tests/\n└── data/\n    └── a.json"),
        ("src", "*.py", "src/\n└── (no file below this directory matches `*.py`)"),
    ] {
        assert_eq!(sample.tree(path, &glob(pattern)).drawing, expected, "{pattern} in {path}");
    }
}

#[test]
fn empty_directories_are_drawn() {
    let sample = Sample::new(&[("a/b/", ""), ("c/.gitignore", "*"), ("c/d", "")]);
    assert_eq!(sample.tree(".", &TreeQuery::default()).drawing, "./\n├── a/\n│   └── b/\n└── c/");
    assert_eq!(sample.tree("a/b", &TreeQuery::default()).drawing, "a/b/\n└── (empty)");
    assert_eq!(
        sample.tree("c", &TreeQuery::default()).drawing,
        "c/\n└── (empty; passed over: 2 ignored)"
    );
}

#[test]
fn paths_that_are_no_directory_are_refused_with_a_way_forward() {
    let sample = project();
    for (path, message) in [
        (
            "src/lib.rs",
            "`src/lib.rs` is a file, not a directory; read it, or list `src`, which holds it",
        ),
        (
            "README.md",
            "`README.md` is a file, not a directory; read it, or list `.`, which holds it",
        ),
        ("test", "`test` does not exist; similar names that do exist: `tests`, `target`"),
        (
            "src/lib.rs/x",
            "`src/lib.rs/x` cannot exist, because `src/lib.rs` is not a directory; list its directory to see what is there",
        ),
        (".git", "`.git` belongs to git, whose files are never listed or searched; ask git itself"),
    ] {
        let error = sample.try_tree(path, &TreeQuery::default()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let error = sample.try_tree(".", &glob("[")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the glob `[` is not valid: unclosed character class; missing ']'; write for example \
         `*.rs` (in any directory), `src/**` (all below src) or `*.{js,ts}`"
    );
}

#[test]
fn a_listing_can_be_cancelled() {
    let sample = project();
    for query in [TreeQuery::default(), glob("*.rs")] {
        let stopped = list_dir(&sample.ws, &sample.path("."), &query, &AtomicBool::new(true));
        assert!(matches!(stopped, Err(TreeError::Cancelled)), "{stopped:?}");
    }
}
