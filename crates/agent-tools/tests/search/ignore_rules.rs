//! What ignore files leave out, seen through a search for a line that every other file holds.

use agent_tools::grep::{GrepQuery, GrepReport};

use crate::sample::{Sample, files, text};

const X: &str = "text\n";

fn check(why: &str, files_on_disk: &[(&str, &str)], seen: &[&str], skipped: &str) {
    check_sample(why, &Sample::new(files_on_disk), seen, skipped);
}

fn check_sample(why: &str, sample: &Sample, seen: &[&str], skipped: &str) {
    let report = sample.grep(&text("^text$"));
    assert_eq!(files(&report), seen, "{why}");
    assert_eq!(report.skipped.to_string(), skipped, "{why}");
}

#[test]
fn rules_of_one_file() {
    check(
        "outside git",
        &[(".gitignore", "*.log"), ("a.log", X), ("a.rs", X)],
        &["a.rs"],
        "1 ignored",
    );
    check(
        "inside git",
        &[(".git/HEAD", X), (".gitignore", "*.log"), ("a.log", X), ("a.rs", X)],
        &["a.rs"],
        "1 ignored",
    );
    check(
        "a directory counts once and is not entered",
        &[
            (".gitignore", "target/\n!target/keep"),
            ("target/a", X),
            ("target/b/c", X),
            ("target/keep", X),
            ("z", X),
        ],
        &["z"],
        "1 ignored",
    );
    check(
        "a rule for directories spares a file of the same name",
        &[(".gitignore", "build/"), ("build", X), ("sub/build/a", X)],
        &["build"],
        "1 ignored",
    );
    check(
        "a leading slash ties a rule to its directory",
        &[(".gitignore", "/a\nb"), ("a", X), ("b", X), ("sub/a", X), ("sub/b", X)],
        &["sub/a"],
        "3 ignored",
    );
    check(
        "the last rule that matches decides",
        &[
            (".gitignore", "*.log\n!keep.log\n/sub/keep.log"),
            ("a.log", X),
            ("keep.log", X),
            ("sub/keep.log", X),
        ],
        &["keep.log"],
        "2 ignored",
    );
    check(
        "globs over directories",
        &[(".gitignore", "docs/**/*.tmp"), ("docs/a.tmp", X), ("docs/x/y/b.tmp", X), ("c.tmp", X)],
        &["c.tmp"],
        "2 ignored",
    );
    check(
        "a byte order mark, Windows line endings, comments and blank lines",
        &[(".gitignore", "\u{feff}a\r\n# b\r\n\r\n\\#c\r\n"), ("a", X), ("b", X), ("#c", X)],
        &["b"],
        "2 ignored",
    );
    check(
        "a line that is no glob leaves nothing out, the others count",
        &[(".gitignore", "{a\nb\n"), ("a", X), ("b", X), ("{a", X)],
        &["a", "{a"],
        "1 ignored",
    );
}

#[test]
fn rules_of_several_files() {
    check(
        "a nested file holds below its directory",
        &[("sub/.gitignore", "*.log"), ("a.log", X), ("sub/a.log", X), ("sub/deep/a.log", X)],
        &["a.log"],
        "2 ignored",
    );
    check(
        "the nearest file decides",
        &[(".gitignore", "*.log"), ("sub/.gitignore", "!*.log"), ("a.log", X), ("sub/a.log", X)],
        &["sub/a.log"],
        "1 ignored",
    );
    check(
        "a slash in a nested file is relative to its directory",
        &[("sub/.gitignore", "/a\nx/b"), ("a", X), ("sub/a", X), ("sub/x/b", X), ("x/b", X)],
        &["a", "x/b"],
        "2 ignored",
    );
    check(
        ".ignore is stronger than .gitignore, also from further up",
        &[
            (".ignore", "!*.log\n*.rs"),
            ("sub/.gitignore", "*.log\n!*.rs"),
            ("sub/a.log", X),
            ("sub/a.rs", X),
        ],
        &["sub/a.log"],
        "1 ignored",
    );
    check(
        ".git/info/exclude counts, and .gitignore is stronger",
        &[
            (".git/info/exclude", "*.log\n*.tmp"),
            (".gitignore", "!*.tmp"),
            ("a.log", X),
            ("a.tmp", X),
            ("sub/a.log", X),
        ],
        &["a.tmp"],
        "2 ignored",
    );
    check(
        "a repository does not see git's rules from further up, but those of .ignore",
        &[
            (".gitignore", "*.log"),
            (".ignore", "*.tmp"),
            ("inner/.git/HEAD", ""),
            ("inner/a.log", X),
            ("inner/a.tmp", X),
            ("inner/sub/a.log", X),
        ],
        &["inner/a.log", "inner/sub/a.log"],
        "1 ignored",
    );
}

