//! Failures between the steps of a replacement, which only code inside can bring about.
#![expect(clippy::disallowed_methods, reason = "tests lay out files and look at them directly")]

use std::fs;

use super::*;

fn place(content: &str) -> (tempfile::TempDir, Workspace) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), content).unwrap();
    let ws = Workspace::open(dir.path()).unwrap();
    (dir, ws)
}

fn names(dir: &tempfile::TempDir) -> Vec<String> {
    let entries = fs::read_dir(dir.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_change_after_the_first_check_is_seen_by_the_second() {
    let (dir, ws) = place("old");
    let path = ws.resolve("f").unwrap();
    let hash = sha256(b"old");
    type Change = fn(&std::path::Path);
    let changes: [Change; 5] = [
        |file| fs::write(file, "theirs").unwrap(),
        |file| fs::remove_file(file).unwrap(),
        |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        },
        // Nobody writes to it, so reading it would never end.
        |file| {
            fs::remove_file(file).unwrap();
            rustix::fs::mkfifoat(rustix::fs::CWD, file, rustix::fs::Mode::RWXU).unwrap();
        },
        |file| {
            fs::rename(file, file.with_file_name("moved")).unwrap();
            std::os::unix::fs::symlink("moved", file).unwrap();
        },
    ];
    for change in changes {
        let file = dir.path().join("f");
        let _ = fs::remove_file(&file);
        let _ = fs::remove_dir(&file);
        fs::write(&file, "old").unwrap();

        let target = Target::of_file(&ws, &path).unwrap();
        target.expect(&hash).unwrap();
        let mut temp = Temp::private(&target).unwrap();
        temp.fill(b"new").unwrap();
        assert_eq!(names(&dir), [".f.agent-0000.tmp", "f"]);
        change(&file);
        let error = target.expect(&hash).unwrap_err();
        assert!(matches!(error, WriteError::ChangedSinceRead { .. }), "{error:?}");
        drop(temp);
        assert!(!names(&dir).iter().any(|name| name.ends_with(".tmp")));
        let _ = fs::remove_file(dir.path().join("moved"));
    }
}

#[test]
fn a_rename_that_fails_leaves_no_temporary_file() {
    let (dir, ws) = place("old");
    let path = ws.resolve("f").unwrap();
    let target = Target::of_file(&ws, &path).unwrap();
    let mut temp = Temp::private(&target).unwrap();
    temp.fill(b"new").unwrap();
    fs::remove_file(dir.path().join("f")).unwrap();
    fs::create_dir(dir.path().join("f")).unwrap();
    let error = temp.rename_to_target().unwrap_err();
    assert_eq!(error.to_string(), "cannot replace `f`: Is a directory (os error 21)");
    assert_eq!(names(&dir), ["f"]);
}

#[test]
fn directories_made_for_a_file_that_does_not_come_go_again() {
    let (dir, ws) = place("old");
    let path = ws.resolve("a/b/new").unwrap();
    let parents = Parents::make(&ws, &path).unwrap();
    assert_eq!(names(&dir), ["a", "f"]);
    drop(parents);
    assert_eq!(names(&dir), ["f"]);

    let parents = Parents::make(&ws, &path).unwrap();
    fs::write(dir.path().join("a/theirs"), "").unwrap();
    drop(parents);
    assert_eq!(names(&dir), ["a", "f"], "what somebody else put there stays");
    assert!(!dir.path().join("a/b").exists());
}

#[test]
fn without_hard_links_a_file_is_still_created_only_once() {
    let (dir, ws) = place("old");
    let path = ws.resolve("new").unwrap();
    let target = Target::at(&ws, &path).unwrap();
    target.create(b"text", None).unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("new")).unwrap(), "text");
    let error = target.create(b"other", None).unwrap_err();
    assert_eq!(error.to_string(), "cannot create `new`: File exists (os error 17)");
    assert_eq!(fs::read_to_string(dir.path().join("new")).unwrap(), "text");
}

#[test]
fn a_directory_that_became_a_link_is_not_followed_out() {
    let (dir, ws) = place("old");
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    fs::write(dir.path().join("d/f"), "old").unwrap();
    let path = ws.resolve("d/f").unwrap();
    let target = Target::of_file(&ws, &path).unwrap();
    fs::rename(dir.path().join("d"), dir.path().join("e")).unwrap();
    std::os::unix::fs::symlink(outside.path(), dir.path().join("d")).unwrap();

    let mut temp = Temp::private(&target).unwrap();
    temp.fill(b"new").unwrap();
    temp.rename_to_target().unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("e/f")).unwrap(), "new");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}
