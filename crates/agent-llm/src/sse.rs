//! Server-sent events: bytes in, events out.
//!
//! The format is the one of the HTML standard: fields a line, an event ends with a blank line,
//! lines that begin with `:` are comments (servers send them to keep a silent connection open).

use crate::lines::{Ending, LONGEST, Lines, TooLong};

/// Decodes an event stream that comes in pieces of any size.
///
/// Only the data of an event is handed out: no vendor whose format is spoken here says anything in
/// its other fields that the data does not say too.
#[derive(Debug)]
pub(crate) struct SseDecoder {
    lines: Lines,
    event: Event,
    at_start: bool,
}

/// The event that is being read.
#[derive(Debug, Default)]
struct Event {
    /// Its data lines; `None` before the first of them.
    data: Option<String>,
}

impl SseDecoder {
    pub(crate) fn new() -> Self {
        Self { lines: Lines::new(Ending::Any), event: Event::default(), at_start: true }
    }

    /// Takes the next piece; the data of every event that it completes is added to `events`.
    pub(crate) fn push(&mut self, bytes: &[u8], events: &mut Vec<String>) -> Result<(), TooLong> {
        let Self { lines, event, at_start } = self;
        lines.push(bytes, |line| {
            let line = if std::mem::take(at_start) { without_mark(line) } else { line };
            events.extend(event.line(line)?);
            Ok(())
        })
    }

    /// The data of an event that the stream ended in the middle of. The standard drops it, but
    /// servers exist that leave the last blank line out.
    pub(crate) fn take_rest(&mut self) -> Option<String> {
        let rest = self.lines.take_rest();
        let line = if self.at_start { without_mark(&rest) } else { &rest };
        // A line that is too long was refused before, and a blank one only ends the event.
        self.event.line(line).ok().flatten().or_else(|| self.event.data.take())
    }
}

impl Event {
    /// Takes a line; a blank one ends the event.
    fn line(&mut self, line: &[u8]) -> Result<Option<String>, TooLong> {
        if line.is_empty() {
            return Ok(self.data.take());
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        if field == b"data" {
            let value = value.strip_prefix(b" ").unwrap_or(value);
            let value = String::from_utf8_lossy(value);
            match &mut self.data {
                None => self.data = Some(value.into_owned()),
                Some(data) => {
                    if data.len() + value.len() > LONGEST {
                        return Err(TooLong);
                    }
                    data.push('\n');
                    data.push_str(&value);
                }
            }
        }
        Ok(None)
    }
}

/// A stream may begin with a byte order mark.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The events of a stream, and what is left at its end.
    fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> (Vec<String>, Option<String>) {
        let (mut decoder, mut events) = (SseDecoder::new(), Vec::new());
        for piece in pieces {
            decoder.push(piece, &mut events).unwrap();
        }
        (events, decoder.take_rest())
    }

    fn check(stream: &str, events: &[&str], rest: Option<&str>) {
        let expected = (events.iter().map(|&e| e.to_owned()).collect(), rest.map(str::to_owned));
        assert_eq!(decode([stream.as_bytes()]), expected, "{stream:?}");
        assert_eq!(decode(stream.as_bytes().chunks(1)), expected, "byte by byte: {stream:?}");
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        check("data: a\n\ndata: b\n\n", &["a", "b"], None);
        check("data: a\r\n\r\ndata: b\r\rdata:c\n\n", &["a", "b", "c"], None);
        check(": ping\n\n:\n\ndata: a\n: in between\n\n", &["a"], None);
        check("data: a\ndata: b\ndata\ndata:  c\n\n", &["a\nb\n\n c"], None);
        check("event: x\nid: 1\nretry: 5\ndata: a\n\nevent: y\n\n", &["a"], None);
        check("data: é→𝄞\n\n", &["é→𝄞"], None);
        check("data:\n\n", &[""], None);
        check("\u{feff}data: a\n\n", &["a"], None);
        check("datax: a\n data: b\nDATA: c\n\n", &[], None);
        check("data: {\"a\": \"b:c\"}\n\n", &["{\"a\": \"b:c\"}"], None);
    }

    #[test]
    fn the_rest_is_kept_apart() {
        check("", &[], None);
        check("data: a\n\ndata: [DONE]", &["a"], Some("[DONE]"));
        check("data: a\n\ndata: [DONE]\n", &["a"], Some("[DONE]"));
        check("data: a\n\ndata: [DONE]\r", &["a"], Some("[DONE]"));
        check("data: a\n: x", &[], Some("a"));
        check("\u{feff}data: a", &[], Some("a"));
    }

    #[test]
    fn invalid_text_is_shown_as_such() {
        assert_eq!(decode([&b"data: a\xff\n\n"[..]]), (vec!["a\u{fffd}".to_owned()], None));
    }

    #[test]
    fn lines_and_events_are_bounded() {
        let mut events = Vec::new();
        let mut decoder = SseDecoder::new();
        let piece = vec![b'x'; 1024 * 1024];
        let pushed: Vec<_> = (0..17).map(|_| decoder.push(&piece, &mut events)).collect();
        assert_eq!(pushed[15..], [Ok(()), Err(TooLong)]);

        let mut decoder = SseDecoder::new();
        let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
        let pushed: Vec<_> = (0..17).map(|_| decoder.push(&line, &mut events)).collect();
        assert_eq!(pushed[14..], [Ok(()), Err(TooLong), Err(TooLong)]);
        assert_eq!(events, Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn splitting_anywhere_changes_nothing(
            lines in prop::collection::vec("(data: ?|: ?|event: )?[a-é→:\\{ ]{0,6}(\r\n|\n|\r|\n\n)", 0..12),
            sizes in prop::collection::vec(1usize..7, 1..40),
        ) {
            let stream = lines.concat();
            let mut pieces = Vec::new();
            let mut left = stream.as_bytes();
            for size in sizes.iter().cycle() {
                if left.is_empty() { break; }
                let (piece, rest) = left.split_at((*size).min(left.len()));
                pieces.push(piece);
                left = rest;
            }
            prop_assert_eq!(decode(pieces), decode([stream.as_bytes()]));
        }
    }
}
