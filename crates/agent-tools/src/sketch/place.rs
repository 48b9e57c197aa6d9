//! The one reading of a sketch, or why there is none.

use super::candidate::{Candidate, Change, Found, Query, Room};
use super::chain::Chain;
use super::decline::{Decline, Nearest, Reason};
use super::ends;
use super::index::{Id, Index};
use super::least;
use super::parse::{Edge, Sketch};
use super::rank;
use super::trust::Reading;

/// The lead by both rankings together that is enough where the fewest changed lines agree.
const ENOUGH_TOGETHER: f32 = 1.0;

/// Finds the place of every chunk.
///
/// Where the order of the chunks leaves one reading, that is it. Otherwise both rankings must choose
/// the same result, each with a lead over every other result; between places with the same text the
/// fewest changed lines decide. Anything less is declined.
pub(super) fn place(sketch: &Sketch<'_>, index: &Index<'_>) -> Result<Vec<Candidate>, Decline> {
    // A marker stands for something; only where that leaves no reading may it stand for nothing.
    match (Places { sketch, index, gap: 1 }).find() {
        Err(decline) if decline.reason.is_missing() => {
            Places { sketch, index, gap: 0 }.find().map_err(|_| decline)
        }
        found => found,
    }
}

struct Places<'a> {
    sketch: &'a Sketch<'a>,
    index: &'a Index<'a>,
    gap: usize,
}

