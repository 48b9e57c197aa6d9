use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::json;

use super::*;
use crate::{
    Delta, Error, ErrorKind, Message, Part, Provider, Reply, Request, ToolCall, ToolResult,
    ToolSpec,
};

fn request(purpose: Purpose, messages: Vec<Message>) -> Request {
    Request::new(purpose, messages.into_iter().map(Arc::new).collect())
}

fn ask(purpose: Purpose, text: &str) -> Request {
    request(purpose, vec![Message::User(text.to_owned())])
}

fn script(text: &str) -> Scripted {
    Scripted::open("test", text.as_bytes()).unwrap()
}

async fn reply(provider: &Scripted, request: Request) -> Result<Reply, Error> {
    Reply::collect(provider.send(request)).await
}

/// The outcome of the only line of a script.
async fn outcome(line: &str) -> Result<Reply, Error> {
    reply(&script(line), ask(Purpose::Decide, "go")).await
}

#[test]
fn a_line_has_every_key() {
    let text = concat!(
        "\u{feff}# what the model says\r\n",
        "\r\n",
        r#"  {"purpose": "edit_plan", "expect": {"contains": ["a"], "lacks": ["b"], "tools": ["t"], "last": "c"}, "text": "x", "calls": [{"name": "t", "arguments": {"b": 1, "a": 2}, "id": "i"}, {"name": "u", "raw_arguments": "{no"}], "finish": "length", "usage": {"input_tokens": 3}, "fault": {"stall_ms": 5}}"#,
        "\r\n",
    );
    let strings = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
    let expected = ScriptedReply {
        line: 3,
        purpose: Purpose::EditPlan,
        expect: Expect {
            contains: strings(&["a"]),
            lacks: strings(&["b"]),
            tools: Some(strings(&["t"])),
            last: Some("c".to_owned()),
        },
        text: Some("x".to_owned()),
        calls: vec![
            ScriptedCall {
                id: Some("i".to_owned()),
                name: "t".to_owned(),
                arguments: r#"{"b":1,"a":2}"#.to_owned(),
            },
            ScriptedCall { id: None, name: "u".to_owned(), arguments: "{no".to_owned() },
        ],
        finish: FinishReason::Length,
        usage: Usage { input_tokens: 3, ..Usage::default() },
        fault: Some(Fault::Stall(Duration::from_millis(5))),
        parts: None,
        request: None,
    };
    assert_eq!(Script::parse(text.as_bytes()).unwrap(), Script { replies: vec![expected] });
}

#[test]
fn bad_lines_are_named() {
    let cases = [
        ("nonsense", "expected ident at column 2"),
        ("{}", "missing field `purpose` at column 2"),
        (
            r#"{"purpose": "think"}"#,
            "unknown variant `think`, expected one of `decide`, `edit_plan`, `response`, `plan`, `summary`, `judge` at column 19",
        ),
        (
            r#"{"purpose": "decide", "txt": "x"}"#,
            "unknown field `txt`, expected one of `purpose`, `expect`, `text`, `calls`, `parts`, `finish`, `usage`, `fault`, `request` at column 27",
        ),
        (
            r#"{"purpose": "decide"}"#,
            r#"the reply has neither text, calls nor fault; an empty one is "text": """#,
        ),
        (
            r#"{"purpose": "decide", "text": "", "expect": {"lasts": "x"}}"#,
            "unknown field `lasts`, expected one of `contains`, `lacks`, `tools`, `last` at column 52",
        ),
        (
            r#"{"purpose": "decide", "calls": [{"name": "t"}]}"#,
            r#"the call of "t" needs arguments or raw_arguments, one of them"#,
        ),
        (
            r#"{"purpose": "decide", "calls": [{"name": "t", "arguments": {}, "raw_arguments": ""}]}"#,
            r#"the call of "t" needs arguments or raw_arguments, one of them"#,
        ),
        (
            r#"{"purpose": "decide", "fault": {}}"#,
            "a fault is one of status, cut_after_bytes, garbage, stall_ms and error",
        ),
        (
            r#"{"purpose": "decide", "fault": {"status": 500, "garbage": "x"}}"#,
            "a fault is one of status, cut_after_bytes, garbage, stall_ms and error",
        ),
        (
            r#"{"purpose": "decide", "fault": {"status": 200}}"#,
            "a fault with headers or body needs a status of 300 to 599",
        ),
        (
            r#"{"purpose": "decide", "fault": {"body": "x"}}"#,
            "a fault with headers or body needs a status of 300 to 599",
        ),
    ];
    for (line, problem) in cases {
        let text = format!("# a comment\n{line}\n");
        let error = Script::parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, format!("line 2: {problem}"), "{line}");
    }
    let error = Script::parse(&b"\n\xff\n"[..]).unwrap_err().to_string();
    assert_eq!(error, "reading stopped at line 2: stream did not contain valid UTF-8");
}

