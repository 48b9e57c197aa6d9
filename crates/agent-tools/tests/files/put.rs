use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use agent_tools::write::{self, Attributes, Entry, Replaced, WriteError};

use crate::place::Place;

fn file(content: &str, mode: Option<u32>) -> Entry {
    Entry::File { content: content.into(), mode }
}

fn link(target: &str) -> Entry {
    Entry::Link { target: target.into() }
}

/// What stands at `x`.
fn here(place: &Place) -> Entry {
    Entry::read(&place.ws, &place.path("x"), 1000).unwrap()
}

/// Makes `x` what `entry` is, by other means.
fn lay(place: &Place, entry: &Entry) {
    let path = place.on_disk("x");
    let _ = fs::remove_file(&path);
    match entry {
        Entry::Absent => {}
        Entry::File { content, mode } => {
            fs::write(&path, &**content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode.unwrap_or(0o644))).unwrap();
        }
        Entry::Link { target } => symlink(target, &path).unwrap(),
    }
}

#[test]
fn every_entry_takes_the_place_of_every_other() {
    let place = Place::new();
    let names = place.entries();
    let entries = [
        Entry::Absent,
        file("one\r\n", Some(0o640)),
        file("\0two", Some(0o755)),
        link("src/main.rs"),
        link("nowhere"),
        link("/etc/passwd"),
    ];
    for before in &entries {
        for after in &entries {
            lay(&place, before);
            let put = write::put(&place.ws, &place.path("x"), before, after);
            assert_eq!(put.unwrap(), Replaced::Atomically, "{before:?} {after:?}");
            assert_eq!(here(&place), *after, "{before:?}");
        }
    }
    lay(&place, &Entry::Absent);
    assert_eq!(place.entries(), names, "no temporary file is left");
    assert_eq!(fs::read_to_string(place.on_disk("src/main.rs")).unwrap(), "fn main() {}\n");
}

#[test]
fn something_else_than_was_expected_is_left_as_it_is() {
    let place = Place::new();
    let entries =
        [file("one", Some(0o644)), file("two", Some(0o644)), link("a"), link("b"), Entry::Absent];
    for expected in &entries {
        for stands in entries.iter().filter(|stands| !stands.has_content_of(expected)) {
            for after in [Entry::Absent, file("new", None), link("new")] {
                if *expected == Entry::Absent && after == Entry::Absent {
                    continue;
                }
                lay(&place, stands);
                let refused = write::put(&place.ws, &place.path("x"), expected, &after);
                assert!(refused.is_err(), "{expected:?} {stands:?} {after:?}");
                assert_eq!(here(&place), *stands, "{expected:?} {after:?}");
            }
        }
    }
}

#[test]
fn a_file_keeps_its_mode_unless_it_is_given_another() {
    let place = Place::new();
    lay(&place, &file("one", Some(0o750)));
    let path = place.path("x");
    write::put(&place.ws, &path, &file("one", None), &file("two", None)).unwrap();
    assert_eq!(here(&place), file("two", Some(0o750)));
    write::put(&place.ws, &path, &file("two", None), &file("two", Some(0o600))).unwrap();
    assert_eq!(here(&place), file("two", Some(0o600)));
}

