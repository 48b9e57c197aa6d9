use std::{fs, path::PathBuf};

use agent_core::journal::{Fate, Intended, IntendedFile, State};
use agent_tools::write::{Attributes, Entry};

use crate::place::Place;

fn file(content: &str) -> Entry {
    Entry::File { content: content.into(), mode: None }
}

/// Writes a change down and is gone before it is made.
fn cut_off(place: &Place, files: Vec<(&str, Entry, Entry)>) {
    let files = files.into_iter().map(|(path, before, after)| IntendedFile {
        path: PathBuf::from(path),
        before,
        after,
        directories: u32::try_from(path.matches('/').count()).unwrap(),
        attributes: Attributes::of(&place.ws, &place.ws.resolve(path).unwrap()),
        lines: None,
    });
    let change = Intended {
        workspace: place.ws.root().to_owned(),
        session: "one".to_owned(),
        tool: "test".to_owned(),
        reverts: None,
        files: files.collect(),
    };
    drop(place.journal().begin(&change).unwrap());
}

fn settled(place: &Place) -> Vec<Fate> {
    let settled = place.journal().prepare().unwrap();
    assert_eq!(place.journal().prepare().unwrap(), [], "once is enough");
    settled.iter().map(|settled| settled.fate).collect()
}

#[test]
fn a_change_is_settled_by_what_its_files_hold() {
    for (a, b, fate, then, state) in [
        ("old", "old", Fate::NotBegun, ("old", "old"), State::Void),
        ("new", "new", Fate::Made, ("new", "new"), State::Done),
        ("new", "old", Fate::TakenBack, ("old", "old"), State::Void),
        ("old", "new", Fate::TakenBack, ("old", "old"), State::Void),
        ("theirs", "new", Fate::LeftAlone, ("theirs", "new"), State::LeftAlone),
        ("old", "theirs", Fate::LeftAlone, ("old", "theirs"), State::LeftAlone),
    ] {
        let place = Place::new();
        place.write("a", a);
        place.write("b", b);
        cut_off(&place, vec![("a", file("old"), file("new")), ("b", file("old"), file("new"))]);
        assert_eq!(settled(&place), [fate], "{a} {b}");
        assert_eq!((place.read("a").as_str(), place.read("b").as_str()), then);
        assert_eq!(place.journal().records(place.ws.root()).unwrap()[0].state, state);
    }
}

#[test]
fn files_that_came_or_went_are_settled_with_their_directories() {
    let new = || vec![("d/e/new", Entry::Absent, file("new")), ("a", file("a"), Entry::Absent)];
    let place = Place::new();
    place.write("a", "a");
    let a = fs::File::options().write(true).open(place.on_disk("a")).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    a.set_modified(old).unwrap();
    let modified = || fs::metadata(place.on_disk("a")).unwrap().modified().unwrap();
    let before = place.tree();
    cut_off(&place, new());
    fs::create_dir_all(place.on_disk("d/e")).unwrap();
    assert_eq!(settled(&place), [Fate::NotBegun]);
    assert_eq!(place.tree(), before, "the directories were made for the file");

    cut_off(&place, new());
    fs::create_dir_all(place.on_disk("d/e")).unwrap();
    place.write("d/e/new", "new");
    assert_eq!(settled(&place), [Fate::TakenBack]);
    assert_eq!(place.tree(), before);

    cut_off(&place, new());
    fs::remove_file(place.on_disk("a")).unwrap();
    assert_eq!(settled(&place), [Fate::TakenBack]);
    assert_eq!((place.tree(), modified()), (before.clone(), old));

    cut_off(&place, new());
    fs::create_dir_all(place.on_disk("d/e")).unwrap();
    place.write("d/e/new", "new");
    fs::remove_file(place.on_disk("a")).unwrap();
    assert_eq!(settled(&place), [Fate::Made]);
    place.undo(1).unwrap();
    assert_eq!((place.tree(), modified()), (before, old));
}

#[test]
fn temporary_files_of_a_killed_run_are_removed_and_no_others() {
    let place = Place::new();
    for name in
        ["a", ".a.agent-0000.tmp", ".a.agent-00ff.tmp", ".a.agent-zz00.tmp", ".b.agent-0000.tmp"]
    {
        place.write(name, "old");
    }
    cut_off(&place, vec![("a", file("old"), file("new"))]);
    assert_eq!(settled(&place), [Fate::NotBegun]);
    let left: Vec<_> = place.tree().into_keys().collect();
    assert_eq!(left, [".a.agent-zz00.tmp", ".b.agent-0000.tmp", "a"]);
}

#[test]
fn a_file_with_two_names_that_was_half_written_gets_its_old_content_back() {
    for (torn, mended) in [("NEW content", true), ("NEW contenx", false), ("NEW old", false)] {
        let place = Place::new();
        place.write("a", torn);
        fs::hard_link(place.on_disk("a"), place.on_disk("b")).unwrap();
        cut_off(&place, vec![("a", file("old content"), file("NEW and longer content"))]);
        assert_eq!(settled(&place), [if mended { Fate::NotBegun } else { Fate::LeftAlone }]);
        assert_eq!(place.read("b"), if mended { "old content" } else { torn });
    }
    // With one name it is what somebody wrote.
    let place = Place::new();
    place.write("a", "NEW content");
    cut_off(&place, vec![("a", file("old content"), file("NEW and longer content"))]);
    assert_eq!(settled(&place), [Fate::LeftAlone]);
    assert_eq!(place.read("a"), "NEW content");
}

#[test]
fn a_workspace_that_is_away_is_settled_when_it_is_back() {
    let place = Place::new();
    place.write("a", "new");
    place.write("b", "old");
    cut_off(&place, vec![("a", file("old"), file("new")), ("b", file("old"), file("new"))]);
    let away = place.ws.root().with_file_name("away");
    fs::rename(place.ws.root(), &away).unwrap();
    assert_eq!(settled(&place), []);
    fs::rename(&away, place.ws.root()).unwrap();
    assert_eq!(settled(&place), [Fate::TakenBack]);
    assert_eq!(place.read("a"), "old");
}

#[test]
fn what_was_left_alone_is_not_undone() {
    let place = Place::new();
    place.change(&[("b", Some(b"x"))]).unwrap();
    place.write("a", "theirs");
    cut_off(&place, vec![("a", file("old"), file("new"))]);
    assert_eq!(settled(&place), [Fate::LeftAlone]);
    place.undo(1).unwrap();
    assert_eq!(place.tree().into_keys().collect::<Vec<_>>(), ["a"]);
}
