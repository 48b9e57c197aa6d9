//! The request of `streamGenerateContent`.

use std::borrow::Cow;

use crate::pieces::Pieces;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::conversations::{Conversations, Layout, Place};
use crate::wire::turns::{self, Turn};
use crate::wire::{CallResult, Piece, is_object, pieces};
use crate::{Dialect, Message, OutputSchema, Request, ToolChoice, ToolSpec};

/// The documented stand-in for the signature of a call that Gemini did not make.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// What stands before the conversation: the same throughout a session.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instructions<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tools<'r>; 1]>,
}

/// What stands behind it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tail<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig>,
    #[serde(skip_serializing_if = "GenerationConfig::is_empty")]
    generation_config: GenerationConfig<'r>,
}

#[derive(Serialize)]
struct Instructions<'r> {
    parts: [TextPart<'r>; 1],
}

#[derive(Serialize)]
struct TextPart<'r> {
    text: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'r> {
    function_declarations: Vec<Declaration<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'r> {
    name: &'r str,
    description: &'r str,
    parameters_json_schema: &'r Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig {
    function_calling_config: Mode,
}

#[derive(Serialize)]
struct Mode {
    mode: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'r Value>,
}

impl GenerationConfig<'_> {
    fn is_empty(&self) -> bool {
        self.temperature.is_none()
            && self.max_output_tokens.is_none()
            && self.response_json_schema.is_none()
    }
}

pub(super) fn body(request: &Request, conversations: &Conversations) -> serde_json::Result<Pieces> {
    let functions: Vec<_> = request.tools.iter().map(Declaration::from).collect();
    let head = Head {
        system_instruction: turns::instructions(request)
            .map(|text| Instructions { parts: [TextPart { text }] }),
        tools: (!functions.is_empty()).then_some([Tools { function_declarations: functions }]),
    };
    let mode = match request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("NONE"),
        ToolChoice::Required => Some("ANY"),
    };
    let schema = request.output.as_ref().map(|OutputSchema { schema, .. }| schema);
    let tail = Tail {
        tool_config: mode
            .filter(|_| !request.tools.is_empty())
            .map(|mode| ToolConfig { function_calling_config: Mode { mode } }),
        generation_config: GenerationConfig {
            temperature: request.temperature,
            max_output_tokens: request.max_output_tokens,
            response_mime_type: schema.map(|_| "application/json"),
            response_json_schema: schema,
        },
    };
    conversations.body(&head, request, &tail)
}

impl<'r> From<&'r ToolSpec> for Declaration<'r> {
    fn from(spec: &'r ToolSpec) -> Self {
        let ToolSpec { name, description, parameters } = spec;
        Self { name, description, parameters_json_schema: parameters }
    }
}

/// How conversations are written. All results of one reply's calls stand in one message, and
/// nothing else stands there.
pub(super) const UNSIGNED: Layout =
    Layout { member: "contents", write: write_unsigned, close: turns::CLOSE };

/// The same with a placeholder where the first call of a reply has no signature.
pub(super) const SIGNED: Layout =
    Layout { member: "contents", write: write_signed, close: turns::CLOSE };

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WirePart<'m> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<FunctionCall<'m>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_response: Option<FunctionResponse<'m>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'m str>,
}

#[derive(Serialize)]
struct FunctionCall<'m> {
    id: &'m str,
    name: Cow<'m, str>,
    args: Box<RawValue>,
}

#[derive(Serialize)]
struct FunctionResponse<'m> {
    id: &'m str,
    name: Cow<'m, str>,
    response: Box<RawValue>,
}

fn turn(message: &Message) -> Option<Turn> {
    let (role, kind) = match message {
        Message::System(_) => return None,
        Message::User(_) => ("user", "user"),
        Message::Tool(_) => ("user", "tool"),
        Message::Assistant(_) => ("model", "model"),
    };
    Some(Turn { role, member: "parts", kind })
}

fn write_unsigned(
    place: Place<'_>,
    message: &Message,
    bytes: &mut Vec<u8>,
) -> serde_json::Result<()> {
    write(place, message, None, bytes)
}

fn write_signed(
    place: Place<'_>,
    message: &Message,
    bytes: &mut Vec<u8>,
) -> serde_json::Result<()> {
    write(place, message, Some(NO_SIGNATURE), bytes)
}

fn write(
    place: Place<'_>,
    message: &Message,
    placeholder: Option<&str>,
    bytes: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let Some(this) = turn(message) else { return Ok(()) };
    turns::open(place.before.and_then(turn), this, bytes);
    let pieces = pieces(message, Dialect::Gemini, place.model);
    // A signature stands before the part that it belongs to.
    let mut signature: Option<&str> = None;
    let signed = pieces.iter().any(|piece| matches!(piece, Piece::Opaque(_)));
    let mut placeholder = placeholder.filter(|_| !signed);
    let mut parts = Vec::new();
    for piece in &pieces {
        let (mut text, mut function_call, mut function_response) = (None, None, None);
        match piece {
            Piece::System(words) | Piece::User(words) | Piece::Words(words) => text = Some(*words),
            Piece::Call(call) => {
                // Only the first call of a reply carries a signature.
                signature = signature.or(placeholder.take());
                let (name, args) = (call.name.clone(), call.object()?);
                function_call = Some(FunctionCall { id: call.id, name, args });
            }
            Piece::Result(result) => function_response = Some(response(result)?),
            Piece::Opaque(opaque) => {
                match opaque.get("thoughtSignature").and_then(Value::as_str) {
                    Some(next) if opaque.as_object().is_some_and(|all| all.len() == 1) => {
                        signature = Some(next);
                    }
                    // A part of its own.
                    Some(_) | None => parts.push(serde_json::to_string(opaque)?),
                }
                continue;
            }
        }
        let thought_signature = signature.take();
        let part = WirePart { text, function_call, function_response, thought_signature };
        parts.push(serde_json::to_string(&part)?);
    }
    bytes.extend_from_slice(parts.join(",").as_bytes());
    Ok(())
}

/// A response is an object; other text is put into one.
fn response<'m>(result: &CallResult<'m>) -> serde_json::Result<FunctionResponse<'m>> {
    let CallResult { id, name, content } = result;
    let text = match is_object(content) {
        true => (*content).to_owned(),
        false => serde_json::json!({ "output": content }).to_string(),
    };
    Ok(FunctionResponse { id, name: name.clone(), response: RawValue::from_string(text)? })
}

#[cfg(test)]
mod tests;
