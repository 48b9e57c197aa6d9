//! Serialised conversations that grow at their end.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use serde::Serialize;

use crate::call_ids::{CallIds, held};
use crate::pieces::Pieces;
use crate::{Message, Purpose, Request, Sent};

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
/// A conversation of a thousand steps is sent a thousand times. Messages never change and are told
/// apart by address, so what a request shares with the one before is neither serialised nor copied
/// again. It also makes the shared prefix the same to the byte, which is what vendors' prompt
/// caches go by.
#[derive(Debug)]
pub(crate) struct Conversations {
    layout: Layout,
    model: String,
    /// Those with tools continue each other, whatever they are for. Others do so by purpose.
    written: Mutex<HashMap<Option<Purpose>, Written>>,
}

/// Bytes after which what was written becomes a piece that requests share. What is younger is
/// copied into each, so that a body has few pieces, and no turn costs more than this.
const SEALED: usize = 32 * 1024;

#[derive(Debug, Default)]
struct Written {
    /// They are kept, so that an address cannot come to mean another message.
    messages: Vec<Arc<Message>>,
    /// Where each message ends, counted from the beginning of the first.
    ends: Vec<usize>,
    /// The messages, the last one not closed: pieces that are shared, and what came later.
    sealed: Vec<Bytes>,
    tail: Vec<u8>,
    /// What stood before the messages in the request before.
    head: Bytes,
    /// How long that request was.
    length: u64,
    /// The ids of the calls in the messages.
    ids: Arc<HashSet<String>>,
}

impl Conversations {
    /// Conversations with `model`.
    pub(crate) fn new(layout: Layout, model: &str) -> Self {
        Self { layout, model: model.to_owned(), written: Mutex::default() }
    }

    /// The ids for the reply to a request whose body was made.
    pub(crate) fn call_ids(&self, request: &Request) -> CallIds {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let known = written.get(&key(request)).map(|written| Arc::clone(&written.ids));
        CallIds::beside(known.unwrap_or_default())
    }

    /// The body of a request: the members of `head`, which are the same throughout a session, then
    /// the conversation, which grows, then the members of `tail`, which vary from call to call.
    pub(crate) fn body(
        &self,
        head: &impl Serialize,
        request: &Request,
        tail: &impl Serialize,
    ) -> serde_json::Result<Pieces> {
        let mut start = serde_json::to_vec(head)?;
        start.pop(); // The brace that closes the object.
        if start.len() > 1 {
            start.push(b',');
        }
        start.extend_from_slice(format!("\"{}\":[", self.layout.member).as_bytes());
        let start = Bytes::from(start);

        let tail = serde_json::to_vec(tail)?;
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let written = written.entry(key(request)).or_default();
        let kept = written.update(&request.messages, self.layout.write, &self.model)?;
        let mut end = written.tail.clone();
        if !written.messages.is_empty() {
            end.extend_from_slice(self.layout.close.as_bytes());
        }
        end.push(b']');
        if tail.len() > 2 {
            end.push(b',');
        }
        end.extend_from_slice(&tail[1..]);

        let mut body = Pieces::default();
        body.push(start.clone());
        written.sealed.iter().for_each(|piece| body.push(piece.clone()));
        body.push(Bytes::from(end));
        let same = written.head.iter().zip(&start).take_while(|(old, new)| old == new).count();
        let whole = same == start.len() && same == written.head.len();
        let before = std::mem::replace(&mut written.length, body.length());
        written.head = start;
        let shared = (if whole { same + kept } else { same }) as u64;
        body.sent = Sent { bytes: body.length(), before, shared };
        Ok(body)
    }
}

/// Which of the conversations a request goes on with.
fn key(request: &Request) -> Option<Purpose> {
    request.tools.is_empty().then_some(request.purpose)
}

impl Written {
    /// Makes the messages those of a request; says how many bytes of them were there before.
    fn update(
        &mut self,
        messages: &[Arc<Message>],
        write: Write,
        model: &str,
    ) -> Result<usize, serde_json::Error> {
        let pairs = self.messages.iter().zip(messages);
        let shared = pairs.take_while(|(old, new)| Arc::ptr_eq(old, new)).count();
        let kept = self.truncate(shared);
        for message in &messages[shared..] {
            let before = self.messages.last().map(|message| &**message);
            write(Place { model, before }, message, &mut self.tail)?;
            self.ends.push(self.sealed.iter().map(Bytes::len).sum::<usize>() + self.tail.len());
            self.messages.push(Arc::clone(message));
            self.know(message);
            self.seal();
        }
        Ok(kept)
    }

