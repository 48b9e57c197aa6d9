use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::*;
use crate::script::{Script, Scripted};
use crate::{
    Dialect, ErrorKind, FinishReason, Message, Opaque, Part, Purpose, RetryPolicy, Retrying,
    ToolCall, ToolChoice, ToolResult, ToolSpec, Usage,
};

/// A writer whose bytes can be looked at; it takes so many and then fails.
#[derive(Clone)]
struct Paper {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Paper {
    fn new(room: usize) -> Self {
        Self { bytes: Arc::default(), room }
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = self.bytes.lock().unwrap();
        if held.len() + bytes.len() > self.room {
            return Err(io::Error::other("the disk is full"));
        }
        held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const SCRIPT: &str = r#"
{"purpose": "decide", "parts": [{"opaque": {"dialect": "anthropic", "model": "c", "value": {"type": "thinking", "signature": "s=="}}}, {"text": "I look. "}, {"call": {"id": "a", "name": "read", "arguments": "{ \"p\": 1}"}}, {"text": "And wait."}], "usage": {"input_tokens": 9, "cached_tokens": 3, "output_tokens": 2}}
{"purpose": "edit_plan", "text": "[]", "finish": {"other": "pause"}}
{"purpose": "decide", "text": "Done", "finish": "length"}
{"purpose": "response", "fault": {"status": 401, "body": "no"}}
"#;

fn spec(name: &str) -> ToolSpec {
    let parameters = json!({ "type": "object" });
    ToolSpec { name: name.to_owned(), description: "d".to_owned(), parameters }
}

/// The requests that the script answers, as a session would send them.
fn requests() -> Vec<Request> {
    let tools: Arc<[ToolSpec]> = Arc::from([spec("read")]);
    let user = |words: &str| Arc::new(Message::User(words.to_owned()));
    let system = Arc::new(Message::System("be brief".to_owned()));
    let call = |id: &str| ToolCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: "{}".to_owned(),
    };
    let result =
        ToolResult { call_id: "a".to_owned(), name: "read".to_owned(), content: "text".to_owned() };
    let first = vec![system, user("go")];
    let mut second = first.clone();
    second.push(Arc::new(Message::Assistant(vec![Part::Call(call("a"))])));
    second.push(Arc::new(Message::Tool(result)));
    let mut third = second.clone();
    third.push(user("now say it"));
    let decide = |messages| Request {
        tools: Arc::clone(&tools),
        temperature: Some(0.5),
        ..Request::new(Purpose::Decide, messages)
    };
    vec![
        decide(first),
        Request::new(Purpose::EditPlan, vec![user("plan")]),
        decide(second),
        Request {
            purpose: Purpose::Response,
            tool_choice: ToolChoice::None,
            temperature: None,
            max_output_tokens: Some(7),
            ..decide(third)
        },
    ]
}

async fn outcomes(provider: &dyn Provider) -> Vec<Result<Reply, Error>> {
    let mut outcomes = Vec::new();
    for request in requests() {
        outcomes.push(Reply::collect(provider.send(request)).await);
    }
    outcomes
}

async fn recorded() -> (Vec<Result<Reply, Error>>, String) {
    let paper = Paper::new(usize::MAX);
    let model = Scripted::open("m", SCRIPT.as_bytes()).unwrap();
    let recording = Recording::new(model, paper.clone());
    let outcomes = outcomes(&recording).await;
    assert_eq!(recording.failure(), None);
    (outcomes, paper.text())
}

#[tokio::test]
async fn a_recording_gives_back_what_happened() {
    let (first, text) = recorded().await;
    let opaque = Opaque {
        dialect: Dialect::Anthropic,
        model: "c".to_owned(),
        value: json!({ "type": "thinking", "signature": "s==" }),
    };
    let call = ToolCall { id: "a".into(), name: "read".into(), arguments: "{ \"p\": 1}".into() };
    let expected = Reply {
        parts: vec![
            Part::Opaque(opaque),
            Part::Text("I look. ".to_owned()),
            Part::Call(call),
            Part::Text("And wait.".to_owned()),
        ],
        finish: FinishReason::ToolCalls,
        usage: Usage { input_tokens: 9, cached_tokens: 3, output_tokens: 2, ..Usage::default() },
    };
    assert_eq!(first[0].as_ref(), Ok(&expected));
    assert_eq!(first[3].as_ref().map_err(|error| error.kind), Err(ErrorKind::Unauthorized));

    let script = Script::parse(text.as_bytes()).unwrap();
    let asked: Vec<_> = script.replies.iter().map(|reply| reply.request.clone()).collect();
    assert_eq!(asked, requests().into_iter().map(Some).collect::<Vec<_>>());
    assert_eq!(outcomes(&Scripted::new("m", script.clone())).await, first, "as a script");
    let exact = Scripted::exact("m", script);
    assert_eq!(outcomes(&exact).await, first, "exactly");
    assert_eq!(exact.unused(), []);
}

#[tokio::test]
async fn only_what_is_new_is_written() {
    let (_, text) = recorded().await;
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let requests: Vec<_> = lines.iter().map(|line| &line["request"]).collect();
    assert_eq!(requests[0]["messages"].as_array().map(Vec::len), Some(2));
    assert_eq!(requests[1], &json!({ "messages": [{ "user": "plan" }] }));
    assert_eq!(
        requests[2],
        &json!({
            "like": "decide", "keep": 2, "messages": [
                { "assistant": [{ "call": { "id": "a", "name": "read", "arguments": "{}" } }] },
                { "tool": { "call_id": "a", "name": "read", "content": "text" } },
            ],
            "temperature": 0.5,
        })
    );
    assert_eq!(
        requests[3],
        &json!({
            "like": "decide", "keep": 4, "messages": [{ "user": "now say it" }],
            "tool_choice": "none", "max_output_tokens": 7,
        })
    );
    assert_eq!(
        lines[3]["fault"],
        json!({ "error": {
            "kind": "unauthorized", "provider": "replay/m", "message": "no (HTTP 401)", "status": 401,
        } })
    );
}

type Change = fn(&mut Request);

#[tokio::test]
async fn the_first_difference_is_named() {
    let (_, text) = recorded().await;
    let script = Script::parse(text.as_bytes()).unwrap();
    let told = |at: usize, change: Change| {
        let script = script.clone();
        async move {
            let replay = Scripted::exact("m", script);
            for request in requests().into_iter().take(at) {
                drop(Reply::collect(replay.send(request)).await);
            }
            let mut request = requests().remove(at);
            change(&mut request);
            Reply::collect(replay.send(request)).await.unwrap_err().message
        }
    };
    let prefix = "records a different request: ";
    let cases: [(usize, Change, &str); 8] = [
        (
            0,
            |r| r.messages[1] = Arc::new(Message::User("goes".to_owned())),
            r#"line 1 {}message 2 was "go" and is "goes""#,
        ),
        (
            0,
            |r| r.messages[0] = Arc::new(Message::User("be brief".to_owned())),
            "line 1 {}message 1 was of the system and is of the user",
        ),
        (1, |r| r.purpose = Purpose::Judge, "line 2 {}it was for edit_plan and is for judge"),
        (
            2,
            |r| r.messages.push(Arc::new(Message::User("!".to_owned()))),
            "line 3 {}it had 4 messages and has 5",
        ),
        (
            2,
            |r| r.tools = Arc::from([spec("list")]),
            r#"line 3 {}its tools were ["read"] and are ["list"]"#,
        ),
        (
            2,
            |r| {
                let parameters = json!({ "type": "object", "properties": {} });
                r.tools = Arc::from([ToolSpec { parameters, ..spec("read") }]);
            },
            "line 3 {}the descriptions or parameters of its tools differ",
        ),
        (3, |r| r.tool_choice = ToolChoice::Auto, "line 4 {}its tool_choice was None and is Auto"),
        (
            3,
            |r| r.max_output_tokens = None,
            "line 4 {}its max_output_tokens was Some(7) and is None",
        ),
    ];
    for (at, change, expected) in cases {
        assert_eq!(told(at, change).await, expected.replace("{}", prefix));
    }
}

#[tokio::test]
async fn a_full_disk_ends_the_recording_and_not_the_calls() {
    let paper = Paper::new(600);
    let model = Scripted::open("m", SCRIPT.as_bytes()).unwrap();
    let recording = Recording::new(model, paper.clone());
    let outcomes = outcomes(&recording).await;
    assert!(outcomes[..3].iter().all(Result::is_ok));
    assert_eq!(recording.failure().as_deref(), Some("the disk is full"));
    assert_eq!(paper.text().lines().count(), 1);
}

#[tokio::test(start_paused = true)]
async fn around_retries_the_last_attempt_is_recorded() {
    let script = r#"
        {"purpose": "decide", "text": "half a reply", "fault": {"cut_after_bytes": 6}}
        {"purpose": "decide", "text": "whole"}
    "#;
    let ask = || requests().remove(0);
    let model = Scripted::open("m", script.as_bytes()).unwrap();
    let outside = Paper::new(usize::MAX);
    let recording = Recording::new(Retrying::new(model, RetryPolicy::default()), outside.clone());
    Reply::collect(recording.send(ask())).await.unwrap();
    let line: Value = serde_json::from_str(outside.text().trim()).unwrap();
    assert_eq!(line["parts"], json!([{ "text": "whole" }]));

    let model = Scripted::open("m", script.as_bytes()).unwrap();
    let inside = Paper::new(usize::MAX);
    let recording = Recording::new(model, inside.clone());
    let retrying = Retrying::new(recording, RetryPolicy::default());
    Reply::collect(retrying.send(ask())).await.unwrap();
    let script = Script::parse(inside.text().as_bytes()).unwrap();
    assert_eq!(script.replies.len(), 2);
}

#[test]
fn broken_recordings_are_refused() {
    let cases = [
        (
            r#"{"purpose": "decide", "parts": [], "text": "x"}"#,
            "line 1: the reply has parts, so its text and calls have to stand among them",
        ),
        (
            r#"{"purpose": "decide", "parts": [], "request": {"like": "decide", "keep": 1}}"#,
            "line 1: the request is like one of decide, but none stands above it",
        ),
        (
            "{\"purpose\": \"decide\", \"parts\": [], \"request\": {}}\n{\"purpose\": \"decide\", \"parts\": [], \"request\": {\"like\": \"decide\", \"keep\": 1}}",
            "line 2: the request keeps 1 messages, but the one that it is like has 0",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(Script::parse(text.as_bytes()).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_line_beside_its_conversation_holds_what_is_new_and_can_stand_alone() {
    let calls = requests();
    let reply = || Reply {
        parts: vec![Part::Text("Done".to_owned())],
        finish: FinishReason::Stop,
        usage: Usage::default(),
    };
    let (mut kept, mut read, mut alone) = (Lines::default(), Lines::default(), String::new());
    for request in &calls {
        let conversation: Vec<_> =
            request.messages.iter().map(|it| Arc::new((**it).clone())).collect();
        let tools: Arc<[ToolSpec]> = request.tools.to_vec().into();
        let known = Known { messages: &conversation, tools: &tools };
        let line = kept.of(request, &Ok(reply()), known).unwrap();
        assert_eq!(line["request"]["known"], json!(request.messages.len()), "{line}");
        assert_eq!(line["request"]["messages"], json!([]));
        assert_eq!(line["request"].get("tools"), None);
        assert!(Script::parse(format!("{line}\n").as_bytes()).is_err(), "it does not stand alone");
        alone += &format!("{}\n", read.alone(line, known).unwrap());
    }
    let script = Script::parse(alone.as_bytes()).unwrap();
    let restored: Vec<Request> = script.replies.into_iter().filter_map(|it| it.request).collect();
    assert_eq!(restored, calls);
    // As it would have been written without the conversation.
    let (mut plain, none) = (Lines::default(), Arc::default());
    let nothing = Known { messages: &[], tools: &none };
    let written =
        calls.iter().map(|it| format!("{}\n", plain.of(it, &Ok(reply()), nothing).unwrap()));
    assert_eq!(written.collect::<String>(), alone);
}

#[test]
fn a_line_that_does_not_fit_its_conversation_is_told() {
    let (none, mut lines) = (Arc::default(), Lines::default());
    let nothing = Known { messages: &[], tools: &none };
    let line = json!({ "purpose": "decide", "request": { "known": 3, "messages": [] } });
    let error = lines.alone(line, nothing).unwrap_err();
    assert_eq!(error, "the request keeps 3 messages, but the one that it is like has 0");
    let error = lines.alone(json!({ "request": { "messages": [] } }), nothing).unwrap_err();
    assert_eq!(error, "the line has no purpose");
    let plain = json!({ "purpose": "decide", "fault": {} });
    assert_eq!(lines.alone(plain.clone(), nothing).unwrap(), plain);
}
