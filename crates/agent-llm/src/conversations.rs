//! Serialised conversations that grow at their end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use serde::Serialize;

use crate::{Message, Purpose, Request};

/// How a dialect writes a conversation down.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The member of the body that holds it.
    pub(crate) member: &'static str,
    /// Appends a message, and what stands between it and the one before.
    pub(crate) write: Write,
    /// Ends the last message.
    pub(crate) close: &'static str,
}

pub(crate) type Write = fn(Place<'_>, &Message, &mut Vec<u8>) -> Result<(), serde_json::Error>;

/// Where a message stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'c> {
    /// The model that reads it.
    pub(crate) model: &'c str,
    /// The message before it.
    pub(crate) before: Option<&'c Message>,
}

/// Puts a comma behind what was written before.
pub(crate) fn separate(bytes: &mut Vec<u8>) {
    if !bytes.is_empty() {
        bytes.push(b',');
    }
}

/// What has been sent, as bytes, so that each message is serialised once in its life.
///
/// A conversation of two hundred steps is sent two hundred times. Messages never change and are
/// told apart by address, so what a request shares with the one before is copied and not
/// serialised again. It also makes the shared prefix the same to the byte, which is what vendors'
/// prompt caches go by.
#[derive(Debug)]
pub(crate) struct Conversations {
    layout: Layout,
    model: String,
    /// Those with tools continue each other, whatever they are for. Others do so by purpose.
    written: Mutex<HashMap<Option<Purpose>, Written>>,
}

#[derive(Debug, Default)]
struct Written {
    /// They are kept, so that an address cannot come to mean another message.
    messages: Vec<Arc<Message>>,
    /// Where in `bytes` each message ends.
    ends: Vec<usize>,
    /// The messages, the last one not closed.
    bytes: Vec<u8>,
}

impl Conversations {
    /// Conversations with `model`.
    pub(crate) fn new(layout: Layout, model: &str) -> Self {
        Self { layout, model: model.to_owned(), written: Mutex::default() }
    }

    /// The body of a request: the members of `head`, which are the same throughout a session, then
    /// the conversation, which grows, then the members of `tail`, which vary from call to call.
    pub(crate) fn body(
        &self,
        head: &impl Serialize,
        request: &Request,
        tail: &impl Serialize,
    ) -> serde_json::Result<Bytes> {
        let mut body = serde_json::to_vec(head)?;
        body.pop(); // The brace that closes the object.
        if body.len() > 1 {
            body.push(b',');
        }
        body.extend_from_slice(format!("\"{}\":[", self.layout.member).as_bytes());

        let tail = serde_json::to_vec(tail)?;
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let key = request.tools.is_empty().then_some(request.purpose);
        let written = written.entry(key).or_default();
        written.update(&request.messages, self.layout.write, &self.model)?;
        body.reserve_exact(written.bytes.len() + self.layout.close.len() + tail.len() + 1);
        body.extend_from_slice(&written.bytes);
        if !written.bytes.is_empty() {
            body.extend_from_slice(self.layout.close.as_bytes());
        }
        body.push(b']');
        if tail.len() > 2 {
            body.push(b',');
        }
        body.extend_from_slice(&tail[1..]);
        Ok(Bytes::from(body))
    }
}

impl Written {
    fn update(
        &mut self,
        messages: &[Arc<Message>],
        write: Write,
        model: &str,
    ) -> Result<(), serde_json::Error> {
        let pairs = self.messages.iter().zip(messages);
        let shared = pairs.take_while(|(old, new)| Arc::ptr_eq(old, new)).count();
        self.messages.truncate(shared);
        self.ends.truncate(shared);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
        for message in &messages[shared..] {
            let before = self.messages.last().map(|message| &**message);
            write(Place { model, before }, message, &mut self.bytes)?;
            self.ends.push(self.bytes.len());
            self.messages.push(Arc::clone(message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::*;
    use crate::ToolSpec;

    thread_local! {
        static WRITES: Cell<usize> = const { Cell::new(0) };
    }

    fn write(
        _: Place<'_>,
        message: &Message,
        bytes: &mut Vec<u8>,
    ) -> Result<(), serde_json::Error> {
        WRITES.set(WRITES.get() + 1);
        let Message::User(text) = message else { return Ok(()) };
        separate(bytes);
        serde_json::to_writer(bytes, text)
    }

    const LAYOUT: Layout = Layout { member: "messages", write, close: "!" };

    fn user(text: &str) -> Arc<Message> {
        Arc::new(Message::User(text.to_owned()))
    }

    /// The body, and how many messages were serialised for it.
    fn body(all: &Conversations, purpose: Purpose, messages: &[&Arc<Message>]) -> (String, usize) {
        let messages = messages.iter().map(|&message| Arc::clone(message)).collect();
        WRITES.set(0);
        let request = Request::new(purpose, messages);
        let bytes = all.body(&json!({"model": "m"}), &request, &json!({})).unwrap();
        (String::from_utf8(bytes.to_vec()).unwrap(), WRITES.get())
    }

    #[test]
    fn only_what_is_new_is_serialised() {
        let all = Conversations::new(LAYOUT, "m");
        let (a, b, c, d) = (user("a"), user("b"), user("c"), user("d"));
        let decide = |messages: &[&Arc<Message>]| body(&all, Purpose::Decide, messages);
        let text = |messages: &str| format!(r#"{{"model":"m","messages":[{messages}]}}"#);

        assert_eq!(decide(&[&a]), (text(r#""a"!"#), 1));
        assert_eq!(decide(&[&a, &b]), (text(r#""a","b"!"#), 1));
        assert_eq!(body(&all, Purpose::Judge, &[&a, &b]).1, 2, "another purpose has its own");
        assert_eq!(decide(&[&a, &b, &c, &d]), (text(r#""a","b","c","d"!"#), 2));
        assert_eq!(decide(&[&a, &b, &c, &d]), (text(r#""a","b","c","d"!"#), 0));
        assert_eq!(decide(&[&a, &d]), (text(r#""a","d"!"#), 1), "it branches off");
        assert_eq!(decide(&[&user("a"), &d]), (text(r#""a","d"!"#), 2), "equal, but not the same");
        assert_eq!(decide(&[]), (text(""), 0));
    }

    #[test]
    fn what_varies_stands_at_the_end() {
        let all = Conversations::new(LAYOUT, "m");
        let mut request = Request::new(Purpose::Decide, vec![user("a")]);
        let parameters = json!({});
        let (name, description) = (String::new(), String::new());
        request.tools = Arc::from([ToolSpec { name, description, parameters }]);
        WRITES.set(0);
        all.body(&json!({}), &request, &json!({})).unwrap();
        request.purpose = Purpose::Response;
        let body = all.body(&json!({}), &request, &json!({"x": 1, "y": 2})).unwrap();
        assert_eq!(body, r#"{"messages":["a"!],"x":1,"y":2}"#);
        assert_eq!(WRITES.get(), 1, "the response goes on where the decisions stopped");
    }
}
