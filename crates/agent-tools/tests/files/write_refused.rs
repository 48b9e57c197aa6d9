//! Changes that are refused, and what they leave behind: nothing.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::{env, fs};

use agent_tools::write;

use crate::place::Place;
use crate::write::replace;

const MAIN: &str = "fn main() {}\n";

fn create(place: &Place, path: &str) -> String {
    place.message(&write::create(&place.ws, &place.path(path), b"new").unwrap_err())
}

fn delete(place: &Place, path: &str) -> String {
    place.message(&write::delete(&place.ws, &place.path(path)).unwrap_err())
}

#[test]
fn a_file_that_has_changed_is_left_as_it_is() {
    let place = Place::new();
    let before = place.entries();
    let changed = "`src/main.rs` has changed since it was read, and was left as it is; \
                   read it again and make the change to what is there now";
    assert_eq!(replace(&place, "src/main.rs", "something else", "new"), Err(changed.into()));
    let garbage = write::replace(&place.ws, &place.path("src/main.rs"), "no hash", b"new");
    assert_eq!(garbage.unwrap_err().to_string(), changed);
    assert_eq!(fs::read_to_string(place.on_disk("src/main.rs")).unwrap(), MAIN);

    fs::hard_link(place.on_disk("src/main.rs"), place.on_disk("twin")).unwrap();
    assert_eq!(replace(&place, "src/main.rs", "something else", "new"), Err(changed.into()));
    assert_eq!(fs::read_to_string(place.on_disk("twin")).unwrap(), MAIN);
    fs::remove_file(place.on_disk("twin")).unwrap();
    assert_eq!(place.entries(), before);
}

/// A full disk ends a write midway, and so does a limit to the size of files. The limit is that of a
/// whole process, so the test runs once more in one of its own.
#[test]
fn what_there_is_no_room_for_leaves_everything_as_it_is() {
    const HERE: &str = "write_refused::what_there_is_no_room_for_leaves_everything_as_it_is";
    const IS_LIMITED: &str = "AGENT_TOOLS_TEST_FILES_ARE_LIMITED";
    if env::var_os(IS_LIMITED).is_none() {
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" --exact \"$1\""])
            .arg(env::current_exe().unwrap())
            .arg(HERE)
            .env(IS_LIMITED, "yes")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
        return;
    }
    let place = Place::new();
    let (before, large) = (place.entries(), "x".repeat(1 << 16));
    let no_room = |path: &str| format!("cannot write `{path}`: File too large (os error 27)");
    assert_eq!(replace(&place, "src/main.rs", MAIN, &large), Err(no_room("src/main.rs")));
    let created = write::create(&place.ws, &place.path("new/file"), large.as_bytes());
    assert_eq!(created.unwrap_err().to_string(), no_room("new/file"));
    assert_eq!(place.entries(), before, "neither a temporary file nor a directory is left");
    fs::hard_link(place.on_disk("src/main.rs"), place.on_disk("twin")).unwrap();
    assert_eq!(replace(&place, "twin", MAIN, &large), Err(no_room("twin")));
    assert_eq!(fs::read_to_string(place.on_disk("src/main.rs")).unwrap(), MAIN);
}

#[test]
fn a_read_only_file_is_left_as_it_is_even_for_root() {
    let place = Place::new();
    let file = place.on_disk("src/main.rs");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let read_only = "`src/main.rs` is read-only, and was left as it is; ask the user to make it \
                     writable if it is to be changed";
    assert_eq!(replace(&place, "src/main.rs", MAIN, "new"), Err(read_only.into()));
    symlink("src/main.rs", place.on_disk("link")).unwrap();
    let through = replace(&place, "link", MAIN, "new").unwrap_err();
    assert!(through.starts_with("`link` is read-only"), "{through}");
    assert_eq!(fs::read_to_string(&file).unwrap(), MAIN);
}

#[test]
fn nothing_outside_is_replaced_created_or_deleted() {
    let place = Place::new();
    symlink("../out/secret", place.on_disk("file")).unwrap();
    symlink("../out/new", place.on_disk("dangling")).unwrap();
    symlink("../out", place.on_disk("dir")).unwrap();
    let outside = |path: &str, link: &str, target: &str| {
        format!(
            "`{path}` leads out of the workspace through the symbolic link `{link}` -> \
             `{target}`; use the files inside the workspace instead"
        )
    };
    let replaced = |path: &str| replace(&place, path, "secret", "new").unwrap_err();
    assert_eq!(replaced("file"), outside("file", "file", "../out/secret"));
    assert_eq!(replaced("dangling"), outside("dangling", "dangling", "../out/new"));
    assert_eq!(replaced("dir/secret"), outside("dir/secret", "dir", "../out"));
    assert_eq!(create(&place, "dir/new"), outside("dir/new", "dir", "../out"));
    assert_eq!(create(&place, "dir/a/b"), outside("dir/a/b", "dir", "../out"));
    assert_eq!(delete(&place, "dir/secret"), outside("dir/secret", "dir", "../out"));
    let link = "exists already and is a symbolic link; choose another name";
    assert_eq!(create(&place, "dangling"), format!("`dangling` {link}"));

    let names: Vec<_> =
        fs::read_dir(place.beside("out")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["secret"]);
    assert_eq!(fs::read_to_string(place.beside("out/secret")).unwrap(), "secret");
}

#[test]
fn only_a_regular_file_is_replaced() {
    let place = Place::new();
    assert_eq!(
        replace(&place, "src", "", "new"),
        Err("`src` is a directory, not a file; list it to see its files".into())
    );
    assert_eq!(
        replace(&place, "src/main.c", "", "new"),
        Err("`src/main.c` does not exist; similar names that do exist: `src/main.rs`".into())
    );
    assert!(replace(&place, ".", "", "new").unwrap_err().starts_with("`.` is a directory"));
}

#[test]
fn nothing_is_created_over_what_exists() {
    let place = Place::new();
    let before = place.entries();
    assert_eq!(
        create(&place, "src/main.rs"),
        "`src/main.rs` exists already; edit it, or choose another name"
    );
    assert_eq!(create(&place, "src"), "`src` exists already and is a directory; name a file in it");
    assert_eq!(create(&place, "."), "`.` exists already and is a directory; name a file in it");
    assert_eq!(
        create(&place, "src/main.rs/x/y"),
        "`src/main.rs/x/y` cannot exist, because `src/main.rs` is not a directory; \
         list its directory to see what is there"
    );
    assert_eq!(place.entries(), before);
    assert_eq!(fs::read_to_string(place.on_disk("src/main.rs")).unwrap(), MAIN);
}

#[test]
fn only_files_are_deleted() {
    let place = Place::new();
    let before = place.entries();
    assert_eq!(delete(&place, "src"), "`src` is a directory, not a file; list it to see its files");
    assert!(delete(&place, ".").starts_with("`.` is a directory"));
    assert_eq!(
        delete(&place, "src/lib.py"),
        "`src/lib.py` does not exist; similar names that do exist: `src/lib.rs`"
    );
    assert_eq!(place.entries(), before);
}
