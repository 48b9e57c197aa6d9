//! Newline-delimited JSON: bytes in, lines out.

use crate::lines::{Ending, Lines, TooLong};

/// Decodes lines that come in pieces of any size. Blank lines are skipped.
#[derive(Debug)]
pub(crate) struct NdjsonDecoder {
    lines: Lines,
}

impl NdjsonDecoder {
    pub(crate) fn new() -> Self {
        Self { lines: Lines::new(Ending::LineFeed) }
    }

    /// Takes the next piece; every line that it completes is added to `lines`.
    pub(crate) fn push(&mut self, bytes: &[u8], lines: &mut Vec<Vec<u8>>) -> Result<(), TooLong> {
        self.lines.push(bytes, |line| {
            lines.extend(visible(line));
            Ok(())
        })
    }

    /// A last line without its line feed.
    pub(crate) fn take_rest(&mut self) -> Option<Vec<u8>> {
        visible(&self.lines.take_rest())
    }
}

fn visible(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.trim_ascii();
    (!line.is_empty()).then(|| line.to_vec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Vec<String> {
        let (mut decoder, mut lines) = (NdjsonDecoder::new(), Vec::new());
        for piece in pieces {
            decoder.push(piece, &mut lines).unwrap();
        }
        lines.extend(decoder.take_rest());
        lines.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
    }

    #[test]
    fn lines_are_split() {
        let stream = "{\"a\":\"é\"}\r\n\n  \n{\"b\":\r1}\n{\"c\"";
        let expected = ["{\"a\":\"é\"}", "{\"b\":\r1}", "{\"c\""];
        assert_eq!(decode([stream.as_bytes()]), expected);
        assert_eq!(decode(stream.as_bytes().chunks(1)), expected);
        assert_eq!(decode([&b""[..], b"\n"]), Vec::<String>::new());
    }

    #[test]
    fn a_line_is_bounded() {
        let mut decoder = NdjsonDecoder::new();
        let piece = vec![b' '; 16 * 1024 * 1024];
        assert_eq!(decoder.push(&piece, &mut Vec::new()), Ok(()));
        assert_eq!(decoder.push(b" ", &mut Vec::new()), Err(TooLong));
    }

    proptest! {
        #[test]
        fn splitting_anywhere_changes_nothing(stream in "[a\r\né ]{0,30}", at in 0usize..30) {
            let (first, second) = stream.as_bytes().split_at(at.min(stream.len()));
            prop_assert_eq!(decode([first, second]), decode([stream.as_bytes()]));
        }
    }
}
