//! How bytes are encoded, told while they go by: not all of them have to be there at once.

use std::ops::ControlFlow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, DecoderResult, ISO_2022_JP};

use super::{Encoding, Legacy};
use crate::text::TextError;

/// How much is decoded at once.
const PIECE: usize = 64 * 1024;

/// Finds out how bytes are encoded, or why they are not text. `pass` shows all of them in their
/// order, every piece but the last with more than two and an even number of them, or as many until
/// it is told to stop; it is called once, and again for what is not UTF-8.
pub(crate) fn detect<E>(
    mut pass: impl FnMut(&mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), E>,
) -> Result<Result<Encoding, TextError>, E> {
    let mut survey = Survey::default();
    pass(&mut |piece| survey.see(piece))?;
    match survey.finding() {
        Finding::Encoding(encoding) => Ok(Ok(encoding)),
        Finding::NotText(error) => Ok(Err(error)),
        Finding::AsciiWithEscapes => {
            let mut japanese = Decoding::new(ISO_2022_JP);
            let mut beyond_ascii = false;
            let mut see = |text: &str| beyond_ascii |= !text.is_ascii();
            pass(&mut |piece| japanese.see(piece, &mut see))?;
            let _ = japanese.end(&mut see);
            let stateful = !japanese.failed && beyond_ascii;
            let name = ISO_2022_JP.name();
            Ok(if stateful {
                Err(TextError::Stateful { encoding: name })
            } else {
                Ok(Encoding::Utf8)
            })
        }
        Finding::Older => older(pass),
    }
}

