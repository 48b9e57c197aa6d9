//! A directory and what is below it, drawn as a tree.
//!
//! Directories come first in each directory, then everything else, both by name. The top levels are
//! shown before anything deeper: when there is more than the limits allow, the last level that is
//! drawn is shared out among its directories, and each says how many entries it left out.

mod draw;
mod levels;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::walk::{
    GlobError, Globs, IgnoreRules, Reason, Scope, Skipped, Start, StartError, Step, Walk, start,
};
use crate::{Workspace, WorkspacePath};
use draw::visible;
use levels::{LeafKind, Levels, Wanted};

/// What of a directory to draw.
#[derive(Debug, Clone, Default)]
pub struct TreeQuery {
    /// Only files that match, and the directories that lead to them. Globs as after `rg -g`,
    /// relative to the listed directory, with commas between them.
    pub glob: Option<String>,
    /// How much to draw.
    pub limits: TreeLimits,
}

/// The bounds of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeLimits {
    /// How many entries are drawn.
    pub entries: usize,
    /// How many levels of directories are drawn.
    pub depth: usize,
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self { entries: 500, depth: 16 }
    }
}

/// A drawn directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The drawing, a line for each entry, without a newline at the end.
    pub drawing: String,
    /// Something was left out for want of room.
    pub truncated: bool,
    /// How many directories are drawn below the listed one.
    pub dirs: usize,
    /// How many files are drawn, special files included.
    pub files: usize,
    /// How many symbolic links are drawn.
    pub links: usize,
    /// What was passed over in the directories that are drawn; with a glob, in all of them.
    pub skipped: Skipped,
}

/// Why no directory was drawn.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The path cannot be listed.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The path is a file.
    #[error("`{path}` is a file, not a directory; read it, or list `{parent}`, which holds it")]
    File {
        /// The path that was asked for.
        path: WorkspacePath,
        /// The directory that holds it.
        parent: WorkspacePath,
    },
    /// The glob is not valid.
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// Somebody stopped the listing.
    #[error("the listing was cancelled")]
    Cancelled,
}

/// Draws the directory `path`.
pub fn list_dir(
    workspace: &Workspace,
    path: &WorkspacePath,
    query: &TreeQuery,
    cancel: &AtomicBool,
) -> Result<Tree, TreeError> {
    if start(workspace, path)? == Start::File {
        let parent = path.parent().unwrap_or_else(|| path.clone());
        return Err(TreeError::File { path: path.clone(), parent });
    }
    let globs = Globs::new(workspace, path, query.glob.as_deref(), None)?;
    let scope = || Scope::named(workspace, path, IgnoreRules::Honour);
    let matching =
        query.glob.is_some().then(|| Matching::find(workspace, path, scope(), &globs, cancel));
    let (leading, skipped) = match matching {
        Some(matching) => (Some(matching.leading), Some(matching.skipped)),
        None => (None, None),
    };
    let wanted = Wanted { globs, leading };
    let levels = Levels::choose(workspace, scope(), &wanted, query.limits, cancel);
    if cancel.load(Ordering::Relaxed) {
        return Err(TreeError::Cancelled);
    }
    let mut tree = Tree {
        drawing: levels.draw(&format!("{path}/")),
        truncated: levels.dirs.iter().any(|branch| branch.more > 0),
        dirs: 0,
        files: 0,
        links: 0,
        skipped: skipped.unwrap_or_else(|| levels.skipped.clone()),
    };
    for leaf in levels.dirs.iter().flat_map(|branch| &branch.entries) {
        match leaf.kind {
            LeafKind::Dir(_) => tree.dirs += 1,
            LeafKind::Link(_) => tree.links += 1,
            LeafKind::File => tree.files += 1,
        }
    }
    let top = &levels.dirs[0];
    if top.entries.is_empty() && top.more == 0 && !top.unreadable {
        tree.drawing.push_str(&nothing(query, &tree.skipped));
    }
    Ok(tree)
}

/// The line that stands for the entries when there are none.
fn nothing(query: &TreeQuery, skipped: &Skipped) -> String {
    let mut line = match &query.glob {
        Some(glob) => format!("\n└── (no file below this directory matches `{}`", visible(glob)),
        None => "\n└── (empty".to_owned(),
    };
    if !skipped.is_empty() {
        line.push_str(&format!("; passed over: {skipped}"));
    }
    line.push(')');
    line
}

/// What a walk with a glob found out.
struct Matching {
    /// The directories that lead to a file that matches.
    leading: HashSet<WorkspacePath>,
    skipped: Skipped,
}

impl Matching {
    fn find(
        workspace: &Workspace,
        start: &WorkspacePath,
        scope: Scope,
        globs: &Globs,
        cancel: &AtomicBool,
    ) -> Self {
        let mut matching = Self { leading: HashSet::new(), skipped: Skipped::default() };
        for step in Walk::new(workspace, scope, globs, cancel) {
            match step {
                Step::File(file) => matching.lead_to(&file, start),
                // Links are not passed over here: they are drawn.
                Step::Skipped(Reason::Link | Reason::Special) => {}
                Step::Skipped(reason) => matching.skipped.add(reason),
            }
        }
        matching
    }

    fn lead_to(&mut self, file: &WorkspacePath, start: &WorkspacePath) {
        let mut dir = file.parent();
        while let Some(leading) = dir.filter(|dir| dir != start) {
            dir = leading.parent();
            if !self.leading.insert(leading) {
                return;
            }
        }
    }
}
