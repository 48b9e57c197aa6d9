//! Links, and names that are no ordinary text.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use agent_tools::grep::GrepQuery;
use agent_tools::tree::TreeQuery;

use crate::sample::{Sample, files, text};

fn linked() -> Sample {
    let sample = Sample::with_content(&["real/a.txt", "z.txt"], "text\n");
    std::fs::write(sample.beside("secret.txt"), "text\n").unwrap();
    std::fs::create_dir(sample.beside("out")).unwrap();
    std::fs::write(sample.beside("out/secret.txt"), "text\n").unwrap();
    sample.link("..", "real/loop");
    sample.link("nowhere", "dangling");
    sample.link("../secret.txt", "outside.txt");
    sample.link("../out", "outside");
    sample.link("real", "inside");
    sample.link("/", "top");
    sample
}

#[test]
fn links_are_not_followed_while_searching() {
    let sample = linked();
    let report = sample.grep(&text("text"));
    assert_eq!(files(&report), ["real/a.txt", "z.txt"]);
    assert_eq!(report.skipped.to_string(), "6 symbolic links");
    let found = sample.find("secret");
    assert_eq!((found.files, found.total), (vec![], 0));
}

#[test]
fn links_are_drawn_with_their_targets() {
    let tree = linked().tree(".", &TreeQuery::default());
    assert_eq!(
        tree.drawing,
        "./\n\
         ├── real/\n\
         │   ├── a.txt\n\
         │   └── loop -> ..\n\
         ├── dangling -> nowhere\n\
         ├── inside -> real\n\
         ├── outside -> ../out\n\
         ├── outside.txt -> ../secret.txt\n\
         ├── top -> /\n\
         └── z.txt"
    );
    assert_eq!((tree.dirs, tree.files, tree.links), (1, 2, 6));
    assert!(tree.skipped.is_empty());
}

#[test]
fn a_link_that_is_named_is_followed_inside_only() {
    let sample = linked();
    let grep =
        |path: &str| sample.try_grep(&GrepQuery { path: Some(sample.path(path)), ..text("text") });
    assert_eq!(files(&grep("inside").unwrap()), ["inside/a.txt"]);
    assert_eq!(files(&grep("real/loop").unwrap()), ["real/loop/real/a.txt", "real/loop/z.txt"]);
    for (path, message) in [
        (
            "outside",
            "`outside` leads out of the workspace through the symbolic link `outside` -> `../out`; \
             use the files inside the workspace instead",
        ),
        (
            "dangling",
            "`dangling` does not exist: `dangling` is a symbolic link to `nowhere`, where there is \
             nothing; create that file, or delete the link",
        ),
    ] {
        assert_eq!(grep(path).unwrap_err().to_string(), message);
        let listed = sample.try_tree(path, &TreeQuery::default());
        assert_eq!(listed.unwrap_err().to_string(), message);
    }
}

#[test]
fn odd_names_are_found_and_drawn_visibly() {
    let sample =
        Sample::with_content(&["with space.txt", "line\nbreak.txt", "-dash", "日本.txt"], "x\n");
    sample.write(OsStr::from_bytes(b"latin\xe9.txt"), b"x\n");
    sample.write("esc\u{1b}[31m.txt", b"x\n");
    let report = sample.grep(&text("x"));
    assert_eq!(
        files(&report),
        [
            "-dash",
            "esc\u{1b}[31m.txt",
            "latin\u{fffd}.txt",
            "line\nbreak.txt",
            "with space.txt",
            "日本.txt",
        ]
    );
    assert_eq!(
        sample.tree(".", &TreeQuery::default()).drawing,
        "./\n\
         ├── -dash\n\
         ├── esc\\u{1b}[31m.txt\n\
         ├── latin\u{fffd}.txt\n\
         ├── line\\nbreak.txt\n\
         ├── with space.txt\n\
         └── 日本.txt"
    );
    assert_eq!(sample.find("line\nbreak").files, ["line\nbreak.txt"]);
    // What is reported can be passed back.
    let again = GrepQuery { path: Some(sample.path("line\nbreak.txt")), ..text("x") };
    assert_eq!(files(&sample.grep(&again)), ["line\nbreak.txt"]);
}

#[test]
fn special_files_are_counted_and_never_opened() {
    let sample = Sample::with_content(&["a"], "text\n");
    let socket = std::os::unix::net::UnixListener::bind(sample.on_disk("socket")).unwrap();
    let report = sample.grep(&text("text"));
    assert_eq!(files(&report), ["a"]);
    assert_eq!(report.skipped.to_string(), "1 special file");
    let named = GrepQuery { path: Some(sample.path("socket")), ..text("text") };
    assert_eq!(
        sample.try_grep(&named).unwrap_err().to_string(),
        "`socket` is a FIFO, a socket or a device; give a directory or a regular file"
    );
    drop(socket);
}
