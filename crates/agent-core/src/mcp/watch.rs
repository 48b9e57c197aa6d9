//! What a server writes, kept within bounds.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

/// The most that one message may hold. A server that sends more is not read any further.
pub(super) const LARGEST: usize = 8 * 1024 * 1024;

/// Bytes of standard error that are kept, the last ones.
const KEPT: usize = 8 * 1024;

/// Bytes of a line on standard output that is no message.
const NOISE: usize = 200;

/// What there is to say about a server beside its messages.
#[derive(Debug, Default)]
pub(super) struct Seen {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    complaints: VecDeque<u8>,
    too_large: bool,
    noise: Option<Vec<u8>>,
}

impl Seen {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a message was too large.
    pub(super) fn too_large(&self) -> bool {
        self.inner().too_large
    }

    /// Its last words, to be put behind an error; empty where it said nothing.
    pub(super) fn words(&self) -> String {
        let inner = self.inner();
        let complaints: Vec<u8> = inner.complaints.iter().copied().collect();
        let complaints = String::from_utf8_lossy(&complaints);
        let mut words = String::new();
        if let Some(noise) = &inner.noise {
            let noise = String::from_utf8_lossy(noise);
            words += &format!("; its standard output holds what is no message: {noise:?}");
        }
        if !complaints.trim().is_empty() {
            words += &format!("; its standard error ends with: {}", complaints.trim());
        }
        words
    }

    /// Keeps the end of what comes from `pipe`, and reads all of it.
    pub(super) async fn listen(self: Arc<Self>, mut pipe: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
            let mut inner = self.inner();
            inner.complaints.extend(&buffer[..count]);
            let over = inner.complaints.len().saturating_sub(KEPT);
            inner.complaints.drain(..over);
        }
    }
}

/// Standard output of a server, up to a line that is too long.
#[derive(Debug)]
pub(super) struct Watched<R> {
    pipe: R,
    seen: Arc<Seen>,
    /// Bytes of the line that is being read.
    line: usize,
    /// Whether that line is the first that is no message.
    noisy: bool,
}

impl<R> Watched<R> {
    pub(super) fn new(pipe: R, seen: Arc<Seen>) -> Self {
        Self { pipe, seen, line: 0, noisy: false }
    }

    /// Looks at bytes that came; false where the line is too long by now.
    fn look(&mut self, bytes: &[u8]) -> bool {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line == 0 {
                let begins = piece.iter().find(|byte| !byte.is_ascii_whitespace());
                let message = begins.is_none_or(|first| matches!(first, b'{' | b'['));
                self.noisy = !message && self.seen.inner().noise.is_none();
            }
            if self.noisy {
                let mut inner = self.seen.inner();
                let noise = inner.noise.get_or_insert_default();
                let room = NOISE.saturating_sub(noise.len());
                noise.extend_from_slice(
                    piece.trim_ascii_end().get(..room).unwrap_or(piece.trim_ascii_end()),
                );
            }
            self.line += piece.len();
            if self.line > LARGEST {
                self.seen.inner().too_large = true;
                return false;
            }
            if piece.ends_with(b"\n") {
                (self.line, self.noisy) = (0, false);
            }
        }
        true
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.line > LARGEST {
            return Poll::Ready(Err(too_large()));
        }
        let before = buffer.filled().len();
        match Pin::new(&mut this.pipe).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                let bytes = buffer.filled()[before..].to_vec();
                Poll::Ready(if this.look(&bytes) { Ok(()) } else { Err(too_large()) })
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        }
    }
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "a message is too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched() -> (Watched<tokio::io::Empty>, Arc<Seen>) {
        let seen = Arc::new(Seen::default());
        (Watched::new(tokio::io::empty(), Arc::clone(&seen)), seen)
    }

    #[test]
    fn the_first_line_that_is_no_message_is_kept() {
        let (mut watched, seen) = watched();
        for bytes in [&b"{\"a\":"[..], b"1}\n", b"\n  {}\nStart", b"ing up\n", b"more\n{}\n"] {
            assert!(watched.look(bytes));
        }
        assert_eq!(seen.words(), "; its standard output holds what is no message: \"Starting up\"");
    }

    #[test]
    fn a_line_may_be_long_and_not_too_long() {
        let piece = vec![b'x'; 1024 * 1024];
        let (mut long, seen) = watched();
        for _ in 0..8 {
            assert!(long.look(&piece));
        }
        assert!(!long.look(b"x"));
        assert!(seen.too_large());
        let (mut lines, seen) = watched();
        for _ in 0..20 {
            assert!(lines.look(&piece) && lines.look(b"\n"));
        }
        assert!(!seen.too_large());
    }

    #[tokio::test]
    async fn of_complaints_the_end_is_kept() {
        let seen = Arc::new(Seen::default());
        let flood = [vec![b'x'; 3 * KEPT], b"\nthe end\n".to_vec()].concat();
        Arc::clone(&seen).listen(flood.as_slice()).await;
        let words = seen.words();
        assert!(words.len() < KEPT + 100 && words.ends_with("x\nthe end"), "{}", words.len());
    }
}
