//! Trees of files: copied, read and compared, with links and the executable bit.
#![expect(clippy::disallowed_methods, reason = "the harness lays out workspaces of its own")]

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

/// What stands at a path.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A file.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it may be run.
        executable: bool,
    },
    /// A symbolic link, and where it points.
    Link(PathBuf),
    /// A directory with nothing in it.
    Empty,
}

/// A tree, by paths with `/`.
pub(crate) type Tree = BTreeMap<String, Entry>;

/// Reads the tree below `root`; one that is not there is empty.
pub(crate) fn read(root: &Path) -> io::Result<Tree> {
    let mut tree = Tree::new();
    if root.exists() {
        collect(root, "", &mut tree)?;
    }
    Ok(tree)
}

fn collect(root: &Path, below: &str, tree: &mut Tree) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            let before = tree.len();
            collect(root, &path, tree)?;
            if tree.len() == before {
                tree.insert(path, Entry::Empty);
            }
        } else if kind.is_symlink() {
            tree.insert(path, Entry::Link(fs::read_link(entry.path())?));
        } else {
            let executable = entry.metadata()?.permissions().mode() & 0o100 != 0;
            tree.insert(path, Entry::File { bytes: fs::read(entry.path())?, executable });
        }
    }
    Ok(())
}

/// Writes a tree below `root`, which is made.
pub(crate) fn write(tree: &Tree, root: &Path) -> io::Result<()> {
    fs::create_dir_all(root)?;
    for (path, entry) in tree {
        let path = root.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match entry {
            Entry::File { bytes, executable } => {
                fs::write(&path, bytes)?;
                let mode = if *executable { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
            }
            Entry::Link(target) => symlink(target, &path)?,
            Entry::Empty => fs::create_dir_all(&path)?,
        }
    }
    Ok(())
}

/// How `seen` differs from `expected`, a problem for each path. A directory that is left empty
/// counts only where `before` did not have something in it: git can't store one.
pub(crate) fn differences(before: &Tree, expected: &Tree, seen: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, wanted) in expected {
        match seen.get(path) {
            None => problems.push(format!("{path}: missing")),
            Some(entry) if entry == wanted => {}
            Some(entry) => problems.push(difference(path, wanted, entry)),
        }
    }
    for (path, entry) in seen {
        let inside = format!("{path}/");
        let emptied = *entry == Entry::Empty && before.keys().any(|old| old.starts_with(&inside));
        if !expected.contains_key(path) && !emptied {
            problems.push(format!("{path}: stray"));
        }
    }
    problems
}

fn difference(path: &str, wanted: &Entry, seen: &Entry) -> String {
    let (Entry::File { bytes: old, executable: was }, Entry::File { bytes: new, executable: is }) =
        (wanted, seen)
    else {
        return format!("{path}: is no longer the same kind of thing");
    };
    if old == new {
        return format!("{path}: executable is {is}, expected {was}");
    }
    match (std::str::from_utf8(old), std::str::from_utf8(new)) {
        (Ok(old), Ok(new)) => format!("{path}: differs\n{}", crate::golden::diff(old, new)),
        (_, _) => format!("{path}: its bytes differ ({} expected, {})", old.len(), new.len()),
    }
}
