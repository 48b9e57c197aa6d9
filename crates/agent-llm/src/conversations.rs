//! Serialised conversations that grow at their end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use serde::Serialize;

use crate::{Error, ErrorKind, Message, Purpose, Request};

/// Appends a message in one vendor's wire format.
pub(crate) type WriteMessage = fn(&Message, &mut Vec<u8>) -> Result<(), serde_json::Error>;

/// What has been sent, as bytes, so that each message is serialised once in its life.
///
/// A conversation of two hundred steps is sent two hundred times. Messages never change and are
/// told apart by address, so what a request shares with the one before is copied and not
/// serialised again. It also makes the shared prefix the same to the byte, which is what vendors'
/// prompt caches go by.
#[derive(Debug)]
pub(crate) struct Conversations {
    write_message: WriteMessage,
    /// By purpose: the calls of one purpose continue each other.
    written: Mutex<HashMap<Purpose, Written>>,
}

#[derive(Debug, Default)]
struct Written {
    /// They are kept, so that an address cannot come to mean another message.
    messages: Vec<Arc<Message>>,
    /// Where in `bytes` each message ends.
    ends: Vec<usize>,
    /// The messages, with a comma between any two.
    bytes: Vec<u8>,
}

impl Conversations {
    pub(crate) fn new(write_message: WriteMessage) -> Self {
        Self { write_message, written: Mutex::default() }
    }

    /// The body of a request: the members of `head`, then the messages, last so that what grows
    /// stands at the end. An error names `provider`.
    pub(crate) fn body(
        &self,
        provider: &str,
        head: &impl Serialize,
        request: &Request,
    ) -> Result<Bytes, Error> {
        self.write(head, request).map_err(|error| {
            let message = format!("the request can't be written as JSON: {error}");
            Error::new(ErrorKind::BadRequest, provider, message)
        })
    }

    fn write(&self, head: &impl Serialize, request: &Request) -> serde_json::Result<Bytes> {
        let mut body = serde_json::to_vec(head)?;
        body.pop(); // The brace that closes the object.
        body.extend_from_slice(br#","messages":["#);

        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let written = written.entry(request.purpose).or_default();
        written.update(&request.messages, self.write_message)?;
        body.reserve_exact(written.bytes.len() + 2);
        body.extend_from_slice(&written.bytes);
        body.extend_from_slice(b"]}");
        Ok(Bytes::from(body))
    }
}

impl Written {
    fn update(
        &mut self,
        messages: &[Arc<Message>],
        write: WriteMessage,
    ) -> Result<(), serde_json::Error> {
        let pairs = self.messages.iter().zip(messages);
        let shared = pairs.take_while(|(old, new)| Arc::ptr_eq(old, new)).count();
        self.messages.truncate(shared);
        self.ends.truncate(shared);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
        for message in &messages[shared..] {
            if !self.bytes.is_empty() {
                self.bytes.push(b',');
            }
            write(message, &mut self.bytes)?;
            self.ends.push(self.bytes.len());
            self.messages.push(Arc::clone(message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static WRITES: Cell<usize> = const { Cell::new(0) };
    }

    fn write(message: &Message, bytes: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        WRITES.set(WRITES.get() + 1);
        let Message::User(text) = message else { return Ok(()) };
        serde_json::to_writer(bytes, text)
    }

    fn user(text: &str) -> Arc<Message> {
        Arc::new(Message::User(text.to_owned()))
    }

    #[derive(Serialize)]
    struct Head {
        model: &'static str,
    }

    /// The body, and how many messages were serialised for it.
    fn body(all: &Conversations, purpose: Purpose, messages: &[&Arc<Message>]) -> (String, usize) {
        let messages = messages.iter().map(|&message| Arc::clone(message)).collect();
        WRITES.set(0);
        let bytes = all.body("p", &Head { model: "m" }, &Request::new(purpose, messages)).unwrap();
        (String::from_utf8(bytes.to_vec()).unwrap(), WRITES.get())
    }

    #[test]
    fn only_what_is_new_is_serialised() {
        let all = Conversations::new(write);
        let (a, b, c, d) = (user("a"), user("b"), user("c"), user("d"));
        let decide = |messages: &[&Arc<Message>]| body(&all, Purpose::Decide, messages);
        let text = |messages: &str| format!(r#"{{"model":"m","messages":[{messages}]}}"#);

        assert_eq!(decide(&[&a]), (text(r#""a""#), 1));
        assert_eq!(decide(&[&a, &b]), (text(r#""a","b""#), 1));
        assert_eq!(body(&all, Purpose::Response, &[&a, &b]).1, 2, "another purpose has its own");
        assert_eq!(decide(&[&a, &b, &c, &d]), (text(r#""a","b","c","d""#), 2));
        assert_eq!(decide(&[&a, &b, &c, &d]), (text(r#""a","b","c","d""#), 0));
        assert_eq!(decide(&[&a, &d]), (text(r#""a","d""#), 1), "it branches off");
        assert_eq!(decide(&[&user("a"), &d]), (text(r#""a","d""#), 2), "equal, but not the same");
        assert_eq!(decide(&[]), (text(""), 0));
    }
}
