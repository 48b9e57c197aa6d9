//! The request of `/api/chat`.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::wire::{self, WireTool};
use crate::{Message, Request};

/// Everything but the messages.
#[derive(Serialize)]
pub(super) struct Head<'r> {
    model: &'r str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_alive: Option<KeepAlive<'r>>,
    #[serde(skip_serializing_if = "ModelOptions::is_empty")]
    options: ModelOptions,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'r Value>,
}

/// A duration with its unit is text; seconds, or -1 for ever, are a number.
#[derive(Serialize)]
#[serde(untagged)]
enum KeepAlive<'r> {
    Seconds(i64),
    Duration(&'r str),
}

#[derive(Serialize)]
struct ModelOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
}

impl ModelOptions {
    fn is_empty(&self) -> bool {
        self.num_ctx.is_none() && self.temperature.is_none() && self.num_predict.is_none()
    }
}

/// `tool_choice` has no counterpart in this format and is not sent: see
/// [`Ollama`](super::chat::Ollama).
pub(super) fn head<'r>(
    model: &'r str,
    options: &'r crate::Options,
    request: &'r Request,
) -> Head<'r> {
    let keep_alive = options.keep_alive.as_deref().map(|text| match text.parse() {
        Ok(seconds) => KeepAlive::Seconds(seconds),
        Err(_) => KeepAlive::Duration(text),
    });
    Head {
        model,
        stream: true,
        keep_alive,
        options: ModelOptions {
            num_ctx: options.num_ctx,
            temperature: request.temperature,
            num_predict: request.max_output_tokens,
        },
        tools: wire::tools(&request.tools),
        format: request.output.as_ref().map(|output| &output.schema),
    }
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
        content: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'m>>,
    },
    /// Results are paired with calls by name and order; the format has no ids.
    Tool {
        tool_name: Cow<'m, str>,
        content: &'m str,
    },
}

#[derive(Serialize)]
struct WireCall<'m> {
    function: WireFunction<'m>,
}

#[derive(Serialize)]
struct WireFunction<'m> {
    name: Cow<'m, str>,
    arguments: Map<String, Value>,
}

pub(super) fn write_message(message: &Message, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
    let message = match message {
        Message::System(content) => WireMessage::System { content },
        Message::User(content) => WireMessage::User { content },
        Message::Assistant(parts) => {
            let (content, calls) = wire::words_and_calls(parts);
            let calls = calls.into_iter().map(|call| WireCall {
                function: WireFunction {
                    name: wire::legal_name(&call.name),
                    arguments: wire::arguments_object(&call.arguments),
                },
            });
            WireMessage::Assistant {
                content: content.unwrap_or_default(),
                tool_calls: calls.collect(),
            }
        }
        Message::Tool(result) => WireMessage::Tool {
            tool_name: wire::legal_name(&result.name),
            content: &result.content,
        },
    };
    serde_json::to_writer(bytes, &message)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::conversations::Conversations;
    use crate::{Options, OutputSchema, Part, Purpose, ToolCall, ToolChoice, ToolResult, ToolSpec};

    fn body(options: &Options, request: &Request) -> String {
        let all = Conversations::new(write_message);
        let bytes = all.body("p", &head("m", options, request), request).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn a_bare_request_says_little() {
        let user = Arc::new(Message::User("hi".to_owned()));
        assert_eq!(
            body(&Options::default(), &Request::new(Purpose::Decide, vec![user])),
            r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}"#
        );
    }

    #[test]
    fn a_full_request_says_everything_with_the_messages_last() {
        let call = |name: &str, arguments: &str| {
            Part::Call(ToolCall {
                id: "unused".to_owned(),
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            })
        };
        let messages = [
            Message::System("be brief".to_owned()),
            Message::User("go".to_owned()),
            Message::Assistant(vec![
                Part::Text("I read".to_owned()),
                call("read", r#"{ "path": "b", "at": 1 }"#),
                call("fs.read", "{no"),
            ]),
            Message::Tool(ToolResult {
                call_id: "unused".to_owned(),
                name: "fs.read".to_owned(),
                content: "text".to_owned(),
            }),
            Message::Assistant(vec![call("read", "")]),
        ];
        let request = Request {
            purpose: Purpose::Decide,
            messages: messages.into_iter().map(Arc::new).collect(),
            tools: Arc::from([ToolSpec {
                name: "read".to_owned(),
                description: "Reads".to_owned(),
                parameters: json!({"type": "object"}),
            }]),
            tool_choice: ToolChoice::Required,
            output: Some(OutputSchema {
                name: "plan".to_owned(),
                schema: json!({"type": "object"}),
            }),
            temperature: Some(0.0),
            max_output_tokens: Some(64),
        };
        let options = Options {
            num_ctx: Some(8192),
            keep_alive: Some("10m".to_owned()),
            ..Options::default()
        };
        assert_eq!(
            body(&options, &request),
            concat!(
                r#"{"model":"m","stream":true,"keep_alive":"10m","#,
                r#""options":{"num_ctx":8192,"temperature":0.0,"num_predict":64},"#,
                r#""tools":[{"type":"function","function":{"name":"read","description":"Reads","parameters":{"type":"object"}}}],"#,
                r#""format":{"type":"object"},"messages":["#,
                r#"{"role":"system","content":"be brief"},"#,
                r#"{"role":"user","content":"go"},"#,
                r#"{"role":"assistant","content":"I read","tool_calls":["#,
                r#"{"function":{"name":"read","arguments":{"path":"b","at":1}}},"#,
                r#"{"function":{"name":"fs_read","arguments":{"malformed":"{no"}}}]},"#,
                r#"{"role":"tool","tool_name":"fs_read","content":"text"},"#,
                r#"{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{}}}]}]}"#,
            )
        );
    }

    #[test]
    fn keep_alive_is_a_number_where_it_has_no_unit() {
        let options = Options { keep_alive: Some("-1".to_owned()), ..Options::default() };
        let body = body(&options, &Request::new(Purpose::Decide, vec![]));
        assert!(body.contains(r#""keep_alive":-1,"#), "{body}");
    }
}
