//! Gemini's `streamGenerateContent` on the wire.

use serde_json::{Value, json};

use super::{Asked, Said, conversation, http};

/// What the first call of every reply carries, and every request has to bring back with it.
const SIGNATURE: &str = "CiQBjz1rX0hiddenthoughts==";

/// The body of `GET /v1beta/models`.
pub(super) fn models() -> Value {
    json!({ "models": [
        {
            "name": "models/scripted", "displayName": "Scripted", "inputTokenLimit": 1_048_576,
            "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        { "name": "models/embedder", "supportedGenerationMethods": ["embedContent"] },
    ] })
}

/// Reads a request.
pub(super) fn parse(request: &http::Request, body: &Value) -> Result<Asked, String> {
    if request.header("x-goog-api-key").is_none() {
        return Err("`x-goog-api-key` is missing".to_owned());
    }
    let tools = tools(&body["tools"])?;
    let choice = match body["toolConfig"]["functionCallingConfig"]["mode"].as_str() {
        Some("NONE") => Some("none"),
        Some("ANY") => Some("any"),
        other => other,
    };
    let config = &body["generationConfig"];
    let schema = config["responseMimeType"] == "application/json"
        && config["responseJsonSchema"].is_object();
    let purpose = conversation::purpose(&tools, choice, "any", schema)?;
    let messages = messages(body)?;
    Ok(Asked { purpose: Some(purpose), messages, tools })
}

fn tools(tools: &Value) -> Result<Value, String> {
    let declared = tools[0]["functionDeclarations"].as_array();
    let function = |tool: &Value| {
        json!({ "type": "function", "function": {
            "name": tool["name"], "description": tool["description"],
            "parameters": tool["parametersJsonSchema"],
        } })
    };
    let tools = declared.map(|tools| tools.iter().map(function).collect());
    let tools = tools.map_or(Value::Null, Value::Array);
    conversation::check_tools(&tools)?;
    Ok(tools)
}

/// The conversation in the terms of OpenAI's, in which it is compared with others.
fn messages(body: &Value) -> Result<Vec<Value>, String> {
    let system = &body["systemInstruction"]["parts"][0]["text"];
    let mut told = vec![json!({ "role": "system", "content": system })];
    let mut open: Vec<String> = Vec::new();
    let mut last = "nobody";
    for content in body["contents"].as_array().into_iter().flatten() {
        let parts = content["parts"].as_array().filter(|parts| !parts.is_empty());
        let parts = parts.ok_or_else(|| format!("contents without parts: {content}"))?;
        match content["role"].as_str() {
            Some("model") if open.is_empty() => {
                last = "model";
                told.push(model(parts, &mut open)?);
            }
            Some("user") if parts.iter().all(|part| part["functionResponse"].is_object()) => {
                last = "user";
                for part in parts {
                    told.push(result(&part["functionResponse"], &mut open)?);
                }
            }
            Some("user")
                if open.is_empty() && parts.iter().all(|part| part["text"].is_string()) =>
            {
                last = "user";
                for part in parts {
                    told.push(json!({ "role": "user", "content": part["text"] }));
                }
            }
            role => return Err(format!("contents of {role:?}, while {open:?} wait: {content}")),
        }
    }
    if last != "user" || !open.is_empty() {
        return Err(format!("the last contents are of {last}, and {open:?} wait for results"));
    }
    Ok(told)
}

fn model(parts: &[Value], open: &mut Vec<String>) -> Result<Value, String> {
    let (mut words, mut calls) = (String::new(), Vec::new());
    for part in parts {
        let signed = part["thoughtSignature"] == SIGNATURE;
        let call = &part["functionCall"];
        if call.is_object() {
            if signed != calls.is_empty() || !call["args"].is_object() {
                return Err(format!("a call without its signature or arguments: {part}"));
            }
            let id = call["id"].as_str().unwrap_or_default();
            let function = json!({ "name": call["name"], "arguments": call["args"].to_string() });
            calls.push(json!({ "id": id, "type": "function", "function": function }));
            open.push(id.to_owned());
        } else {
            let text = part["text"].as_str();
            words.push_str(text.ok_or_else(|| format!("a part of a reply: {part}"))?);
        }
    }
    Ok(json!({ "role": "assistant", "content": words, "tool_calls": calls }))
}

fn result(response: &Value, open: &mut Vec<String>) -> Result<Value, String> {
    let id = response["id"].as_str().unwrap_or_default();
    let at = open.iter().position(|known| known == id);
    let at = at.ok_or_else(|| format!("a response for {id:?}, which is no open call"))?;
    open.remove(at);
    let inner = &response["response"];
    if !inner.is_object() {
        return Err(format!("a response that is no object: {inner}"));
    }
    Ok(json!({ "role": "tool", "tool_call_id": id, "content": inner.to_string() }))
}

/// A reply as server-sent events.
pub(super) fn reply(said: &Said) -> String {
    let [input, cached, output] = said.usage;
    let usage = json!({
        "promptTokenCount": input, "cachedContentTokenCount": cached,
        "candidatesTokenCount": output, "totalTokenCount": input + output,
    });
    let chunk = |part: Value, finish: Option<&str>| {
        let mut candidate = json!({ "content": { "parts": [part], "role": "model" }, "index": 0 });
        if let Some(finish) = finish {
            candidate["finishReason"] = json!(finish);
        }
        json!({
            "candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted",
            "responseId": "Il0taoSYJ5Cez7IP",
        })
    };
    let mut chunks = Vec::new();
    for piece in conversation::pieces(&said.text, 4) {
        chunks.push(chunk(json!({ "text": piece }), None));
    }
    for (number, call) in said.calls.iter().enumerate() {
        let args: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let function = json!({ "id": call.id, "name": call.name, "args": args });
        let mut part = json!({ "functionCall": function });
        if number == 0 {
            part["thoughtSignature"] = json!(SIGNATURE);
        }
        chunks.push(chunk(part, None));
    }
    let reason = match said.finish.as_deref() {
        None => "STOP",
        Some("length") => "MAX_TOKENS",
        Some("content_filter") => "SAFETY",
        Some(other) => other,
    };
    chunks.push(chunk(json!({ "text": "" }), Some(reason)));
    chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}
