//! Many small pieces of work, shared among the processors.

use std::{num::NonZero, panic, thread};

/// Fewer for each of them are not worth a thread.
const WORTH: usize = 512;

/// What `work` makes of each item, in their order; it is told where the item stood.
pub(crate) fn map<T: Send, U: Send>(items: Vec<T>, work: impl Fn(usize, T) -> U + Sync) -> Vec<U> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(items.len() / WORTH).max(1);
    if threads == 1 {
        return items.into_iter().enumerate().map(|(at, item)| work(at, item)).collect();
    }
    let share = items.len().div_ceil(threads);
    let (mut items, work) = (items.into_iter(), &work);
    thread::scope(|scope| {
        let shares: Vec<_> = (0..threads)
            .map(|number| {
                let own: Vec<T> = items.by_ref().take(share).collect();
                let first = number * share;
                let done = move |(at, item)| work(first + at, item);
                scope.spawn(move || own.into_iter().enumerate().map(done).collect::<Vec<U>>())
            })
            .collect();
        let joined = shares.into_iter().map(thread::ScopedJoinHandle::join);
        joined.flat_map(|share| share.unwrap_or_else(|panic| panic::resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once_and_stays_in_its_order() {
        for count in [0, 1, 511, 1024, 1025, 5000] {
            let items: Vec<usize> = (0..count).map(|item| item * 3).collect();
            let done = map(items, |at, item| (at, item));
            assert_eq!(done, (0..count).map(|at| (at, at * 3)).collect::<Vec<_>>());
        }
    }
}
