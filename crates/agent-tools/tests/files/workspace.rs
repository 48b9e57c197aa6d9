//! Paths a model may write, and what becomes of them.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use agent_tools::{EntryKind, Metadata, Workspace};

use crate::place::Place;

/// What opening `path` for reading gives: the text of the file, or what the refusal says.
fn open(place: &Place, path: &str) -> String {
    match place.ws.resolve(path).and_then(|path| place.ws.open_file(&path)) {
        Ok(mut file) => {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            text
        }
        Err(error) => place.message(&error),
    }
}

fn refused(place: &Place, path: &str) -> String {
    place.message(&place.ws.resolve(path).unwrap_err())
}

#[test]
fn paths_inside_are_normalised() {
    let place = Place::new();
    let root = place.ws.root().to_str().unwrap().to_owned();
    let cases = [
        (".".to_owned(), "."),
        ("./".to_owned(), "."),
        ("src/..".to_owned(), "."),
        ("src".to_owned(), "src"),
        ("src/".to_owned(), "src"),
        ("./src//main.rs".to_owned(), "src/main.rs"),
        ("src/deep/../main.rs".to_owned(), "src/main.rs"),
        ("no/such/../file".to_owned(), "no/file"),
        ("...".to_owned(), "..."),
        ("~x/y".to_owned(), "~x/y"),
        (" a b ".to_owned(), " a b "),
        (root.clone(), "."),
        (format!("{root}/"), "."),
        (format!("{root}/src/main.rs"), "src/main.rs"),
        (format!("{root}/../ws/src"), "src"),
    ];
    for (given, expected) in cases {
        assert_eq!(place.path(&given).to_string(), expected, "{given}");
    }
}

#[test]
fn a_root_spelled_through_a_link_is_accepted_in_both_spellings() {
    let place = Place::new();
    symlink(place.ws.root(), place.beside("alias")).unwrap();
    let alias = place.beside("alias");
    let ws = Workspace::open(&alias).unwrap();

    assert_eq!(ws.root(), place.ws.root());
    let spelled = alias.join("src/main.rs");
    assert_eq!(ws.resolve(spelled.to_str().unwrap()).unwrap().to_string(), "src/main.rs");
    let canonical = place.on_disk("src/main.rs");
    assert_eq!(ws.resolve(canonical.to_str().unwrap()).unwrap().to_string(), "src/main.rs");
    assert_eq!(ws.absolute(&ws.resolve("src/main.rs").unwrap()), canonical);
    assert_eq!(ws.absolute(&ws.resolve(".").unwrap()), place.ws.root());
}

#[test]
fn a_backslash_separates_only_where_no_such_name_exists() {
    let place = Place::new();
    assert_eq!(place.path(r"src\main.rs").to_string(), "src/main.rs");
    assert_eq!(place.path(r".\src\new.rs").to_string(), "src/new.rs");

    fs::write(place.on_disk(r"src\main.rs"), "odd").unwrap();
    assert_eq!(place.path(r"src\main.rs").to_string(), r"src\main.rs");
    assert_eq!(open(&place, r"src\main.rs"), "odd");

    let outside = "is outside the workspace `TMP/ws`; \
                   give a path inside it, relative to that directory";
    assert_eq!(refused(&place, r"..\out"), format!("`../out` {outside}"));
    assert_eq!(refused(&place, r"C:\Users\x"), format!(r"`C:\Users\x` {outside}"));
}

#[test]
fn a_tilde_is_a_home_only_where_no_such_name_exists() {
    let place = Place::new();
    fs::create_dir(place.on_disk("~")).unwrap();
    fs::write(place.on_disk("~/x"), "odd").unwrap();
    assert_eq!(open(&place, "~/x"), "odd");
    assert_eq!(place.path("~").to_string(), "~");
    assert_eq!(place.path("./~/new").to_string(), "~/new");
    assert!(place.ws.resolve("~/new").is_err());
}

