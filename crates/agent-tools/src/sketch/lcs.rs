//! How many lines two runs of lines have in common, in order.

/// The longest common subsequence of one chunk and a growing run of the file, by Hyyrö's
/// bit-parallel method: sixty-four chunk lines a step, which makes it cheap to count the changed
/// lines of every place there is. Lines are numbers; zero has nothing in common with any.
#[derive(Debug)]
pub(super) struct Lcs {
    words: usize,
    /// Per number, which chunk lines have it.
    masks: Vec<u64>,
    /// Zero bits are chunk lines used so far.
    row: Vec<u64>,
    common: u32,
}

impl Lcs {
    /// For the lines of a chunk, all numbers in it and in the file being less than `numbers`.
    pub(super) fn new(chunk: impl ExactSizeIterator<Item = u32>, numbers: usize) -> Self {
        let words = chunk.len().div_ceil(64).max(1);
        let mut masks = vec![0; words * numbers];
        for (at, line) in chunk.enumerate().filter(|&(_, line)| line != 0) {
            masks[line as usize * words + at / 64] |= 1 << (at % 64);
        }
        Self { words, masks, row: vec![u64::MAX; words], common: 0 }
    }

    /// Begins a new run.
    pub(super) fn restart(&mut self) {
        self.row.fill(u64::MAX);
        self.common = 0;
    }

    /// How many lines are common now.
    pub(super) fn count(&self) -> u32 {
        self.common
    }

    /// Adds one line of the file to the run.
    pub(super) fn push(&mut self, line: u32) {
        if line == 0 {
            return;
        }
        let mask = &self.masks[line as usize * self.words..][..self.words];
        let mut carry = false;
        for (row, mask) in self.row.iter_mut().zip(mask) {
            let (sum, over) = row.overflowing_add(*row & mask);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            carry = over || over_again;
            let next = sum | (*row & !mask);
            // One more zero at most, in this word or a later one.
            self.common = self.common + next.count_zeros() - row.count_zeros();
            *row = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook method.
    fn slow(a: &[u32], b: &[u32]) -> u32 {
        let mut best = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                let equal = x == y && *x != 0;
                best[i + 1][j + 1] =
                    if equal { best[i][j] + 1 } else { best[i][j + 1].max(best[i + 1][j]) };
            }
        }
        best[a.len()][b.len()]
    }

    proptest::proptest! {
        #[test]
        fn counts_what_the_textbook_counts(
            a in proptest::collection::vec(0..7_u32, 1..150),
            b in proptest::collection::vec(0..7_u32, 0..150),
        ) {
            let expected = slow(&a, &b);
            let mut lcs = Lcs::new(a.iter().copied(), 7);
            lcs.push(1);
            lcs.restart();
            for line in b {
                lcs.push(line);
            }
            proptest::prop_assert_eq!(lcs.count(), expected);
        }
    }
}