/// Guesses an older encoding. The guess counts only when it loses nothing: every byte decodes,
/// to characters that text is made of, and encodes to itself again.
fn older<E>(
    mut pass: impl FnMut(&mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), E>,
) -> Result<Result<Encoding, TextError>, E> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let (mut length, mut control) = (0, None);
    pass(&mut |piece| {
        control = piece.iter().position(|byte| is_control(*byte)).map(|at| length + at);
        length += piece.len();
        detector.feed(piece, false);
        if control.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(offset) = control {
        return Ok(Err(TextError::Binary { offset }));
    }
    detector.feed(b"", true);
    let codec = detector.guess(None, Utf8Detection::Deny);
    let encoding = Encoding::Legacy(Legacy(codec));
    let mut decoding = Decoding::new(codec);
    let mut lossless = Lossless { encoding, open: Vec::new(), holds: codec.is_ascii_compatible() };
    pass(&mut |piece| {
        piece.chunks(PIECE).try_for_each(|piece| {
            lossless.open.extend_from_slice(piece);
            decoding.see(piece, &mut |text| lossless.see(text))?;
            if lossless.holds { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    })?;
    let _ = decoding.end(&mut |text| lossless.see(text));
    Ok(match lossless.holds && lossless.open.is_empty() && !decoding.failed {
        true => Ok(encoding),
        false => Err(TextError::Undecodable { encoding: codec.name() }),
    })
}

/// What a first look at all bytes tells.
#[derive(Default)]
struct Survey {
    length: usize,
    /// The encoding that a byte order mark tells.
    marked: Option<Encoding>,
    zero: Option<usize>,
    beyond_ascii: bool,
    escape: bool,
    /// Characters beyond ASCII that are valid UTF-8, and sequences that are not.
    valid: usize,
    broken: usize,
    /// The beginning of a sequence whose end comes with the next piece.
    open: Vec<u8>,
}

enum Finding {
    Encoding(Encoding),
    NotText(TextError),
    /// ASCII, or an encoding that looks like it, and in which a line means nothing without the
    /// lines before it.
    AsciiWithEscapes,
    /// An encoding from before Unicode, or nothing that is known.
    Older,
}

impl Survey {
    fn see(&mut self, piece: &[u8]) -> ControlFlow<()> {
        let mut body = piece;
        if self.length == 0 {
            self.marked = Encoding::of_mark(piece);
            body = &piece[self.marked.map_or(0, |encoding| encoding.bom().len())..];
        }
        let offset = self.length + piece.len() - body.len();
        self.length += piece.len();
        if self.zero.is_none() {
            let zero = match self.unit() {
                1 => memchr::memchr(0, body),
                unit => {
                    body.chunks_exact(unit).position(|unit| *unit == [0, 0]).map(|at| at * unit)
                }
            };
            self.zero = zero.map(|at| offset + at);
        }
        if self.marked.is_some() {
            return ControlFlow::Continue(());
        }
        self.beyond_ascii |= !body.is_ascii();
        self.escape |= memchr::memchr(0x1b, body).is_some();
        if self.beyond_ascii {
            self.count(body);
        }
        if self.zero.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn unit(&self) -> usize {
        self.marked.map_or(1, |encoding| encoding.ascii(0).1)
    }

    fn count(&mut self, piece: &[u8]) {
        let joined;
        let bytes = if self.open.is_empty() {
            piece
        } else {
            joined = [&self.open, piece].concat();
            &joined
        };
        let mut seen = 0;
        let mut open = Vec::new();
        for chunk in bytes.utf8_chunks() {
            // Every character beyond ASCII has one such byte.
            self.valid += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
            let invalid = chunk.invalid();
            seen += chunk.valid().len() + invalid.len();
            let cut_off =
                || str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if seen == bytes.len() && cut_off() {
                open = invalid.to_vec();
            } else {
                self.broken += usize::from(!invalid.is_empty());
            }
        }
        self.open = open;
    }

    fn finding(&self) -> Finding {
        let encoding = self.marked.unwrap_or(Encoding::Utf8);
        let body = self.length - encoding.bom().len();
        if !body.is_multiple_of(self.unit()) {
            return Finding::NotText(TextError::Undecodable { encoding: encoding.name() });
        }
        let broken = self.broken + usize::from(!self.open.is_empty());
        match self.zero {
            Some(offset) => Finding::NotText(TextError::Binary { offset }),
            None if self.marked.is_some() => Finding::Encoding(encoding),
            None if self.escape && !self.beyond_ascii => Finding::AsciiWithEscapes,
            // UTF-8 in which a few bytes are broken, rather than another encoding: text in an older
            // one almost never forms valid sequences of UTF-8 by chance.
            None if broken == 0 || self.valid > broken => Finding::Encoding(encoding),
            None => Finding::Older,
        }
    }
}

/// Bytes that are decoded as they come.
struct Decoding {
    decoder: Decoder,
    /// Something was no text.
    failed: bool,
}

impl Decoding {
    fn new(codec: &'static encoding_rs::Encoding) -> Self {
        Self { decoder: codec.new_decoder_without_bom_handling(), failed: false }
    }

    fn see(&mut self, piece: &[u8], see: &mut dyn FnMut(&str)) -> ControlFlow<()> {
        piece.chunks(PIECE).try_for_each(|piece| self.decode(piece, see, false))
    }

    fn end(&mut self, see: &mut dyn FnMut(&str)) -> ControlFlow<()> {
        self.decode(b"", see, true)
    }

    fn decode(&mut self, piece: &[u8], see: &mut dyn FnMut(&str), last: bool) -> ControlFlow<()> {
        if self.failed {
            return ControlFlow::Break(());
        }
        let room = self.decoder.max_utf8_buffer_length_without_replacement(piece.len());
        let mut text = String::with_capacity(room.unwrap_or(4 * piece.len() + 16));
        let (result, _) = self.decoder.decode_to_string_without_replacement(piece, &mut text, last);
        see(&text);
        match result {
            DecoderResult::InputEmpty => ControlFlow::Continue(()),
            DecoderResult::OutputFull | DecoderResult::Malformed(..) => {
                self.failed = true;
                ControlFlow::Break(())
            }
        }
    }
}

/// Compares what was decoded, encoded again, with the bytes that it came from.
struct Lossless {
    encoding: Encoding,
    /// The bytes that have not been compared.
    open: Vec<u8>,
    holds: bool,
}

impl Lossless {
    fn see(&mut self, text: &str) {
        let is_text =
            |character| !('\u{80}'..='\u{9f}').contains(&character) || character == '\u{85}';
        let same = |encoded: Vec<u8>| self.open.starts_with(&encoded).then_some(encoded.len());
        let encoded = self.encoding.encode(text).ok().filter(|_| text.chars().all(is_text));
        match encoded.and_then(same) {
            Some(length) => drop(self.open.drain(..length)),
            None => self.holds = false,
        }
    }
}

/// Control characters that no text file holds: all but backspace, tab, line feed, vertical tab,
/// form feed, carriage return, the old end of file (Ctrl-Z) and escape.
fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, 8..=13 | 0x1a | 0x1b) || byte == 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pieces_of(size: usize, bytes: &[u8]) -> Result<Encoding, TextError> {
        let found = detect(|see| {
            let _ = bytes.chunks(size).try_for_each(see);
            Ok::<_, std::convert::Infallible>(())
        });
        let Ok(found) = found;
        found
    }

    #[test]
    fn the_pieces_in_which_bytes_come_do_not_matter() {
        let german = "Die Größe der Straße hängt von der Höhe ab. Für Bäume gilt das ähnlich.\n";
        let latin = encoding_rs::WINDOWS_1252.encode(german).0.into_owned();
        let japanese = "これは日本語の文章です。文字コードを調べるために使います。\n".repeat(3);
        let texts: Vec<Vec<u8>> = vec![
            "größe \u{20ac} \u{1f600}\n".repeat(5).into(),
            b"\xef\xbb\xbfa\n".to_vec(),
            b"\xff\xfea\0\n\0b\0".to_vec(),
            b"\xff\xfea\0\0\0".to_vec(),
            b"\xff\xfea\0\n".to_vec(),
            latin.clone(),
            [&latin, &[0x81_u8, 0x07][..]].concat(),
            encoding_rs::SHIFT_JIS.encode(&japanese).0.into_owned(),
            ISO_2022_JP.encode(&japanese).0.into_owned(),
            b"\x1b[31mred\x1b[0m and the rest\n".to_vec(),
            b"gr\xc3\xbc\xc3\x9fe\nbad \xff".to_vec(),
            b"gr\xc3\xbc\xc3\x9fe cut \xe2\x82".to_vec(),
            b"text\nand\0more".to_vec(),
            Vec::new(),
        ];
        for text in &texts {
            let whole = in_pieces_of(usize::MAX, text);
            for size in [4, 6, 16] {
                assert_eq!(in_pieces_of(size, text), whole, "{size}: {text:?}");
            }
        }
    }
}
