//! Rules that hold in every dialect: what a conversation looks like, and how it may grow.

use std::collections::HashSet;

use serde_json::Value;

use super::{Asked, Purpose};

/// The conversations of a run so far.
#[derive(Default)]
pub(super) struct Conversation {
    /// The latest request with tools. They make one conversation, whatever it is asked for.
    main: Option<Written>,
    /// Calls beside it. Each begins anew, or goes on from one before.
    plans: Vec<Written>,
}

/// What was on the wire. Bytes are kept because values compare without regard to the order of
/// their keys, and a provider's cache does not.
struct Written {
    messages: Vec<String>,
    tools: String,
}

impl Conversation {
    /// Takes the next request; what is wrong with it beside those before it.
    pub(super) fn take(&mut self, asked: &Asked) -> Vec<String> {
        let mut problems = Vec::new();
        let messages = asked.messages.iter().map(Value::to_string).collect();
        let written = Written { messages, tools: asked.tools.to_string() };
        let plan = asked.purpose == Some(Purpose::EditPlan);
        if plan {
            // A plan for another file, or another edit of this one, begins anew.
            let anew = asked.messages.iter().all(|message| message["role"] != "assistant");
            let goes_on = |earlier: &Written| earlier.first_change(&written).is_none();
            if !anew && !self.plans.iter().any(goes_on) {
                let last = self.plans.last().and_then(|last| last.first_change(&written));
                problems.extend(last);
            }
            self.plans.push(written);
            return problems;
        }
        if let Some(previous) = &self.main {
            problems.extend(previous.first_change(&written));
            if previous.tools != written.tools {
                problems.push("the tools on offer have changed".to_owned());
            }
        }
        self.main = Some(written);
        problems
    }
}

impl Written {
    /// The first message that `next` does not repeat to the byte.
    fn first_change(&self, next: &Self) -> Option<String> {
        let changed = |at: &usize| next.messages.get(*at) != Some(&self.messages[*at]);
        let place = (0..self.messages.len()).find(changed)?;
        let was = &self.messages[place];
        let is = next.messages.get(place).map_or("gone", String::as_str);
        let number = place + 1;
        Some(format!(
            "message {number} was {was} and is {is}: a conversation only grows at its end"
        ))
    }
}

/// The messages of a request, each of a legal role in a legal place.
pub(super) fn messages(body: &Value) -> Result<Vec<Value>, String> {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    for (position, message) in messages.iter().enumerate() {
        match message["role"].as_str() {
            Some("system") if position == 0 => {}
            Some("user" | "assistant" | "tool") if position > 0 => {}
            Some("user") => {}
            role => return Err(format!("message {} has the role {role:?}", position + 1)),
        }
    }
    match messages.last().and_then(|message| message["role"].as_str()) {
        Some("user" | "tool") => Ok(messages),
        role => Err(format!("the last message is of {role:?}: there is nothing to reply to")),
    }
}

/// The tools of a request: none, or functions with names of their own and object schemas.
pub(super) fn check_tools(tools: &Value) -> Result<(), String> {
    if tools.is_null() {
        return Ok(());
    }
    let listed = tools.as_array().filter(|tools| !tools.is_empty());
    let mut names = HashSet::new();
    for tool in listed.ok_or_else(|| format!("`tools` is {tools}"))? {
        let function = &tool["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let described = function["description"].as_str().is_some_and(|text| !text.is_empty());
        if tool["type"] != "function"
            || !described
            || function["parameters"]["type"] != "object"
            || !names.insert(name)
        {
            return Err(format!("a badly formed tool: {tool}"));
        }
    }
    Ok(())
}

/// `text` in pieces of at most so many characters.
pub(super) fn pieces(text: &str, length: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(length).map(|piece| piece.iter().collect()).collect()
}

/// What a request is for, by the tools on offer, the choice between them, where the dialect calls
/// a call that has to be made `forced`, and whether a schema is asked for.
pub(super) fn purpose(
    tools: &Value,
    choice: Option<&str>,
    forced: &str,
    schema: bool,
) -> Result<Purpose, String> {
    match (tools.is_null(), choice, schema) {
        (true, None, true) => Ok(Purpose::EditPlan),
        (true, None, false) => Err("an edit plan without its schema".to_owned()),
        (true, Some(choice), _) => Err(format!("`{choice}` chosen, but no tools")),
        (false, _, true) => Err("a schema beside tools".to_owned()),
        (false, Some("none"), false) => Ok(Purpose::Response),
        (false, None, false) => Ok(Purpose::Decide),
        (false, Some(choice), false) if choice == forced => Ok(Purpose::Decide),
        (false, Some(choice), false) => Err(format!("no such tool choice: `{choice}`")),
    }
}

/// Server-sent events that are named after their type.
pub(super) fn named_events(events: &[Value]) -> String {
    let named = |event: &Value| {
        let name = event["type"].as_str().unwrap_or_default();
        format!("event: {name}\ndata: {event}\n\n")
    };
    events.iter().map(named).collect()
}