#[test]
fn what_is_no_file_and_what_is_too_large_is_not_read() {
    let place = Place::new();
    for (path, max, words) in
        [("src", 10, "is a directory"), ("src/main.rs", 5, "more than 5 bytes")]
    {
        let error = Entry::read(&place.ws, &place.path(path), max).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    symlink("../out/secret", place.on_disk("x")).unwrap();
    assert_eq!(here(&place), link("../out/secret"));
    symlink("../out", place.on_disk("away")).unwrap();
    let through = Entry::read(&place.ws, &place.path("away/secret"), 1000).unwrap_err();
    assert!(matches!(through, WriteError::Path(_)), "{through}");
}

#[test]
fn missing_directories_are_named_and_only_empty_ones_removed() {
    let place = Place::new();
    let path = place.path("src/new/er/x");
    let missing = write::missing_parents(&place.ws, &path);
    assert_eq!(missing, [place.path("src/new"), place.path("src/new/er")]);
    assert_eq!(path.above(2), missing);
    assert_eq!(path.above(9).len(), 3);
    write::create(&place.ws, &path, b"").unwrap();
    assert_eq!(write::missing_parents(&place.ws, &path), []);
    fs::write(place.on_disk("src/new/theirs"), "").unwrap();
    fs::remove_file(place.on_disk("src/new/er/x")).unwrap();
    write::remove_empty(&place.ws, &missing);
    assert!(!place.on_disk("src/new/er").exists() && place.on_disk("src/new").exists());
}

#[test]
fn temporary_files_of_one_file_are_swept() {
    let place = Place::new();
    let strange =
        [".x.agent-0g00.tmp", ".x.agent-000.tmp", ".xx.agent-0000.tmp", "x.agent-0000.tmp"];
    for name in strange.iter().chain(&[".x.agent-0000.tmp", ".x.agent-00ff.tmp"]) {
        fs::write(place.on_disk(name), "").unwrap();
    }
    assert_eq!(write::sweep(&place.ws, &place.path("x")), 2);
    assert!(strange.iter().all(|name| place.on_disk(name).exists()));
}

#[test]
fn the_file_behind_links_is_named() {
    let place = Place::new();
    symlink("src", place.on_disk("dir")).unwrap();
    symlink("main.rs", place.on_disk("src/link")).unwrap();
    assert_eq!(place.ws.real(&place.path("dir/link")).unwrap(), place.path("src/main.rs"));
    symlink("../out/secret", place.on_disk("away")).unwrap();
    assert!(place.ws.real(&place.path("away")).is_err());
    assert!(place.ws.real(&place.path("missing")).is_err());
}

#[test]
fn what_a_file_had_beside_its_content_is_given_to_one_that_comes() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    use std::os::unix::fs::MetadataExt;
    let (place, content) = (Place::new(), file("one\r\n", Some(0o640)));
    let (path, on_disk) = (place.path("x"), place.on_disk("x"));
    lay(&place, &content);
    let old = std::time::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 123_456_789);
    fs::File::options().write(true).open(&on_disk).unwrap().set_modified(old).unwrap();
    let set = setxattr(&on_disk, "user.note", b"text", XattrFlags::empty());
    let has_extended = set != Err(rustix::io::Errno::OPNOTSUPP);
    let before = fs::metadata(&on_disk).unwrap();

    let (entry, attributes) = Entry::read_with(&place.ws, &path, 1000).unwrap();
    assert_eq!(entry, content);
    assert_eq!(attributes, Attributes::of(&place.ws, &path));
    let attributes = attributes.unwrap();
    assert_eq!(attributes.owner, Some((before.uid(), before.gid())));
    assert_eq!(attributes.modified, Some((1_000_000_000, 123_456_789)));
    let note = (b"user.note".to_vec(), b"text".to_vec());
    assert_eq!(attributes.extended.contains(&note), has_extended);

    fs::remove_file(&on_disk).unwrap();
    write::put_with(&place.ws, &path, &Entry::Absent, &content, Some(&attributes)).unwrap();
    assert_eq!(here(&place), content);
    let after = fs::metadata(&on_disk).unwrap();
    assert_eq!(after.modified().unwrap(), old);
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    if has_extended {
        let mut value = [0; 16];
        assert_eq!(getxattr(&on_disk, "user.note", &mut value), Ok(4));
        assert_eq!(&value[..4], b"text");
    }
    // What can't be given is left out: nobody has a name for this attribute.
    let strange = (b"nowhere.note".to_vec(), b"text".to_vec());
    let strange = Attributes { extended: vec![strange], ..Attributes::default() };
    fs::remove_file(&on_disk).unwrap();
    write::put_with(&place.ws, &path, &Entry::Absent, &content, Some(&strange)).unwrap();
    let given = Attributes::of(&place.ws, &path).unwrap().extended;
    assert!(!given.iter().any(|(name, _)| name == b"nowhere.note"), "{given:?}");
    // A link has nothing that is kept, and nothing at all neither.
    lay(&place, &link("src/main.rs"));
    assert_eq!(Attributes::of(&place.ws, &path), None);
    assert_eq!(Attributes::of(&place.ws, &place.path("none")), None);
}
