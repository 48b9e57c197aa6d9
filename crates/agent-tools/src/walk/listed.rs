//! Everything that ignore files do not leave out, at once.

use super::{EntryKind, IgnoreRules, Scope};
use crate::{PathError, Workspace, WorkspacePath};

/// What a workspace holds, as far as ignore files don't leave it out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Files and symbolic links, in no particular order.
    pub files: Vec<WorkspacePath>,
    /// Directories, the root not among them.
    pub directories: Vec<WorkspacePath>,
    /// Whether there was more than was asked for.
    pub cut: bool,
}

/// Lists files, links and directories below the root, at most `most` of them: never git's own, and
/// nothing that an ignore file leaves out. What can't be listed counts as empty.
///
/// # Errors
///
/// [`PathError`] where the root itself can't be named.
pub fn listed(workspace: &Workspace, most: usize) -> Result<Listed, PathError> {
    let root = workspace.resolve(".")?;
    let mut open = vec![Scope::named(workspace, &root, IgnoreRules::Honour)];
    let mut listed = Listed::default();
    while let Some(scope) = open.pop() {
        let mut entries = Vec::new();
        // A directory that goes while it is listed is listed as far as it was there.
        let _ = scope.scan(workspace, |entry| entries.push(entry));
        for entry in entries.into_iter().filter(|entry| !entry.ignored) {
            let Some(path) = scope.dir().child(&entry.name) else { continue };
            if listed.files.len() + listed.directories.len() >= most {
                listed.cut = true;
                return Ok(listed);
            }
            match entry.kind {
                EntryKind::File | EntryKind::Symlink => listed.files.push(path),
                EntryKind::Dir => {
                    open.push(scope.enter(workspace, path.clone()));
                    listed.directories.push(path);
                }
                EntryKind::Other => {}
            }
        }
    }
    Ok(listed)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the tree is made as somebody else would")]
    fn files_links_and_directories_are_listed_but_not_what_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for directory in [".git", "src/deep", "target", "empty"] {
            std::fs::create_dir_all(at(directory)).unwrap();
        }
        for file in [".git/config", "src/deep/a.rs", "target/out", ".hidden"] {
            std::fs::write(at(file), "").unwrap();
        }
        std::fs::write(at(".gitignore"), "target\n").unwrap();
        std::os::unix::fs::symlink("src", at("link")).unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        let sorted = |paths: &[WorkspacePath]| {
            let mut names: Vec<_> = paths.iter().map(ToString::to_string).collect();
            names.sort();
            names
        };
        let all = listed(&workspace, 100).unwrap();
        assert_eq!(sorted(&all.files), [".gitignore", ".hidden", "link", "src/deep/a.rs"]);
        assert_eq!(sorted(&all.directories), ["empty", "src", "src/deep"]);
        assert!(!all.cut);
        let some = listed(&workspace, 3).unwrap();
        assert_eq!((some.files.len() + some.directories.len(), some.cut), (3, true));
    }
}
