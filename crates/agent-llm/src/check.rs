//! Is a request well formed?
//!
//! Vendors answer a malformed conversation with an error that seldom names the cause, and some
//! accept it and lose part of it. Every scripted provider and test server therefore asks this
//! module first, so that a mistake in how requests are built fails a test and not a user's session.

use std::collections::HashSet;

use crate::{Message, Part, Request, ToolChoice, ToolSpec};

/// What is wrong with a request, a sentence each; empty when it is well formed.
///
/// Well formed is a request whose system message, if any, is one and first; in which every call of
/// an assistant message is answered by exactly one result before anybody else speaks, and no
/// result lacks its call; whose call ids are unique; which ends with a user message or a tool
/// result; and whose tools have unique, legal names and object schemas.
pub fn problems(request: &Request) -> Vec<String> {
    let mut found = Vec::new();
    check_tools(request, &mut found);
    check_conversation(request, &mut found);
    found
}

/// Whether `next` goes on where `previous` stopped: it has the same purpose and tools, and its
/// messages begin with those of `previous`. Such a request finds the provider's prompt cache warm.
pub fn extends(previous: &Request, next: &Request) -> bool {
    previous.purpose == next.purpose
        && previous.tools == next.tools
        && next.messages.starts_with(&previous.messages)
}

/// Whether a name can be given to a tool or an output schema: 1 to 64 letters, digits, `_`, `-`.
pub(crate) fn is_legal_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn check_tools(request: &Request, found: &mut Vec<String>) {
    let mut names = HashSet::new();
    for ToolSpec { name, parameters, .. } in request.tools.iter() {
        if !is_legal_name(name) {
            found.push(format!("the tool name {name:?} is not 1 to 64 letters, digits, _ or -"));
        }
        if !names.insert(name) {
            found.push(format!("the tool {name:?} is offered twice"));
        }
        if !parameters.is_object() {
            found.push(format!("the parameters of the tool {name:?} are not an object schema"));
        }
    }
    if request.tool_choice == ToolChoice::Required && request.tools.is_empty() {
        found.push("a tool call is required, but no tool is offered".to_owned());
    }
    if let Some(output) = &request.output {
        if !is_legal_name(&output.name) {
            let name = &output.name;
            found.push(format!("the schema name {name:?} is not 1 to 64 letters, digits, _ or -"));
        }
        if !output.schema.is_object() {
            found.push(format!("the output schema {:?} is not an object", output.name));
        }
    }
}

fn check_conversation(request: &Request, found: &mut Vec<String>) {
    let mut ids = HashSet::new();
    // Calls of the latest assistant message that have no result yet, in order.
    let mut open: Vec<(&str, &str)> = Vec::new();
    let mut answered: HashSet<&str> = HashSet::new();

    for (position, message) in request.messages.iter().enumerate() {
        let at = position + 1;
        if !matches!(**message, Message::Tool(_)) {
            report_open(&mut open, at, found);
        }
        match &**message {
            Message::System(_) if position > 0 => {
                found.push(format!("message {at} is a system message; only the first may be one"));
            }
            Message::System(_) | Message::User(_) => {}
            Message::Assistant(parts) => {
                // Another dialect leaves opaque parts out, and no format has a place for nothing.
                if parts.iter().all(|part| matches!(part, Part::Opaque(_))) {
                    found.push(format!("message {at} is an assistant message without a part"));
                }
                for part in parts {
                    let Part::Call(call) = part else { continue };
                    if call.id.is_empty() {
                        found
                            .push(format!("message {at} has a call of {:?} without id", call.name));
                    }
                    if !ids.insert(call.id.as_str()) {
                        found.push(format!("message {at} uses the call id {:?} again", call.id));
                    }
                    open.push((&call.id, &call.name));
                }
            }
            Message::Tool(result) => {
                let id = result.call_id.as_str();
                if let Some(index) = open.iter().position(|(open_id, _)| *open_id == id) {
                    let (_, name) = open.remove(index);
                    answered.insert(id);
                    if name != result.name {
                        found.push(format!(
                            "message {at} answers the call {id:?} of {name:?} as {:?}",
                            result.name
                        ));
                    }
                } else if answered.contains(id) {
                    found.push(format!("message {at} is a second result for the call {id:?}"));
                } else {
                    found.push(format!(
                        "message {at} is a result for {id:?}, which is no call of the message before"
                    ));
                }
            }
        }
    }
    report_open(&mut open, request.messages.len() + 1, found);
    match request.messages.last().map(|message| &**message) {
        None => found.push("there is no message".to_owned()),
        Some(Message::User(_) | Message::Tool(_)) => {}
        Some(Message::System(_) | Message::Assistant(_)) => {
            found.push("the last message is neither the user's nor a tool result".to_owned());
        }
    }
}

