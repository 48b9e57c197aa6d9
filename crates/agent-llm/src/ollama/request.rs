//! The requests of `/api/chat` and `/api/generate`.

use crate::pieces::Pieces;
use serde::Serialize;
use serde_json::Value;

use crate::conversations::{Conversations, Layout, Place, separate};
use crate::wire::chat::{self, Flavour};
use crate::wire::{self, WireTool};
use crate::{Message, Options, Purpose, Request};

/// What stands before the messages: the same throughout a session.
#[derive(Serialize)]
struct Head<'r> {
    model: &'r str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_alive: Option<KeepAlive<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'r>>,
}

/// What stands behind them.
#[derive(Serialize)]
struct Tail<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'r Value>,
    #[serde(skip_serializing_if = "ModelOptions::is_empty")]
    options: ModelOptions,
}

/// All of a plain completion. `raw` is never asked for: it would leave the model's template out.
#[derive(Serialize)]
struct Completion<'r> {
    #[serde(flatten)]
    head: Head<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'r str>,
    prompt: &'r str,
    #[serde(flatten)]
    tail: Tail<'r>,
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

/// How conversations are written.
pub(super) const LAYOUT: Layout = Layout { member: "messages", write, close: "" };

fn write(_: Place<'_>, message: &Message, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
    separate(bytes);
    chat::write(message, Flavour::Ollama, bytes)
}

/// The prompt of a request that needs no chat: a plan, asked for in one message.
pub(super) fn prompt(request: &Request) -> Option<(Option<&str>, &str)> {
    if request.purpose != Purpose::Plan || !request.tools.is_empty() {
        return None;
    }
    let mut messages = request.messages.iter().map(|message| &**message);
    match (messages.next(), messages.next(), messages.next()) {
        (Some(Message::User(prompt)), None, None) => Some((None, prompt)),
        (Some(Message::System(system)), Some(Message::User(prompt)), None) => {
            Some((Some(system), prompt))
        }
        _ => None,
    }
}

pub(super) fn body(
    model: &str,
    options: &Options,
    request: &Request,
    conversations: &Conversations,
) -> serde_json::Result<Pieces> {
    let keep_alive = options.keep_alive.as_deref().map(|text| match text.parse() {
        Ok(seconds) => KeepAlive::Seconds(seconds),
        Err(_) => KeepAlive::Duration(text),
    });
    let head = Head { model, stream: true, keep_alive, tools: wire::tools(&request.tools) };
    let tail = Tail {
        format: request.output.as_ref().map(|output| &output.schema),
        options: ModelOptions {
            num_ctx: options.num_ctx,
            temperature: request.temperature,
            num_predict: request.max_output_tokens,
        },
    };
    match prompt(request) {
        Some((system, prompt)) => {
            serde_json::to_vec(&Completion { head, system, prompt, tail }).map(Pieces::from)
        }
        None => conversations.body(&head, request, &tail),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::wire::sample::{call, schema, tools};
    use crate::{Part, ToolChoice, ToolResult};

    fn body(options: &Options, request: &Request) -> String {
        let all = Conversations::new(LAYOUT, "m");
        let bytes = super::body("m", options, request, &all).unwrap();
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
    fn a_full_request_says_everything_and_what_varies_last() {
        let messages = [
            Message::System("be brief".to_owned()),
            Message::User("go".to_owned()),
            Message::Assistant(vec![
                Part::Text("I read".to_owned()),
                call("unused", "read", r#"{ "path": "b", "at": 1 }"#),
                call("unused", "fs.read", "{no"),
            ]),
            Message::Tool(ToolResult {
                call_id: "unused".to_owned(),
                name: "fs.read".to_owned(),
                content: "text".to_owned(),
            }),
            Message::Assistant(vec![call("unused", "read", "")]),
        ];
        let request = Request {
            purpose: Purpose::Decide,
            messages: messages.into_iter().map(Arc::new).collect(),
            tools: tools(),
            tool_choice: ToolChoice::Required,
            output: Some(schema()),
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
                r#""tools":[{"type":"function","function":{"name":"read","description":"Reads","parameters":{"type":"object"}}}],"#,
                r#""messages":["#,
                r#"{"role":"system","content":"be brief"},"#,
                r#"{"role":"user","content":"go"},"#,
                r#"{"role":"assistant","content":"I read","tool_calls":["#,
                r#"{"function":{"name":"read","arguments":{ "path": "b", "at": 1 }}},"#,
                r#"{"function":{"name":"fs_read","arguments":{"malformed":"{no"}}}]},"#,
                r#"{"role":"tool","tool_name":"fs_read","content":"text"},"#,
                r#"{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{}}}]}],"#,
                r#""format":{"type":"object"},"options":{"num_ctx":8192,"temperature":0.0,"num_predict":64}}"#,
            )
        );
    }

    #[test]
    fn keep_alive_is_a_number_where_it_has_no_unit() {
        let options = Options { keep_alive: Some("-1".to_owned()), ..Options::default() };
        let body = body(&options, &Request::new(Purpose::Decide, vec![]));
        assert!(body.contains(r#""keep_alive":-1,"#), "{body}");
    }

    #[test]
    fn a_plan_is_a_plain_completion() {
        let mut request = Request::new(
            Purpose::Plan,
            vec![
                Arc::new(Message::System("be brief".to_owned())),
                Arc::new(Message::User("plan".to_owned())),
            ],
        );
        request.output = Some(schema());
        let options = Options { num_ctx: Some(8192), ..Options::default() };
        assert_eq!(
            body(&options, &request),
            concat!(
                r#"{"model":"m","stream":true,"system":"be brief","prompt":"plan","#,
                r#""format":{"type":"object"},"options":{"num_ctx":8192}}"#,
            )
        );
        request.purpose = Purpose::Judge;
        assert!(body(&options, &request).contains(r#""messages":["#));
    }
}
