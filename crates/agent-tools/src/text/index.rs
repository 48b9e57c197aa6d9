//! Where the lines of a text are.

use super::Span;
use crate::encoding::Encoding;

/// Up to this size of a text the place of every line is known.
const SMALL: usize = 1 << 20;

/// In a larger text the place of one in so many lines is known, and the others are found from
/// there: with places for all of them, a text of short lines would take many times its size.
const STRIDE: usize = 16;

/// Where every line begins, or every so many lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Index {
    /// The beginnings of line 1, line 1 + stride and so on.
    starts: Vec<usize>,
    stride: usize,
    /// How many lines there are.
    count: usize,
}

impl Index {
    pub(super) fn new(bytes: &[u8], encoding: Encoding) -> Self {
        Self::with_stride(bytes, encoding, if bytes.len() <= SMALL { 1 } else { STRIDE })
    }

    fn with_stride(bytes: &[u8], encoding: Encoding, stride: usize) -> Self {
        let (mut starts, mut count) = (vec![encoding.bom().len()], 1);
        let width = encoding.ascii(b'\n').1;
        for next in line_feeds(bytes, encoding).map(|at| at + width) {
            if next < bytes.len() {
                if count % stride == 0 {
                    starts.push(next);
                }
                count += 1;
            }
        }
        Self { starts, stride, count }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Where a line is, counted from 1.
    pub(super) fn span(&self, bytes: &[u8], encoding: Encoding, number: usize) -> Option<Span> {
        let place = number.checked_sub(1).filter(|_| number <= self.count)?;
        let (known, further) = (place / self.stride, place % self.stride);
        let mut start = *self.starts.get(known)?;
        let width = encoding.ascii(b'\n').1;
        let next = if self.stride == 1 {
            self.starts.get(known + 1).copied()
        } else {
            let rest = bytes.get(start..)?;
            let base = start;
            let mut nexts = line_feeds(rest, encoding).map(|at| base + at + width);
            if let Some(before) = further.checked_sub(1) {
                start = nexts.nth(before)?;
            }
            nexts.next()
        };
        let next = next.unwrap_or(bytes.len());
        let line = bytes.get(start..next)?;
        let [without, bare] = [b'\n', b'\r'].map(|character| encoding.ascii(character));
        let end = match line.strip_suffix(&without.0[..without.1]) {
            Some(line) => line.strip_suffix(&bare.0[..bare.1]).unwrap_or(line).len(),
            None => line.len(),
        };
        Some(Span { start, end: start + end, next })
    }
}

/// Where the line feeds are in `bytes`, which begin with a whole character.
pub(crate) fn line_feeds(bytes: &[u8], encoding: Encoding) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b'\n', bytes).filter_map(move |at| line_feed(bytes, encoding, at))
}

/// The same from the last to the first.
pub(crate) fn line_feeds_back(bytes: &[u8], encoding: Encoding) -> impl Iterator<Item = usize> {
    memchr::memrchr_iter(b'\n', bytes).filter_map(move |at| line_feed(bytes, encoding, at))
}

/// The beginning of the line feed to which a byte of ten belongs: it may also be the half of another
/// character where characters have two bytes.
fn line_feed(bytes: &[u8], encoding: Encoding, at: usize) -> Option<usize> {
    let (lf, width) = encoding.ascii(b'\n');
    let at = if lf[0] == b'\n' { at } else { at.checked_sub(width - 1)? };
    (at.is_multiple_of(width) && bytes[at..].starts_with(&lf[..width])).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_line_is_does_not_depend_on_how_many_places_are_kept() {
        let utf16 = |text: &str, unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(unit).collect()
        };
        let texts = ["", "a", "\n", "\r\n", "a\r\nb\n\nc\r\r\n\u{a0a}\n", "a\nb\nc\nd\ne\nf\ng"];
        for text in texts {
            let all = [
                (Encoding::Utf8, text.as_bytes().to_vec()),
                (Encoding::Utf8Bom, [b"\xef\xbb\xbf", text.as_bytes()].concat()),
                (Encoding::Utf16Le, [&b"\xff\xfe"[..], &utf16(text, u16::to_le_bytes)].concat()),
                (Encoding::Utf16Be, [&b"\xfe\xff"[..], &utf16(text, u16::to_be_bytes)].concat()),
            ];
            for (encoding, bytes) in all {
                let every = Index::with_stride(&bytes, encoding, 1);
                for stride in 2..5 {
                    let some = Index::with_stride(&bytes, encoding, stride);
                    assert_eq!(some.count(), every.count(), "{text:?}");
                    for line in 0..every.count() + 2 {
                        let [one, other] =
                            [&every, &some].map(|index| index.span(&bytes, encoding, line));
                        assert_eq!(one, other, "{text:?} in {encoding}, line {line}");
                    }
                }
            }
        }
    }
}
