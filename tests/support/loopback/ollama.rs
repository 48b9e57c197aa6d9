//! Ollama's chat on the wire.

use serde_json::{Value, json};

use super::{Asked, Purpose, Said, conversation};

/// The only model that the server has.
const MODEL: &str = "scripted:latest";

/// The body of `GET /api/tags`.
pub(super) fn models() -> Value {
    json!({ "models": [{
        "name": MODEL,
        "model": MODEL,
        "modified_at": "2026-01-02T03:04:05.678901234Z",
        "size": 1_117_320_512,
        "digest": "2bada8a7450677000f678be90653b85d364de7db25eb5ea54136ada5f3933730",
        "details": {
            "parent_model": "", "format": "gguf", "family": "tests", "families": ["tests"],
            "parameter_size": "1.5B", "quantization_level": "Q4_K_M",
        },
    }] })
}

/// The body of `POST /api/show`.
pub(super) fn shown() -> Value {
    json!({
        "capabilities": ["completion", "tools"],
        "model_info": { "general.architecture": "tests", "tests.context_length": 131_072 },
    })
}

/// Where a completion is asked for, which is no conversation.
pub(super) const GENERATE: &str = "/api/generate";

/// Reads a request for a completion.
pub(super) fn parse_completion(body: &Value) -> Result<Asked, String> {
    check_head(body)?;
    for member in ["messages", "tools", "raw", "context"] {
        if !body[member].is_null() {
            return Err(format!("`{member}` in a request for a completion"));
        }
    }
    let text = |member: &str| body[member].as_str().filter(|text| !text.is_empty());
    let prompt = text("prompt").ok_or_else(|| format!("the prompt is {}", body["prompt"]))?;
    let system = text("system").map(|text| json!({ "role": "system", "content": text }));
    let user = json!({ "role": "user", "content": prompt });
    let messages = system.into_iter().chain([user]).collect();
    Ok(Asked { purpose: Some(Purpose::EditPlan), messages, tools: Value::Null })
}

fn check_head(body: &Value) -> Result<(), String> {
    if body["model"] != MODEL {
        return Err(format!("the model is {}", body["model"]));
    }
    if body["stream"] != true {
        return Err(format!("`stream` is {}", body["stream"]));
    }
    Ok(())
}

/// Reads a chat request.
pub(super) fn parse(body: &Value) -> Result<Asked, String> {
    check_head(body)?;
    let tools = body["tools"].clone();
    conversation::check_tools(&tools)?;
    // The dialect has no word for "no tools now", so an answer in words looks like a decision.
    let purpose = if tools.is_null() { Some(Purpose::EditPlan) } else { None };
    let messages = conversation::messages(body)?;
    check_results(&messages)?;
    Ok(Asked { purpose, messages, tools })
}

/// Every call is answered by one result, in order: the dialect pairs them by name and place.
fn check_results(messages: &[Value]) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if message["role"] == "tool" {
            let name = message["tool_name"].as_str().unwrap_or_default();
            if open.first() != Some(&name) {
                return Err(format!("a result of {name:?}, while {open:?} wait for theirs"));
            }
            open.remove(0);
            continue;
        }
        if let Some(name) = open.first() {
            return Err(format!("a call of {name:?} has no result"));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let name = call["function"]["name"].as_str();
            let Some(name) = name.filter(|_| call["function"]["arguments"].is_object()) else {
                return Err(format!("a badly formed tool call: {call}"));
            };
            open.push(name);
        }
        if message["content"].as_str().is_none_or(str::is_empty) && open.is_empty() {
            return Err(format!("a message with neither content nor calls: {message}"));
        }
    }
    open.first().map_or(Ok(()), |name| Err(format!("a call of {name:?} has no result")))
}

/// A reply as JSON lines.
pub(super) fn reply(said: &Said) -> String {
    let mut lines = Vec::new();
    for piece in conversation::pieces(&said.text, 4) {
        lines.push(line(&json!({ "role": "assistant", "content": piece })));
    }
    for call in &said.calls {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let function = json!({ "name": call.name, "arguments": arguments });
        lines.push(line(&json!({
            "role": "assistant", "content": "", "tool_calls": [{ "function": function }],
        })));
    }
    lines.push(ended(line(&json!({ "role": "assistant", "content": "" })), said));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The same as the reply to a completion, which is words alone.
pub(super) fn completion(said: &Said) -> String {
    let line = |text: &str| {
        json!({
            "model": MODEL,
            "created_at": "2026-01-02T03:04:05.678901234Z",
            "response": text,
            "done": false,
        })
    };
    let pieces = conversation::pieces(&said.text, 4);
    let mut lines: Vec<Value> = pieces.iter().map(|piece| line(piece)).collect();
    lines.push(ended(line(""), said));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The last line of a reply.
fn ended(mut last: Value, said: &Said) -> Value {
    let [input, _cached, output] = said.usage;
    last["done_reason"] = json!(said.finish.as_deref().unwrap_or("stop"));
    last["done"] = json!(true);
    last["total_duration"] = json!(4_883_583_458_u64);
    last["load_duration"] = json!(1_334_875);
    last["prompt_eval_count"] = json!(input);
    last["prompt_eval_duration"] = json!(342_546_000);
    last["eval_count"] = json!(output);
    last["eval_duration"] = json!(4_535_599_000_u64);
    last
}

fn line(message: &Value) -> Value {
    json!({
        "model": MODEL,
        "created_at": "2026-01-02T03:04:05.678901234Z",
        "message": message,
        "done": false,
    })
}
