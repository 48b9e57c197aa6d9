//! The body of a reply: an event stream, JSON lines, or one object from a server that does not
//! stream. Bytes in, deltas out, no IO.

#[cfg(test)]
mod cuts;

use serde::de::IgnoredAny;

use crate::http::classify;
use crate::lines::{LONGEST, TooLong};
use crate::ndjson::NdjsonDecoder;
use crate::sse::SseDecoder;
use crate::{Delta, Error, ErrorKind, FinishReason};

/// How much of a body an error may show.
const HEAD: usize = 2048;

/// Understands one dialect's replies.
pub(crate) trait ReplyDecoder: Send {
    /// Takes the data of an event, or a line.
    fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), Error>;

    /// Takes a whole reply that came in one object.
    fn object(&mut self, body: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error>;

    /// How far the reply has come.
    fn progress(&self) -> Progress;

    /// Ends a reply that is [`Progress::Whole`] or further.
    fn end(&mut self, deltas: &mut Vec<Delta>) -> Result<(), Error>;
}

/// How far a reply has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// Nothing has come.
    Nothing,
    /// Events, but none that this dialect knows.
    Foreign,
    /// It has begun.
    Begun,
    /// It has come to its end, though the stream may not have.
    Whole,
    /// Nothing more will come.
    Done,
}

impl Progress {
    /// The same, but whole where the reply has said why it ends.
    pub(crate) fn until(self, finish: Option<&FinishReason>) -> Self {
        if self == Self::Begun && finish.is_some() { Self::Whole } else { self }
    }
}

/// What a stream consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// JSON lines.
    Lines,
}

/// Turns the bytes of a body into deltas.
pub(crate) struct BodyDecoder<D> {
    provider: String,
    frames: Frames,
    head: Vec<u8>,
    reply: D,
}

/// The kind of body; of events the first visible byte tells.
enum Frames {
    /// Only this white space has come, where events are promised.
    Unknown(Vec<u8>),
    Events(SseDecoder),
    Lines(NdjsonDecoder),
    /// One JSON object, from a server that ignores `stream`.
    Object(Vec<u8>),
}

impl<D: ReplyDecoder> BodyDecoder<D> {
    pub(crate) fn new(provider: &str, framing: Framing, reply: D) -> Self {
        let frames = match framing {
            Framing::Events => Frames::Unknown(Vec::new()),
            Framing::Lines => Frames::Lines(NdjsonDecoder::new()),
        };
        Self { provider: provider.to_owned(), frames, head: Vec::new(), reply }
    }

    /// How far the reply has come.
    pub(crate) fn progress(&self) -> Progress {
        self.reply.progress()
    }

    /// Takes the next piece of the body.
    pub(crate) fn push(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let room = HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        let Frames::Unknown(space) = &mut self.frames else { return self.body(bytes, deltas) };
        let start = std::mem::take(space);
        self.frames = match bytes.trim_ascii_start().first() {
            None => Frames::Unknown([&start, bytes].concat()),
            Some(b'{') => Frames::Object(Vec::new()),
            Some(_) => Frames::Events(SseDecoder::new()),
        };
        self.body(&start, deltas)?;
        self.body(bytes, deltas)
    }

    fn body(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let pushed = match &mut self.frames {
            Frames::Unknown(_) => Ok(()),
            Frames::Object(body) => {
                body.extend_from_slice(bytes);
                if body.len() > LONGEST { Err(TooLong) } else { Ok(()) }
            }
            Frames::Events(events) => {
                let mut all = Vec::new();
                let pushed = events.push(bytes, &mut all);
                for data in all {
                    self.event(&data, deltas)?;
                }
                pushed
            }
            Frames::Lines(lines) => {
                let mut all = Vec::new();
                let pushed = lines.push(bytes, &mut all);
                for line in all {
                    self.event(&String::from_utf8_lossy(&line), deltas)?;
                }
                pushed
            }
        };
        pushed.map_err(|TooLong| {
            let message = format!("the server sent more than {LONGEST} bytes without a break");
            Error::new(ErrorKind::BadReply, &self.provider, message)
        })
    }

    fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let data = data.trim();
        if data.is_empty() || self.reply.progress() == Progress::Done {
            return Ok(());
        }
        self.reply.event(data, deltas)
    }

    /// Ends the reply.
    pub(crate) fn end(mut self, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        match std::mem::replace(&mut self.frames, Frames::Unknown(Vec::new())) {
            Frames::Unknown(_) => return Err(self.cut()),
            Frames::Object(body) if is_half(&body) => return Err(self.cut()),
            Frames::Object(body) => self.reply.object(&body, deltas)?,
            Frames::Events(mut events) => {
                if let Some(data) = events.take_rest() {
                    // Half an event is what a cut leaves; a whole one only lacked its blank line.
                    match self.event(&data, deltas) {
                        Err(error) if error.kind == ErrorKind::BadReply => {}
                        other => other?,
                    }
                }
            }
            Frames::Lines(mut lines) => {
                let rest = lines.take_rest().filter(|rest| !is_half(rest));
                if let Some(line) = rest {
                    self.event(&String::from_utf8_lossy(&line), deltas)?;
                }
                match self.reply.progress() {
                    Progress::Foreign => {
                        return Err(classify::not_a_reply(&self.provider, &self.head));
                    }
                    Progress::Nothing | Progress::Begun => return Err(self.cut()),
                    Progress::Whole | Progress::Done => {}
                }
            }
        }
        if self.reply.progress() < Progress::Whole {
            return Err(self.cut_or_garbage());
        }
        self.reply.end(deltas)
    }

    fn cut(&self) -> Error {
        let message = "the stream ended before the reply was complete";
        Error::new(ErrorKind::Cut, &self.provider, message)
    }

    /// A stream that does not end is cut, unless it never was one of this dialect.
    fn cut_or_garbage(&self) -> Error {
        let head = self.head.trim_ascii_start();
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
        let starts = [&b"data:"[..], b"event:", b"id:", b"retry:", b":"];
        let is_stream =
            starts.iter().any(|start| head.starts_with(start) || start.starts_with(head));
        if is_stream && self.reply.progress() != Progress::Foreign {
            self.cut()
        } else {
            classify::not_a_reply(&self.provider, head)
        }
    }
}

/// Whether a text is the beginning of a JSON value and not all of it.
fn is_half(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// What the tests of every dialect do with a body.
#[cfg(test)]
pub(crate) mod testing {
    use super::{BodyDecoder, Framing, Progress, ReplyDecoder};
    use crate::{Delta, Error, Reply, ReplyBuilder};

    /// Decodes a body that comes in pieces.
    pub(crate) fn decode<'b>(
        framing: Framing,
        reply: impl ReplyDecoder,
        pieces: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<Vec<Delta>, Error> {
        let mut decoder = BodyDecoder::new("p", framing, reply);
        let mut deltas = Vec::new();
        for piece in pieces {
            if decoder.progress() < Progress::Done {
                decoder.push(piece, &mut deltas)?;
            }
        }
        decoder.end(&mut deltas)?;
        Ok(deltas)
    }

    /// The reply of a body, the same wherever it is split.
    pub(crate) fn check<D: ReplyDecoder>(
        framing: Framing,
        decoder: impl Fn() -> D,
        body: &str,
    ) -> Result<Reply, Error> {
        let whole = decode(framing, decoder(), [body.as_bytes()]);
        let bytes = decode(framing, decoder(), body.as_bytes().chunks(1));
        assert_eq!(bytes, whole, "byte by byte: {body}");
        for at in 0..body.len() {
            let (first, second) = body.as_bytes().split_at(at);
            let halves = decode(framing, decoder(), [first, second]);
            assert_eq!(halves, whole, "split at {at}: {body}");
        }
        let mut builder = ReplyBuilder::default();
        whole?.into_iter().for_each(|delta| builder.push(delta));
        builder.finish()
    }
}
