//! Output of a program: all of it is read, its beginning and its end are kept.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt};

/// The beginning and the end of a stream.
#[derive(Debug)]
pub(super) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    half: usize,
}

impl Kept {
    /// Keeps at most `limit` bytes.
    pub(super) fn within(limit: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), total: 0, half: limit / 2 }
    }

    /// Reads `pipe` to its end. What is over the limit is read as well, so that the program does
    /// not wait for a reader.
    pub(super) async fn read(&mut self, pipe: Option<impl AsyncRead + Unpin>) {
        let Some(mut pipe) = pipe else { return };
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
            self.push(&buffer[..count]);
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(&rest[rest.len().saturating_sub(self.half)..]);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
    }

    /// Bytes that came in all.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Whether something is left out.
    pub(super) fn cut(&self) -> bool {
        self.total > (self.head.len() + self.tail.len()) as u64
    }

    /// What is kept as text, with a line in the place of what is not.
    pub(super) fn text(mut self) -> String {
        let cut = self.cut();
        let tail: &[u8] = self.tail.make_contiguous();
        if !cut {
            self.head.extend_from_slice(tail);
            return visible(&self.head);
        }
        // Whole lines, where there are any.
        let head_end =
            self.head.iter().rposition(|byte| *byte == b'\n').map_or(self.head.len(), |at| at + 1);
        let tail_start = tail.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (head, tail) = (&self.head[..head_end], &tail[tail_start..]);
        let left_out = self.total - (head.len() + tail.len()) as u64;
        let mut text = visible(head);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text += &format!("[… {left_out} of {} bytes left out …]\n", self.total);
        text + &visible(tail)
    }
}

/// Bytes as text. Those that are no UTF-8 are written as `\xff`.
pub(super) fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text += &format!("\\x{byte:02x}");
        }
    }
    text.replace('\0', "\\0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(limit: usize, chunks: &[&[u8]]) -> (String, bool, u64) {
        let mut kept = Kept::within(limit);
        chunks.iter().for_each(|chunk| kept.push(chunk));
        let (cut, total) = (kept.cut(), kept.total());
        (kept.text(), cut, total)
    }

    #[test]
    fn head_and_tail_are_kept_and_the_rest_is_counted() {
        for (limit, chunks, expected, cut, total) in [
            (8, &[][..], "", false, 0),
            (8, &[&b"12345678"[..]], "12345678", false, 8),
            (8, &[b"1234", b"56", b"78"], "12345678", false, 8),
            (8, &[b"123456789"], "1234\n[… 1 of 9 bytes left out …]\n6789", true, 9),
            (8, &[b"a\nbcdefgh\ni"], "a\n[… 8 of 11 bytes left out …]\ni", true, 11),
            (
                8,
                &[b"a\n", b"b\n", b"c\n", b"d\n", b"e\n"],
                "a\nb\n[… 4 of 10 bytes left out …]\ne\n",
                true,
                10,
            ),
            (0, &[b"abc"], "\n[… 3 of 3 bytes left out …]\n", true, 3),
        ] {
            assert_eq!(
                kept(limit, chunks),
                (expected.to_owned(), cut, total),
                "{limit} {chunks:?}"
            );
        }
    }

    #[test]
    fn what_is_no_text_is_made_visible() {
        for (bytes, expected) in [
            (&b"caf\xc3\xa9"[..], "caf\u{e9}"),
            (b"caf\xe9!", "caf\\xe9!"),
            (b"\xff\xfe\x00", "\\xff\\xfe\\0"),
            (b"cut \xe2\x82", "cut \\xe2\\x82"),
        ] {
            assert_eq!(visible(bytes), expected);
        }
    }
}
