//! Replacing, creating and deleting files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use agent_tools::edit::{EditLimits, apply};
use agent_tools::read::read_text;
use agent_tools::write::{self, Replaced};
use agent_tools::{LineEdit, sha256};

use crate::place::Place;

const MAIN: &str = "fn main() {}\n";

/// Replaces the content of a file whose content is known.
pub(crate) fn replace(place: &Place, path: &str, old: &str, new: &str) -> Result<Replaced, String> {
    let replaced =
        write::replace(&place.ws, &place.path(path), &sha256(old.as_bytes()), new.as_bytes());
    replaced.map_err(|error| place.message(&error))
}

fn content(place: &Place, path: &str) -> String {
    fs::read_to_string(place.on_disk(path)).unwrap()
}

fn mode(place: &Place, path: &str) -> u32 {
    fs::metadata(place.on_disk(path)).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_file_is_read_edited_and_replaced() {
    let place = Place::new();
    let path = place.path("src/main.rs");
    let file = read_text(&place.ws, &path, 1000).unwrap();
    let edit = LineEdit::one_line(1, MAIN.to_owned(), "fn main() { run() }".to_owned());
    let edited = apply(&file, &[edit], &EditLimits::default()).unwrap();
    let replaced = write::replace(&place.ws, &path, &file.sha256(), edited.text.bytes()).unwrap();
    assert_eq!(replaced, Replaced::Atomically);
    assert_eq!(content(&place, "src/main.rs"), "fn main() { run() }\n");
    assert_eq!(place.entries(), ["src", "src/deep", "src/lib.rs", "src/main.rs"]);
}

#[test]
fn the_hash_may_be_in_upper_case() {
    let place = Place::new();
    let hash = sha256(MAIN.as_bytes()).to_uppercase();
    write::replace(&place.ws, &place.path("src/main.rs"), &hash, b"new").unwrap();
    assert_eq!(content(&place, "src/main.rs"), "new");
}

#[test]
fn every_mode_is_kept() {
    let place = Place::new();
    let mut old = MAIN.to_owned();
    for bits in [0o755, 0o600, 0o664, 0o640, 0o4755, 0o2711, 0o1644] {
        let file = place.on_disk("src/main.rs");
        fs::set_permissions(&file, fs::Permissions::from_mode(bits)).unwrap();
        let before = fs::metadata(&file).unwrap();
        let new = format!("{bits:o}");
        assert_eq!(replace(&place, "src/main.rs", &old, &new), Ok(Replaced::Atomically));
        let after = fs::metadata(&file).unwrap();
        assert_eq!(after.permissions().mode(), before.permissions().mode(), "{bits:o}");
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino(), "a new file took its place");
        assert_eq!(content(&place, "src/main.rs"), new);
        old = new;
    }
}

#[test]
fn extended_attributes_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let place = Place::new();
    let file = place.on_disk("src/main.rs");
    for (name, value) in [("user.note", "text"), ("user.empty", "")] {
        let set = setxattr(&file, name, value.as_bytes(), XattrFlags::empty());
        if set == Err(rustix::io::Errno::OPNOTSUPP) {
            return;
        }
        set.unwrap();
    }
    replace(&place, "src/main.rs", MAIN, "new").unwrap();
    let mut value = [0; 16];
    assert_eq!(getxattr(&file, "user.note", &mut value), Ok(4));
    assert_eq!(&value[..4], b"text");
    assert_eq!(getxattr(&file, "user.empty", &mut value), Ok(0));
}

#[test]
fn a_link_is_written_through_and_stays_a_link() {
    let place = Place::new();
    symlink("src/main.rs", place.on_disk("file")).unwrap();
    symlink("src", place.on_disk("dir")).unwrap();
    symlink("../dir/../file", place.on_disk("src/winding")).unwrap();

    replace(&place, "file", MAIN, "one").unwrap();
    assert_eq!(content(&place, "src/main.rs"), "one");
    replace(&place, "dir/main.rs", "one", "two").unwrap();
    assert_eq!(content(&place, "src/main.rs"), "two");
    replace(&place, "src/winding", "two", "three").unwrap();
    assert_eq!(content(&place, "src/main.rs"), "three");

    for link in ["file", "dir", "src/winding"] {
        assert!(fs::symlink_metadata(place.on_disk(link)).unwrap().is_symlink(), "{link}");
    }
    let entries = ["dir", "file", "src", "src/deep", "src/lib.rs", "src/main.rs", "src/winding"];
    assert_eq!(place.entries(), entries);
}