impl Places<'_> {
    fn find(&self) -> Result<Vec<Candidate>, Decline> {
        let rooms = self.rooms()?;
        let found: Vec<Found> = rooms
            .into_iter()
            .enumerate()
            .map(|(at, room)| self.query(at).candidates(room))
            .collect();
        let all_known = found.iter().all(|found| found.is_complete);
        let candidates: Vec<Vec<Candidate>> = found.into_iter().map(|found| found.places).collect();
        let chain = Chain { candidates: &candidates, gap: self.gap };
        let differs = |at: usize, a: &Candidate, b: &Candidate| self.differs(at, a, b);
        let picks = chain.best(rank::together).ok_or_else(|| self.out_of_order())?;
        let by_fit = chain.lead(&picks, |place| place.fit, differs);
        let by_cost = chain.lead(&picks, |place| -place.cost, differs);
        let places: Vec<Candidate> =
            picks.iter().zip(&candidates).map(|(&pick, places)| places[pick]).collect();
        // One reading in order, and the rankings prefer it to all that take white space lightly.
        if all_known && self.only(&candidates).is_some_and(|only| only == places) {
            return Ok(places);
        }
        let (index, chunks) = (self.index, &self.sketch.chunks);
        let reading = Reading { index, chunks, candidates: &candidates, places: &places };
        let stands_out = reading.stands_out(by_fit.margin, by_cost.margin)
            || self.is_least(&chain, &picks, reading);
        if !stands_out || reading.is_in_doubt() {
            let (at, rival) = by_fit.rival.or(by_cost.rival).unwrap_or_default();
            return Err(self.ambiguous(at, [places[at], candidates[at][rival]]));
        }
        if let Some(at) = (0..places.len()).find(|&at| self.query(at).oversteps(&places[at])) {
            return Err(self.ambiguous(at, [places[at]]));
        }
        match ends::unclear(self.sketch, &places, &self.index.original) {
            Some(reason) => Err(reason.into()),
            None => Ok(places),
        }
    }

    /// The reading whose chunks all begin and end with the file's lines to the character, where
    /// there is but one and markers say that the file goes on at both ends. No ranking is needed
    /// then.
    fn only(&self, candidates: &[Vec<Candidate>]) -> Option<Vec<Candidate>> {
        if self.gap == 0 || self.sketch.start != Edge::Marked || self.sketch.end != Edge::Marked {
            return None;
        }
        let exact =
            |places: &Vec<Candidate>| places.iter().copied().filter(|it| it.is_exact).collect();
        let exact: Vec<Vec<Candidate>> = candidates.iter().map(exact).collect();
        let chain = Chain { candidates: &exact, gap: self.gap };
        let picks = chain.best(|_| 0.0)?;
        let differs = |at: usize, a: &Candidate, b: &Candidate| self.differs(at, a, b);
        let lead = chain.lead(&picks, |_| 0.0, differs);
        let places = || picks.iter().zip(&exact).map(|(&pick, places)| places[pick]).collect();
        lead.rival.is_none().then(places)
    }

    /// Whether the reading replaces text that stands several times, and is the one that changes the
    /// fewest lines, as well as the best by both rankings together.
    fn is_least(&self, chain: &Chain<'_>, picks: &[usize], reading: Reading<'_>) -> bool {
        let stands_again = |place: &Candidate| {
            place.change != Change::Nothing && least::stands_again(self.index, place)
        };
        let differs = |at: usize, a: &Candidate, b: &Candidate| self.differs(at, a, b);
        if chain.lead(picks, rank::together, differs).margin < ENOUGH_TOGETHER
            || !reading.places.iter().any(stands_again)
            || reading.only_repeats()
        {
            return false;
        }
        let counted: Vec<Vec<Candidate>> = (chain.candidates.iter().enumerate())
            .map(|(at, places)| least::counted(self.index, at, places))
            .collect();
        let by_lines = Chain { candidates: &counted, gap: self.gap };
        by_lines.lead(picks, |place| -place.cost, differs).margin > 0.0
    }

    fn query(&self, at: usize) -> Query<'_> {
        let outer = |is: bool, edge: Edge| if is { edge } else { Edge::Marked };
        let last = self.sketch.chunks.len() - 1;
        Query {
            index: self.index,
            chunk: at,
            before: outer(at == 0, self.sketch.start),
            after: outer(at == last, self.sketch.end),
        }
    }

    /// What each chunk can reach, the others' anchors considered.
    fn rooms(&self) -> Result<Vec<Room>, Decline> {
        let gap = |edge: Edge| if edge == Edge::Marked { self.gap } else { 0 };
        let whole = Room { first: 0, end: self.index.len() };
        let mut rooms = vec![whole; self.sketch.chunks.len()];
        let mut first = gap(self.sketch.start);
        for (at, room) in rooms.iter_mut().enumerate() {
            room.first = first.min(room.end);
            let query = self.query(at);
            let start = query.starts(*room).first().copied().ok_or_else(|| self.missing(at))?;
            let rest = Room { first: start, ..*room };
            let end = query.ends(rest).first().copied().ok_or_else(|| self.missing(at))?;
            first = end + self.gap;
        }
        let mut end = self.index.len().saturating_sub(gap(self.sketch.end));
        for (at, room) in rooms.iter_mut().enumerate().rev() {
            room.end = end;
            if room.first > room.end {
                return Err(self.out_of_order());
            }
            let query = self.query(at);
            let last = query.ends(*room).last().copied().ok_or_else(|| self.missing(at))?;
            let rest = Room { end: last, ..*room };
            let start = query.starts(rest).last().copied().ok_or_else(|| self.missing(at))?;
            end = start.saturating_sub(self.gap);
        }
        Ok(rooms)
    }

    /// Whether a chunk at one place gives another text than at the other.
    fn differs(&self, at: usize, a: &Candidate, b: &Candidate) -> bool {
        let same = (a.start, a.end) == (b.start, b.end);
        if same || a.change == Change::Nothing && b.change == Change::Nothing {
            return false;
        }
        let (from, to) = (a.start.min(b.start), a.end.max(b.end));
        let (chunk, original) = (&self.sketch.chunks[at].lines, &self.index.original);
        let text = |place: &Candidate| {
            let (before, after) = (&original[from..place.start], &original[place.end..to]);
            before.iter().chain(chunk).chain(after)
        };
        a.end - a.start != b.end - b.start || !text(a).eq(text(b))
    }

    /// The chunk has no place: because a line of its own is not there, or none where it must be.
    fn missing(&self, at: usize) -> Decline {
        let chunk = &self.sketch.chunks[at];
        let query = self.query(at);
        let unknown = |id: Option<&Id>| id.is_none_or(|id| self.index.positions(*id).is_empty());
        let ids = &self.index.chunks[at];
        let line = if query.before == Edge::Marked && unknown(ids.first()) {
            0
        } else if query.after == Edge::Marked && unknown(ids.last()) {
            chunk.lines.len() - 1
        } else {
            return self.out_of_order();
        };
        Decline {
            reason: Reason::NoAnchor {
                line: chunk.line + line,
                text: chunk.lines[line].to_owned(),
            },
            candidates: Nearest::to(chunk.lines[line], &self.index.original),
        }
    }

    fn out_of_order(&self) -> Decline {
        let firsts = self.sketch.chunks.iter().filter_map(|chunk| chunk.lines.first());
        let candidates = firsts
            .filter_map(|line| Nearest::to(line, &self.index.original).into_iter().next())
            .take(Nearest::MOST)
            .collect();
        Decline { reason: Reason::OutOfOrder, candidates }
    }

    fn ambiguous<const N: usize>(&self, at: usize, places: [Candidate; N]) -> Decline {
        let nearest = |place: Candidate| Nearest::at(place.start, place.end, &self.index.original);
        Decline {
            reason: Reason::Ambiguous { line: self.sketch.chunks[at].line },
            candidates: places.map(nearest).into(),
        }
    }
}
