use std::{fs, os::unix::fs::symlink};

use agent_core::journal::{Direction, OnConflict, RevertError, State};

use crate::place::Place;

#[test]
fn every_kind_of_change_is_undone_and_redone_to_the_byte_and_the_mode() {
    let place = Place::new();
    place.write("crlf.txt", "one\r\ntwo\r\nno newline");
    place.chmod("crlf.txt", 0o640);
    place.write("tool.sh", "#!/bin/sh\n");
    place.chmod("tool.sh", 0o750);
    place.write("binary", [0, 159, 146, 150, 0, 255]);
    place.chmod("binary", 0o400);
    place.write("latin.txt", b"caf\xe9\n");
    symlink("nowhere/at all", place.on_disk("dangling")).unwrap();
    symlink("/etc/passwd", place.on_disk("outside")).unwrap();
    symlink("crlf.txt", place.on_disk("link")).unwrap();
    let mut trees = vec![place.tree()];
    type Step<'a> = &'a [(&'a str, Option<&'a [u8]>)];
    let steps: &[Step<'_>] = &[
        &[("crlf.txt", Some(b"one\r\n2\r\n"))],
        &[("tool.sh", None)],
        &[("binary", None)],
        &[("a/b/c/new.txt", Some(b"new\n"))],
        &[("dangling", None), ("outside", None), ("link", None)],
        &[("latin.txt", Some(b"")), ("tool.sh", Some(b"again\n")), ("a/b/two", Some(b"\0"))],
        &[("a/b/c/new.txt", None)],
    ];
    for step in steps {
        let made = place.change(step).unwrap();
        assert_eq!(made.changes.len(), step.len());
        trees.push(place.tree());
    }
    for tree in trees.iter().rev().skip(1) {
        assert_eq!(place.undo(1).unwrap().len(), 1);
        assert_eq!(place.tree(), *tree);
    }
    assert!(matches!(place.undo(1), Err(RevertError::Nothing(Direction::Undo))));
    for tree in trees.iter().skip(1) {
        assert_eq!(place.redo(1).unwrap().len(), 1);
        // A mode that only the undone file had comes back with it.
        assert_eq!(place.tree(), *tree);
    }
    assert_eq!(place.undo(100).unwrap().len(), steps.len());
    assert_eq!(place.tree(), trees[0]);
    assert_eq!(place.redo(3).unwrap().len(), 3);
    assert_eq!(place.tree(), trees[3]);
}

#[test]
fn a_new_change_ends_the_redo_line() {
    let place = Place::new();
    place.change(&[("a", Some(b"1"))]).unwrap();
    place.change(&[("a", Some(b"2"))]).unwrap();
    place.undo(1).unwrap();
    place.change(&[("b", Some(b"3"))]).unwrap();
    assert!(matches!(place.redo(1), Err(RevertError::Nothing(Direction::Redo))));
    place.undo(2).unwrap();
    assert!(place.tree().is_empty());
}

#[test]
fn only_the_changes_of_a_session_are_undone_where_one_is_named() {
    let place = Place::new();
    place.carry_out("mine", &[place.to("a", Some(b"mine"))]).unwrap();
    place.carry_out("theirs", &[place.to("b", Some(b"theirs"))]).unwrap();
    let mine = agent_core::journal::Revert {
        direction: Direction::Undo,
        count: 9,
        session: Some("mine".to_owned()),
        on_conflict: OnConflict::Refuse,
    };
    let undone = place.journal().revert(&place.ws, &mine).unwrap();
    assert_eq!(undone.len(), 1);
    assert_eq!(place.tree().keys().collect::<Vec<_>>(), ["b"]);
    // What took it back belongs to the session too, and can be redone.
    let records = place.journal().records(place.ws.root()).unwrap();
    let told: Vec<_> = records
        .iter()
        .map(|record| (record.session.as_str(), record.tool.as_str(), record.reverts, record.state))
        .collect();
    assert_eq!(
        told,
        [
            ("mine", "test", None, State::Done),
            ("theirs", "test", None, State::Done),
            ("mine", "undo", Some(1), State::Done),
        ]
    );
    place.redo(1).unwrap();
    assert_eq!(place.read("a"), "mine");
}

#[test]
fn what_somebody_else_has_changed_is_left_alone_with_all_that_goes_with_it() {
    let place = Place::new();
    place.write("a", "old\n");
    place.write("b", "old\n");
    place.change(&[("a", Some(b"new\n")), ("b", Some(b"new\n"))]).unwrap();
    place.change(&[("c", Some(b"c\n"))]).unwrap();
    place.write("b", "theirs\n");
    let tree = place.tree();
    let Err(RevertError::Conflicts(conflicts)) = place.undo(2) else { panic!("refused") };
    assert_eq!(place.tree(), tree, "nothing is undone, not even what could be");
    assert_eq!(conflicts.len(), 1);
    assert_eq!((conflicts[0].file.to_str(), conflicts[0].change), (Some("b"), 1));
    assert_eq!(conflicts[0].diff, "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-new\n+theirs\n");
    assert_eq!(conflicts[0].actual.as_deref(), Some(agent_tools::sha256(b"theirs\n").as_str()));

    let forced = place.revert(Direction::Undo, 2, OnConflict::Overwrite).unwrap();
    assert_eq!((place.read("a"), place.read("b")), ("old\n".into(), "old\n".into()));
    assert_eq!(forced[1].overwritten, [std::path::PathBuf::from("b")]);
    assert!(forced[0].overwritten.is_empty());
    // What was overwritten is back with the redo.
    place.redo(2).unwrap();
    assert_eq!(place.tree(), tree);
}