#[tokio::test]
async fn replies_go_by_purpose() {
    let provider = script(
        r#"
        {"purpose": "decide", "text": "one two"}
        {"purpose": "response", "text": "last"}
        {"purpose": "decide", "calls": [{"name": "t", "arguments": {}}, {"name": "t", "raw_arguments": "{"}], "usage": {"output_tokens": 7}}
        {"purpose": "judge", "text": "unasked"}
        "#,
    );
    assert_eq!(provider.model(), "replay/test");
    let first = reply(&provider, ask(Purpose::Decide, "x")).await.unwrap();
    assert_eq!(first.parts, [Part::Text("one two".to_owned())]);
    assert_eq!(first.finish, FinishReason::Stop);

    let call = |id: &str, arguments: &str| {
        Part::Call(ToolCall {
            id: id.to_owned(),
            name: "t".to_owned(),
            arguments: arguments.to_owned(),
        })
    };
    let second = reply(&provider, ask(Purpose::Decide, "x")).await.unwrap();
    let expected = Reply {
        parts: vec![call("call_1", "{}"), call("call_2", "{")],
        finish: FinishReason::ToolCalls,
        usage: Usage { output_tokens: 7, ..Usage::default() },
    };
    assert_eq!(second, expected);

    let left: Vec<_> = provider.unused().iter().map(|reply| reply.line).collect();
    assert_eq!(left, [3, 5]);
    let error = reply(&provider, ask(Purpose::Decide, "and\nnow?")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Script);
    assert_eq!(
        error.to_string(),
        "replay/test: no reply is left for decide: all 2 are used, left are lines 3 (response), 5 (judge); the last message is user: and now?"
    );
}

#[tokio::test]
async fn made_up_ids_are_unique_in_the_conversation() {
    let provider = script(
        r#"{"purpose": "decide", "calls": [{"name": "t", "arguments": {}}, {"name": "t", "arguments": {}, "id": "call_1"}]}"#,
    );
    let call = ToolCall { id: "call_1".to_owned(), name: "t".to_owned(), arguments: String::new() };
    let result =
        ToolResult { call_id: "call_1".to_owned(), name: "t".to_owned(), content: String::new() };
    let request = request(
        Purpose::Decide,
        vec![Message::Assistant(vec![Part::Call(call)]), Message::Tool(result)],
    );
    let reply = reply(&provider, request).await.unwrap();
    assert_eq!(
        reply.calls().map(|call| call.id.as_str()).collect::<Vec<_>>(),
        ["call_2", "call_3"]
    );
}

