//! Paths a model may write, and what becomes of them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use agent_tools::{EntryKind, PathError, Workspace};
use tempfile::TempDir;

/// A workspace `ws` with a few files, beside a directory `out` that must stay out of reach.
struct Place {
    dir: TempDir,
    ws: Workspace,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("ws");
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::create_dir(dir.path().join("out")).unwrap();
    fs::write(dir.path().join("out/secret"), "secret").unwrap();
    fs::write(root.join("src/main.rs"), "fn main() {}\n").unwrap();
    fs::write(root.join("src/lib.rs"), "").unwrap();
    let ws = Workspace::open(&root).unwrap();
    Place { dir, ws }
}

fn message(place: &Place, error: &PathError) -> String {
    let text = error.to_string();
    text.replace(&*place.dir.path().canonicalize().unwrap().to_string_lossy(), "TMP")
}

/// What opening `path` for reading says: the text of the file, or the error.
fn open(place: &Place, path: &str) -> String {
    let opened = place.ws.resolve(path).and_then(|path| place.ws.open_file(&path));
    match opened {
        Ok(mut file) => {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut file, &mut text).unwrap();
            text
        }
        Err(error) => message(place, &error),
    }
}

#[test]
fn paths_inside_are_normalised() {
    let place = place();
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
        ("~/x".to_owned(), "~/x"),
        (root.clone(), "."),
        (format!("{root}/"), "."),
        (format!("{root}/src/main.rs"), "src/main.rs"),
        (format!("{root}/../ws/src"), "src"),
    ];
    for (given, expected) in cases {
        let path = place.ws.resolve(&given).unwrap();
        assert_eq!(path.to_string(), expected, "{given}");
    }
}
