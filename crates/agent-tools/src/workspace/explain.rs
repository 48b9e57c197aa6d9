//! What an error of the file system means, found out by looking at each directory on the way.

use std::io;
use std::path::PathBuf;

use cap_std::fs::Dir;

use super::{PathError, WorkspacePath};

/// Turns an error into the reason it stands for.
pub(super) fn explain(dir: &Dir, path: &WorkspacePath, error: io::Error) -> PathError {
    let path = path.clone();
    if is_escape(&error) {
        let link = escaping_link(dir, &path);
        return PathError::Escapes { path, link };
    }
    if error.kind() == io::ErrorKind::NotFound {
        return missing(dir, path);
    }
    if error.kind() == io::ErrorKind::NotADirectory {
        let is_file = |prefix: &WorkspacePath| {
            dir.metadata(prefix.as_path()).is_ok_and(|metadata| !metadata.is_dir())
        };
        let file = path.prefixes().into_iter().find(is_file).unwrap_or_else(|| path.clone());
        return PathError::NotADirectory { path, file };
    }
    PathError::Io { path, source: error }
}

/// cap-std reports an escape as a refused permission of its own making; the system's refusals
/// carry an error number.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

fn escaping_link(dir: &Dir, path: &WorkspacePath) -> Option<(WorkspacePath, PathBuf)> {
    let escaping = |prefix: &WorkspacePath| {
        dir.metadata(prefix.as_path()).is_err_and(|error| is_escape(&error))
    };
    let link = path.prefixes().into_iter().find(escaping)?;
    let target = dir.read_link_contents(link.as_path()).ok()?;
    Some((link, target))
}

fn missing(dir: &Dir, path: WorkspacePath) -> PathError {
    for prefix in path.prefixes() {
        match dir.symlink_metadata(prefix.as_path()) {
            Ok(metadata) if metadata.is_symlink() => {
                let gone = dir.metadata(prefix.as_path()).is_err();
                if gone && let Ok(target) = dir.read_link_contents(prefix.as_path()) {
                    return PathError::Dangling { path, link: prefix, target };
                }
            }
            Ok(_) => {}
            Err(_) => {
                let similar = similar_names(dir, &prefix);
                return PathError::Missing { path, similar };
            }
        }
    }
    PathError::Missing { path, similar: Vec::new() }
}

/// Entries of the same directory whose names resemble the missing one, best first.
fn similar_names(dir: &Dir, missing: &WorkspacePath) -> Vec<WorkspacePath> {
    /// A directory with more entries than this is not searched to the end.
    const MAX_ENTRIES: usize = 5000;
    let (Some(parent), Some(name)) = (missing.parent(), missing.file_name()) else {
        return Vec::new();
    };
    let Ok(entries) = dir.read_dir(parent.as_path()) else {
        return Vec::new();
    };
    let names = entries.flatten().take(MAX_ENTRIES);
    // Compared in lower case, since a wrong case is the likeliest slip.
    let mut names: Vec<(String, String)> = names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|name| (name.to_lowercase(), name))
        .collect();
    names.sort_unstable();
    names.dedup_by(|next, kept| next.0 == kept.0);
    let wanted = name.to_string_lossy().to_lowercase();
    let folded: Vec<&str> = names.iter().map(|(folded, _)| folded.as_str()).collect();
    similar::get_close_matches(wanted.as_str(), &folded, 3, 0.6)
        .into_iter()
        .filter_map(|close| names.iter().find(|(folded, _)| folded == close))
        .filter_map(|(_, name)| parent.child(name))
        .collect()
}
