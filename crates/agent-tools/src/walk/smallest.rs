//! The first few of many items, without holding the many.

use std::cmp::Ordering;

/// Keeps the `keep` smallest items by `order`, and counts all that were offered.
pub(crate) struct Smallest<T, F> {
    keep: usize,
    order: F,
    items: Vec<T>,
    offered: usize,
}

impl<T, F: Fn(&T, &T) -> Ordering> Smallest<T, F> {
    pub(crate) fn new(keep: usize, order: F) -> Self {
        Self { keep, order, items: Vec::new(), offered: 0 }
    }

    pub(crate) fn offer(&mut self, item: T) {
        self.offered += 1;
        if self.keep == 0 {
            return;
        }
        self.items.push(item);
        // Thinning out a buffer of twice the size costs a constant for each item.
        if self.items.len() >= 2 * self.keep {
            self.items.select_nth_unstable_by(self.keep - 1, &self.order);
            self.items.truncate(self.keep);
        }
    }

    pub(crate) fn offered(&self) -> usize {
        self.offered
    }

    pub(crate) fn into_sorted(mut self) -> Vec<T> {
        self.items.sort_unstable_by(&self.order);
        self.items.truncate(self.keep);
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_smallest_in_order_and_counts_all() {
        for (keep, expected) in
            [(0, vec![]), (1, vec![0]), (3, vec![0, 1, 2]), (200, (0..97).collect())]
        {
            let mut smallest = Smallest::new(keep, i32::cmp);
            // 97 is prime: 35 steps through every remainder once, out of order.
            (0..97).for_each(|step| smallest.offer(step * 35 % 97));
            assert_eq!(smallest.offered(), 97);
            assert_eq!(smallest.into_sorted(), expected);
        }
    }
}
