//! The best reading of a whole sketch: a place for every chunk, in order.

use std::cmp::Reverse;

use super::candidate::Candidate;

/// How far a reading is ahead of every reading with another result, by one ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lead {
    /// Infinite when there is no other; negative when another is better.
    pub(super) margin: f32,
    /// Where the best of the others differs: the chunk and its candidate.
    pub(super) rival: Option<(usize, usize)>,
}

/// What a ranking looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain<'a> {
    /// Per chunk, its places by start.
    pub(super) candidates: &'a [Vec<Candidate>],
    /// How many lines a marker between two chunks stands for at least.
    pub(super) gap: usize,
}

impl Chain<'_> {
    /// The reading with the highest sum of `score`: for each chunk the number of its candidate.
    pub(super) fn best(&self, score: impl Fn(&Candidate) -> f32) -> Option<Vec<usize>> {
        self.trace(&self.from(score))
    }

    /// How far `picks` is ahead, by `score`, of the best reading that `differs` from it.
    pub(super) fn lead(
        &self,
        picks: &[usize],
        score: impl Fn(&Candidate) -> f32,
        differs: impl Fn(usize, &Candidate, &Candidate) -> bool,
    ) -> Lead {
        let upto = self.upto(&score);
        let from = self.from(&score);
        let picked = self.candidates.iter().zip(picks).map(|(places, &pick)| &places[pick]);
        let total: f32 = picked.clone().map(&score).sum();
        let mut lead = Lead { margin: f32::INFINITY, rival: None };
        for (at, (places, picked)) in self.candidates.iter().zip(picked).enumerate() {
            // The best reading that has this place.
            let through = |place: usize| upto[at][place] + from[at][place] - score(&places[place]);
            let mut order: Vec<(usize, f32)> = (0..places.len())
                .map(|place| (place, through(place)))
                .filter(|&(_, sum)| sum > f32::NEG_INFINITY && total - sum < lead.margin)
                .collect();
            order.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
            let rival = order.into_iter().find(|&(place, _)| differs(at, picked, &places[place]));
            if let Some((place, sum)) = rival {
                lead = Lead { margin: total - sum, rival: Some((at, place)) };
            }
        }
        lead
    }

    /// For each place, the best sum of the chunks up to and including it.
    fn upto(&self, score: impl Fn(&Candidate) -> f32) -> Vec<Vec<f32>> {
        let mut sums: Vec<Vec<f32>> = Vec::with_capacity(self.candidates.len());
        for (at, places) in self.candidates.iter().enumerate() {
            let before = match at.checked_sub(1) {
                Some(before) => self.before(&self.candidates[before], &sums[before], places),
                None => vec![0.0; places.len()],
            };
            sums.push(places.iter().zip(before).map(|(place, sum)| score(place) + sum).collect());
        }
        sums
    }

    /// For each place, the best sum of the chunks from it to the last.
    fn from(&self, score: impl Fn(&Candidate) -> f32) -> Vec<Vec<f32>> {
        let mut sums = vec![Vec::new(); self.candidates.len()];
        for (at, places) in self.candidates.iter().enumerate().rev() {
            let after = match self.candidates.get(at + 1) {
                Some(later) => self.after(later, &sums[at + 1], places),
                None => vec![0.0; places.len()],
            };
            sums[at] = places.iter().zip(after).map(|(place, sum)| score(place) + sum).collect();
        }
        sums
    }

    /// For each place, the best sum among the places of the chunk before that leave room for it.
    fn before(&self, earlier: &[Candidate], sums: &[f32], places: &[Candidate]) -> Vec<f32> {
        let mut by_end: Vec<usize> = (0..earlier.len()).collect();
        by_end.sort_unstable_by_key(|&at| earlier[at].end);
        let mut next = by_end.into_iter().peekable();
        let mut best = f32::NEG_INFINITY;
        let mut reach = Vec::with_capacity(places.len());
        for place in places {
            while let Some(at) = next.next_if(|&at| earlier[at].end + self.gap <= place.start) {
                best = best.max(sums[at]);
            }
            reach.push(best);
        }
        reach
    }

    /// For each place, the best sum among the places of the chunk after for which it leaves room.
    fn after(&self, later: &[Candidate], sums: &[f32], places: &[Candidate]) -> Vec<f32> {
        let mut by_end: Vec<usize> = (0..places.len()).collect();
        by_end.sort_unstable_by_key(|&at| Reverse(places[at].end));
        let mut next = (0..later.len()).rev().peekable();
        let mut best = f32::NEG_INFINITY;
        let mut reach = vec![f32::NEG_INFINITY; places.len()];
        for at in by_end {
            while let Some(late) = next.next_if(|&l| later[l].start >= places[at].end + self.gap) {
                best = best.max(sums[late]);
            }
            reach[at] = best;
        }
        reach
    }

    /// Walks the best reading from its first chunk on; `None` if there is no reading.
    fn trace(&self, from: &[Vec<f32>]) -> Option<Vec<usize>> {
        let mut picks = Vec::with_capacity(from.len());
        let mut free = 0;
        for (places, sums) in self.candidates.iter().zip(from) {
            let pick = (0..places.len())
                .filter(|&at| places[at].start >= free && sums[at] > f32::NEG_INFINITY)
                .max_by(|&a, &b| sums[a].total_cmp(&sums[b]))?;
            free = places[pick].end + self.gap;
            picks.push(pick);
        }
        Some(picks)
    }
}
