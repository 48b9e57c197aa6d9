//! Choosing what to draw: level by level, until the budget is spent.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::TreeLimits;
use crate::walk::{Entry, Globs, Reason, Scope, Skipped, Smallest};
use crate::{EntryKind, Workspace, WorkspacePath};

/// Which entries of a directory are drawn at all.
pub(super) struct Wanted {
    pub(super) globs: Globs,
    /// The directories that lead to a file that matches; all of them if there is no glob.
    pub(super) leading: Option<HashSet<WorkspacePath>>,
}

/// What is drawn of the listed directory and of those below it.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// The listed directory, then those below it, level by level.
    pub(super) dirs: Vec<Branch>,
    pub(super) skipped: Skipped,
}

/// What is drawn of one directory.
#[derive(Debug, Default)]
pub(super) struct Branch {
    pub(super) entries: Vec<Leaf>,
    /// How many further entries there are.
    pub(super) more: usize,
    pub(super) unreadable: bool,
}

/// An entry that is drawn.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) name: String,
    pub(super) kind: LeafKind,
}

/// What an entry is, with what its line needs.
#[derive(Debug)]
pub(super) enum LeafKind {
    /// A directory: the index of its branch.
    Dir(usize),
    /// A symbolic link and where it points, where that can be read.
    Link(Option<PathBuf>),
    /// A file of any other kind.
    File,
}

/// A directory as it was listed, with no more entries than could be drawn.
struct Listing {
    first: Vec<Entry>,
    count: usize,
    skipped: Skipped,
    unreadable: bool,
}

impl Levels {
    pub(super) fn choose(
        workspace: &Workspace,
        start: Scope,
        wanted: &Wanted,
        limits: TreeLimits,
        cancel: &AtomicBool,
    ) -> Self {
        let mut chosen = Self { dirs: vec![Branch::default()], skipped: Skipped::default() };
        let mut budget = limits.entries;
        let mut level = vec![(0, start)];
        for depth in 0.. {
            if level.is_empty() || cancel.load(Ordering::Relaxed) {
                break;
            }
            // Below the last level that is drawn, directories are still counted.
            let allowed = if depth < limits.depth { budget } else { 0 };
            let listings: Vec<_> =
                level.iter().map(|(_, scope)| wanted.list(workspace, scope, allowed)).collect();
            let counts: Vec<_> = listings.iter().map(|listing| listing.count).collect();
            let shares = share_out(allowed, &counts);
            budget -= shares.iter().sum::<usize>();
            let mut below = Vec::new();
            for (((index, scope), listing), share) in level.iter().zip(listings).zip(shares) {
                chosen.dirs[*index].more = listing.count - share;
                chosen.dirs[*index].unreadable = listing.unreadable;
                chosen.skipped.extend(&listing.skipped);
                for entry in listing.first.into_iter().take(share) {
                    let leaf = chosen.leaf(workspace, scope, &entry, &mut below);
                    chosen.dirs[*index].entries.push(leaf);
                }
            }
            level = below;
        }
        chosen
    }

    fn leaf(
        &mut self,
        workspace: &Workspace,
        scope: &Scope,
        entry: &Entry,
        below: &mut Vec<(usize, Scope)>,
    ) -> Leaf {
        let path = scope.dir().child(&entry.name);
        let kind = match (entry.kind, path) {
            (EntryKind::Dir, Some(path)) => {
                let index = self.dirs.len();
                self.dirs.push(Branch::default());
                below.push((index, scope.enter(workspace, path)));
                LeafKind::Dir(index)
            }
            (EntryKind::Symlink, path) => LeafKind::Link(
                path.and_then(|path| workspace.dir().read_link_contents(path.as_path()).ok()),
            ),
            (EntryKind::File | EntryKind::Other | EntryKind::Dir, _) => LeafKind::File,
        };
        Leaf { name: entry.name.to_string_lossy().into_owned(), kind }
    }
}

impl Wanted {
    /// Lists a directory and keeps the first `keep` entries.
    fn list(&self, workspace: &Workspace, scope: &Scope, keep: usize) -> Listing {
        let mut first = Smallest::new(keep, dirs_first);
        let mut skipped = Skipped::default();
        let scanned = scope.scan(workspace, |entry| {
            if entry.ignored {
                skipped.add(Reason::Ignored);
            } else if self.wants(scope, &entry) {
                first.offer(entry);
            }
        });
        if scanned.is_err() {
            skipped.add(Reason::Unreadable);
        }
        let count = first.offered();
        Listing { first: first.into_sorted(), count, skipped, unreadable: scanned.is_err() }
    }

    fn wants(&self, scope: &Scope, entry: &Entry) -> bool {
        let Some(leading) = &self.leading else { return true };
        let Some(path) = scope.dir().child(&entry.name) else { return false };
        if entry.kind == EntryKind::Dir {
            leading.contains(&path)
        } else {
            self.globs.select(&path)
        }
    }
}

fn dirs_first(a: &Entry, b: &Entry) -> std::cmp::Ordering {
    let key = |entry: &Entry| entry.kind != EntryKind::Dir;
    key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
}

/// Divides `budget` among those who ask for `counts`: who asks for little gets all of it, and the
/// others get equal parts of the rest.
fn share_out(budget: usize, counts: &[usize]) -> Vec<usize> {
    let mut modest_first: Vec<_> = (0..counts.len()).collect();
    modest_first.sort_by_key(|&index| counts[index]);
    let mut left = budget;
    let mut shares = vec![0; counts.len()];
    for (served, &index) in modest_first.iter().enumerate() {
        shares[index] = counts[index].min(left / (counts.len() - served));
        left -= shares[index];
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modest_get_all_and_the_others_equal_parts() {
        for (budget, counts, expected) in [
            (10, vec![], vec![]),
            (10, vec![3, 4], vec![3, 4]),
            (10, vec![100], vec![10]),
            (10, vec![100, 2, 100], vec![4, 2, 4]),
            (10, vec![1, 100, 1, 1], vec![1, 7, 1, 1]),
            (0, vec![5, 5], vec![0, 0]),
            (2, vec![5, 5, 5], vec![0, 1, 1]),
        ] {
            assert_eq!(share_out(budget, &counts), expected, "{budget} among {counts:?}");
        }
    }
}
