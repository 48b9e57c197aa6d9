use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::wire::sample::{call, opaque};
use crate::{Part, Purpose, ToolResult};

fn body(layout: Layout, request: &Request) -> String {
    let all = Conversations::new(layout, "m");
    String::from_utf8(super::body(request, &all).unwrap().to_vec()).unwrap()
}

fn result(id: &str, content: &str) -> Message {
    Message::Tool(ToolResult { call_id: id.into(), name: "read".into(), content: content.into() })
}

fn request(messages: Vec<Message>) -> Request {
    Request::new(Purpose::Decide, messages.into_iter().map(Arc::new).collect())
}

#[test]
fn a_bare_request_says_little() {
    let mut request = request(vec![Message::User("hi".to_owned())]);
    request.tool_choice = ToolChoice::Required;
    let expected = r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#;
    assert_eq!(body(SIGNED, &request), expected);
}

#[test]
fn a_full_request_says_everything_and_what_varies_last() {
    let mut request = request(vec![
        Message::System("be brief".to_owned()),
        Message::User("go".to_owned()),
        Message::Assistant(vec![
            opaque(Dialect::Anthropic, json!({"type": "thinking"})),
            Part::Text("I read".to_owned()),
            opaque(Dialect::Gemini, json!({"thoughtSignature": "Ci=="})),
            call("1", "read", r#"{ "path": 1.0 }"#),
            call("2", "fs.read", "{no"),
        ]),
        result("1", r#"{"success": true}"#),
        result("2", "text"),
        Message::User("and now?".to_owned()),
        Message::Assistant(vec![
            Part::Text("Done.".to_owned()),
            opaque(Dialect::Gemini, json!({"text": "", "thoughtSignature": "b"})),
        ]),
        Message::User("more".to_owned()),
    ]);
    request.tools = Arc::from([ToolSpec {
        name: "read".to_owned(),
        description: "Reads".to_owned(),
        parameters: json!({"type": "object"}),
    }]);
    request.tool_choice = ToolChoice::None;
    request.output = Some(OutputSchema { name: "p".into(), schema: json!({"type": "object"}) });
    request.temperature = Some(0.5);
    request.max_output_tokens = Some(64);
    let expected = concat!(
        r#"{"systemInstruction":{"parts":[{"text":"be brief"}]},"#,
        r#""tools":[{"functionDeclarations":[{"name":"read","description":"Reads","parametersJsonSchema":{"type":"object"}}]}],"#,
        r#""contents":[{"role":"user","parts":[{"text":"go"}]},"#,
        r#"{"role":"model","parts":[{"text":"I read"},"#,
        r#"{"functionCall":{"id":"1","name":"read","args":{ "path": 1.0 }},"thoughtSignature":"Ci=="},"#,
        r#"{"functionCall":{"id":"2","name":"fs_read","args":{"malformed":"{no"}}}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"id":"1","name":"read","response":{"success": true}}},"#,
        r#"{"functionResponse":{"id":"2","name":"read","response":{"output":"text"}}}]},"#,
        r#"{"role":"user","parts":[{"text":"and now?"}]},"#,
        r#"{"role":"model","parts":[{"text":"Done."},{"text":"","thoughtSignature":"b"}]},"#,
        r#"{"role":"user","parts":[{"text":"more"}]}],"#,
        r#""toolConfig":{"functionCallingConfig":{"mode":"NONE"}},"#,
        r#""generationConfig":{"temperature":0.5,"maxOutputTokens":64,"#,
        r#""responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}}"#,
    );
    assert_eq!(body(SIGNED, &request), expected);
    assert_eq!(body(UNSIGNED, &request), expected);
}

#[test]
fn a_call_of_another_model_gets_a_placeholder() {
    let request = request(vec![
        Message::User("go".to_owned()),
        Message::Assistant(vec![call("1", "read", "{}"), call("2", "read", "{}")]),
        result("1", "{}"),
        result("2", "{}"),
    ]);
    let told = |first: &str| {
        format!(
            concat!(
                r#"{{"contents":[{{"role":"user","parts":[{{"text":"go"}}]}},"#,
                r#"{{"role":"model","parts":[{{"functionCall":{{"id":"1","name":"read","args":{{}}}}{}}},"#,
                r#"{{"functionCall":{{"id":"2","name":"read","args":{{}}}}}}]}},"#,
                r#"{{"role":"user","parts":[{{"functionResponse":{{"id":"1","name":"read","response":{{}}}}}},"#,
                r#"{{"functionResponse":{{"id":"2","name":"read","response":{{}}}}}}]}}]}}"#,
            ),
            first
        )
    };
    let placeholder = r#","thoughtSignature":"skip_thought_signature_validator""#;
    assert_eq!(body(SIGNED, &request), told(placeholder));
    assert_eq!(body(UNSIGNED, &request), told(""));
}
