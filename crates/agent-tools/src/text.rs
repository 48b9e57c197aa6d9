//! A text file as bytes and as lines, without losing either.

mod index;

use std::borrow::Cow;
use std::ops::Range;

use index::Index;
pub(crate) use index::{line_feeds, line_feeds_back};

use crate::content::Content;
use crate::encoding::Encoding;

/// Why bytes are not taken for text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// There are bytes that no text holds.
    #[error("binary data (first at byte {offset}), not text")]
    Binary {
        /// Where the first such byte is.
        offset: usize,
    },
    /// No encoding fits.
    #[error(
        "neither UTF-8 nor another encoding that could be told for sure (best guess: {encoding})"
    )]
    Undecodable {
        /// The encoding that came nearest.
        encoding: &'static str,
    },
    /// A line cannot be understood on its own in this encoding.
    #[error(
        "text in {encoding}, whose lines cannot be edited one by one; convert it to UTF-8 first"
    )]
    Stateful {
        /// The encoding.
        encoding: &'static str,
    },
}

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl LineEnding {
    /// The characters of the ending.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// The bytes of a text file, and where its lines are in them.
///
/// The bytes are kept as they are: encoding, byte order mark, every line's own ending and a
/// missing final newline. Lines are numbered from 1; an empty file has one empty line, and a final
/// newline opens no further line. A carriage return counts as part of an ending only before a
/// line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    bytes: Content,
    encoding: Encoding,
    lines: Index,
}

/// Where a line lies in the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: usize,
    /// Where its ending begins.
    end: usize,
    /// Where the next line begins.
    next: usize,
}

impl TextFile {
    /// Takes the bytes of a file, finds out their encoding and where the lines are.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, TextError> {
        Self::of(bytes.into())
    }

    /// The same for bytes that others hold too.
    pub fn of(content: Content) -> Result<Self, TextError> {
        let encoding = Encoding::detect(&content)?;
        Ok(Self::with_encoding(content, encoding))
    }

    /// Takes bytes whose encoding is known, such as those of an edited file.
    pub(crate) fn with_encoding(bytes: impl Into<Content>, encoding: Encoding) -> Self {
        let bytes = bytes.into();
        let lines = Index::new(&bytes, encoding);
        Self { bytes, encoding, lines }
    }

    /// The bytes, to be held together with others.
    pub fn content(&self) -> &Content {
        &self.bytes
    }

    /// The bytes of the file, as they were given.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the bytes back.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_bytes()
    }

    /// How the text is encoded.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The SHA-256 of the bytes in lower-case hexadecimal.
    pub fn sha256(&self) -> String {
        self.bytes.sha256().to_owned()
    }

    /// The whole text without a byte order mark, endings as they are. Bytes that do not decode
    /// appear as U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        self.text_of(1, self.line_count())
    }

    /// How many lines there are, at least one.
    pub fn line_count(&self) -> usize {
        self.lines.count()
    }

    /// Whether there is no text at all: no byte, or a byte order mark alone.
    pub fn is_empty(&self) -> bool {
        self.bytes.len() == self.encoding.bom().len()
    }

    /// The text of a line without its ending; empty beyond the last line. Bytes that do not decode
    /// appear as U+FFFD.
    pub fn line(&self, number: usize) -> Cow<'_, str> {
        self.span(number).map_or(Cow::Borrowed(""), |span| {
            self.encoding.decode_lossy(&self.bytes[span.start..span.end])
        })
    }

    /// How a line ends; nothing for a last line without an ending.
    pub fn ending(&self, number: usize) -> Option<LineEnding> {
        let span = self.span(number)?;
        let width = self.encoding.ascii(b'\n').1;
        match (span.next - span.end) / width {
            0 => None,
            1 => Some(LineEnding::Lf),
            _ => Some(LineEnding::CrLf),
        }
    }

    /// The text from line `first` to line `last`, with the endings; as much of it as there is.
    pub fn text_of(&self, first: usize, last: usize) -> Cow<'_, str> {
        self.encoding.decode_lossy(&self.bytes[self.byte_range(first, last)])
    }

    /// Whether every byte of the line is text, so that replacing it loses nothing unseen.
    pub(crate) fn line_is_clean(&self, number: usize) -> bool {
        self.span(number)
            .is_none_or(|span| self.encoding.decode(&self.bytes[span.start..span.end]).is_some())
    }

    /// The bytes from line `first` to line `last` with their endings; empty when `last` comes
    /// before `first`.
    pub(crate) fn byte_range(&self, first: usize, last: usize) -> Range<usize> {
        let start = self.span(first).map_or(self.bytes.len(), |span| span.start);
        let end = self.span(last.min(self.line_count())).map_or(start, |span| span.next);
        start..end.max(start)
    }

    fn span(&self, number: usize) -> Option<Span> {
        self.lines.span(&self.bytes, self.encoding, number)
    }
}
