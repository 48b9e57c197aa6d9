#![expect(clippy::disallowed_methods, reason = "a command changes files in its own way")]

use std::fs;

use super::*;

struct Tree {
    dir: tempfile::TempDir,
    workspace: Workspace,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        Self { dir, workspace }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::take(&self.workspace, None, Bounds::default(), now())
    }

    fn difference(&self, snapshot: Snapshot) -> Difference {
        snapshot.difference(&self.workspace, Bounds::default(), now()).0
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

fn told(difference: &Difference) -> Vec<String> {
    let holds = |entry: &Entry| match entry {
        Entry::File { content, .. } => String::from_utf8_lossy(content).into_owned(),
        Entry::Absent => "-".to_owned(),
        Entry::Link { target } => format!("@{}", target.display()),
    };
    let file = |file: &FileChange| {
        let (before, after) = (holds(&file.before), holds(&file.after));
        format!("{}: {before} > {after} ({})", file.name, file.directories)
    };
    difference.files.iter().map(file).collect()
}

#[test]
fn what_was_created_changed_and_deleted_is_found() {
    let tree = Tree::new();
    tree.write(".gitignore", "ignored\n");
    for name in ["same", "changed", "deleted", "ignored", "gone/deep/file", "kept/file"] {
        tree.write(name, "before");
    }
    std::os::unix::fs::symlink("same", tree.dir.path().join("link")).unwrap();
    let snapshot = tree.snapshot();
    tree.write("changed", "after!");
    tree.write("new/deep/created", "new");
    tree.write("kept/created", "new");
    tree.write("ignored", "whatever");
    fs::remove_file(tree.dir.path().join("deleted")).unwrap();
    fs::remove_dir_all(tree.dir.path().join("gone")).unwrap();
    fs::remove_file(tree.dir.path().join("link")).unwrap();
    std::os::unix::fs::symlink("changed", tree.dir.path().join("link")).unwrap();
    let difference = tree.difference(snapshot);
    assert_eq!(
        told(&difference),
        [
            "changed: before > after! (0)",
            "deleted: before > - (0)",
            "gone/deep/file: before > - (2)",
            "kept/created: - > new (0)",
            "link: @same > @changed (0)",
            "new/deep/created: - > new (2)",
        ]
    );
    // What goes takes more with it than its content.
    let goes = |file: &FileChange| (file.after == Entry::Absent, file.attributes.is_some());
    assert!(difference.files.iter().map(goes).all(|(goes, told)| goes == told));
    assert_eq!((difference.lost, difference.cut), (vec![], false));
}

#[test]
fn a_change_of_the_mode_alone_is_one() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new();
    tree.write("script", "#!/bin/sh\n");
    let snapshot = tree.snapshot();
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(tree.dir.path().join("script"), mode).unwrap();
    let difference = tree.difference(snapshot);
    let [file] = &*difference.files else { panic!("{difference:?}") };
    assert!(matches!(file.after, Entry::File { mode: Some(0o755), .. }), "{file:?}");
}

#[test]
fn what_there_is_no_room_for_is_named() {
    let tree = Tree::new();
    tree.write("large", &"x".repeat(100));
    tree.write("other", &"x".repeat(100));
    tree.write("small", "before");
    let bounds = Bounds { entries: 100, file: 50, all: 50 };
    let snapshot = Snapshot::take(&tree.workspace, None, bounds, now());
    tree.write("large", "small now");
    tree.write("small", "after");
    let difference = snapshot.difference(&tree.workspace, bounds, now()).0;
    assert_eq!(told(&difference), ["small: before > after (0)"]);
    assert_eq!((difference.lost, difference.cut), (vec!["large".to_owned()], false));

    let bounds = Bounds { entries: 2, ..bounds };
    let snapshot = Snapshot::take(&tree.workspace, None, bounds, now());
    assert!(snapshot.difference(&tree.workspace, bounds, now()).0.cut);
}

#[test]
fn a_file_that_becomes_ignored_is_no_change() {
    let tree = Tree::new();
    tree.write("file", "text");
    let snapshot = tree.snapshot();
    tree.write(".gitignore", "file\n");
    let difference = tree.difference(snapshot);
    assert_eq!(told(&difference), [".gitignore: - > file\n (0)"]);
}

#[test]
fn what_was_looked_at_after_a_command_is_not_read_before_the_next() {
    let tree = Tree::new();
    for (name, text) in [("a", "aaaa"), ("b", "bbbbbb"), ("d/c", "cc")] {
        tree.write(name, text);
    }
    // The clock runs ahead of the files: what was touched just before would be read once more.
    let mut clock = now();
    let mut later = || {
        clock += 10;
        clock
    };
    let command = |snapshot: Snapshot, time| {
        let (difference, now) = snapshot.difference(&tree.workspace, Bounds::default(), time);
        (told(&difference), now)
    };
    let take = |last, time| Snapshot::take(&tree.workspace, last, Bounds::default(), time);

    let first = take(None, later());
    assert_eq!(first.read, 12);
    tree.write("a", "by a command");
    let (changed, left) = command(first, later());
    assert_eq!(changed, ["a: aaaa > by a command (0)"]);

    let second = take(Some(left), later());
    assert_eq!(second.read, 0, "nothing was touched since");
    tree.write("a", "by another");
    fs::remove_file(tree.dir.path().join("d/c")).unwrap();
    let (changed, left) = command(second, later());
    assert_eq!(changed, ["a: by a command > by another (0)", "d/c: cc > - (0)"]);

    tree.write("b", "by the user");
    let third = take(Some(left), later());
    assert_eq!(third.read, "by the user".len());
    tree.write("b", "");
    assert_eq!(command(third, later()).0, ["b: by the user >  (0)"]);
}

#[test]
fn what_was_touched_just_before_is_read_again() {
    let tree = Tree::new();
    tree.write("a", "1");
    let (_, left) = tree.snapshot().difference(&tree.workspace, Bounds::default(), now());
    // As fast as this the clocks of file systems need not have moved on.
    let again = Snapshot::take(&tree.workspace, Some(left), Bounds::default(), now());
    assert_eq!(again.read, 1);
}
