//! Anthropic's messages on the wire.

use serde_json::{Value, json};

use super::{Asked, Said, conversation, http};

/// The only model that the server has.
const MODEL: &str = "scripted";

/// What every reply begins with, and every request has to bring back untouched.
fn thinking() -> Value {
    json!({ "type": "thinking", "thinking": "Let me see.", "signature": "EqQBCkYIBxgCKkDn==" })
}

/// The body of `GET /v1/models`.
pub(super) fn models() -> Value {
    json!({
        "data": [{
            "type": "model", "id": MODEL, "display_name": "Scripted",
            "created_at": "2026-01-02T00:00:00Z",
        }],
        "has_more": false, "first_id": MODEL, "last_id": MODEL,
    })
}

/// Reads a request.
pub(super) fn parse(request: &http::Request, body: &Value) -> Result<Asked, String> {
    if request.header("x-api-key").is_none() || request.header("anthropic-version").is_none() {
        return Err("neither `x-api-key` nor `anthropic-version` may be missing".to_owned());
    }
    if body["model"] != MODEL || body["stream"] != true || body["max_tokens"].as_u64().is_none() {
        return Err("`model`, `stream` or `max_tokens` is wrong".to_owned());
    }
    let ephemeral = json!({ "type": "ephemeral" });
    if body["cache_control"] != ephemeral || body["system"][0]["cache_control"] != ephemeral {
        return Err("a breakpoint for the cache is missing".to_owned());
    }
    let tools = tools(&body["tools"])?;
    let choice = body["tool_choice"]["type"].as_str();
    let schema = body["output_config"]["format"]["type"] == "json_schema";
    let purpose = conversation::purpose(&tools, choice, "any", schema)?;
    let messages = messages(body)?;
    Ok(Asked { purpose: Some(purpose), messages, tools })
}

fn tools(tools: &Value) -> Result<Value, String> {
    let function = |tool: &Value| {
        let Value::Object(tool) = tool else { return Value::Null };
        json!({ "type": "function", "function": {
            "name": tool["name"], "description": tool["description"],
            "parameters": tool["input_schema"],
        } })
    };
    let tools = tools.as_array().map(|tools| tools.iter().map(function).collect());
    let tools = tools.map_or(Value::Null, Value::Array);
    conversation::check_tools(&tools)?;
    Ok(tools)
}

/// The conversation in the terms of OpenAI's, in which it is compared with others.
fn messages(body: &Value) -> Result<Vec<Value>, String> {
    let system = body["system"][0]["text"].clone();
    let mut told = vec![json!({ "role": "system", "content": system })];
    let mut open: Vec<String> = Vec::new();
    let mut last = "assistant";
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = match message["role"].as_str() {
            Some("user") if last == "assistant" => "user",
            Some("assistant") if last == "user" => "assistant",
            role => return Err(format!("a message of {role:?} after one of {last}")),
        };
        last = role;
        let blocks = message["content"].as_array().filter(|blocks| !blocks.is_empty());
        let blocks = blocks.ok_or_else(|| format!("a message without blocks: {message}"))?;
        if role == "assistant" {
            told.push(assistant(blocks, &mut open)?);
        } else {
            told.extend(user(blocks, &mut open)?);
        }
    }
    if last != "user" || !open.is_empty() {
        return Err(format!("the last message is of {last}, and {open:?} wait for results"));
    }
    Ok(told)
}

fn assistant(blocks: &[Value], open: &mut Vec<String>) -> Result<Value, String> {
    if blocks[0] != thinking() {
        return Err(format!("the thinking did not come back: {}", blocks[0]));
    }
    let (mut words, mut calls) = (String::new(), Vec::new());
    for block in &blocks[1..] {
        match block["type"].as_str() {
            Some("text") => words.push_str(block["text"].as_str().unwrap_or_default()),
            Some("tool_use") if block["input"].is_object() => {
                let function =
                    json!({ "name": block["name"], "arguments": block["input"].to_string() });
                calls.push(json!({ "id": block["id"], "type": "function", "function": function }));
                open.push(block["id"].as_str().unwrap_or_default().to_owned());
            }
            _ => return Err(format!("a block of a reply: {block}")),
        }
    }
    if words.trim().is_empty() && calls.is_empty() {
        return Err("a reply that says nothing".to_owned());
    }
    Ok(json!({ "role": "assistant", "content": words, "tool_calls": calls }))
}

fn user(blocks: &[Value], open: &mut Vec<String>) -> Result<Vec<Value>, String> {
    let mut told = Vec::new();
    for block in blocks {
        match block["type"].as_str() {
            Some("tool_result") => {
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                let at = open.iter().position(|known| known == id);
                let at = at.ok_or_else(|| format!("a result for {id:?}, which is no open call"))?;
                open.remove(at);
                told.push(json!({
                    "role": "tool", "tool_call_id": id, "content": block["content"],
                }));
            }
            // Results come before what else the user says.
            Some("text") if open.is_empty() && block["text"] != "" => {
                told.push(json!({ "role": "user", "content": block["text"] }));
            }
            _ => return Err(format!("a block of the user's: {block}, while {open:?} wait")),
        }
    }
    Ok(told)
}

/// A reply as server-sent events.
pub(super) fn reply(said: &Said) -> String {
    let [input, cached, output] = said.usage;
    let mut events = vec![
        json!({ "type": "message_start", "message": {
            "id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant",
            "content": [], "model": MODEL, "stop_reason": null, "stop_sequence": null,
            "usage": {
                "input_tokens": input - cached, "cache_read_input_tokens": cached,
                "cache_creation_input_tokens": 0, "output_tokens": 1,
            },
        } }),
        json!({ "type": "ping" }),
    ];
    let mut index = 0;
    let mut block = |first: Value, deltas: Vec<Value>| {
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": first }));
        for delta in deltas {
            events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
        index += 1;
    };
    let thinking = thinking();
    block(
        json!({ "type": "thinking", "thinking": "", "signature": "" }),
        vec![
            json!({ "type": "thinking_delta", "thinking": thinking["thinking"] }),
            json!({ "type": "signature_delta", "signature": thinking["signature"] }),
        ],
    );
    if !said.text.is_empty() {
        let pieces = conversation::pieces(&said.text, 4).into_iter();
        let deltas = pieces.map(|text| json!({ "type": "text_delta", "text": text }));
        block(json!({ "type": "text", "text": "" }), deltas.collect());
    }
    for call in &said.calls {
        let pieces = conversation::pieces(&call.arguments, 9).into_iter();
        let deltas = pieces.map(|json| json!({ "type": "input_json_delta", "partial_json": json }));
        let first = json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": {} });
        block(first, deltas.collect());
    }
    let usual = if said.calls.is_empty() { "end_turn" } else { "tool_use" };
    let reason = match said.finish.as_deref() {
        None => usual,
        Some("length") => "max_tokens",
        Some("content_filter") => "refusal",
        Some(other) => other,
    };
    events.push(json!({
        "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null },
        "usage": { "output_tokens": output },
    }));
    events.push(json!({ "type": "message_stop" }));
    conversation::named_events(&events)
}
