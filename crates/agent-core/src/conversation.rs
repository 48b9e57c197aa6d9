//! What the model is shown: a list of messages that grows at its end, and is shortened when its
//! window is full.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use agent_llm::{Message, Part, Reply, ToolCall, ToolResult};

use crate::{
    Action, Change,
    memory::SessionMemory,
    window::{self, Compaction, Facts, Item, Plan, Role, Room, tokens},
};

/// A conversation with unique call ids.
#[derive(Debug, Default, Clone)]
pub(crate) struct Conversation {
    messages: Vec<Arc<Message>>,
    /// What the messages take, one by one and together.
    sizes: Vec<u64>,
    total: u64,
    /// Where the user's current request stands.
    request: Option<usize>,
    facts: Facts,
    ids: HashSet<String>,
}

impl Conversation {
    /// Puts the standing instructions at the beginning, in the place of others.
    pub(crate) fn begin(&mut self, system: &str) {
        let has_other =
            matches!(self.messages.first().map(|first| &**first), Some(Message::System(_)));
        let mut messages = std::mem::take(&mut self.messages);
        let instructions = Arc::new(Message::System(system.to_owned()));
        if messages.first() != Some(&instructions) {
            unbind(&mut messages);
        }
        messages.splice(..usize::from(has_other), [instructions]);
        if !has_other {
            self.request = self.request.map(|at| at + 1);
        }
        self.set(messages);
    }

    /// The messages so far; cheap, since only pointers are copied.
    pub(crate) fn messages(&self) -> Vec<Arc<Message>> {
        self.messages.clone()
    }