#[test]
fn rules_of_the_directories_above_the_workspace() {
    let files = [("a.log", X), ("a.tmp", X), ("b", X)];
    let sample = Sample::new(&files);
    std::fs::write(sample.beside(".gitignore"), "*.log\nws/b\n").unwrap();
    std::fs::write(sample.beside(".ignore"), "*.tmp\n").unwrap();
    check_sample("outside a repository", &sample, &[], "3 ignored");

    std::fs::create_dir(sample.on_disk(".git")).unwrap();
    check_sample("the root of a repository", &sample, &["a.log", "b"], "1 ignored");
}

#[test]
fn git_is_never_seen_and_hidden_files_are() {
    let sample = Sample::with_content(
        &[".git/config", ".hidden/.deep/a", ".env", "sub/.git", "sub/.gitattributes", ".github/x"],
        X,
    );
    let seen = [".env", ".github/x", ".hidden/.deep/a", "sub/.gitattributes"];
    check_sample("directories and files", &sample, &seen, "");

    let everything = GrepQuery { include_ignored: true, ..text("^text$") };
    assert_eq!(files(&sample.grep(&everything)), seen);
    for path in [".git", ".git/config", "sub/.git"] {
        let query = GrepQuery { path: Some(sample.path(path)), ..text("text") };
        assert_eq!(
            sample.message(&sample.try_grep(&query).unwrap_err()),
            format!(
                "`{path}` belongs to git, whose files are never listed or searched; ask git itself"
            )
        );
    }
}

#[test]
fn ignored_files_can_be_asked_for() {
    let sample = Sample::new(&[
        (".gitignore", "target/\n*.log"),
        (".ignore", "vendor"),
        ("a.log", X),
        ("target/debug/a", X),
        ("target/debug/b.log", X),
        ("target/.gitignore", "c"),
        ("target/c", X),
        ("vendor/v", X),
    ]);
    let grep = |include_ignored, path: &str| -> GrepReport {
        let path = Some(sample.path(path));
        sample.grep(&GrepQuery { include_ignored, path, ..text("^text$") })
    };
    let all = ["a.log", "target/c", "target/debug/a", "target/debug/b.log", "vendor/v"];
    assert_eq!(files(&grep(true, ".")), all);
    assert!(grep(true, ".").skipped.is_empty());

    // A directory that is named is searched though a rule leaves it out; only rules further down
    // still count.
    let named = grep(false, "target");
    assert_eq!(files(&named), ["target/debug/a", "target/debug/b.log"]);
    assert_eq!(named.skipped.to_string(), "1 ignored");
    assert_eq!(files(&grep(false, "target/debug")), ["target/debug/a", "target/debug/b.log"]);
    assert_eq!(files(&grep(false, "a.log")), ["a.log"]);
    assert_eq!(files(&grep(false, "vendor/v")), ["vendor/v"]);
}

#[cfg(unix)]
#[test]
fn ignore_files_that_are_no_files_are_passed_over() {
    let sample = Sample::new(&[("a.log", X), ("dir/.gitignore/", ""), ("dir/b.log", X)]);
    std::fs::write(sample.beside("outside"), "*.log").unwrap();
    sample.link("../outside", ".gitignore");
    let socket = std::os::unix::net::UnixListener::bind(sample.on_disk(".ignore")).unwrap();
    check_sample(
        "a link to the outside, a socket, a directory",
        &sample,
        &["a.log", "dir/b.log"],
        "1 symbolic link, 1 special file",
    );
    drop(socket);
}
