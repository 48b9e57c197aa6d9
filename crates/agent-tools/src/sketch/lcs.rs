//! How many lines two runs of lines have in common, in order.

use super::index::{Id, Index};

/// The longest common subsequence of one chunk and a growing run of the file, by Hyyrö's
/// bit-parallel method: sixty-four chunk lines a step, which makes it cheap to count the changed
/// lines of every place there is. Lines without a word are left out; they match anywhere.
#[derive(Debug)]
pub(super) struct Lcs {
    words: usize,
    /// Per loose number, which chunk lines have it.
    masks: Vec<u64>,
    /// Zero bits are chunk lines used so far.
    row: Vec<u64>,
    common: u32,
}

impl Lcs {
    pub(super) fn new(chunk: &[Id], index: &Index<'_>) -> Self {
        let words = chunk.len().div_ceil(64).max(1);
        let mut masks = vec![0; words * index.loose_count()];
        for (at, id) in chunk.iter().enumerate().filter(|(_, id)| !index.is_plain(**id)) {
            masks[id.loose as usize * words + at / 64] |= 1 << (at % 64);
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
    pub(super) fn push(&mut self, id: Id) {
        if id.loose == 0 {
            return;
        }
        let mask = &self.masks[id.loose as usize * self.words..][..self.words];
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
    use crate::sketch::parse::Chunk;

    /// The textbook method.
    fn slow(a: &[&str], b: &[&str]) -> u32 {
        let mut best = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                best[i + 1][j + 1] =
                    if x == y { best[i][j] + 1 } else { best[i][j + 1].max(best[i + 1][j]) };
            }
        }
        best[a.len()][b.len()]
    }

    proptest::proptest! {
        #[test]
        fn counts_what_the_textbook_counts(
            a in proptest::collection::vec(0..6_u8, 1..150),
            b in proptest::collection::vec(0..6_u8, 0..150),
        ) {
            let text = |numbers: &[u8]| numbers.iter().map(|n| format!("line {n}")).collect();
            let (a, b): (Vec<String>, Vec<String>) = (text(&a), text(&b));
            let chunk: Vec<&str> = a.iter().map(String::as_str).collect();
            let file: Vec<&str> = b.iter().map(String::as_str).collect();
            let expected = slow(&chunk, &file);
            let index = Index::new(file, &[Chunk { lines: chunk, line: 1 }], "x.rs");
            let mut lcs = Lcs::new(&index.chunks[0], &index);
            lcs.push(Id::default());
            lcs.restart();
            for id in &index.ids {
                lcs.push(*id);
            }
            proptest::prop_assert_eq!(lcs.count(), expected);
        }
    }
}