    /// The messages so far, to be looked at.
    pub(crate) fn shown(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// The standing instructions.
    pub(crate) fn instructions(&self) -> Option<&str> {
        match self.messages.first().map(|first| &**first) {
            Some(Message::System(system)) => Some(system),
            Some(Message::User(_) | Message::Assistant(_) | Message::Tool(_)) | None => None,
        }
    }

    /// What they take, in estimated tokens.
    pub(crate) fn tokens(&self) -> u64 {
        self.total
    }

    /// How they come to fit the room, beside `fixed` tokens.
    pub(crate) fn plan(&self, fixed: u64, room: Room) -> Plan {
        if fixed + self.total <= room.high {
            return Plan::Keep;
        }
        let item = |(at, message): (usize, &Arc<Message>)| {
            let tokens = self.sizes[at];
            let (role, shortened) = match &**message {
                Message::System(_) | Message::User(_) => (Role::Says, tokens),
                Message::Assistant(_) => (Role::Model, tokens),
                Message::Tool(result) => {
                    (Role::Tool, window::shortened_tokens(result).unwrap_or(tokens))
                }
            };
            let pinned = self.is_pinned(at);
            Item { tokens, shortened: shortened.min(tokens), role, pinned }
        };
        let items: Vec<Item> = self.messages.iter().enumerate().map(item).collect();
        window::plan(&items, fixed, room)
    }

    /// The digest of the messages before a position, in about so many bytes.
    pub(crate) fn digest(&self, before: usize, summary: Option<&str>, bytes: usize) -> String {
        window::digest::text(&self.facts, summary, &self.messages[..before], bytes)
    }

    /// Shortens the conversation.
    pub(crate) fn compact(&mut self, compaction: &Compaction) {
        let mut messages = self.messages.clone();
        for message in messages.iter_mut().take(compaction.shorten) {
            if let Message::Tool(result) = &**message
                && let Some(short) = window::shortened(result)
            {
                *message = Arc::new(Message::Tool(short));
            }
        }
        if let Some(digest) = &compaction.digest {
            let before = digest.before.min(messages.len());
            let kept: Vec<_> = (0..before).filter(|&at| self.is_pinned(at)).collect();
            let moved =
                self.request.filter(|&at| at >= before).map(|at| at - before + kept.len() + 1);
            let pinned = kept.iter().position(|&at| Some(at) == self.request);
            self.request = pinned.or(moved);
            let head = kept.iter().map(|&at| Arc::clone(&messages[at]));
            let digest = Arc::new(Message::User(digest.text.clone()));
            messages = head.chain([digest]).chain(messages[before..].iter().cloned()).collect();
        }
        let same =
            messages.iter().zip(&self.messages).take_while(|(new, old)| Arc::ptr_eq(new, old));
        let same = same.count();
        unbind(&mut messages[same..]);
        self.set(messages);
    }

    /// Whether a message is always shown: the instructions and the current request.
    fn is_pinned(&self, at: usize) -> bool {
        self.request == Some(at) || at == 0 && matches!(*self.messages[at], Message::System(_))
    }

    fn set(&mut self, messages: Vec<Arc<Message>>) {
        // An estimate looks at every byte, and most messages are those that were there before.
        let (old, sizes) = (std::mem::take(&mut self.messages), std::mem::take(&mut self.sizes));
        let known: HashMap<_, _> = old.iter().map(Arc::as_ptr).zip(sizes).collect();
        let size = |message: &Arc<Message>| {
            let known = known.get(&Arc::as_ptr(message)).copied();
            known.unwrap_or_else(|| tokens::of_message(message))
        };
        self.sizes = messages.iter().map(size).collect();
        self.total = self.sizes.iter().sum();
        self.messages = messages;
    }

    fn push(&mut self, message: Message) {
        let size = tokens::of_message(&message);
        self.sizes.push(size);
        self.total += size;
        self.messages.push(Arc::new(message));
    }

    /// Adds a request of the user: `message` is what the model is shown of the `task`.
    pub(crate) fn push_request(&mut self, task: &str, message: &str) {
        self.facts.requested(task);
        self.request = Some(self.messages.len());
        self.push_user(message);
    }

    pub(crate) fn push_user(&mut self, text: impl Into<String>) {
        self.push(Message::User(text.into()));
    }

    /// Notes what an action did, which outlives the messages that tell of it.
    pub(crate) fn acted(&mut self, action: &Action, changes: &[Change]) {
        self.facts.acted(action, changes);
    }

    /// The same for what changed files and is no action.
    pub(crate) fn changed(&mut self, tool: &str, changes: &[Change]) {
        self.facts.changed(tool, changes);
    }

    /// Notes how the current request was answered.
    pub(crate) fn answered(&mut self, answer: &str) {
        self.facts.answered(answer);
    }

    /// What the session knows, whatever of its messages is shown.
    pub(crate) fn memory(&self) -> SessionMemory {
        self.facts.memory()
    }

    /// Adds a reply. Some servers give their calls no id, or the same one again and again: such a
    /// call gets a fresh one, since results are paired with calls by it.
    pub(crate) fn push_reply(&mut self, mut reply: Reply) -> Reply {
        for part in &mut reply.parts {
            if let Part::Call(call) = part {
                if call.id.is_empty() || self.ids.contains(&call.id) {
                    call.id = self.fresh_id();
                }
                self.ids.insert(call.id.clone());
            }
        }
        let mut parts = reply.parts.clone();
        // No wire format has a place for a message without content.
        if parts.iter().all(|part| matches!(part, Part::Opaque(_))) {
            parts.push(Part::Text("(empty reply)".to_owned()));
        }
        self.push(Message::Assistant(parts));
        reply
    }

    /// Adds an answer that no model gave.
    pub(crate) fn push_answer(&mut self, text: &str) {
        self.push(Message::Assistant(vec![Part::Text(text.to_owned())]));
    }

    pub(crate) fn push_result(&mut self, call: &ToolCall, content: String) {
        let result = ToolResult { call_id: call.id.clone(), name: call.name.clone(), content };
        self.push(Message::Tool(result));
    }

    fn fresh_id(&self) -> String {
        let mut number = self.ids.len() + 1;
        loop {
            let id = format!("call_{number}");
            if !self.ids.contains(&id) {
                return id;
            }
            number += 1;
        }
    }
}

/// Takes out what means nothing any more, now that something before `messages` has changed.
///
/// The last reply stays as it is: its calls may just be answered, and with them the parts have to
/// come back as they were. Then a server drops them by itself.
fn unbind(messages: &mut [Arc<Message>]) {
    let is_bound = |part: &Part| matches!(part, Part::Opaque(opaque) if opaque.is_bound());
    let replies = messages.iter_mut().rev().filter(|it| matches!(***it, Message::Assistant(_)));
    for message in replies.skip(1) {
        if let Message::Assistant(parts) = &**message
            && parts.iter().any(is_bound)
        {
            let kept = parts.iter().filter(|part| !is_bound(part)).cloned().collect();
            *message = Arc::new(Message::Assistant(kept));
        }
    }
}

#[cfg(test)]
mod tests {
    use agent_llm::{Dialect, FinishReason, Opaque, Usage};

