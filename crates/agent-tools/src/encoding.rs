//! Which characters the bytes of a file stand for.

use std::borrow::Cow;
use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::ISO_2022_JP;

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
        for encoding in [Self::Utf8Bom, Self::Utf16Le, Self::Utf16Be] {
            if bytes.starts_with(encoding.bom()) {
                return encoding.check(bytes);
            }
        }
        Self::Utf8.check(bytes)?;
        match std::str::from_utf8(bytes) {
            Ok(text) if is_iso_2022_jp(text) => {
                Err(TextError::Stateful { encoding: ISO_2022_JP.name() })
            }
            Ok(_) => Ok(Self::Utf8),
            Err(_) if is_mostly_utf8(bytes) => Ok(Self::Utf8),
            Err(_) => guess(bytes),
        }
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

    /// Refuses what no text in this encoding holds.
    fn check(self, bytes: &[u8]) -> Result<Self, TextError> {
        let unit = self.ascii(0).1;
        let body = &bytes[self.bom().len()..];
        if !body.len().is_multiple_of(unit) {
            return Err(TextError::Undecodable { encoding: self.name() });
        }
        let zero = match unit {
            1 => memchr::memchr(0, body),
            _ => body.chunks(unit).position(|unit| unit.iter().all(|byte| *byte == 0)),
        };
        match zero {
            Some(at) => Err(TextError::Binary { offset: self.bom().len() + at * unit }),
            None => Ok(self),
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

/// ISO-2022-JP looks like ASCII, and a line means nothing without the lines before it.
fn is_iso_2022_jp(text: &str) -> bool {
    text.contains('\x1b')
        && text.is_ascii()
        && ISO_2022_JP
            .decode_without_bom_handling_and_without_replacement(text.as_bytes())
            .is_some_and(|decoded| !decoded.is_ascii())
}

/// Whether this is UTF-8 in which a few bytes are broken, rather than another encoding: text in
/// an older encoding almost never forms valid sequences of UTF-8 by chance.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    valid > broken
}

/// Guesses an older encoding. The guess counts only when it loses nothing: every byte decodes,
/// to characters that text is made of, and encodes to itself again.
fn guess(bytes: &[u8]) -> Result<Encoding, TextError> {
    if let Some(offset) = bytes.iter().position(|byte| is_control(*byte)) {
        return Err(TextError::Binary { offset });
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let codec = detector.guess(None, Utf8Detection::Deny);
    let encoding = Encoding::Legacy(Legacy(codec));
    let lossless = encoding.decode(bytes).is_some_and(|text| {
        let is_text =
            |character| !('\u{80}'..='\u{9f}').contains(&character) || character == '\u{85}';
        text.chars().all(is_text) && encoding.encode(&text).is_ok_and(|encoded| encoded == bytes)
    });
    if lossless && codec.is_ascii_compatible() {
        Ok(encoding)
    } else {
        Err(TextError::Undecodable { encoding: codec.name() })
    }
}

/// Control characters that no text file holds: all but backspace, tab, line feed, vertical tab,
/// form feed, carriage return, the old end of file (Ctrl-Z) and escape.
fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, 8..=13 | 0x1a | 0x1b) || byte == 0x7f
}
