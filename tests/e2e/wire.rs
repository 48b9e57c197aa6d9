//! Between a script's terms and those of a wire format.

use std::{collections::BTreeMap, sync::Arc};

use agent_llm::{
    FinishReason, Message, Part, Purpose, Request, ToolCall, ToolResult, ToolSpec,
    script::{Fault, Playback, ScriptedReply},
};
use serde_json::Value;

use crate::loopback::{self, Answer, Asked, Call, Said};

/// The script's answer to a request. An error says how the request is not what the script expects.
pub(crate) fn answer(playback: &mut Playback, asked: &Asked) -> Result<Answer, String> {
    let purpose = match asked.purpose {
        Some(loopback::Purpose::Decide) => Purpose::Decide,
        // Without tools it may be any call but one that offers some.
        Some(loopback::Purpose::EditPlan) => {
            playback.unused().first().map_or(Purpose::EditPlan, |reply| reply.purpose)
        }
        Some(loopback::Purpose::Response) => Purpose::Response,
        None => next_of_conversation(playback),
    };
    let reply = playback.reply_to(&request(purpose, asked)).map_err(|error| error.message)?;
    spoken(reply)
}

/// What the script says next to a request that offers tools.
fn next_of_conversation(playback: &Playback) -> Purpose {
    let next = playback.unused().into_iter().map(|reply| reply.purpose);
    let mut next = next.filter(|purpose| matches!(purpose, Purpose::Decide | Purpose::Response));
    next.next().unwrap_or(Purpose::Decide)
}

fn request(purpose: Purpose, asked: &Asked) -> Request {
    let mut ids = Ids::default();
    let messages = asked.messages.iter().map(|message| Arc::new(ids.message(message)));
    let mut request = Request::new(purpose, messages.collect());
    let tools = asked.tools.as_array().into_iter().flatten();
    request.tools = tools.map(|tool| spec(&tool["function"])).collect();
    request
}

fn spec(function: &Value) -> ToolSpec {
    ToolSpec {
        name: text(&function["name"]),
        description: text(&function["description"]),
        parameters: function["parameters"].clone(),
    }
}

/// Pairs calls and results, by the id where the wire has one and else by their order.
#[derive(Default)]
struct Ids {
    names: BTreeMap<String, String>,
    waiting: Vec<String>,
}

impl Ids {
    fn message(&mut self, message: &Value) -> Message {
        let content = text(&message["content"]);
        match message["role"].as_str() {
            Some("system") => Message::System(content),
            Some("assistant") => {
                let words = (!content.is_empty()).then_some(Part::Text(content));
                let calls = message["tool_calls"].as_array().into_iter().flatten();
                let calls: Vec<Part> = calls.map(|call| self.call(call)).collect();
                Message::Assistant(words.into_iter().chain(calls).collect())
            }
            Some("tool") => {
                let given = message["tool_call_id"].as_str().map(str::to_owned);
                let call_id = given.unwrap_or_else(|| match self.waiting.is_empty() {
                    true => String::new(),
                    false => self.waiting.remove(0),
                });
                let name = self.names.get(&call_id).cloned().unwrap_or_default();
                Message::Tool(ToolResult { call_id, name, content })
            }
            Some(_) | None => Message::User(content),
        }
    }

    fn call(&mut self, call: &Value) -> Part {
        let name = text(&call["function"]["name"]);
        let id = call["id"].as_str().map(str::to_owned);
        let id = id.unwrap_or_else(|| {
            let id = format!("#{}", self.names.len());
            self.waiting.push(id.clone());
            id
        });
        self.names.insert(id.clone(), name.clone());
        Part::Call(ToolCall { id, name, arguments: text(&call["function"]["arguments"]) })
    }
}

/// A string's text; the JSON of anything else but nothing.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

fn spoken(reply: ScriptedReply) -> Result<Answer, String> {
    let line = reply.line;
    let calls = reply.calls.into_iter().enumerate().map(|(index, call)| Call {
        id: call.id.unwrap_or_else(|| format!("call_{line}_{index}")),
        name: call.name,
        arguments: call.arguments,
    });
    let said = Said {
        text: reply.text.unwrap_or_default(),
        calls: calls.collect(),
        finish: match reply.finish {
            FinishReason::Stop | FinishReason::ToolCalls => None,
            FinishReason::Length => Some("length".to_owned()),
            FinishReason::Filter => Some("content_filter".to_owned()),
            FinishReason::Other(reason) => Some(reason),
        },
        usage: [reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens],
    };
    Ok(match reply.fault {
        None => Answer::Whole(said),
        Some(Fault::CutAfter(bytes)) => Answer::Cut(said, bytes),
        Some(Fault::Status { status, headers, body }) => {
            Answer::Other { status, headers: headers.into_iter().collect(), body }
        }
        Some(Fault::Garbage(body)) => Answer::Other { status: 200, headers: Vec::new(), body },
        Some(Fault::Stall(time)) => Answer::Late(said, time),
        Some(Fault::Error(_)) => return Err(format!("line {line} is of a recording")),
    })
}
