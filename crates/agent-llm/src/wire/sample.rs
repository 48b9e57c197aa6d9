//! A request with everything that one can hold, for the tests of the wire formats.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    Dialect, Message, Opaque, OutputSchema, Part, Purpose, Request, ToolCall, ToolChoice,
    ToolResult, ToolSpec,
};

/// A call of a tool.
pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Part {
    Part::Call(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() })
}

/// What only `dialect` understands.
pub(crate) fn opaque(dialect: Dialect, value: Value) -> Part {
    Part::Opaque(Opaque { dialect, model: "m".into(), value })
}

/// The one tool that is offered.
pub(crate) fn tools() -> Arc<[ToolSpec]> {
    Arc::from([ToolSpec {
        name: "read".to_owned(),
        description: "Reads".to_owned(),
        parameters: json!({"type": "object"}),
    }])
}

/// What a reply in JSON is held to.
pub(crate) fn schema() -> OutputSchema {
    OutputSchema { name: "p".into(), schema: json!({"type": "object"}) }
}

/// The request. Its first reply begins with `opaque`, and calls a tool as it should, and one with a
/// name and arguments that are none; the last call has no arguments.
pub(crate) fn full_request(opaque: impl IntoIterator<Item = Part>) -> Request {
    let result = |id: &str| {
        let (call_id, name, content) = (id.into(), "read".into(), "t".into());
        Message::Tool(ToolResult { call_id, name, content })
    };
    let said = [
        Part::Text("I ".to_owned()),
        Part::Text("read".to_owned()),
        call("1", "read", r#"{ "path": 1.0 }"#),
        call("2", "fs.read", "{no"),
    ];
    let messages = [
        Message::System("be brief".to_owned()),
        Message::User("go".to_owned()),
        Message::Assistant(opaque.into_iter().chain(said).collect()),
        result("1"),
        result("2"),
        Message::User("and now?".to_owned()),
        Message::Assistant(vec![call("3", "read", "")]),
        result("3"),
    ];
    Request {
        purpose: Purpose::Decide,
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: tools(),
        tool_choice: ToolChoice::None,
        output: Some(schema()),
        temperature: Some(0.5),
        max_output_tokens: Some(64),
    }
}