    /// Knows the ids of a message's calls.
    fn know(&mut self, message: &Message) {
        let ids = Arc::make_mut(&mut self.ids);
        ids.extend(held(message).map(str::to_owned));
    }

    /// Makes a piece of what is long enough. The last byte stays, since a message may have to know
    /// that something stands before it.
    fn seal(&mut self) {
        if self.tail.len() > SEALED {
            let rest = self.tail.split_off(self.tail.len() - 1);
            self.sealed.push(Bytes::from(std::mem::replace(&mut self.tail, rest)));
        }
    }

    /// Forgets all messages but the first `count`, and says how many bytes are left.
    fn truncate(&mut self, count: usize) -> usize {
        if count < self.messages.len() {
            self.ids = Arc::default();
            self.messages.truncate(count);
            for message in std::mem::take(&mut self.messages) {
                self.know(&message);
                self.messages.push(message);
            }
        }
        self.ends.truncate(count);
        let end = self.ends.last().copied().unwrap_or(0);
        let mut start = 0;
        for at in 0..self.sealed.len() {
            let length = self.sealed[at].len();
            if start + length >= end {
                self.tail = self.sealed[at][..end - start].to_vec();
                self.sealed.truncate(at);
                return end;
            }
            start += length;
        }
        self.tail.truncate(end - start);
        end
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
        assert_eq!(String::from_utf8_lossy(&body.to_vec()), r#"{"messages":["a"!],"x":1,"y":2}"#);
        assert_eq!(WRITES.get(), 1, "the response goes on where the decisions stopped");
    }

    #[test]
    fn what_two_requests_share_is_counted_in_bytes() {
        let all = Conversations::new(LAYOUT, "m");
        let (a, b, c) = (user("a"), user("b"), user("c"));
        let sent = |model: &'static str, messages: &[&Arc<Message>]| {
            let messages = messages.iter().map(|&message| Arc::clone(message)).collect();
            let request = Request::new(Purpose::Decide, messages);
            all.body(&json!({ "model": model }), &request, &json!({})).unwrap().sent
        };
        let head = r#"{"model":"m","messages":["#.len() as u64;
        let sizes = |bytes, before, shared| Sent { bytes, before, shared };
        assert_eq!(sent("m", &[&a]), sizes(head + 6, 0, 0));
        assert_eq!(sent("m", &[&a, &b]), sizes(head + 10, head + 6, head + 3));
        assert_eq!(sent("m", &[&a, &c]), sizes(head + 10, head + 10, head + 3));
        assert_eq!(sent("m", &[&a, &c]), sizes(head + 10, head + 10, head + 7));
        assert_eq!(sent("n", &[&a, &c]), sizes(head + 10, head + 10, 10), "another head");
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

        /// Whatever is kept, dropped and added: what is sent is what serialising anew would give.
        #[test]
        fn pieces_add_up(steps in proptest::collection::vec((0usize..12, 0usize..6, 0usize..30_000), 1..16)) {
            let all = Conversations::new(LAYOUT, "m");
            let mut messages: Vec<Arc<Message>> = Vec::new();
            let mut before = Vec::new();
            for (dropped, added, length) in steps {
                let dropped = if dropped < 6 { 0 } else { dropped };
                messages.truncate(messages.len().saturating_sub(dropped));
                messages.extend((0..added).map(|number| user(&format!("{number}").repeat(length))));
                let request = Request::new(Purpose::Decide, messages.clone());
                let body = all.body(&json!({"model": "m"}), &request, &json!({"x": 1})).unwrap();
                let anew = Conversations::new(LAYOUT, "m");
                let expected = anew.body(&json!({"model": "m"}), &request, &json!({"x": 1})).unwrap();
                let bytes = body.to_vec();
                proptest::prop_assert!(bytes == expected.to_vec());
                let value: Result<serde_json::Value, _> =
                    serde_json::from_str(&String::from_utf8_lossy(&bytes).replace('!', ""));
                proptest::prop_assert_eq!(
                    value.unwrap()["messages"].as_array().map(Vec::len),
                    Some(messages.len())
                );
                proptest::prop_assert_eq!(body.sent.bytes, bytes.len() as u64);
                let shared = usize::try_from(body.sent.shared).unwrap();
                proptest::prop_assert!(before.is_empty() || bytes[..shared] == before[..shared]);
                before = bytes;
            }
        }
    }
}
