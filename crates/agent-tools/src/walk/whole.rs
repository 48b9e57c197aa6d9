//! Everything that a workspace holds, whatever ignore files say.

use super::EntryKind;
use crate::{PathError, Workspace, WorkspacePath};

/// Everything below the root but git's own files and what can't be listed, in the byte order of
/// the paths: files, links, and directories with nothing in them. It stops at `most`.
pub fn whole(workspace: &Workspace, most: usize) -> Result<Vec<WorkspacePath>, PathError> {
    let mut open = vec![workspace.resolve(".")?];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        let listed = workspace.dir().read_dir(directory.as_path());
        let Ok(listed) = listed else { continue };
        let mut is_empty = true;
        for entry in listed.flatten() {
            is_empty = false;
            let name = entry.file_name();
            let Some(path) = directory.child(&name).filter(|_| name != ".git") else { continue };
            match workspace.kind(&path) {
                Ok(EntryKind::Dir) => open.push(path),
                Ok(EntryKind::File | EntryKind::Symlink) => found.push(path),
                Ok(EntryKind::Other) | Err(_) => {}
            }
            if found.len() >= most {
                return Ok(found);
            }
        }
        if is_empty && !directory.is_root() {
            found.push(directory);
        }
    }
    found.sort_by(|one, other| one.as_path().cmp(other.as_path()));
    Ok(found)
}
