//! Searching many files on several threads, with the results in the order of the walk.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};

use super::file::{FileSearch, Searched};
use crate::Workspace;
use crate::walk::{Reason, Step, Walk, open_regular};

/// A batch is searched as a whole before its results are looked at. The first is small, since
/// often the first few files already hold more than is shown.
const FIRST_BATCH: usize = 64;
const LARGEST_BATCH: usize = 1024;

/// More threads than this find nothing faster: they wait for the file system.
const MAX_THREADS: usize = 8;

/// Searches what the walk comes upon and hands each result to `take`, in the order of the walk,
/// until it breaks off.
pub(super) fn search_in_order<'a>(
    workspace: &Workspace,
    mut walk: Walk<'_>,
    new_search: impl Fn() -> FileSearch<'a> + Sync,
    mut take: impl FnMut(&Step, Searched) -> ControlFlow<()>,
) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let mut size = FIRST_BATCH;
    let mut batch: Vec<Step> = walk.by_ref().take(size).collect();
    while !batch.is_empty() {
        size = (2 * size).min(LARGEST_BATCH);
        let next = AtomicUsize::new(0);
        let (mut results, following) = thread::scope(|scope| {
            let work = || search_share(workspace, new_search(), &batch, &next);
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let following: Vec<Step> = walk.by_ref().take(size).collect();
            let shares = workers.into_iter().map(ScopedJoinHandle::join);
            let results: Vec<_> = shares
                .flat_map(|share| share.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect();
            (results, following)
        });
        results.sort_unstable_by_key(|(index, _)| *index);
        for (step, (_, searched)) in batch.iter().zip(results) {
            if take(step, searched).is_break() {
                return;
            }
        }
        batch = following;
    }
}

/// Searches whatever of the batch no other thread has taken yet.
fn search_share(
    workspace: &Workspace,
    mut search: FileSearch<'_>,
    batch: &[Step],
    next: &AtomicUsize,
) -> Vec<(usize, Searched)> {
    let mut results = Vec::new();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(step) = batch.get(index) else { return results };
        let skipped = |reason| Searched { lines: Vec::new(), skipped: Some(reason) };
        let searched = match step {
            Step::Skipped(reason) => skipped(*reason),
            Step::File(path) => match open_regular(workspace, path) {
                Some(file) => search.search(file),
                None => skipped(Reason::Unreadable),
            },
        };
        results.push((index, searched));
    }
}