#[test]
fn paths_outside_are_refused_with_the_root_named() {
    let place = Place::new();
    let sibling = format!("{}x/f", place.ws.root().display());
    let cases =
        ["..", "../ws", "src/../../out/secret", "/", "/etc/passwd", "/..", "~", "~/x", &sibling];
    for given in cases {
        let shown = given.replace(place.ws.root().parent().unwrap().to_str().unwrap(), "TMP");
        assert_eq!(
            refused(&place, given),
            format!(
                "`{shown}` is outside the workspace `TMP/ws`; \
                 give a path inside it, relative to that directory"
            )
        );
    }
}

#[test]
fn text_that_is_no_path_is_refused() {
    let place = Place::new();
    assert_eq!(
        refused(&place, ""),
        "the path is empty; give a path relative to the workspace, `.` for its root"
    );
    assert_eq!(
        refused(&place, "a\0b"),
        r#"the path "a\0b" holds a NUL character, which no file name can; leave it out"#
    );
    let long = "the path `{}…` is too long ({} bytes; at most 255 a name and 4095 in all); \
                check that it is a path and not the text of a file";
    let expect =
        |start: &str, len: usize| long.replacen("{}", start, 1).replacen("{}", &len.to_string(), 1);
    assert_eq!(refused(&place, &"x".repeat(256)), expect(&"x".repeat(60), 256));
    assert_eq!(refused(&place, &"xy/".repeat(2000)), expect(&"xy/".repeat(20), 6000));
    assert_eq!(refused(&place, &"../".repeat(2000)), expect(&"../".repeat(20), 6000));
    assert_eq!(place.path(&"x".repeat(255)).to_string(), "x".repeat(255));
}

#[test]
fn a_missing_file_names_its_neighbours() {
    let place = Place::new();
    assert_eq!(
        open(&place, "src/mian.rs"),
        "`src/mian.rs` does not exist; similar names that do exist: `src/main.rs`, `src/lib.rs`"
    );
    assert_eq!(
        open(&place, "SRC/MAIN.RS"),
        "`SRC/MAIN.RS` does not exist; similar names that do exist: `src`"
    );
    assert_eq!(
        open(&place, "scr/main.rs"),
        "`scr/main.rs` does not exist; similar names that do exist: `src`"
    );
    assert_eq!(
        open(&place, "src/quite/other"),
        "`src/quite/other` does not exist; list the directory or search for the name to find it"
    );
    for name in ["a1.txt", "a2.txt", "a3.txt", "a4.txt"] {
        fs::write(place.on_disk(name), "").unwrap();
    }
    let error = open(&place, "a.txt");
    assert_eq!(error.matches("`a").count(), 4, "itself and three others: {error}");
}

#[test]
fn what_is_no_file_is_named() {
    let place = Place::new();
    assert_eq!(open(&place, "src"), "`src` is a directory, not a file; list it to see its files");
    assert_eq!(open(&place, "."), "`.` is a directory, not a file; list it to see its files");
    assert_eq!(
        open(&place, "src/main.rs/x"),
        "`src/main.rs/x` cannot exist, because `src/main.rs` is not a directory; \
         list its directory to see what is there"
    );
    make_fifo(&place.on_disk("pipe"));
    let fifo = "`pipe` is a FIFO, a socket or a device, not a regular file; \
                only regular files can be used";
    assert_eq!(open(&place, "pipe"), fifo);
    symlink("pipe", place.on_disk("to-pipe")).unwrap();
    assert_eq!(open(&place, "to-pipe"), fifo.replace("`pipe`", "`to-pipe`"));
    assert_eq!(place.ws.kind(&place.path("pipe")).unwrap(), EntryKind::Other);
}

