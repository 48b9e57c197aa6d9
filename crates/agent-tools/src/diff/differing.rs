//! The part in which two texts differ.

use std::ops::Range;

use crate::encoding::Encoding;
use crate::text::{line_feeds, line_feeds_back};

/// Lines around that part that are looked at with it: a change among equal lines can be told in
/// several ways, and the plainest may begin before it.
const AROUND: usize = 100;

/// How much is compared at once.
const BLOCK: usize = 4096;

/// Whole lines outside of which two texts are equal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Differing {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    /// How many lines stand before it.
    pub(super) lines_before: usize,
}

impl Differing {
    /// Of texts without a byte order mark.
    pub(super) fn of(old: &[u8], new: &[u8], encoding: Encoding) -> Self {
        let width = encoding.ascii(b'\n').1;
        let same = common_prefix(old, new) / width * width;
        let start = line_feeds_back(&old[..same], encoding).nth(AROUND);
        let start = start.map_or(0, |at| at + width);
        let tail = common_suffix(&old[same..], &new[same..]) / width * width;
        let rest = &old[old.len() - tail..];
        let end = line_feeds(rest, encoding).nth(AROUND).map_or(tail, |at| at + width);
        Self {
            old: start..old.len() - tail + end,
            new: start..new.len() - tail + end,
            lines_before: line_feeds(&old[..start], encoding).count(),
        }
    }
}

fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.chunks(BLOCK).zip(new.chunks(BLOCK)).take_while(|(old, new)| old == new);
    let same = (blocks.count() * BLOCK).min(old.len()).min(new.len());
    same + old[same..].iter().zip(&new[same..]).take_while(|(old, new)| old == new).count()
}

fn common_suffix(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.rchunks(BLOCK).zip(new.rchunks(BLOCK)).take_while(|(old, new)| old == new);
    let same = (blocks.count() * BLOCK).min(old.len()).min(new.len());
    let (old, new) = (&old[..old.len() - same], &new[..new.len() - same]);
    same + old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count()
}
