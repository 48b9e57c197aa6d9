//! What a script expects of a request.

use serde::Deserialize;

use crate::{Message, Part, Request};

/// What a request must look like to get its reply. Everything that is left out holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// Strings that must occur in the request's messages, each in any of them.
    pub contains: Vec<String>,
    /// Strings that must occur in none of them.
    pub lacks: Vec<String>,
    /// The names of the tools on offer, in order.
    pub tools: Option<Vec<String>>,
    /// A string that must occur in the last message.
    pub last: Option<String>,
}

impl Expect {
    /// What does not hold for `request`, a clause each; empty when everything does.
    pub fn mismatches(&self, request: &Request) -> Vec<String> {
        let mut found = Vec::new();
        let occurs = |wanted: &str| request.messages.iter().any(|message| holds(message, wanted));
        for wanted in self.contains.iter().filter(|wanted| !occurs(wanted)) {
            found.push(format!("no message contains {wanted:?}"));
        }
        for unwanted in self.lacks.iter().filter(|unwanted| occurs(unwanted)) {
            found.push(format!("a message contains {unwanted:?}"));
        }
        if let Some(wanted) = &self.tools {
            let offered: Vec<_> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
            if offered != *wanted {
                found.push(format!("the tools are {offered:?} instead of {wanted:?}"));
            }
        }
        if let Some(wanted) = &self.last
            && !request.messages.last().is_some_and(|message| holds(message, wanted))
        {
            found.push(format!("the last message does not contain {wanted:?}"));
        }
        found
    }
}

fn holds(message: &Message, wanted: &str) -> bool {
    match message {
        Message::System(text) | Message::User(text) => text.contains(wanted),
        Message::Assistant(parts) => parts.iter().any(|part| match part {
            Part::Text(text) => text.contains(wanted),
            Part::Call(call) => call.name.contains(wanted) || call.arguments.contains(wanted),
            Part::Opaque(_) => false,
        }),
        Message::Tool(result) => result.content.contains(wanted),
    }
}

/// The last message as an error shows it: who speaks, and the words.
pub(super) fn last_message(request: &Request) -> String {
    let Some(message) = request.messages.last() else { return "none".to_owned() };
    let (who, words) = match &**message {
        Message::System(text) => ("system", text.clone()),
        Message::User(text) => ("user", text.clone()),
        Message::Tool(result) => ("tool", result.content.clone()),
        Message::Assistant(parts) => {
            let words = parts.iter().map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Call(call) => format!("{}({})", call.name, call.arguments),
                Part::Opaque(_) => "[opaque]".to_owned(),
            });
            ("assistant", words.collect::<Vec<_>>().join(" "))
        }
    };
    format!("{who}: {}", crate::http::classify::shown(&words))
}
