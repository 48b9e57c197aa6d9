//! Messages as OpenAI's chat completions and Ollama's chat have them: a role, the words, and the
//! calls beside them. The two differ in how a call and a result look.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Call, CallResult, Piece, pieces};
use crate::{Dialect, Message};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// Calls have ids, and arguments that are text.
    OpenAi,
    /// Results are paired with calls by name and order; arguments are an object.
    Ollama,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum WireMessage<'m> {
    System {
        content: &'m str,
    },
    User {
        content: &'m str,
    },
    Assistant {
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'m>>,
    },
    Tool {
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<&'m str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_name: Option<Cow<'m, str>>,
        content: &'m str,
    },
}

#[derive(Serialize)]
struct WireCall<'m> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    function: WireFunction<'m>,
}

#[derive(Serialize)]
struct WireFunction<'m> {
    name: Cow<'m, str>,
    arguments: Arguments<'m>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Arguments<'m> {
    Text(Cow<'m, str>),
    Object(Box<RawValue>),
}

/// Appends a message.
pub(crate) fn write(
    message: &Message,
    flavour: Flavour,
    bytes: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let (dialect, silent) = match flavour {
        Flavour::OpenAi => (Dialect::OpenAiChat, None),
        Flavour::Ollama => (Dialect::Ollama, Some(String::new())),
    };
    let (mut words, mut calls) = (None, Vec::new());
    // Nothing that either of them sends has to come back, so the model does not matter.
    for piece in pieces(message, dialect, "") {
        let whole = match piece {
            Piece::System(content) => WireMessage::System { content },
            Piece::User(content) => WireMessage::User { content },
            Piece::Result(result) => wire_result(result, flavour),
            Piece::Words(text) => {
                words.get_or_insert_with(String::new).push_str(text);
                continue;
            }
            Piece::Call(call) => {
                calls.push(wire_call(call, flavour)?);
                continue;
            }
            Piece::Opaque(_) => continue,
        };
        return serde_json::to_writer(bytes, &whole);
    }
    let message = WireMessage::Assistant { content: words.or(silent), tool_calls: calls };
    serde_json::to_writer(bytes, &message)
}

fn wire_call<'m>(call: Call<'m>, flavour: Flavour) -> serde_json::Result<WireCall<'m>> {
    let (id, r#type, arguments) = match flavour {
        Flavour::OpenAi => (Some(call.id), Some("function"), Arguments::Text(call.text())),
        Flavour::Ollama => (None, None, Arguments::Object(call.object()?)),
    };
    Ok(WireCall { id, r#type, function: WireFunction { name: call.name, arguments } })
}

fn wire_result(result: CallResult<'_>, flavour: Flavour) -> WireMessage<'_> {
    let content = result.content;
    match flavour {
        Flavour::OpenAi => {
            WireMessage::Tool { tool_call_id: Some(result.id), tool_name: None, content }
        }
        Flavour::Ollama => {
            WireMessage::Tool { tool_call_id: None, tool_name: Some(result.name), content }
        }
    }
}