fn report_open(open: &mut Vec<(&str, &str)>, at: usize, found: &mut Vec<String>) {
    for (id, name) in open.drain(..) {
        found.push(format!("the call {id:?} of {name:?} has no result before message {at}"));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::{OutputSchema, Purpose, ToolCall, ToolResult};

    fn request(messages: Vec<Message>) -> Request {
        Request::new(Purpose::Decide, messages.into_iter().map(Arc::new).collect())
    }

    fn system() -> Message {
        Message::System("s".to_owned())
    }

    fn user() -> Message {
        Message::User("u".to_owned())
    }

    fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| {
            Part::Call(ToolCall {
                id: (*id).to_owned(),
                name: "read".to_owned(),
                arguments: "{}".to_owned(),
            })
        };
        Message::Assistant(ids.iter().map(call).collect())
    }

    fn result(id: &str) -> Message {
        Message::Tool(ToolResult {
            call_id: id.to_owned(),
            name: "read".to_owned(),
            content: "x".to_owned(),
        })
    }

    fn spec(name: &str) -> ToolSpec {
        ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({"type": "object"}),
        }
    }

    #[test]
    fn a_whole_conversation_is_well_formed() {
        let mut request = request(vec![
            system(),
            user(),
            calls(&["a", "b"]),
            result("b"),
            result("a"),
            calls(&["c"]),
            result("c"),
            Message::Assistant(vec![Part::Text("done".to_owned())]),
            user(),
        ]);
        request.tools = Arc::from([spec("read"), spec("list-dir_2")]);
        assert_eq!(problems(&request), Vec::<String>::new());
    }

    #[test]
    fn each_problem_is_named() {
        let cases: [(Vec<Message>, &[&str]); 11] = [
            (vec![], &["there is no message"]),
            (
                vec![user(), system()],
                &[
                    "message 2 is a system message; only the first may be one",
                    "the last message is neither the user's nor a tool result",
                ],
            ),
            (
                vec![user(), calls(&["a"])],
                &[
                    r#"the call "a" of "read" has no result before message 3"#,
                    "the last message is neither the user's nor a tool result",
                ],
            ),
            (
                vec![user(), calls(&["a", "b"]), result("a"), user()],
                &[r#"the call "b" of "read" has no result before message 4"#],
            ),
            (
                vec![user(), calls(&["a"]), result("a"), result("a")],
                &[r#"message 4 is a second result for the call "a""#],
            ),
            (
                vec![user(), result("a")],
                &[r#"message 2 is a result for "a", which is no call of the message before"#],
            ),
            (
                vec![user(), calls(&["a"]), result("a"), calls(&["a"]), result("a")],
                &[r#"message 4 uses the call id "a" again"#],
            ),
            (
                vec![user(), calls(&["a", "a"]), result("a"), result("a")],
                &[r#"message 2 uses the call id "a" again"#],
            ),
            (
                vec![user(), calls(&[""]), result("")],
                &[r#"message 2 has a call of "read" without id"#],
            ),
            (
                vec![Message::Assistant(vec![]), user()],
                &["message 1 is an assistant message without a part"],
            ),
            (
                vec![
                    user(),
                    calls(&["a"]),
                    Message::Tool(ToolResult {
                        call_id: "a".to_owned(),
                        name: "write".to_owned(),
                        content: String::new(),
                    }),
                ],
                &[r#"message 3 answers the call "a" of "read" as "write""#],
            ),
        ];
        for (messages, expected) in cases {
            assert_eq!(problems(&request(messages.clone())), expected, "{messages:?}");
        }
    }

    #[test]
    fn tools_and_schemas_are_checked() {
        let mut request = request(vec![user()]);
        request.tool_choice = ToolChoice::Required;
        assert_eq!(problems(&request), ["a tool call is required, but no tool is offered"]);

        let long = "x".repeat(65);
        let list = ToolSpec { parameters: json!([]), ..spec("list") };
        request.tools = Arc::from([spec("a b"), spec(""), spec(&long), list.clone(), list]);
        request.output = Some(OutputSchema { name: "ä".to_owned(), schema: json!(true) });
        assert_eq!(
            problems(&request),
            [
                r#"the tool name "a b" is not 1 to 64 letters, digits, _ or -"#,
                r#"the tool name "" is not 1 to 64 letters, digits, _ or -"#,
                &format!("the tool name {long:?} is not 1 to 64 letters, digits, _ or -"),
                r#"the parameters of the tool "list" are not an object schema"#,
                r#"the tool "list" is offered twice"#,
                r#"the parameters of the tool "list" are not an object schema"#,
                r#"the schema name "ä" is not 1 to 64 letters, digits, _ or -"#,
                r#"the output schema "ä" is not an object"#,
            ]
        );
    }

    #[test]
    fn a_request_extends_its_predecessor_only() {
        let first = request(vec![system(), user()]);
        let mut next = request(vec![system(), user(), calls(&["a"]), result("a")]);
        assert!(extends(&first, &next));
        assert!(extends(&first, &first));
        assert!(!extends(&next, &first));

        next.tools = Arc::from([spec("read")]);
        assert!(!extends(&first, &next), "other tools");
        next.tools = Arc::default();
        next.purpose = Purpose::Response;
        assert!(!extends(&first, &next), "another purpose");
        let changed = request(vec![system(), Message::User("v".to_owned()), user()]);
        assert!(!extends(&first, &changed), "an old message changed");
    }
}
