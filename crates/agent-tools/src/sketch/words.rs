//! The words of a file's lines, as far as a sketch has them too.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::parse::Chunk;
use crate::line;

/// A word's number; zero for one that the sketch does not have.
type Word = u32;

/// For keys that are hashes already.
#[derive(Default)]
pub(super) struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = line::hash(self.0, byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The words of every line of a file and of every chunk of a sketch.
#[derive(Debug)]
pub(super) struct Words {
    words: Vec<Word>,
    /// Where each line's words begin, and one more.
    starts: Vec<usize>,
    /// Per chunk, how often it has each word.
    chunks: Vec<Vec<i32>>,
}

impl Words {
    pub(super) fn new(original: &[&str], chunks: &[Chunk<'_>]) -> Self {
        let mut known: HashMap<u64, Word, BuildHasherDefault<Ready>> = HashMap::default();
        let mut read = Vec::new();
        for chunk in chunks {
            let mut words = Vec::new();
            for line in &chunk.lines {
                each(line, |hash| {
                    let next = known.len() as Word + 1;
                    words.push(*known.entry(hash).or_insert(next));
                });
            }
            read.push(words);
        }
        let bag = |words: Vec<Word>| {
            let mut bag = vec![0; known.len() + 1];
            for word in words {
                bag[word as usize] += 1;
            }
            bag
        };
        let chunks = read.into_iter().map(bag).collect();
        let mut words = Vec::new();
        let mut starts = vec![0];
        for line in original {
            each(line, |hash| words.push(known.get(&hash).copied().unwrap_or(0)));
            starts.push(words.len());
        }
        Self { words, starts, chunks }
    }

    fn line(&self, line: usize) -> &[Word] {
        &self.words[self.starts[line]..self.starts[line + 1]]
    }

    /// Begins to compare a chunk with a growing run of the file.
    pub(super) fn compare(&self, chunk: usize) -> Comparison<'_> {
        let left = self.chunks[chunk].clone();
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
        for &word in self.words.line(line) {
            let left = &mut self.left[word as usize];
            if word != 0 && *left > 0 {
                *left -= 1;
                self.taken.push(word);
                self.missing -= 1;
            } else {
                self.extra += 1;
            }
        }
    }
}

/// Calls `found` with the hash of each word of a line.
fn each(text: &str, mut found: impl FnMut(u64)) {
    let mut hash = line::HASH_START;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 {
            hash = line::hash(hash, byte);
        } else if hash != line::HASH_START {
            found(hash);
            hash = line::HASH_START;
        }
    }
    if hash != line::HASH_START {
        found(hash);
    }
}
