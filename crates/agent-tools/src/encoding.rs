//! Which characters the bytes of a file stand for.

mod detect;

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;

pub(crate) use detect::detect;

use crate::text::TextError;

/// How the text of a file is written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte order mark; ASCII is UTF-8.
    Utf8,
    /// UTF-8 that begins with a byte order mark.
    Utf8Bom,
    /// UTF-16, low byte first, with a byte order mark.
    Utf16Le,
    /// UTF-16, high byte first, with a byte order mark.
    Utf16Be,
    /// An older encoding, guessed from the bytes.
    Legacy(Legacy),
}

/// One of the encodings from before Unicode, such as `windows-1252` or `Shift_JIS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Legacy(&'static encoding_rs::Encoding);

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Encoding {
    /// The name of the encoding, as the WHATWG spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with BOM",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Legacy(Legacy(encoding)) => encoding.name(),
        }
    }

    /// Finds out how `bytes` are encoded, or why they are not text.
    pub(crate) fn detect(bytes: &[u8]) -> Result<Self, TextError> {
        let Ok(found) = detect(|see| {
            let _ = see(bytes);
            Ok::<_, Infallible>(())
        });
        found
    }

    /// The encoding that the byte order mark tells with which `bytes` begin.
    pub(crate) fn of_mark(bytes: &[u8]) -> Option<Self> {
        let marked = [Self::Utf8Bom, Self::Utf16Le, Self::Utf16Be];
        marked.into_iter().find(|encoding| bytes.starts_with(encoding.bom()))
    }

    /// The byte order mark that a file in this encoding begins with.
    pub(crate) fn bom(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Legacy(_) => b"",
            Self::Utf8Bom => b"\xEF\xBB\xBF",
            Self::Utf16Le => b"\xFF\xFE",
            Self::Utf16Be => b"\xFE\xFF",
        }
    }

    /// The bytes of an ASCII character: all that line endings need.
    pub(crate) fn ascii(self, character: u8) -> ([u8; 2], usize) {
        match self {
            Self::Utf8 | Self::Utf8Bom | Self::Legacy(_) => ([character, 0], 1),
            Self::Utf16Le => ([character, 0], 2),
            Self::Utf16Be => ([0, character], 2),
        }
    }

    /// The text of `bytes`, or nothing if they are not text in this encoding.
    pub(crate) fn decode(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        self.codec().decode_without_bom_handling_and_without_replacement(bytes)
    }

    /// The text of `bytes`, with U+FFFD for what is not text.
    pub(crate) fn decode_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
        self.codec().decode_without_bom_handling(bytes).0
    }

    /// The bytes of `text`, or the first character that this encoding has no bytes for.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        match self {
            Self::Utf8 | Self::Utf8Bom => Ok(text.as_bytes().to_vec()),
            Self::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Self::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Self::Legacy(legacy) => legacy.encode(text),
        }
    }

    fn codec(self) -> &'static encoding_rs::Encoding {
        match self {
            Self::Utf8 | Self::Utf8Bom => encoding_rs::UTF_8,
            Self::Utf16Le => encoding_rs::UTF_16LE,
            Self::Utf16Be => encoding_rs::UTF_16BE,
            Self::Legacy(Legacy(encoding)) => encoding,
        }
    }
}

impl Legacy {
    fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let (bytes, _, failed) = self.0.encode(text);
        // Some encoders replace a character silently: `¥` becomes a backslash in Shift_JIS.
        if !failed && Encoding::Legacy(self).decode(&bytes).as_deref() == Some(text) {
            return Ok(bytes.into_owned());
        }
        let is_lost = |character: &char| {
            let text = character.to_string();
            let (bytes, _, failed) = self.0.encode(&text);
            failed || Encoding::Legacy(self).decode(&bytes).as_deref() != Some(&text)
        };
        Err(text.chars().find(is_lost).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}
