//! What a patch does to one file.

use super::changes::Changes;
use super::error::PatchError;

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// The file as the patch names it; nothing where it names none.
    pub path: Option<String>,
    /// What is done to it.
    pub operation: Operation,
}

/// What is done to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Its text changes.
    Update {
        /// How.
        changes: Changes,
        /// Its new name, if it gets one.
        move_to: Option<String>,
    },
    /// It is created.
    Add {
        /// All of its text.
        content: String,
    },
    /// It is deleted.
    Delete,
}

/// The part of a patch that is about the file at `path`.
///
/// A patch for a single file is taken to be about this one whatever it calls it.
pub(super) fn part_for(parts: Vec<FilePatch>, path: &str) -> Result<FilePatch, PatchError> {
    let named = parts.iter().filter_map(|part| part.path.clone()).collect();
    let single = parts.len() == 1;
    let means =
        |part: &FilePatch| part.path.as_deref().is_some_and(|name| is_same_file(name, path));
    let mut meant = parts.into_iter().filter(|part| single || means(part));
    match (meant.next(), meant.next()) {
        (Some(part), None) => Ok(part),
        _ => Err(PatchError::OtherFiles { named, path: path.to_owned() }),
    }
}

/// Whether two names can mean one file: either may be given from a directory further down.
pub(super) fn is_same_file(a: &str, b: &str) -> bool {
    let names = |path: &str| {
        let names = path.split(['/', '\\']).filter(|name| !matches!(*name, "" | "."));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let (a, b) = (names(a), names(b));
    !a.is_empty() && !b.is_empty() && (a.ends_with(&b) || b.ends_with(&a))
}
