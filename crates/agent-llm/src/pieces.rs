//! The body of a request, in pieces that are shared and not copied.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::Sent;

/// A body whose pieces are sent one after the other, with its length known beforehand.
///
/// A long conversation is sent again in every turn. Its old part stands in pieces that all requests
/// share, so that a turn costs what is new in it and not what has piled up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pieces {
    /// What is told of the request once it is sent.
    pub(crate) sent: Sent,
    pieces: VecDeque<Bytes>,
    length: u64,
}

impl Pieces {
    pub(crate) fn push(&mut self, piece: Bytes) {
        self.length += piece.len() as u64;
        if !piece.is_empty() {
            self.pieces.push_back(piece);
        }
    }

    /// How many bytes are left to send.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The whole body in one, for tests.
    #[cfg(test)]
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        self.pieces.iter().flatten().copied().collect()
    }
}

/// A body in one piece.
impl<T: Into<Bytes>> From<T> for Pieces {
    fn from(whole: T) -> Self {
        let mut pieces = Self::default();
        pieces.push(whole.into());
        pieces
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.pop_front();
        self.length -= piece.as_ref().map_or(0, |piece| piece.len() as u64);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}

#[cfg(test)]
mod tests {
    use http_body::Body as _;

    use super::*;

    #[test]
    fn pieces_come_in_order_and_the_length_is_what_is_left() {
        let mut body = Pieces::default();
        for piece in ["{", "", "ab", "}"] {
            body.push(Bytes::from_static(piece.as_bytes()));
        }
        assert_eq!(body.to_vec(), b"{ab}");
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let mut seen = Vec::new();
        while !body.is_end_stream() {
            seen.push((body.size_hint().exact(), {
                let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut cx) else {
                    panic!("a frame is there")
                };
                frame.into_data().unwrap()
            }));
        }
        let frames = [(Some(4), "{"), (Some(3), "ab"), (Some(1), "}")];
        assert_eq!(seen, frames.map(|(left, piece)| (left, Bytes::from(piece))));
        assert!(matches!(Pin::new(&mut body).poll_frame(&mut cx), Poll::Ready(None)));
    }
}
