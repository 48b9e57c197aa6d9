//! OpenAI's chat completions on the wire.

use serde_json::{Value, json};

use super::{Asked, Purpose, Said, conversation};

/// The only model that the server has.
const MODEL: &str = "scripted";

/// The body of `GET /v1/models`.
pub(super) fn models() -> Value {
    json!({
        "object": "list",
        "data": [{ "id": MODEL, "object": "model", "created": 1_700_000_000, "owned_by": "tests" }],
    })
}

/// Reads a chat request.
pub(super) fn parse(body: &Value) -> Result<Asked, String> {
    if body["model"] != MODEL {
        return Err(format!("the model is {}", body["model"]));
    }
    if body["stream"] != true || body["stream_options"]["include_usage"] != true {
        return Err("neither `stream` nor `include_usage` may be missing".to_owned());
    }
    let tools = body["tools"].clone();
    conversation::check_tools(&tools)?;
    let purpose = match (&tools, body["tool_choice"].as_str()) {
        (Value::Null, None) => Purpose::EditPlan,
        (Value::Null, Some(choice)) => return Err(format!("`{choice}` chosen, but no tools")),
        (_, Some("none")) => Purpose::Response,
        (_, None | Some("auto" | "required")) => Purpose::Decide,
        (_, Some(choice)) => return Err(format!("no such tool choice: `{choice}`")),
    };
    let messages = conversation::messages(body)?;
    check_results(&messages)?;
    Ok(Asked { purpose: Some(purpose), messages, tools })
}

/// Every call is answered by exactly one result, right after the message that holds it.
fn check_results(messages: &[Value]) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(position) = open.iter().position(|known| *known == id) else {
                return Err(format!("a result for {id:?}, which is no open call"));
            };
            open.remove(position);
            continue;
        }
        if let Some(id) = open.first() {
            return Err(format!("the call {id:?} has no result"));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let named = call["function"]["name"].is_string();
            if call["type"] != "function" || !named || !call["function"]["arguments"].is_string() {
                return Err(format!("a badly formed tool call: {call}"));
            }
            let Some(id) = call["id"].as_str().filter(|id| !open.contains(id)) else {
                return Err(format!("a call without an id of its own: {call}"));
            };
            open.push(id);
        }
        if message["content"].as_str().is_none_or(str::is_empty) && open.is_empty() {
            return Err(format!("a message with neither content nor calls: {message}"));
        }
    }
    open.first().map_or(Ok(()), |id| Err(format!("the call {id:?} has no result")))
}

/// A reply as server-sent events.
pub(super) fn reply(said: &Said) -> String {
    let mut events = Vec::new();
    let content = if said.calls.is_empty() { json!("") } else { Value::Null };
    events.push(delta(&json!({ "role": "assistant", "content": content, "refusal": null })));
    for piece in conversation::pieces(&said.text, 4) {
        events.push(delta(&json!({ "content": piece })));
    }
    for (index, call) in said.calls.iter().enumerate() {
        let function = json!({ "name": call.name, "arguments": "" });
        events.push(delta(&json!({ "tool_calls": [{
            "index": index, "id": call.id, "type": "function", "function": function,
        }] })));
        for piece in conversation::pieces(&call.arguments, 9) {
            let function = json!({ "arguments": piece });
            events
                .push(delta(&json!({ "tool_calls": [{ "index": index, "function": function }] })));
        }
    }
    let usual = if said.calls.is_empty() { "stop" } else { "tool_calls" };
    let finish = said.finish.as_deref().unwrap_or(usual);
    events.push(chunk(&json!([{
        "index": 0, "delta": {}, "logprobs": null, "finish_reason": finish,
    }])));
    let [input, cached, output] = said.usage;
    let mut last = chunk(&json!([]));
    last["usage"] = json!({
        "prompt_tokens": input,
        "completion_tokens": output,
        "total_tokens": input + output,
        "prompt_tokens_details": { "cached_tokens": cached, "audio_tokens": 0 },
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    });
    events.push(last);
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    events + "data: [DONE]\n\n"
}

fn delta(delta: &Value) -> Value {
    chunk(&json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": null }]))
}

fn chunk(choices: &Value) -> Value {
    json!({
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion.chunk",
        "created": 1_741_569_952,
        "model": MODEL,
        "service_tier": "default",
        "system_fingerprint": "fp_44709d6fcb",
        "choices": choices,
        "usage": null,
    })
}