#[test]
fn a_file_with_two_names_keeps_both() {
    let place = Place::new();
    fs::hard_link(place.on_disk("src/main.rs"), place.on_disk("twin")).unwrap();
    assert_eq!(replace(&place, "src/main.rs", MAIN, "short"), Ok(Replaced::InPlace));
    assert_eq!(content(&place, "twin"), "short");
    assert_eq!(replace(&place, "twin", "short", "longer than before"), Ok(Replaced::InPlace));
    assert_eq!(content(&place, "src/main.rs"), "longer than before");
    assert_eq!(place.entries(), ["src", "src/deep", "src/lib.rs", "src/main.rs", "twin"]);
}

#[test]
fn long_and_odd_names() {
    let place = Place::new();
    for name in ["x".repeat(255), "ü".repeat(127), "a b\nc".to_owned(), "-rf".to_owned()] {
        write::create(&place.ws, &place.path(&name), b"old").unwrap();
        replace(&place, &name, "old", "new").unwrap();
        assert_eq!(content(&place, &name), "new");
        write::delete(&place.ws, &place.path(&name)).unwrap();
    }
    assert_eq!(place.entries(), ["src", "src/deep", "src/lib.rs", "src/main.rs"]);
}

#[test]
fn a_temporary_file_of_somebody_else_is_left_alone() {
    let place = Place::new();
    fs::write(place.on_disk("src/.main.rs.agent-0000.tmp"), "theirs").unwrap();
    replace(&place, "src/main.rs", MAIN, "new").unwrap();
    assert_eq!(content(&place, "src/main.rs"), "new");
    assert_eq!(content(&place, "src/.main.rs.agent-0000.tmp"), "theirs");
}

#[test]
fn a_file_is_created_with_the_directories_above_it() {
    let place = Place::new();
    write::create(&place.ws, &place.path("a/b/c.txt"), b"text").unwrap();
    assert_eq!(content(&place, "a/b/c.txt"), "text");
    assert_eq!(mode(&place, "a/b/c.txt") & 0o600, 0o600);
    assert_eq!(mode(&place, "a/b/c.txt") & 0o111, 0);
    assert_eq!(fs::metadata(place.on_disk("a/b/c.txt")).unwrap().nlink(), 1);

    symlink("a/b", place.on_disk("link")).unwrap();
    write::create(&place.ws, &place.path("link/d/e"), b"").unwrap();
    let entries = ["a", "a/b", "a/b/c.txt", "a/b/d", "a/b/d/e", "link"];
    assert_eq!(&place.entries()[..6], entries);
}

#[test]
fn a_file_is_deleted_and_of_a_link_the_link() {
    let place = Place::new();
    symlink("src/main.rs", place.on_disk("inside")).unwrap();
    symlink("../out/secret", place.on_disk("outside")).unwrap();
    symlink("nothing", place.on_disk("dangling")).unwrap();
    symlink("src", place.on_disk("dir")).unwrap();
    for path in ["inside", "outside", "dangling", "dir/lib.rs", "dir"] {
        write::delete(&place.ws, &place.path(path)).unwrap();
    }
    assert_eq!(place.entries(), ["src", "src/deep", "src/main.rs"]);
    assert_eq!(fs::read_to_string(place.beside("out/secret")).unwrap(), "secret");
}

#[test]
fn a_reader_sees_the_old_or_the_new_and_never_a_part() {
    let place = Place::new();
    let contents = ["a".repeat(300_000), "b".repeat(200_000)];
    fs::write(place.on_disk("f"), &contents[1]).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for turn in 0..20 {
                let (old, new) = (&contents[(turn + 1) % 2], &contents[turn % 2]);
                replace(&place, "f", old, new).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = content(&place, "f");
            assert!(contents.contains(&seen), "{} bytes", seen.len());
        }
    });
}

#[test]
fn of_many_who_create_one_file_one_does() {
    let place = Place::new();
    let created = |number: usize| {
        let content = number.to_string();
        write::create(&place.ws, &place.path("new/dir/file"), content.as_bytes()).map(|()| content)
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|n| scope.spawn(move || created(n))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let winners: Vec<_> = results.into_iter().flatten().collect();
    assert_eq!(winners, [content(&place, "new/dir/file")]);
    assert_eq!(place.entries()[..3], ["new", "new/dir", "new/dir/file"]);
}
