//! Finding files by an approximate name.

use std::sync::atomic::AtomicBool;

use agent_tools::find::{FindError, FindLimits, file_search};

use crate::sample::Sample;

fn project() -> Sample {
    Sample::with_content(
        &[
            ".git/grep.rs",
            ".gitignore",
            "Cargo.toml",
            "README.md",
            "crates/cli/Cargo.toml",
            "crates/tools/src/grep.rs",
            "crates/tools/src/grep/pattern.rs",
            "crates/tools/src/lib.rs",
            "docs/Größe.md",
            "grep.log",
            "src/generate_report.rs",
            "src/main_window.rs",
        ],
        "*.log\n",
    )
}

#[test]
fn the_best_match_comes_first() {
    let sample = project();
    let absolute = format!("{}/src/main_window.rs", sample.ws.root().display());
    for (query, expected) in [
        ("Cargo.toml", vec!["Cargo.toml", "crates/cli/Cargo.toml"]),
        (
            "grep.rs",
            vec![
                "crates/tools/src/grep.rs",
                "crates/tools/src/grep/pattern.rs",
                "src/generate_report.rs",
            ],
        ),
        ("greppattern", vec!["crates/tools/src/grep/pattern.rs"]),
        ("pattern grep", vec!["crates/tools/src/grep/pattern.rs"]),
        ("mainwin", vec!["src/main_window.rs"]),
        ("mwrs", vec!["src/main_window.rs"]),
        ("readme", vec!["README.md"]),
        ("REAMDE", vec![]),
        ("grosse", vec![]),
        ("grose", vec!["docs/Größe.md"]),
        ("größe", vec!["docs/Größe.md"]),
        ("./src/main_window.rs", vec!["src/main_window.rs"]),
        (&absolute, vec!["src/main_window.rs"]),
        ("*.toml", vec!["Cargo.toml", "crates/cli/Cargo.toml"]),
        ("tools/**/*.rs", vec![]),
        (
            "crates/**/*.rs",
            vec![
                "crates/tools/src/lib.rs",
                "crates/tools/src/grep.rs",
                "crates/tools/src/grep/pattern.rs",
            ],
        ),
        ("no such file", vec![]),
    ] {
        let found = sample.find(query);
        assert_eq!(found.files, expected, "{query}");
        assert_eq!(found.total, expected.len(), "{query}");
    }
    assert_eq!(sample.find("grep").skipped.to_string(), "1 ignored");
}

#[test]
fn equally_good_paths_come_by_length_then_by_name_and_at_most_ten() {
    let sample = Sample::new(&[]);
    for dir in ["bb", "aa", "c", "ddd"] {
        for n in [3, 1, 2] {
            sample.write(format!("{dir}/x{n}/mod.rs"), b"");
        }
    }
    let found = sample.find("mod.rs");
    assert_eq!(
        found.files,
        [
            "c/x1/mod.rs",
            "c/x2/mod.rs",
            "c/x3/mod.rs",
            "aa/x1/mod.rs",
            "aa/x2/mod.rs",
            "aa/x3/mod.rs",
            "bb/x1/mod.rs",
            "bb/x2/mod.rs",
            "bb/x3/mod.rs",
            "ddd/x1/mod.rs",
        ]
    );
    assert_eq!(found.total, 12);
    for _ in 0..5 {
        assert_eq!(sample.find("mod.rs"), found);
    }
}

#[test]
fn what_cannot_be_looked_for_is_refused() {
    let sample = project();
    let find = |query: &str, cancelled: bool| {
        file_search(&sample.ws, query, FindLimits::default(), &AtomicBool::new(cancelled))
    };
    for query in ["", "  ", "./"] {
        assert_eq!(
            find(query, false).unwrap_err().to_string(),
            "the query is empty; pass a part of the file's name or path"
        );
    }
    assert_eq!(
        find("*.[rs", false).unwrap_err().to_string(),
        "the glob `*.[rs` is not valid: unclosed character class; missing ']'; write for example \
         `*.rs` (in any directory), `src/**` (all below src) or `*.{js,ts}`"
    );
    assert!(matches!(find("main", true), Err(FindError::Cancelled)));
}
