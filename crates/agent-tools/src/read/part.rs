//! Lines of a file, taken out while the file goes by.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::ControlFlow;

use sha2::{Digest, Sha256};

use crate::encoding::Encoding;
use crate::hash::hex;
use crate::text::line_feeds;

/// How much is read at once: an even number, so that no character of two bytes is cut.
const PIECE: usize = 64 * 1024;

/// Shows all that is left to read in pieces, each but the last of the same size.
pub(super) fn pieces(
    mut reader: impl Read,
    mut see: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        piece.clear();
        reader.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
        if piece.is_empty() || see(&piece).is_break() || piece.len() < PIECE {
            return Ok(());
        }
    }
}

/// Lines of a file, and what is told of the whole.
pub(super) struct Part {
    first: usize,
    last: usize,
    /// How much of them is kept.
    most: usize,
    hasher: Sha256,
    /// As far as a byte order mark tells, which is all that line feeds need.
    encoding: Encoding,
    size: u64,
    /// The line that the next byte belongs to, and whether it has any already.
    line: usize,
    begun: bool,
    /// The bytes of the lines, kept or not.
    wanted: u64,
    kept: Vec<u8>,
}

impl Part {
    /// Lines `first` to `last`, or to the end; of their bytes at most so many are kept.
    pub(super) fn new(first: usize, last: Option<usize>, most: usize) -> Self {
        Self {
            first,
            last: last.unwrap_or(usize::MAX),
            most,
            hasher: Sha256::new(),
            encoding: Encoding::Utf8,
            size: 0,
            line: 1,
            begun: false,
            wanted: 0,
            kept: Vec::new(),
        }
    }

    pub(super) fn see(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
        let mut rest = piece;
        if self.size == 0 {
            self.encoding = Encoding::of_mark(piece).unwrap_or(Encoding::Utf8);
            rest = &piece[self.encoding.bom().len()..];
        }
        self.size += piece.len() as u64;
        let width = self.encoding.ascii(b'\n').1;
        let mut from = 0;
        for next in line_feeds(rest, self.encoding).map(|at| at + width) {
            self.take(&rest[from..next]);
            self.line += 1;
            self.begun = false;
            from = next;
        }
        self.take(&rest[from..]);
        self.begun |= from < rest.len();
    }

    fn take(&mut self, bytes: &[u8]) {
        if (self.first..=self.last).contains(&self.line) {
            self.wanted += bytes.len() as u64;
            let room = self.most.saturating_sub(self.kept.len());
            self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    /// How many lines the whole file has.
    pub(super) fn lines(&self) -> usize {
        (self.line - usize::from(!self.begun)).max(1)
    }

    /// How many bytes it has.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// How many bytes the lines have.
    pub(super) fn wanted(&self) -> u64 {
        self.wanted
    }

    pub(super) fn sha256(self) -> String {
        hex(&self.hasher.finalize())
    }

    /// The text of the lines; none where it was too much.
    pub(super) fn text(&self, encoding: Encoding) -> Option<Cow<'_, str>> {
        (self.kept.len() as u64 == self.wanted).then(|| encoding.decode_lossy(&self.kept))
    }

    /// The last line up to which the text fits into `max` bytes.
    pub(super) fn last_fitting(&self, encoding: Encoding, max: usize) -> Option<usize> {
        let width = encoding.ascii(b'\n').1;
        let whole = self.kept.len() as u64 == self.wanted;
        let open = Some(self.kept.len()).filter(|_| whole && !self.kept.is_empty());
        let ends = line_feeds(&self.kept, encoding).map(|at| at + width);
        let ends = ends.filter(|end| Some(*end) != open).chain(open);
        let sizes = ends.scan((0, 0), |(from, size), end| {
            *size += encoding.decode_lossy(&self.kept[*from..end]).len();
            *from = end;
            Some(*size)
        });
        (self.first..).zip(sizes).take_while(|(_, size)| *size <= max).last().map(|(line, _)| line)
    }
}
