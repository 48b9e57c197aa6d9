//! The request of `/responses`.

use std::borrow::Cow;

use crate::pieces::Pieces;
use serde::Serialize;
use serde_json::Value;

use crate::conversations::{Conversations, Layout, Place, separate};
use crate::wire::turns::instructions;
use crate::wire::{Piece, pieces};
use crate::{Dialect, Message, OutputSchema, Request, ToolChoice, ToolSpec};

/// What stands before the conversation: the same throughout a session.
#[derive(Serialize)]
struct Head<'r> {
    model: &'r str,
    stream: bool,
    store: bool,
    include: [&'static str; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'r str>,
}

/// What stands behind it.
#[derive(Serialize)]
struct Tail<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
}

#[derive(Serialize)]
struct WireTool<'r> {
    r#type: &'static str,
    name: &'r str,
    description: &'r str,
    parameters: &'r Value,
    strict: bool,
}

#[derive(Serialize)]
struct Text<'r> {
    format: TextFormat<'r>,
}

#[derive(Serialize)]
struct TextFormat<'r> {
    r#type: &'static str,
    name: &'r str,
    schema: &'r Value,
}

pub(super) fn body(
    model: &str,
    request: &Request,
    conversations: &Conversations,
) -> serde_json::Result<Pieces> {
    let head = Head {
        model,
        stream: true,
        store: false,
        include: ["reasoning.encrypted_content"],
        tools: request.tools.iter().map(WireTool::from).collect(),
        instructions: instructions(request),
    };
    let tool_choice = match request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none"),
        ToolChoice::Required => Some("required"),
    };
    let tail = Tail {
        tool_choice: tool_choice.filter(|_| !request.tools.is_empty()),
        text: request.output.as_ref().map(Text::from),
        temperature: request.temperature,
        max_output_tokens: request.max_output_tokens,
    };
    conversations.body(&head, request, &tail)
}

impl<'r> From<&'r ToolSpec> for WireTool<'r> {
    fn from(spec: &'r ToolSpec) -> Self {
        let ToolSpec { name, description, parameters } = spec;
        Self { r#type: "function", name, description, parameters, strict: false }
    }
}

impl<'r> From<&'r OutputSchema> for Text<'r> {
    fn from(output: &'r OutputSchema) -> Self {
        let OutputSchema { name, schema } = output;
        Self { format: TextFormat { r#type: "json_schema", name, schema } }
    }
}

/// How conversations are written: every piece is an item of its own.
pub(super) const LAYOUT: Layout = Layout { member: "input", write, close: "" };

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'m> {
    Message { role: &'static str, content: &'m str },
    FunctionCall { call_id: &'m str, name: Cow<'m, str>, arguments: Cow<'m, str> },
    FunctionCallOutput { call_id: &'m str, output: &'m str },
}

fn write(place: Place<'_>, message: &Message, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
    for piece in pieces(message, Dialect::OpenAiResponses, place.model) {
        let item = match piece {
            Piece::System(_) => continue,
            Piece::User(content) => Item::Message { role: "user", content },
            Piece::Words(content) => Item::Message { role: "assistant", content },
            Piece::Call(call) => {
                let arguments = call.text();
                Item::FunctionCall { call_id: call.id, name: call.name, arguments }
            }
            Piece::Result(result) => {
                Item::FunctionCallOutput { call_id: result.id, output: result.content }
            }
            Piece::Opaque(item) => {
                separate(bytes);
                serde_json::to_writer(&mut *bytes, item)?;
                continue;
            }
        };
        separate(bytes);
        serde_json::to_writer(&mut *bytes, &item)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::Purpose;
    use crate::wire::sample::{full_request, opaque};

    fn body(request: &Request) -> String {
        let all = Conversations::new(LAYOUT, "m");
        String::from_utf8(super::body("m", request, &all).unwrap().to_vec()).unwrap()
    }

    #[test]
    fn a_bare_request_says_little() {
        let user = Arc::new(Message::User("hi".to_owned()));
        let request = Request {
            tool_choice: ToolChoice::Required,
            ..Request::new(Purpose::Decide, vec![user])
        };
        assert_eq!(
            body(&request),
            concat!(
                r#"{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"#,
                r#""input":[{"type":"message","role":"user","content":"hi"}]}"#,
            )
        );
    }

    #[test]
    fn a_full_request_says_everything_and_what_varies_last() {
        let reasoning =
            json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gA=="});
        let request = full_request([
            opaque(Dialect::OpenAiResponses, reasoning),
            opaque(Dialect::Anthropic, json!({"type": "thinking"})),
        ]);
        assert_eq!(
            body(&request),
            concat!(
                r#"{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"#,
                r#""tools":[{"type":"function","name":"read","description":"Reads","parameters":{"type":"object"},"strict":false}],"#,
                r#""instructions":"be brief","#,
                r#""input":[{"type":"message","role":"user","content":"go"},"#,
                r#"{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gA=="},"#,
                r#"{"type":"message","role":"assistant","content":"I "},"#,
                r#"{"type":"message","role":"assistant","content":"read"},"#,
                r#"{"type":"function_call","call_id":"1","name":"read","arguments":"{ \"path\": 1.0 }"},"#,
                r#"{"type":"function_call","call_id":"2","name":"fs_read","arguments":"{\"malformed\":\"{no\"}"},"#,
                r#"{"type":"function_call_output","call_id":"1","output":"t"},"#,
                r#"{"type":"function_call_output","call_id":"2","output":"t"},"#,
                r#"{"type":"message","role":"user","content":"and now?"},"#,
                r#"{"type":"function_call","call_id":"3","name":"read","arguments":"{}"},"#,
                r#"{"type":"function_call_output","call_id":"3","output":"t"}],"#,
                r#""tool_choice":"none","text":{"format":{"type":"json_schema","name":"p","schema":{"type":"object"}}},"#,
                r#""temperature":0.5,"max_output_tokens":64}"#,
            )
        );
    }
}
