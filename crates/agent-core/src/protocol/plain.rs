//! A conversation without tool calls, in the words of the same conversation with them.

use std::sync::Arc;

use agent_llm::{Message, Part, ToolCall};
use agent_tools::limit;
use serde_json::{Map, Value, json};

use crate::{prompt, window::agents_md};

/// The most of what the project tells agents. A small model loses the thread in more.
const MOST_OF_PROJECT: usize = 2_000;

/// Long parameters are results of what the model has written elsewhere.
const LONGEST: usize = 300;

/// The messages as a model without tools reads and writes them.
pub(crate) fn plain(messages: &[Arc<Message>]) -> Vec<Arc<Message>> {
    let mut plain: Vec<Message> = Vec::new();
    for message in messages {
        let next = match &**message {
            Message::System(system) => Message::System(standing(prompt::JSON, system)),
            Message::User(text) => Message::User(text.clone()),
            Message::Assistant(parts) => {
                let words = parts.iter().filter_map(|part| match part {
                    Part::Text(text) => Some(text.clone()),
                    Part::Call(call) => Some(decision(call)),
                    Part::Opaque(_) => None,
                });
                let words: Vec<String> = words.collect();
                Message::Assistant(vec![Part::Text(words.join("\n"))])
            }
            Message::Tool(result) => {
                Message::User(format!("Result of {}:\n{}", result.name, told(&result.content)))
            }
        };
        // Many templates want the two sides to take turns.
        match (plain.last_mut(), next) {
            (Some(Message::User(last)), Message::User(text)) => {
                last.push_str("\n\n");
                last.push_str(&text);
            }
            (_, next) => plain.push(next),
        }
    }
    plain.into_iter().map(Arc::new).collect()
}

/// Standing instructions in the place of `system`, with what the project tells agents.
pub(crate) fn standing(instructions: &str, system: &str) -> String {
    let project = agents_md::of_prompt(system).unwrap_or_default();
    format!("{instructions}{}", limit::head_tail(project, MOST_OF_PROJECT))
}

fn decision(call: &ToolCall) -> String {
    let mut params: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap_or_default();
    let reason = params.remove("reason").or_else(|| params.remove("explanation"));
    params.remove("confidence");
    params.remove("instructions");
    params.retain(|_, value| value.as_str().is_none_or(|text| text.len() <= LONGEST));
    let reason = reason.unwrap_or_else(|| Value::from(""));
    json!({ "reason": reason, "action": call.name, "params": params }).to_string()
}

/// A result as it reads best: a change by its diff, a failure by its message.
fn told(content: &str) -> String {
    let Ok(Value::Object(result)) = serde_json::from_str(content) else {
        return content.to_owned();
    };
    let words = |key: &str| result.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (words("message"), words("diff")) {
        (Some(message), Some(diff)) => format!("{message}\n{diff}"),
        (Some(message), None) => message.to_owned(),
        (None, Some(_) | None) => content.to_owned(),
    }
}
