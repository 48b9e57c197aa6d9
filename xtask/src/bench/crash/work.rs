//! What the killed runs do, and which trees they may leave.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{Failure, text};

/// Files of the workspace.
const FILES: usize = 20;

/// What a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Edits, creates, deletes and undoes, a file at a time, through the program.
    OneByOne,
    /// The same, as a session of a scripted model.
    Session,
    /// Changes all files as one change, through the library.
    Together,
}

/// Everything in a workspace, with modes; a directory has no content.
pub(super) type Tree = BTreeMap<PathBuf, (u32, Option<String>)>;

fn name(file: usize) -> String {
    format!("f{file:02}.txt")
}

fn old(file: usize) -> String {
    format!("old {file}\r\n").repeat(200 + file)
}

fn new(file: usize) -> String {
    old(file).replacen(&format!("old {file}"), "new", 1)
}

/// Writes the files, each with a mode of its own.
pub(super) fn lay_out(workspace: &Path) -> Result<(), Failure> {
    fs::create_dir(workspace).map_err(text)?;
    for file in 0..FILES {
        let path = workspace.join(name(file));
        fs::write(&path, old(file)).map_err(text)?;
        let mode = [0o644, 0o600, 0o755, 0o640][file / 4 % 4];
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).map_err(text)?;
    }
    Ok(())
}

impl Work {
    pub(super) const ALL: [Self; 3] = [Self::OneByOne, Self::Session, Self::Together];

    /// What a session's model says when it is gone on with.
    pub(super) const LAST: &str = "{\"purpose\": \"decide\", \"text\": \"Done.\"}\n";

    /// The calls that the program is given, or the model's replies, one a line.
    pub(super) fn calls(self) -> String {
        if self == Self::Together {
            return String::new();
        }
        let mut lines = String::new();
        let mut call = |tool: &str, params: Value| {
            let line = match self {
                Self::OneByOne | Self::Together => json!({ "tool": tool, "params": params }),
                Self::Session => {
                    let call = json!({ "name": tool, "arguments": params });
                    json!({ "purpose": "decide", "calls": [call] })
                }
            };
            lines += &format!("{line}\n");
        };
        for file in 0..FILES {
            let edit = json!({ "line": 1, "old": format!("old {file}"), "new": "new" });
            let edit = || json!({ "path": name(file), "edits": [edit.clone()] });
            match file % 4 {
                0 => call("apply_patch", edit()),
                1 => call("delete_file", json!({ "target_file": name(file) })),
                2 => {
                    call("apply_patch", edit());
                    call("undo", json!({}));
                }
                _ => {
                    let target = format!("d{file}/e/{}", name(file));
                    call("create_file", json!({ "target_file": target, "content": new(file) }));
                }
            }
        }
        if self == Self::Session {
            lines += Self::LAST;
        }
        lines
    }

    /// Every file has to be old or new, all in the same way where they are changed together, and
    /// nothing else may be there.
    pub(super) fn check(self, workspace: &Path) -> Result<(), Failure> {
        let tree = tree(workspace)?;
        let content = |path: &Path| tree.get(path).and_then(|(_, content)| content.as_deref());
        let mut known = Vec::new();
        let mut changed = 0;
        for file in 0..FILES {
            let path = PathBuf::from(name(file));
            let (old, new) = (old(file), new(file));
            let seen = content(&path);
            let together = format!("together\n{old}");
            let good = match (self, file % 4) {
                (_, _) if seen == Some(&old) => true,
                (Self::Together, _) => {
                    changed += 1;
                    seen == Some(&together)
                }
                (Self::OneByOne | Self::Session, 0 | 2) => seen == Some(&new),
                (Self::OneByOne | Self::Session, 1) => seen.is_none(),
                (Self::OneByOne | Self::Session, _) => false,
            };
            if !good {
                return Err(format!("{} is neither old nor new: {seen:?}", path.display()));
            }
            let created = PathBuf::from(format!("d{file}/e")).join(&path);
            if content(&created).is_some_and(|seen| seen != new) {
                return Err(format!("{} is torn", created.display()));
            }
            known.extend(created.ancestors().map(Path::to_owned));
            known.push(path);
        }
        if changed != 0 && changed != FILES {
            return Err(format!("{changed} of {FILES} files were changed together"));
        }
        match tree.keys().find(|path| !known.contains(path)) {
            Some(stray) => Err(format!("{} was left behind", stray.display())),
            None => Ok(()),
        }
    }
}

/// Reads the tree.
pub(super) fn tree(workspace: &Path) -> Result<Tree, Failure> {
    let mut tree = Tree::new();
    let mut open = vec![PathBuf::new()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(workspace.join(&directory)).map_err(text)? {
            let entry = entry.map_err(text)?;
            let path = directory.join(entry.file_name());
            let metadata = entry.metadata().map_err(text)?;
            let content = match metadata.is_dir() {
                true => {
                    open.push(path.clone());
                    None
                }
                false => Some(fs::read_to_string(entry.path()).map_err(text)?),
            };
            tree.insert(path, (metadata.permissions().mode(), content));
        }
    }
    Ok(tree)
}

/// The first path that differs.
pub(super) fn difference(start: &Tree, end: &Tree) -> String {
    let differs = |path: &&PathBuf| start.get(*path) != end.get(*path);
    let path = start.keys().chain(end.keys()).find(differs);
    path.map(|path| path.display().to_string()).unwrap_or_default()
}