#[test]
fn links_inside_are_followed() {
    let place = Place::new();
    symlink("src/main.rs", place.on_disk("file")).unwrap();
    symlink("src", place.on_disk("dir")).unwrap();
    symlink("../src/./deep/../main.rs", place.on_disk("src/winding")).unwrap();
    for path in ["file", "dir/main.rs", "src/winding"] {
        assert_eq!(open(&place, path), "fn main() {}\n", "{path}");
    }
    assert_eq!(place.ws.kind(&place.path("file")).unwrap(), EntryKind::Symlink);
    assert_eq!(place.ws.kind(&place.path("dir")).unwrap(), EntryKind::Symlink);
    let mode = fs::Permissions::from_mode(0o640);
    fs::set_permissions(place.on_disk("src/main.rs"), mode).unwrap();
    let target = place.ws.metadata(&place.path("file")).unwrap();
    assert_eq!(target, Metadata { kind: EntryKind::File, len: 13, mode: Some(0o640) });
}

#[test]
fn links_that_lead_out_are_refused() {
    let place = Place::new();
    let out = place.beside("out").canonicalize().unwrap();
    symlink("../out/secret", place.on_disk("file")).unwrap();
    symlink("../out", place.on_disk("dir")).unwrap();
    symlink("../out/nothing", place.on_disk("dangling")).unwrap();
    symlink(out.join("secret"), place.on_disk("absolute")).unwrap();
    symlink("dir", place.on_disk("twice")).unwrap();

    let expect = |path: &str, link: &str, target: &str| {
        format!(
            "`{path}` leads out of the workspace through the symbolic link `{link}` -> \
             `{target}`; use the files inside the workspace instead"
        )
    };
    assert_eq!(open(&place, "file"), expect("file", "file", "../out/secret"));
    assert_eq!(open(&place, "dir/secret"), expect("dir/secret", "dir", "../out"));
    assert_eq!(open(&place, "dir/new/file"), expect("dir/new/file", "dir", "../out"));
    assert_eq!(open(&place, "dangling"), expect("dangling", "dangling", "../out/nothing"));
    assert_eq!(open(&place, "twice/secret"), expect("twice/secret", "twice", "dir"));
    let absolute = expect("absolute", "absolute", "TMP/out/secret");
    let note = " (a link with an absolute target is never followed); use";
    assert_eq!(open(&place, "absolute"), absolute.replace("; use", note));
}

#[test]
fn links_to_nothing_and_in_a_circle_are_named() {
    let place = Place::new();
    symlink("src/gone.rs", place.on_disk("link")).unwrap();
    assert_eq!(
        open(&place, "link"),
        "`link` does not exist: `link` is a symbolic link to `src/gone.rs`, where there is \
         nothing; create that file, or delete the link"
    );
    symlink("round", place.on_disk("round")).unwrap();
    assert_eq!(
        open(&place, "round/x"),
        "cannot use `round/x`: Too many levels of symbolic links (os error 40)"
    );
}

#[test]
fn a_workspace_is_a_directory_that_exists() {
    let place = Place::new();
    let error = Workspace::open(&place.beside("none")).unwrap_err();
    let text = error.to_string();
    assert!(
        text.ends_with("/none` as a workspace: No such file or directory (os error 2)"),
        "{text}"
    );
    let error = Workspace::open(&place.on_disk("src/main.rs")).unwrap_err();
    assert!(error.to_string().ends_with("Not a directory (os error 20)"), "{error}");
}

#[test]
fn parents_and_children() {
    let place = Place::new();
    let path = place.path("src/deep/x");
    assert_eq!(path.parent().unwrap().to_string(), "src/deep");
    assert_eq!(place.path("src").parent().unwrap(), place.path("."));
    assert_eq!(place.path(".").parent(), None);
    assert_eq!(place.path(".").file_name(), None);
    assert_eq!(place.path(".").child("a").unwrap().to_string(), "a");
    assert_eq!(place.path("src").child("a").unwrap(), place.path("src/a"));
    for name in ["", ".", "..", "a/b", "/", "a/"] {
        assert_eq!(place.path("src").child(name), None, "{name:?}");
    }
}

fn make_fifo(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR).unwrap();
}
