//! The request of a chat completion.

use crate::pieces::Pieces;
use serde::Serialize;
use serde_json::Value;

use crate::conversations::{Conversations, Layout, Place, separate};
use crate::models::model_facts;
use crate::wire::chat::{self, Flavour};
use crate::wire::{self, WireTool};
use crate::{Message, OutputSchema, Request, ToolChoice, Vendor};

/// Where a server departs from what all of them understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// What every compatible server knows.
    Common,
    /// OpenAI itself, whose newer models refuse `max_tokens`.
    OpenAi {
        /// The model takes tools only where reasoning is switched off.
        tools_need_no_reasoning: bool,
    },
}

impl Variant {
    /// The one of `model` on `host`.
    pub(super) fn of(host: &str, model: &str) -> Self {
        let own = ["openai.com", "openai.azure.com"];
        let is_own = own.iter().any(|domain| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        });
        if !is_own {
            return Self::Common;
        }
        let facts = model_facts(Vendor::OpenAi, model);
        let tools_need_no_reasoning = facts.is_some_and(|facts| facts.tools_need_no_reasoning);
        Self::OpenAi { tools_need_no_reasoning }
    }
}

/// What stands before the messages: the same throughout a session.
#[derive(Serialize)]
struct Head<'r> {
    model: &'r str,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'r>>,
}

/// What stands behind them: it varies with what a call is for.
#[derive(Serialize)]
struct Tail<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct ResponseFormat<'r> {
    r#type: &'static str,
    json_schema: JsonSchema<'r>,
}

impl<'r> From<&'r OutputSchema> for ResponseFormat<'r> {
    fn from(output: &'r OutputSchema) -> Self {
        let json_schema = JsonSchema { name: &output.name, schema: &output.schema };
        Self { r#type: "json_schema", json_schema }
    }
}

/// `strict` is left out: OpenAI refuses it for schemas with optional properties.
#[derive(Serialize)]
struct JsonSchema<'r> {
    name: &'r str,
    schema: &'r Value,
}

/// How conversations are written.
pub(super) const LAYOUT: Layout = Layout { member: "messages", write, close: "" };

fn write(_: Place<'_>, message: &Message, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
    separate(bytes);
    chat::write(message, Flavour::OpenAi, bytes)
}

pub(super) fn body(
    model: &str,
    variant: Variant,
    request: &Request,
    conversations: &Conversations,
) -> serde_json::Result<Pieces> {
    let head = Head {
        model,
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        tools: wire::tools(&request.tools),
    };
    conversations.body(&head, request, &tail(variant, request))
}

fn tail(variant: Variant, request: &Request) -> Tail<'_> {
    let has_tools = !request.tools.is_empty();
    let tool_choice = match request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none"),
        ToolChoice::Required => Some("required"),
    };
    let (max_tokens, max_completion_tokens, no_reasoning) = match variant {
        Variant::Common => (request.max_output_tokens, None, false),
        Variant::OpenAi { tools_need_no_reasoning } => {
            (None, request.max_output_tokens, tools_need_no_reasoning && has_tools)
        }
    };
    Tail {
        // Without tools a choice between them is an error.
        tool_choice: tool_choice.filter(|_| has_tools),
        response_format: request.output.as_ref().map(ResponseFormat::from),
        reasoning_effort: no_reasoning.then_some("none"),
        temperature: request.temperature,
        max_tokens,
        max_completion_tokens,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::wire::sample::{full_request, opaque};
    use crate::{Dialect, Purpose, ToolSpec};

    fn body(variant: Variant, request: &Request) -> String {
        let all = Conversations::new(LAYOUT, "m");
        let bytes = super::body("m", variant, request, &all).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn a_bare_request_says_little() {
        let user = Arc::new(Message::User("hé\n".to_owned()));
        let request = Request {
            tool_choice: ToolChoice::Required,
            ..Request::new(Purpose::Decide, vec![user])
        };
        assert_eq!(
            body(Variant::Common, &request),
            r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hé\n"}]}"#
        );
    }

    #[test]
    fn a_full_request_says_everything_and_what_varies_last() {
        let request = full_request([opaque(Dialect::Anthropic, json!({"type": "thinking"}))]);
        assert_eq!(
            body(Variant::Common, &request),
            concat!(
                r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"#,
                r#""tools":[{"type":"function","function":{"name":"read","description":"Reads","parameters":{"type":"object"}}}],"#,
                r#""messages":["#,
                r#"{"role":"system","content":"be brief"},"#,
                r#"{"role":"user","content":"go"},"#,
                r#"{"role":"assistant","content":"I read","tool_calls":["#,
                r#"{"id":"1","type":"function","function":{"name":"read","arguments":"{ \"path\": 1.0 }"}},"#,
                r#"{"id":"2","type":"function","function":{"name":"fs_read","arguments":"{\"malformed\":\"{no\"}"}}]},"#,
                r#"{"role":"tool","tool_call_id":"1","content":"t"},"#,
                r#"{"role":"tool","tool_call_id":"2","content":"t"},"#,
                r#"{"role":"user","content":"and now?"},"#,
                r#"{"role":"assistant","content":null,"tool_calls":[{"id":"3","type":"function","function":{"name":"read","arguments":"{}"}}]},"#,
                r#"{"role":"tool","tool_call_id":"3","content":"t"}],"#,
                r#""tool_choice":"none","response_format":{"type":"json_schema","json_schema":{"name":"p","schema":{"type":"object"}}},"#,
                r#""temperature":0.5,"max_tokens":64}"#,
            )
        );
    }

    #[test]
    fn openai_itself_wants_other_words() {
        let own = |host| Variant::of(host, "gpt-5.1");
        let is_own = |host| own(host) == Variant::OpenAi { tools_need_no_reasoning: false };
        assert!(["api.openai.com", "openai.com", "x.openai.azure.com"].into_iter().all(is_own));
        let others = ["localhost", "openai.com.example.org", "notopenai.com", "api.groq.com"];
        assert!(others.into_iter().all(|host| own(host) == Variant::Common));

        let mut request = Request::new(Purpose::Decide, vec![]);
        request.max_output_tokens = Some(9);
        let head = r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"#;
        let rest = r#""messages":[],"#;
        let sent = body(Variant::Common, &request);
        assert_eq!(sent, format!(r#"{head}{rest}"max_tokens":9}}"#));
        let no_reasoning = Variant::of("api.openai.com", "gpt-5.6-2026-07-09");
        let sent = body(no_reasoning, &request);
        assert_eq!(sent, format!(r#"{head}{rest}"max_completion_tokens":9}}"#), "no tools");

        let parameters = json!({"type": "object"});
        let name = "t".to_owned();
        request.tools = Arc::from([ToolSpec { name, description: String::new(), parameters }]);
        assert!(body(no_reasoning, &request).contains(r#""reasoning_effort":"none""#));
        for other in [own("api.openai.com"), Variant::of("localhost", "gpt-5.6")] {
            assert!(!body(other, &request).contains("reasoning_effort"));
        }
    }
}
