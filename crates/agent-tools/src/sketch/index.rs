//! The lines of a file as the sketch knows them.

use super::parse::Chunk;
use super::rank;
use super::words::{ByHash, Words};
use crate::line::{self, Brackets, Scan};

/// A line's identity: lines with one `loose` number are alike, with one `exact` number equal.
/// Zero, in the file only: no chunk has such a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Id {
    pub(crate) loose: u32,
    pub(crate) exact: u32,
}

/// A file's lines and a sketch's, numbered so that they compare in one step.
#[derive(Debug)]
pub(super) struct Index<'a> {
    /// The file's lines, without endings.
    pub(super) original: Vec<&'a str>,
    /// The identity of each of the file's lines.
    pub(super) ids: Vec<Id>,
    /// The identity of each line of each chunk.
    pub(super) chunks: Vec<Vec<Id>>,
    pub(super) words: Words,
    /// Where the file has each loose number, in order.
    positions: Vec<Vec<usize>>,
    exact_count: usize,
    /// Per loose number, whether its lines have no word in them.
    plain: Vec<bool>,
    /// How many lines without a word the file has before each line.
    plain_before: Vec<u32>,
    /// How many lines of each chunk have a word in them.
    worded: Vec<usize>,
    /// What the file's lines before each line open and close; nothing where that has no meaning.
    open: Vec<Brackets>,
    /// What each chunk opens and closes.
    chunk_brackets: Vec<Brackets>,
}

impl<'a> Index<'a> {
    pub(super) fn new(original: Vec<&'a str>, chunks: &[Chunk<'a>], path: &str) -> Self {
        let mut known = Known::default();
        let pairs_brackets = rank::pairs_brackets(path);
        let sum = |sum: Brackets, scan: &Scan| match pairs_brackets {
            true => sum.plus(scan.brackets),
            false => sum,
        };

        let mut words = Words::default();
        let mut chunk_ids = Vec::with_capacity(chunks.len());
        let mut worded = Vec::with_capacity(chunks.len());
        let mut chunk_brackets = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let mut hashes = Vec::new();
            let scan = |line: &&str| line::scan(line, |word| hashes.push(word));
            let scans: Vec<Scan> = chunk.lines.iter().map(scan).collect();
            words.add_chunk(hashes);
            let ids = chunk.lines.iter().zip(&scans).map(|(line, scan)| known.add(line, scan));
            chunk_ids.push(ids.collect());
            worded.push(scans.iter().filter(|scan| !scan.plain).count());
            chunk_brackets.push(scans.iter().fold(Brackets::default(), sum));
        }

        let mut positions = vec![Vec::new(); known.texts.len() + 1];
        let mut ids = Vec::with_capacity(original.len());
        let mut plain_before = Vec::with_capacity(original.len() + 1);
        let mut open = Vec::with_capacity(original.len() + 1);
        let (mut plain_lines, mut brackets) = (0, Brackets::default());
        plain_before.push(plain_lines);
        open.push(brackets);
        for (at, line) in original.iter().enumerate() {
            let scan = line::scan(line, |word| words.add(word));
            words.end_line();
            let id = known.get(line, &scan);
            if id.loose != 0 {
                positions[id.loose as usize].push(at);
            }
            ids.push(id);
            plain_lines += u32::from(scan.plain);
            plain_before.push(plain_lines);
            brackets = sum(brackets, &scan);
            open.push(brackets);
        }
        Self {
            original,
            ids,
            chunks: chunk_ids,
            words,
            positions,
            exact_count: known.exact as usize + 1,
            plain: known.plain,
            plain_before,
            worded,
            open,
            chunk_brackets,
        }
    }

    /// The number of lines in the file.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Where the file has lines like this one.
    pub(super) fn positions(&self, id: Id) -> &[usize] {
        &self.positions[id.loose as usize]
    }

    /// How much it tells that a line stands where it does: the rarer in the file, the more.
    pub(super) fn weight(&self, id: Id) -> f32 {
        ((self.len() as f32 + 1.0) / self.positions(id).len().max(1) as f32).ln()
    }

    /// The weight of a line that the file has once.
    pub(super) fn most_weight(&self) -> f32 {
        (self.len() as f32 + 1.0).ln()
    }

    /// One more than the highest loose number.
    pub(super) fn loose_count(&self) -> usize {
        self.positions.len()
    }

    /// One more than the highest exact number.
    pub(super) fn exact_count(&self) -> usize {
        self.exact_count
    }

    /// Whether a chunk line has no word in it.
    pub(super) fn is_plain(&self, id: Id) -> bool {
        self.plain[id.loose as usize]
    }

    /// How many lines of the file from `start` up to `end` have no word in them.
    pub(super) fn plain(&self, start: usize, end: usize) -> usize {
        (self.plain_before[end] - self.plain_before[start]) as usize
    }

    /// How many lines of a chunk have a word in them.
    pub(super) fn worded(&self, chunk: usize) -> usize {
        self.worded[chunk]
    }

    /// What the lines of the file from `start` up to `end` open and close.
    pub(super) fn file_brackets(&self, start: usize, end: usize) -> Brackets {
        self.open[end].minus(self.open[start])
    }

    /// What a chunk opens and closes.
    pub(super) fn chunk_brackets(&self, chunk: usize) -> Brackets {
        self.chunk_brackets[chunk]
    }
}

/// The lines seen so far, by loose hash.
#[derive(Default)]
struct Known<'a> {
    by_hash: ByHash<u32>,
    /// Per loose number from 1, the distinct texts with their exact numbers.
    texts: Vec<Vec<(&'a str, u32)>>,
    /// Per loose number, whether its lines have no word in them; zero is no line.
    plain: Vec<bool>,
    exact: u32,
}

impl<'a> Known<'a> {
    fn add(&mut self, line: &'a str, scan: &Scan) -> Id {
        let next = self.texts.len() as u32 + 1;
        let loose = *self.by_hash.entry(scan.hash).or_insert(next);
        // Hashes may meet by accident: then the line stays unknown to the file.
        let met = self.texts.get(loose as usize - 1).and_then(|texts| texts.first());
        let loose =
            if met.is_some_and(|(text, _)| !line::alike(text, line)) { next } else { loose };
        if loose == next {
            self.texts.push(Vec::new());
            self.plain.resize(next as usize, false);
            self.plain.push(scan.plain);
        }
        let texts = &mut self.texts[loose as usize - 1];
        if let Some(&(_, exact)) = texts.iter().find(|(text, _)| *text == line) {
            return Id { loose, exact };
        }
        self.exact += 1;
        texts.push((line, self.exact));
        Id { loose, exact: self.exact }
    }

    fn get(&self, line: &str, scan: &Scan) -> Id {
        let Some(&loose) = self.by_hash.get(&scan.hash) else {
            return Id::default();
        };
        let texts = &self.texts[loose as usize - 1];
        match texts.iter().find(|(text, _)| *text == line) {
            Some(&(_, exact)) => Id { loose, exact },
            None if texts.first().is_some_and(|(text, _)| line::alike(text, line)) => {
                Id { loose, exact: 0 }
            }
            None => Id::default(),
        }
    }
}