#[test]
fn whatever_took_the_place_of_a_file_can_be_overwritten_and_brought_back() {
    let place = Place::new();
    place.write("target", "target\n");
    for replace in
        [(|place: &Place| fs::remove_file(place.on_disk("a")).unwrap()) as fn(&Place), |place| {
            fs::remove_file(place.on_disk("a")).unwrap();
            symlink("target", place.on_disk("a")).unwrap();
        }]
    {
        place.write("a", "1\n");
        place.change(&[("a", Some(b"2\n"))]).unwrap();
        replace(&place);
        let tree = place.tree();
        assert!(matches!(place.undo(1), Err(RevertError::Conflicts(_))));
        place.revert(Direction::Undo, 1, OnConflict::Overwrite).unwrap();
        assert_eq!((place.read("a"), place.read("target")), ("1\n".into(), "target\n".into()));
        place.redo(1).unwrap();
        assert_eq!(place.tree(), tree);
        place.undo(1).unwrap();
    }
    // A directory is nobody's to overwrite.
    place.change(&[("a", None)]).unwrap();
    fs::create_dir(place.on_disk("a")).unwrap();
    for on_conflict in [OnConflict::Refuse, OnConflict::Overwrite] {
        let refused = place.revert(Direction::Undo, 1, on_conflict);
        assert!(matches!(refused, Err(RevertError::Read(_))), "{refused:?}");
    }
}

#[test]
fn a_mode_that_the_user_has_set_since_stays() {
    let place = Place::new();
    place.write("a", "1\n");
    place.change(&[("a", Some(b"2\n"))]).unwrap();
    place.chmod("a", 0o600);
    place.undo(1).unwrap();
    assert_eq!(place.tree()["a"], ('f', 0o600, b"1\n".to_vec()));
}

#[test]
fn several_files_are_changed_together_or_not_at_all() {
    let place = Place::new();
    place.write("a", "1\n");
    place.write("b", "1\n");
    let files = [place.to("new/x", Some(b"x")), place.to("a", Some(b"2\n")), place.to("b", None)];
    place.write("b", "theirs\n");
    let tree = place.tree();
    let refused = place.carry_out("one", &files).unwrap_err();
    assert!(refused.to_string().contains("`b` has changed since it was read"), "{refused}");
    assert_eq!(place.tree(), tree);
    assert!(matches!(place.undo(1), Err(RevertError::Nothing(_))));
}

#[test]
fn a_directory_with_something_of_somebody_else_in_it_stays() {
    let place = Place::new();
    place.change(&[("a/b/new", Some(b"x"))]).unwrap();
    place.write("a/theirs", "y");
    place.undo(1).unwrap();
    assert_eq!(place.tree().keys().collect::<Vec<_>>(), ["a", "a/theirs"]);
    place.redo(1).unwrap();
    place.undo(1).unwrap();
    assert_eq!(place.tree().keys().collect::<Vec<_>>(), ["a", "a/theirs"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_deleted_file_comes_back_with_its_time_and_its_extended_attributes() {
    use agent_tools::write::{Attributes, Entry};
    use rustix::fs::{XattrFlags, setxattr};
    use std::time::{Duration, UNIX_EPOCH};
    let place = Place::new();
    let touch = |seconds| {
        let file = fs::File::options().write(true).open(place.on_disk("a")).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    place.write("a", "one\n");
    place.chmod("a", 0o640);
    touch(1_000_000_000);
    let set = setxattr(place.on_disk("a"), "user.note", b"text", XattrFlags::empty());
    let attributes = || Attributes::of(&place.ws, &place.ws.resolve("a").unwrap());
    let before = attributes().unwrap();
    assert_eq!(before.modified, Some((1_000_000_000, 0)));
    let note = (b"user.note".to_vec(), b"text".to_vec());
    assert_eq!(before.extended.contains(&note), set.is_ok());

    place.change(&[("a", None), ("b", Some(b"new"))]).unwrap();
    assert_eq!(attributes(), None);
    place.undo(1).unwrap();
    assert_eq!(attributes(), Some(before.clone()));
    // What it has by then is what comes back the next time.
    touch(1_000);
    place.redo(1).unwrap();
    assert_eq!(attributes(), None);
    place.undo(1).unwrap();
    let touched = Attributes { modified: Some((1_000, 0)), ..before };
    assert_eq!(attributes(), Some(touched.clone()));
    // A change that fails half-way leaves the file with all of it, too.
    place.write("b", "mine");
    let mut stale = place.to("b", Some(b"new"));
    stale.before = Entry::File { content: "other".into(), mode: None };
    place.carry_out("one", &[place.to("a", None), stale]).unwrap_err();
    assert_eq!(attributes(), Some(touched));
}