    use super::*;

    fn reply(ids: &[&str]) -> Reply {
        let parts = ids.iter().map(|id| {
            Part::Call(ToolCall {
                id: (*id).to_owned(),
                name: "list_dir".to_owned(),
                arguments: "{}".to_owned(),
            })
        });
        Reply { parts: parts.collect(), finish: FinishReason::ToolCalls, usage: Usage::default() }
    }

    #[test]
    fn repeated_and_missing_ids_are_replaced() {
        let mut conversation = Conversation::default();
        let mut ids = Vec::new();
        for given in [&["call_0", ""][..], &["call_0", "call_0"], &["x"]] {
            let reply = conversation.push_reply(reply(given));
            ids.extend(reply.calls().map(|call| call.id.clone()));
        }
        assert_eq!(ids, ["call_0", "call_2", "call_3", "call_4", "x"]);
    }

    #[test]
    fn an_empty_reply_still_has_content() {
        let mut conversation = Conversation::default();
        conversation.push_reply(reply(&[]));
        let last = conversation.messages().pop().expect("a message");
        assert_eq!(*last, Message::Assistant(vec![Part::Text("(empty reply)".to_owned())]));
    }

    #[test]
    fn thinking_goes_where_what_stood_before_it_has_changed() {
        let thinking = |dialect| {
            let value = serde_json::json!({"thinking": "hm"});
            Part::Opaque(Opaque { dialect, model: "m".to_owned(), value })
        };
        let mut conversation = Conversation::default();
        conversation.begin("be brief");
        conversation.push_request("go", "go");
        for (id, result) in [("a", "short"), ("b", &*"long\n".repeat(4000)), ("c", "x"), ("d", "x")]
        {
            let mut reply = reply(&[id]);
            reply.parts.insert(0, thinking(Dialect::Anthropic));
            reply.parts.insert(1, thinking(Dialect::Gemini));
            let reply = conversation.push_reply(reply);
            for call in reply.calls() {
                conversation.push_result(call, result.to_owned());
            }
        }
        let bound = |conversation: &Conversation| -> Vec<usize> {
            let replies = conversation.messages().into_iter().filter_map(|message| {
                let Message::Assistant(parts) = &*message else { return None };
                Some(parts.iter().filter(|part| matches!(part, Part::Opaque(_))).count())
            });
            replies.collect()
        };
        conversation.begin("be brief");
        assert_eq!(bound(&conversation), [2, 2, 2, 2], "nothing has changed");
        conversation.compact(&Compaction { shorten: 6, digest: None });
        assert_eq!(bound(&conversation), [2, 2, 1, 2], "the result of the second call has");
        let text = "what was before".to_owned();
        let digest = Some(window::Digest { before: 6, text });
        conversation.compact(&Compaction { shorten: 6, digest });
        assert_eq!(bound(&conversation), [1, 2]);
        conversation.begin("be long");
        assert_eq!(bound(&conversation), [1, 2]);
    }
}
