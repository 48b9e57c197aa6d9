//! The request of `/v1/messages`.

use crate::pieces::Pieces;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::conversations::{Conversations, Layout, Place};
use crate::wire::turns::{self, Turn};
use crate::wire::{Piece, pieces};
use crate::{Dialect, Message, OutputSchema, Request, ToolChoice, ToolSpec};

/// What stands before the messages: the same throughout a session.
#[derive(Serialize)]
struct Head<'r> {
    model: &'r str,
    max_tokens: u32,
    stream: bool,
    cache_control: CacheControl,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[Instructions<'r>; 1]>,
}

/// What stands behind them.
#[derive(Serialize)]
struct Tail<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Typed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

const EPHEMERAL: CacheControl = CacheControl { r#type: "ephemeral" };

#[derive(Serialize)]
struct WireTool<'r> {
    name: &'r str,
    description: &'r str,
    input_schema: &'r Value,
}

#[derive(Serialize)]
struct Instructions<'r> {
    r#type: &'static str,
    text: &'r str,
    cache_control: CacheControl,
}

#[derive(Serialize)]
struct Typed {
    r#type: &'static str,
}

#[derive(Serialize)]
struct OutputConfig<'r> {
    format: OutputFormat<'r>,
}

#[derive(Serialize)]
struct OutputFormat<'r> {
    r#type: &'static str,
    schema: &'r Value,
}

/// What a model can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Tokens of a reply, where the caller has no wish.
    pub(super) max_tokens: u32,
    /// It thinks before every reply, and can't be made to call a tool.
    pub(super) always_thinks: bool,
}

pub(super) fn body(
    model: &str,
    limits: Limits,
    request: &Request,
    conversations: &Conversations,
) -> serde_json::Result<Pieces> {
    let Limits { max_tokens, always_thinks } = limits;
    let head = Head {
        model,
        max_tokens: request.max_output_tokens.unwrap_or(max_tokens),
        stream: true,
        cache_control: EPHEMERAL,
        tools: request.tools.iter().map(WireTool::from).collect(),
        system: turns::instructions(request)
            .map(|text| [Instructions { r#type: "text", text, cache_control: EPHEMERAL }]),
    };
    let tool_choice = match request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Typed { r#type: "none" }),
        // Refused by models that always think.
        ToolChoice::Required if always_thinks => None,
        ToolChoice::Required => Some(Typed { r#type: "any" }),
    };
    let tail = Tail {
        tool_choice: tool_choice.filter(|_| !request.tools.is_empty()),
        output_config: request.output.as_ref().map(OutputConfig::from),
        temperature: request.temperature,
    };
    conversations.body(&head, request, &tail)
}

impl<'r> From<&'r ToolSpec> for WireTool<'r> {
    fn from(spec: &'r ToolSpec) -> Self {
        let ToolSpec { name, description, parameters } = spec;
        Self { name, description, input_schema: parameters }
    }
}

impl<'r> From<&'r OutputSchema> for OutputConfig<'r> {
    fn from(output: &'r OutputSchema) -> Self {
        Self { format: OutputFormat { r#type: "json_schema", schema: &output.schema } }
    }
}

/// How conversations are written. All results of one reply's calls have to stand in one message,
/// and before what the user says next.
pub(super) const LAYOUT: Layout = Layout { member: "messages", write, close: turns::CLOSE };

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'m> {
    Text { text: &'m str },
    ToolUse { id: &'m str, name: &'m str, input: Box<RawValue> },
    ToolResult { tool_use_id: &'m str, content: &'m str },
}

fn turn(message: &Message) -> Option<Turn> {
    let role = match message {
        Message::System(_) => return None,
        Message::User(_) | Message::Tool(_) => "user",
        Message::Assistant(_) => "assistant",
    };
    Some(Turn { role, member: "content", kind: role })
}

fn write(place: Place<'_>, message: &Message, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
    let Some(this) = turn(message) else { return Ok(()) };
    turns::open(place.before.and_then(turn), this, bytes);
    let mut blocks = pieces(message, Dialect::Anthropic, place.model).into_iter();
    turns::separated(&mut blocks, bytes, |piece, bytes| match piece {
        Piece::System(text) | Piece::User(text) | Piece::Words(text) => {
            serde_json::to_writer(bytes, &Block::Text { text })
        }
        Piece::Call(call) => {
            let input = call.object()?;
            serde_json::to_writer(bytes, &Block::ToolUse { id: call.id, name: &call.name, input })
        }
        Piece::Result(result) => {
            let (tool_use_id, content) = (result.id, result.content);
            serde_json::to_writer(bytes, &Block::ToolResult { tool_use_id, content })
        }
        Piece::Opaque(block) => serde_json::to_writer(bytes, block),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::Purpose;
    use crate::wire::sample::{full_request, opaque};

    const LIMITS: Limits = Limits { max_tokens: 100, always_thinks: false };

    fn body(request: &Request) -> String {
        let all = Conversations::new(LAYOUT, "m");
        String::from_utf8(super::body("m", LIMITS, request, &all).unwrap().to_vec()).unwrap()
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
                r#"{"model":"m","max_tokens":100,"stream":true,"cache_control":{"type":"ephemeral"},"#,
                r#""messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#,
            )
        );
    }

    #[test]
    fn a_full_request_says_everything_and_what_varies_last() {
        let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "EqQB=="});
        let request = full_request([
            opaque(Dialect::Anthropic, thinking),
            opaque(Dialect::Gemini, json!({"thoughtSignature": "x"})),
        ]);
        assert_eq!(
            body(&request),
            concat!(
                r#"{"model":"m","max_tokens":64,"stream":true,"cache_control":{"type":"ephemeral"},"#,
                r#""tools":[{"name":"read","description":"Reads","input_schema":{"type":"object"}}],"#,
                r#""system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],"#,
                r#""messages":[{"role":"user","content":[{"type":"text","text":"go"}]},"#,
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"EqQB=="},"#,
                r#"{"type":"text","text":"I "},{"type":"text","text":"read"},"#,
                r#"{"type":"tool_use","id":"1","name":"read","input":{ "path": 1.0 }},"#,
                r#"{"type":"tool_use","id":"2","name":"fs_read","input":{"malformed":"{no"}}]},"#,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"t"},"#,
                r#"{"type":"tool_result","tool_use_id":"2","content":"t"},"#,
                r#"{"type":"text","text":"and now?"}]},"#,
                r#"{"role":"assistant","content":[{"type":"tool_use","id":"3","name":"read","input":{}}]},"#,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"3","content":"t"}]}],"#,
                r#""tool_choice":{"type":"none"},"#,
                r#""output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},"temperature":0.5}"#,
            )
        );
    }
}
