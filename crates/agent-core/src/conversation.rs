//! What the model is shown: a list of messages that only ever grows at its end.

use std::{collections::HashSet, sync::Arc};

use agent_llm::{Message, Part, Reply, ToolCall, ToolResult};

/// An append-only conversation with unique call ids.
#[derive(Debug, Default, Clone)]
pub(crate) struct Conversation {
    messages: Vec<Arc<Message>>,
    ids: HashSet<String>,
}

impl Conversation {
    /// Puts the standing instructions at the beginning, in the place of others.
    pub(crate) fn begin(&mut self, system: &str) {
        let system = Arc::new(Message::System(system.to_owned()));
        match self.messages.first_mut() {
            Some(first) if matches!(**first, Message::System(_)) => *first = system,
            Some(_) | None => self.messages.insert(0, system),
        }
    }

    /// The messages so far; cheap, since only pointers are copied.
    pub(crate) fn messages(&self) -> Vec<Arc<Message>> {
        self.messages.clone()
    }

    pub(crate) fn push_user(&mut self, text: impl Into<String>) {
        self.messages.push(Arc::new(Message::User(text.into())));
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
        self.messages.push(Arc::new(Message::Assistant(parts)));
        reply
    }

    pub(crate) fn push_result(&mut self, call: &ToolCall, content: String) {
        let result = ToolResult { call_id: call.id.clone(), name: call.name.clone(), content };
        self.messages.push(Arc::new(Message::Tool(result)));
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

#[cfg(test)]
mod tests {
    use agent_llm::{FinishReason, Usage};

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
}
