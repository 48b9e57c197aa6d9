//! Searching many files on several threads, with the results in the order of the walk.

use std::any::Any;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use super::file::{FileSearch, Searched};
use crate::Workspace;
use crate::walk::{Reason, Step, Walk, open_listed};

/// How much of the walk a thread takes at once. The first shares are small, since often the first
/// few files already hold more than is shown.
const FIRST_SHARE: usize = 16;
const LARGEST_SHARE: usize = 128;

/// How many shares for each thread may wait for the one whose turn it is.
const AHEAD: usize = 6;

/// More threads than this find nothing faster: they wait for the file system.
const MAX_THREADS: usize = 8;

/// A part of the walk, by its number.
struct Share {
    number: usize,
    steps: Vec<Step>,
}

/// What came of a share: what each of its steps gave, or a panic.
type Outcome = Result<Vec<Searched>, Box<dyn Any + Send>>;

/// Searches what the walk comes upon and hands each result to `take`, in the order of the walk,
/// until it breaks off.
pub(super) fn search_in_order<'a>(
    workspace: &Workspace,
    mut walk: Walk<'_>,
    new_search: impl Fn() -> FileSearch<'a> + Sync,
    mut take: impl FnMut(&Step, Searched) -> ControlFlow<()>,
) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let (shares, waiting) = mpsc::channel::<Share>();
    let (done, finished) = mpsc::channel::<(Share, Outcome)>();
    let (waiting, over) = (Mutex::new(waiting), AtomicBool::new(false));
    let work = |done: mpsc::Sender<(Share, Outcome)>| {
        let mut search = new_search();
        // Nobody else gets one while this thread waits for it, and then it is this thread's turn.
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(share) = next() {
            let searched = AssertUnwindSafe(|| searched(workspace, &mut search, &share, &over));
            let outcome = catch_unwind(searched);
            if done.send((share, outcome)).is_err() {
                return;
            }
        }
    };
    let (work, over) = (&work, &over);
    // The threads end when the sender of shares is dropped, at the end or by a panic.
    thread::scope(move |scope| {
        let mut early = BTreeMap::new();
        let (mut begun, mut taken, mut size) = (0, 0, FIRST_SHARE);
        loop {
            let ahead = begun - taken < AHEAD * threads;
            let steps: Vec<Step> = walk.by_ref().take(if ahead { size } else { 0 }).collect();
            let next = if !steps.is_empty() {
                if begun < threads {
                    let done = done.clone();
                    scope.spawn(move || work(done));
                }
                let _ = shares.send(Share { number: begun, steps });
                begun += 1;
                size = (2 * size).min(LARGEST_SHARE);
                finished.try_recv().ok()
            } else if begun > taken {
                finished.recv().ok()
            } else {
                return;
            };
            early.extend(next.map(|(share, outcome)| (share.number, (share.steps, outcome))));
            while let Some((steps, outcome)) = early.remove(&taken) {
                taken += 1;
                let results = outcome.unwrap_or_else(|panic| resume_unwind(panic));
                for (step, searched) in steps.iter().zip(results) {
                    if take(step, searched).is_break() {
                        over.store(true, Ordering::Relaxed);
                        return;
                    }
                }
            }
        }
    });
}

/// What each step of a share gives, until nobody waits for it any more.
fn searched(
    workspace: &Workspace,
    search: &mut FileSearch<'_>,
    share: &Share,
    over: &AtomicBool,
) -> Vec<Searched> {
    let skipped = |reason| Searched { lines: Vec::new(), skipped: Some(reason) };
    let steps = share.steps.iter().take_while(|_| !over.load(Ordering::Relaxed));
    let each = steps.map(|step| match step {
        Step::Skipped(reason) => skipped(*reason),
        Step::File(path) => match open_listed(workspace, path) {
            Some(file) => search.search(file),
            None => skipped(Reason::Unreadable),
        },
    });
    each.collect()
}
