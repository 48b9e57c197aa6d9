//! The words of a file's lines, as far as a sketch has them too.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A word's number.
type Word = u32;

/// For keys that are hashes already.
pub(super) type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Ready>>;

/// Takes a hash as it is.
#[derive(Default)]
pub(super) struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The words of every line of a file and of every chunk of a sketch. A word that no chunk has is
/// only counted.
#[derive(Debug, Default)]
pub(super) struct Words {
    known: ByHash<Word>,
    /// Per chunk, how often it has each word.
    chunks: Vec<Vec<i32>>,
    /// The known words of the file.
    words: Vec<Word>,
    lines: Vec<Line>,
    /// How many words of the line that is read are not known.
    unknown: u32,
}

/// The words of one line of the file.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Where its known words end, which begin where those of the line before end.
    end: u32,
    unknown: u32,
}

impl Words {
    /// Adds the words of the next chunk. All chunks come before the file.
    pub(super) fn add_chunk(&mut self, hashes: Vec<u64>) {
        let mut bag = vec![0; self.known.len()];
        for hash in hashes {
            let next = self.known.len() as Word;
            let word = *self.known.entry(hash).or_insert(next);
            if word == next {
                bag.push(0);
            }
            bag[word as usize] += 1;
        }
        self.chunks.push(bag);
    }

    /// Adds a word to the line of the file that is read.
    pub(super) fn add(&mut self, hash: u64) {
        match self.known.get(&hash) {
            Some(&word) => self.words.push(word),
            None => self.unknown += 1,
        }
    }

    /// Ends the line of the file that is read.
    pub(super) fn end_line(&mut self) {
        let unknown = std::mem::take(&mut self.unknown);
        self.lines.push(Line { end: self.words.len() as u32, unknown });
    }

    /// A line's known words, and how many others it has.
    fn line(&self, at: usize) -> (&[Word], u32) {
        let start = at.checked_sub(1).map_or(0, |before| self.lines[before].end);
        let Line { end, unknown } = self.lines[at];
        (&self.words[start as usize..end as usize], unknown)
    }

    /// Begins to compare a chunk with a growing run of the file.
    pub(super) fn compare(&self, chunk: usize) -> Comparison<'_> {
        let mut left = self.chunks[chunk].clone();
        left.resize(self.known.len(), 0);
        let missing = left.iter().map(|count| *count as u32).sum();
        Comparison { words: self, left, whole: missing, missing, extra: 0, taken: Vec::new() }
    }
}

/// How many words a run of the file has that a chunk has not, and the other way round; order does not matter.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    words: &'a Words,
    left: Vec<i32>,
    whole: u32,
    missing: u32,
    extra: u32,
    taken: Vec<Word>,
}

impl Comparison<'_> {
    /// Begins a new run.
    pub(super) fn restart(&mut self) {
        for word in self.taken.drain(..) {
            self.left[word as usize] += 1;
        }
        self.missing = self.whole;
        self.extra = 0;
    }

    /// How many words differ now.
    pub(super) fn apart(&self) -> u32 {
        self.missing + self.extra
    }

    /// Adds a line to the run.
    pub(super) fn push(&mut self, line: usize) {
        let (words, unknown) = self.words.line(line);
        self.extra += unknown;
        for &word in words {
            let left = &mut self.left[word as usize];
            if *left > 0 {
                *left -= 1;
                self.taken.push(word);
                self.missing -= 1;
            } else {
                self.extra += 1;
            }
        }
    }
}
