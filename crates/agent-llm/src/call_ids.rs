//! Ids for tool calls that are unique within a conversation.

use std::collections::HashSet;
use std::sync::Arc;

use crate::{Message, Part, Request};

/// Gives every call of one reply an id that the conversation does not hold yet.
///
/// The id that pairs a call with its result is the server's to choose, but not every server
/// chooses one, and some begin anew at `call_0` with each reply. A reply's ids are only ever
/// looked at by us, so one that is missing or taken is replaced.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    /// Those of the conversation, which whoever sends it knows already.
    taken: Arc<HashSet<String>>,
    given: Vec<String>,
}

impl CallIds {
    /// For the reply to a request whose conversation holds these ids.
    pub(crate) fn beside(taken: Arc<HashSet<String>>) -> Self {
        Self { taken, given: Vec::new() }
    }

    /// For the reply to `request`.
    pub(crate) fn new(request: &Request) -> Self {
        let ids = request.messages.iter().flat_map(|message| held(message));
        Self::beside(Arc::new(ids.map(str::to_owned).collect()))
    }

    /// The id of the reply's next call: the one that the server wants, where that is free.
    pub(crate) fn assign(&mut self, wanted: Option<&str>) -> String {
        let id = match wanted {
            Some(id) if !id.is_empty() && self.is_free(id) => id.to_owned(),
            Some(_) | None => self.made_up(),
        };
        self.given.push(id.clone());
        id
    }

    fn made_up(&self) -> String {
        let first = self.taken.len() + self.given.len() + 1;
        let mut ids = (first..).map(|number| format!("call_{number}"));
        // As many numbers as there are ids cannot all be taken; the fallback is never reached.
        ids.find(|id| self.is_free(id)).unwrap_or_default()
    }

    fn is_free(&self, id: &str) -> bool {
        !self.taken.contains(id) && !self.given.iter().any(|given| given == id)
    }
}

/// The ids of the calls in a message.
pub(crate) fn held(message: &Message) -> impl Iterator<Item = &str> {
    let parts = match message {
        Message::Assistant(parts) => parts.as_slice(),
        Message::System(_) | Message::User(_) | Message::Tool(_) => &[],
    };
    parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call.id.as_str()),
        Part::Text(_) | Part::Opaque(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, ToolCall};

    #[test]
    fn ids_are_kept_where_they_are_unique() {
        let call = |id: &str| {
            Part::Call(ToolCall {
                id: id.to_owned(),
                name: String::new(),
                arguments: String::new(),
            })
        };
        let history = Message::Assistant(vec![call("call_0"), call("call_3")]);
        let mut ids = CallIds::new(&Request::new(Purpose::Decide, vec![Arc::new(history)]));
        let assigned = [Some("x"), None, Some("call_0"), Some(""), Some("x"), Some("y")]
            .map(|wanted| ids.assign(wanted));
        assert_eq!(assigned, ["x", "call_4", "call_5", "call_6", "call_7", "y"]);
    }
}
