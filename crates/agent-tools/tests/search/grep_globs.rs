//! Which files a search is about.

use agent_tools::grep::GrepQuery;

use crate::sample::{Sample, files, text};

fn sample() -> Sample {
    Sample::with_content(
        &[
            "Cargo.toml",
            "README.md",
            "a,b.txt",
            "docs/a.md",
            "lib/src/c.rs",
            "src/bin/main.rs",
            "src/lib.rs",
            "src/lib.ts",
            "src/view.js",
            "vendor/x/v.rs",
        ],
        "text\n",
    )
}

#[test]
fn includes_and_excludes_choose_files() {
    let sample = sample();
    let absolute = format!("{}/src/**", sample.ws.root().display());
    for (include, exclude, expected) in [
        ("*.rs", "", vec!["lib/src/c.rs", "src/bin/main.rs", "src/lib.rs", "vendor/x/v.rs"]),
        ("*.{js,ts}", "", vec!["src/lib.ts", "src/view.js"]),
        ("*.js,*.ts", "", vec!["src/lib.ts", "src/view.js"]),
        (" *.js , *.md ", "", vec!["README.md", "docs/a.md", "src/view.js"]),
        ("src/**", "", vec!["src/bin/main.rs", "src/lib.rs", "src/lib.ts", "src/view.js"]),
        ("src/*", "", vec!["src/lib.rs", "src/lib.ts", "src/view.js"]),
        ("src/**/*.rs", "", vec!["src/bin/main.rs", "src/lib.rs"]),
        ("./src/*.rs", "", vec!["src/lib.rs"]),
        ("/*.md", "", vec!["README.md"]),
        ("**/*.md", "", vec!["README.md", "docs/a.md"]),
        // The name of a directory stands for all below it.
        (
            "src",
            "",
            vec!["lib/src/c.rs", "src/bin/main.rs", "src/lib.rs", "src/lib.ts", "src/view.js"],
        ),
        ("src/bin", "", vec!["src/bin/main.rs"]),
        ("/src/bin/", "", vec!["src/bin/main.rs"]),
        ("docs/", "", vec!["docs/a.md"]),
        ("./docs/", "", vec!["docs/a.md"]),
        (&absolute, "*.ts", vec!["src/bin/main.rs", "src/lib.rs", "src/view.js"]),
        ("lib.rs", "", vec!["src/lib.rs"]),
        ("a[,]b.txt", "", vec!["a,b.txt"]),
        (r"a\,b.txt", "", vec!["a,b.txt"]),
        ("*.rs,!vendor", "", vec!["lib/src/c.rs", "src/bin/main.rs", "src/lib.rs"]),
        ("*.rs", "vendor/**,src/bin", vec!["lib/src/c.rs", "src/lib.rs"]),
        ("*.rs", "vendor", vec!["lib/src/c.rs", "src/bin/main.rs", "src/lib.rs"]),
        ("*.rs", "!vendor/", vec!["lib/src/c.rs", "src/bin/main.rs", "src/lib.rs"]),
        ("*.rs", "/src", vec!["lib/src/c.rs", "vendor/x/v.rs"]),
        ("*.py", "", vec![]),
        ("nowhere/**", "", vec![]),
        ("", "*.rs,*.ts,*.js,src/**", vec!["Cargo.toml", "README.md", "a,b.txt", "docs/a.md"]),
        (".", "*.*", vec![]),
        ("", ".", vec![]),
        ("", "/", vec![]),
        ("/", "/*", vec![]),
        ("#a", "#b", vec![]),
        ("!src,!lib", "*.md,vendor", vec!["Cargo.toml", "a,b.txt"]),
        ("./", "src,vendor,lib", vec!["Cargo.toml", "README.md", "a,b.txt", "docs/a.md"]),
    ] {
        let query = GrepQuery {
            include: Some(include.to_owned()),
            exclude: Some(exclude.to_owned()),
            ..text("text")
        };
        assert_eq!(files(&sample.grep(&query)), expected, "{include:?} without {exclude:?}");
    }
}

#[test]
fn globs_that_are_not_valid_say_what_is_wrong() {
    let sample = sample();
    for (glob, bad, problem) in [
        ("[a", "[a", "unclosed character class; missing ']'"),
        (
            "*.rs,src/{a,b",
            "src/{a,b",
            "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
        ),
        ("[z-a]", "[z-a]", "invalid range; 'z' > 'a'"),
        ("a\\", "a\\", "dangling '\\'"),
        ("../other/**", "../other/**", "`..` leads out of the directory that is searched"),
    ] {
        let message = format!(
            "the glob `{bad}` is not valid: {problem}; write for example `*.rs` (in any \
             directory), `src/**` (all below src) or `*.{{js,ts}}`"
        );
        let glob = Some(glob.to_owned());
        let include = GrepQuery { include: glob.clone(), ..text("text") };
        let exclude = GrepQuery { exclude: glob, ..text("text") };
        assert_eq!(sample.try_grep(&include).unwrap_err().to_string(), message);
        assert_eq!(sample.try_grep(&exclude).unwrap_err().to_string(), message);
    }
}

#[test]
fn an_include_does_not_override_ignore_files() {
    let sample = sample();
    sample.write(".gitignore", b"*.rs\n*.md\n/vendor\n");
    let query = GrepQuery { include: Some("*.rs".to_owned()), ..text("text") };
    let report = sample.grep(&query);
    assert!(report.matches.is_empty());
    // Only what was asked for counts, and the directories that may hold such files.
    assert_eq!(report.skipped.to_string(), "4 ignored");
    let report = sample.grep(&GrepQuery { include_ignored: true, ..query });
    assert_eq!(report.matches.len(), 4);
}

#[test]
fn globs_are_relative_to_the_workspace_wherever_the_search_begins() {
    let sample = sample();
    for (include, expected) in [
        ("src/**/*.rs", vec!["src/bin/main.rs"]),
        ("bin/**", vec![]),
        ("*.rs", vec!["src/bin/main.rs"]),
    ] {
        let path = Some(sample.path("src/bin"));
        let query = GrepQuery { include: Some(include.to_owned()), path, ..text("text") };
        assert_eq!(files(&sample.grep(&query)), expected, "{include}");
    }
}
