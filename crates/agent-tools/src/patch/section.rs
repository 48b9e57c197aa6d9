//! Which part of a patch is about a file.

use super::error::PatchError;

/// Whether a name in a patch means the file at `path`: it may have a prefix such as `a/`, or be
/// given from another directory.
pub(super) fn names(name: &str, path: &str) -> bool {
    let clean = |text: &str| text.trim().trim_start_matches("./").replace('\\', "/");
    let (name, path) = (clean(name), clean(path));
    let stripped = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    [Some(name.as_str()), stripped]
        .into_iter()
        .flatten()
        .any(|name| !name.is_empty() && (ends(name, &path) || ends(&path, name)))
}

/// The patch names another file.
pub(super) fn other_file(name: &str, path: &str) -> PatchError {
    PatchError::OtherFile { named: name.trim().to_owned(), path: path.to_owned() }
}
