//! The built-in rows, in order: the first that fits decides where no rule did.

use super::{Past, places};
use crate::Effect;

/// Files that one request may delete before that counts as many.
const MANY: usize = 10;

/// How careful to be with what a row fits, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caution {
    /// Done in every mode.
    Free,
    /// An ordinary change, which can be undone.
    Change,
    /// Reaches beyond the files of the workspace.
    Outside,
    /// A change that is rarely meant.
    Danger,
    /// A change to what keeps others safe.
    Guarded,
}

/// A built-in row.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// How careful to be.
    pub caution: Caution,
    /// What it fits, as a reason.
    pub why: &'static str,
    /// What to do instead where it is refused.
    pub instead: &'static str,
    fits: fn(&Effect, Past) -> bool,
}

/// Every row.
pub static ROWS: [Row; 13] = [
    Row {
        name: "reads",
        caution: Caution::Free,
        why: "reading in the workspace changes nothing",
        instead: "",
        fits: |effect, _| matches!(effect, Effect::Read(_)),
    },
    Row {
        name: "git-directory",
        caution: Caution::Guarded,
        why: "`.git` is written by git alone: a hook or a setting there runs later",
        instead: "Leave it as it is, and tell the user which git command they would need",
        fits: |effect, _| changed(effect).is_some_and(places::is_git),
    },
    Row {
        name: "own-files",
        caution: Caution::Guarded,
        why: "it is this program's own state or configuration",
        instead: "Leave it as it is, and tell the user what they could put there",
        fits: |effect, _| changed(effect).is_some_and(places::is_own),
    },
    Row {
        name: "starts-by-itself",
        caution: Caution::Danger,
        why: "other programs run what stands there without being told to",
        instead: "Leave it as it is, and tell the user what they could put there",
        fits: |effect, _| changed(effect).is_some_and(places::starts_by_itself),
    },
    Row {
        name: "secrets",
        caution: Caution::Danger,
        why: "by its name it holds keys or passwords",
        instead: "Leave it as it is, and tell the user which line they would need",
        fits: |effect, _| changed(effect).is_some_and(places::is_secret),
    },
    Row {
        name: "lock-files",
        caution: Caution::Danger,
        why: "it is a lock file, which its own tool writes",
        instead: "Change the manifest instead; the tool brings the lock file up to date",
        fits: |effect, _| changed(effect).is_some_and(places::is_lock),
    },
    Row {
        name: "many-deletions",
        caution: Caution::Danger,
        why: "ten files were deleted already in this request",
        instead: "Stop deleting, and tell the user which files are left to delete",
        fits: |effect, past| matches!(effect, Effect::Delete(_)) && past.deleted >= MANY,
    },
    Row {
        name: "edits",
        caution: Caution::Change,
        why: "it changes a file of the workspace",
        instead: "Describe the change in your answer",
        fits: |effect, _| matches!(effect, Effect::Write(_)),
    },
    Row {
        name: "deletions",
        caution: Caution::Change,
        why: "it deletes a file of the workspace",
        instead: "Describe the change in your answer",
        fits: |effect, _| matches!(effect, Effect::Delete(_)),
    },
    Row {
        name: "undo",
        caution: Caution::Change,
        why: "it takes a change back",
        instead: "Describe the change in your answer",
        fits: |effect, _| matches!(effect, Effect::Undo),
    },
    Row {
        name: "cd",
        caution: Caution::Free,
        why: "going to a directory below changes nothing",
        instead: "",
        fits: |effect, _| matches!(effect, Effect::Execute(it) if it.permitted_by(&[]).is_ok()),
    },
    Row {
        name: "commands",
        caution: Caution::Outside,
        why: "nobody has permitted this command",
        instead: "Go on without it, and name it in your answer",
        fits: |effect, _| matches!(effect, Effect::Execute(_)),
    },
    Row {
        name: "otherwise",
        caution: Caution::Outside,
        why: "no rule says that it may be done",
        instead: "Do without it, and tell the user what they could permit",
        fits: |_, _| true,
    },
];

/// The row that decides about `effect`. The last one fits everything.
pub(super) fn row(effect: &Effect, past: Past) -> &'static Row {
    ROWS.iter().find(|row| (row.fits)(effect, past)).unwrap_or(&ROWS[ROWS.len() - 1])
}

/// The path that an effect changes.
fn changed(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Write(path) | Effect::Delete(path) => Some(path),
        Effect::Read(_)
        | Effect::Undo
        | Effect::Execute(_)
        | Effect::Network(_)
        | Effect::External(_) => None,
    }
}
