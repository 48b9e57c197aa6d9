//! OpenAI's Responses API on the wire.

use serde_json::{Value, json};

use super::{Asked, Said, conversation};

/// The only model that the server has.
const MODEL: &str = "scripted";

/// What every reply begins with, and every request has to bring back untouched.
fn reasoning() -> Value {
    json!({
        "id": "rs_67c96f5b", "type": "reasoning", "summary": [],
        "encrypted_content": "gAAAAABo0hiddenthoughts==",
    })
}

/// Reads a request.
pub(super) fn parse(body: &Value) -> Result<Asked, String> {
    if body["model"] != MODEL || body["stream"] != true || body["store"] != false {
        return Err("`model`, `stream` or `store` is wrong".to_owned());
    }
    if body["include"] != json!(["reasoning.encrypted_content"]) {
        return Err(format!("`include` is {}", body["include"]));
    }
    let tools = tools(&body["tools"])?;
    let choice = body["tool_choice"].as_str();
    let schema = body["text"]["format"]["type"] == "json_schema";
    let purpose = conversation::purpose(&tools, choice, "required", schema)?;
    let messages = messages(body)?;
    Ok(Asked { purpose: Some(purpose), messages, tools })
}

fn tools(tools: &Value) -> Result<Value, String> {
    let mut told = Vec::new();
    for tool in tools.as_array().into_iter().flatten() {
        if tool["strict"] != false {
            return Err(format!("a tool with optional parameters can't be strict: {tool}"));
        }
        told.push(json!({ "type": tool["type"], "function": {
            "name": tool["name"], "description": tool["description"],
            "parameters": tool["parameters"],
        } }));
    }
    let tools = if tools.is_null() { Value::Null } else { Value::Array(told) };
    conversation::check_tools(&tools)?;
    Ok(tools)
}

/// The conversation in the terms of chat completions, in which it is compared with others.
fn messages(body: &Value) -> Result<Vec<Value>, String> {
    let mut told = vec![json!({ "role": "system", "content": body["instructions"] })];
    let mut open: Vec<String> = Vec::new();
    // The reply that is being read: what of it has come.
    let mut reply: Option<Value> = None;
    for item in body["input"].as_array().into_iter().flatten() {
        let role = item["role"].as_str();
        match (item["type"].as_str(), &mut reply) {
            (Some("reasoning"), None) if *item == reasoning() => {
                reply = Some(json!({ "role": "assistant", "content": "", "tool_calls": [] }));
            }
            (Some("message"), Some(reply)) if role == Some("assistant") => {
                reply["content"] = item["content"].clone();
            }
            (Some("function_call"), Some(reply)) if item["arguments"].is_string() => {
                let function = json!({ "name": item["name"], "arguments": item["arguments"] });
                let id = item["call_id"].as_str().unwrap_or_default();
                let call = json!({ "id": id, "type": "function", "function": function });
                open.push(id.to_owned());
                if let Some(calls) = reply["tool_calls"].as_array_mut() {
                    calls.push(call);
                }
            }
            (Some("function_call_output"), _) if item["output"].is_string() => {
                told.extend(reply.take());
                let id = item["call_id"].as_str().unwrap_or_default();
                let at = open.iter().position(|known| known == id);
                let at = at.ok_or_else(|| format!("a result for {id:?}, which is no open call"))?;
                open.remove(at);
                let (role, content) = ("tool", &item["output"]);
                told.push(json!({ "role": role, "tool_call_id": id, "content": content }));
            }
            (Some("message"), _) if role == Some("user") && open.is_empty() => {
                told.extend(reply.take());
                told.push(json!({ "role": "user", "content": item["content"] }));
            }
            _ => return Err(format!("an item out of place: {item}, while {open:?} wait")),
        }
    }
    if reply.is_some() || !open.is_empty() {
        return Err(format!("the conversation ends with a reply, and {open:?} wait for results"));
    }
    Ok(told)
}

/// A reply as server-sent events.
pub(super) fn reply(said: &Said) -> String {
    let mut events = vec![
        event("created", json!({ "response": { "status": "in_progress", "error": null } })),
        event("in_progress", json!({ "response": { "status": "in_progress" } })),
    ];
    let mut output = Vec::new();
    let mut item = |begun: Value, kind: &str, pieces: Vec<String>, done: Value| {
        let place = output.len();
        let id = done["id"].clone();
        events.push(event("output_item.added", json!({ "output_index": place, "item": begun })));
        for piece in pieces {
            let delta = json!({ "output_index": place, "item_id": id, "delta": piece });
            events.push(event(kind, delta));
        }
        events.push(event("output_item.done", json!({ "output_index": place, "item": done })));
        output.push(done);
    };
    let begun = json!({ "id": "rs_67c96f5b", "type": "reasoning", "summary": [] });
    item(begun, "reasoning_summary_text.delta", Vec::new(), reasoning());
    if !said.text.is_empty() {
        let message = |content: Value| json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": content });
        let text = json!([{ "type": "output_text", "text": said.text, "annotations": [] }]);
        let pieces = conversation::pieces(&said.text, 4);
        item(message(json!([])), "output_text.delta", pieces, message(text));
    }
    for (number, call) in said.calls.iter().enumerate() {
        let function = |arguments: &str| {
            json!({
                "id": format!("fc_{number}"), "type": "function_call", "call_id": call.id,
                "name": call.name, "arguments": arguments,
            })
        };
        let pieces = conversation::pieces(&call.arguments, 9);
        let done = function(&call.arguments);
        item(function(""), "function_call_arguments.delta", pieces, done);
    }
    let (status, reason) = match said.finish.as_deref() {
        None => ("completed", None),
        Some("length") => ("incomplete", Some("max_output_tokens")),
        Some(other) => ("incomplete", Some(other)),
    };
    let [input, cached, tokens] = said.usage;
    events.push(event(
        status,
        json!({ "response": {
            "id": "resp_67ccd2bed1ec8190", "object": "response", "status": status, "error": null,
            "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
            "output": output,
            "usage": {
                "input_tokens": input, "input_tokens_details": { "cached_tokens": cached },
                "output_tokens": tokens, "output_tokens_details": { "reasoning_tokens": 0 },
                "total_tokens": input + tokens,
            },
        } }),
    ));
    conversation::named_events(&events)
}

fn event(kind: &str, mut rest: Value) -> Value {
    rest["type"] = json!(format!("response.{kind}"));
    rest
}
