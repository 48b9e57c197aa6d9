//! The directories above the workspace whose `AGENTS.md` holds for it.

use std::path::Path;

use agent_tools::Workspace;

use crate::{environment::Environment, user_files};

/// What marks the root of a repository; in a linked work tree it is a file.
const REPOSITORY: &str = ".git";

/// How far up is looked.
const HIGHEST: usize = 32;

/// The directories between the workspace and the root of its repository, that one among them, or
/// else up to the user's home; the nearest last. Each is opened by itself, so that a link in it
/// leads nowhere else. Where the workspace is such a root, there are none.
pub(crate) fn above(workspace: &Workspace, environment: Environment) -> Vec<Workspace> {
    let home = environment.home().and_then(|home| Workspace::open(&home).ok());
    let home = home.as_ref().map(Workspace::root);
    let mut found = Vec::new();
    if ends(workspace, home) {
        return found;
    }
    for directory in workspace.root().ancestors().skip(1).take(HIGHEST) {
        // What may not be opened ends the way up, as the root of the file system does.
        let Ok(directory) = Workspace::open(directory) else { break };
        if !user_files::same_owner(directory.root(), workspace.root()) {
            break;
        }
        let is_last = ends(&directory, home);
        found.push(directory);
        if is_last {
            found.reverse();
            return found;
        }
    }
    // Belongs to no repository and to nobody's home: what lies above is somebody else's.
    Vec::new()
}

fn ends(directory: &Workspace, home: Option<&Path>) -> bool {
    let repository = directory.resolve(REPOSITORY);
    repository.is_ok_and(|path| !directory.lacks(&path)) || home == Some(directory.root())
}