#[tokio::test]
async fn expectations_are_checked() {
    let spec = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
    };
    let mut asked = request(
        Purpose::Decide,
        vec![Message::System("be brief".to_owned()), Message::User("rename it".to_owned())],
    );
    asked.tools = Arc::from([spec("a"), spec("b")]);
    let cases = [
        (
            r#"{"contains": ["brief", "rename"], "lacks": ["secret"], "tools": ["a", "b"], "last": "name"}"#,
            None,
        ),
        (r#"{"contains": ["brief", "verbose"]}"#, Some(r#"no message contains "verbose""#)),
        (r#"{"lacks": ["brief"]}"#, Some(r#"a message contains "brief""#)),
        (r#"{"tools": ["b", "a"]}"#, Some(r#"the tools are ["a", "b"] instead of ["b", "a"]"#)),
        (r#"{"last": "brief"}"#, Some(r#"the last message does not contain "brief""#)),
        (
            r#"{"last": "x", "tools": []}"#,
            Some(
                r#"the tools are ["a", "b"] instead of []; the last message does not contain "x""#,
            ),
        ),
    ];
    for (expect, mismatch) in cases {
        let provider =
            script(&format!(r#"{{"purpose": "decide", "text": "", "expect": {expect}}}"#));
        let error = reply(&provider, asked.clone()).await.err().map(|error| error.message);
        let expected = mismatch.map(|mismatch| {
            format!("line 1 expects a different request: {mismatch}; the last message is user: rename it")
        });
        assert_eq!(error, expected);
        assert_eq!(provider.unused(), []);
    }
}

#[tokio::test]
async fn malformed_requests_are_refused() {
    let provider = script(r#"{"purpose": "decide", "text": "x"}"#);
    let error = reply(&provider, request(Purpose::Decide, vec![])).await.unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Script, "a malformed request came to decide: there is no message")
    );
    assert_eq!(provider.unused().len(), 1, "nothing is used up");
}

#[tokio::test(start_paused = true)]
async fn faults_are_what_a_server_would_do() {
    let error = outcome(r#"{"purpose": "decide", "fault": {"status": 429, "headers": {"Retry-After": "3"}, "body": "slow down"}}"#).await.unwrap_err();
    let expected = Error {
        kind: ErrorKind::RateLimited,
        provider: "replay/test".to_owned(),
        message: "slow down (HTTP 429)".to_owned(),
        status: Some(429),
        retry_after: Some(Duration::from_secs(3)),
    };
    assert_eq!(error, expected);

    let error =
        outcome(r#"{"purpose": "decide", "fault": {"garbage": "<html>"}}"#).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadReply);

    let before = tokio::time::Instant::now();
    let reply =
        outcome(r#"{"purpose": "decide", "text": "late", "fault": {"stall_ms": 700}}"#).await;
    assert_eq!(reply.unwrap().text(), "late");
    assert_eq!(before.elapsed(), Duration::from_millis(700));
}

#[tokio::test]
async fn a_cut_keeps_what_fits() {
    let line = |bytes: usize| {
        format!(
            r#"{{"purpose": "decide", "text": "é bc", "calls": [{{"name": "t", "raw_arguments": "12"}}], "fault": {{"cut_after_bytes": {bytes}}}}}"#
        )
    };
    let text = |text: &str| Delta::Text(text.to_owned());
    let start = Delta::CallStart { index: 0, id: Some("call_1".to_owned()), name: "t".to_owned() };
    let arguments =
        |fragment: &str| Delta::CallArguments { index: 0, fragment: fragment.to_owned() };
    let cases = [
        (0, vec![]),
        (1, vec![text("")]),
        (3, vec![text("é ")]),
        (4, vec![text("é "), text("b")]),
        (6, vec![text("é "), text("bc"), start.clone(), arguments("1")]),
        (99, vec![text("é "), text("bc"), start, arguments("12")]),
    ];
    for (bytes, expected) in cases {
        let stream = script(&line(bytes)).send(ask(Purpose::Decide, "go"));
        let mut came: Vec<_> = stream.collect().await;
        assert_eq!(came.pop().unwrap().unwrap_err().kind, ErrorKind::Cut);
        assert_eq!(came.into_iter().map(Result::unwrap).collect::<Vec<_>>(), expected, "{bytes}");
    }
}
