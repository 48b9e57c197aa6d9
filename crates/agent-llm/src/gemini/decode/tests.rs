use super::*;
use crate::body::{Framing, testing};
use crate::{Part, Reply, ToolCall};

/// The reply of a body, the same wherever it is split.
fn check(body: &str) -> Result<Reply, Error> {
    testing::check(Framing::Events, || Decoder::new("p", "m", CallIds::default()), body)
}

fn stream(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}

fn parts(parts: &Value) -> Value {
    json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}], "modelVersion": "g"})
}

fn finished(reason: &str) -> Value {
    json!({"candidates": [{"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": reason, "index": 0}]})
}

fn opaque(value: Value) -> Part {
    Part::Opaque(Opaque { dialect: Dialect::Gemini, model: "m".into(), value })
}

#[test]
fn everything_that_streams() {
    let usage = json!({"usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 5, "candidatesTokenCount": 3, "thoughtsTokenCount": 4, "totalTokenCount": 16}});
    let body = stream(&[
        parts(&json!([{"text": "Let me see", "thought": true}])),
        parts(&json!([{"text": "I "}])),
        parts(&json!([{"text": "look."}])),
        parts(&json!([
            {"functionCall": {"name": "read", "args": {"p": 1}, "id": "x"}, "thoughtSignature": "Ci=="},
            {"functionCall": {"name": "list"}},
        ])),
        finished("STOP"),
        usage,
    ]);
    let call = |id: &str, name: &str, arguments: &str| {
        Part::Call(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() })
    };
    let expected = Reply {
        parts: vec![
            Part::Text("I look.".to_owned()),
            opaque(json!({"thoughtSignature": "Ci=="})),
            call("x", "read", "{\"p\":1}"),
            call("call_2", "list", "{}"),
        ],
        finish: FinishReason::ToolCalls,
        usage: Usage { input_tokens: 9, cached_tokens: 5, output_tokens: 7, ..Usage::default() },
    };
    assert_eq!(check(&body), Ok(expected));
}

#[test]
fn signatures_keep_their_places() {
    let signed = json!({"text": "done", "thoughtSignature": "a"});
    let reply = check(&stream(&[parts(&json!([signed])), finished("STOP")])).unwrap();
    let expected = [opaque(json!({"thoughtSignature": "a"})), Part::Text("done".to_owned())];
    assert_eq!(reply.parts, expected);

    let empty = json!({"text": "", "thoughtSignature": "b"});
    let words = parts(&json!([{"text": "done"}]));
    let reply = check(&stream(&[words, parts(&json!([empty])), finished("STOP")])).unwrap();
    assert_eq!(reply.parts, [Part::Text("done".to_owned()), opaque(empty)]);
}

#[test]
fn reasons_are_translated() {
    let words = || parts(&json!([{"text": "x"}]));
    let finish = |reason: &str| check(&stream(&[words(), finished(reason)])).map(|it| it.finish);
    assert_eq!(finish("STOP"), Ok(FinishReason::Stop));
    assert_eq!(finish("MAX_TOKENS"), Ok(FinishReason::Length));
    for reason in ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"] {
        assert_eq!(finish(reason).unwrap_err().kind, ErrorKind::Filtered, "{reason}");
    }
    let other = "MALFORMED_FUNCTION_CALL";
    assert_eq!(finish(other), Ok(FinishReason::Other(other.to_owned())));
}

#[test]
fn a_blocked_prompt_is_an_error() {
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": []}, "usageMetadata": {"promptTokenCount": 3}});
    let error = check(&stream(&[blocked])).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Filtered, "the prompt was blocked: SAFETY")
    );
}

#[test]
fn a_cut_stream_is_no_reply() {
    let body = stream(&[parts(&json!([{"text": "half"}]))]);
    for cut in [0, 3, 30, body.len() - 2, body.len()] {
        assert_eq!(check(&body[..cut]).unwrap_err().kind, ErrorKind::Cut, "{cut}");
    }
}

#[test]
fn errors_inside_a_stream_are_errors() {
    let error = |code: u16, status: &str| {
        let error = json!({"error": {"code": code, "message": "m", "status": status}});
        check(&stream(&[parts(&json!([{"text": "x"}])), error])).unwrap_err().kind
    };
    assert_eq!(error(503, "UNAVAILABLE"), ErrorKind::Overloaded);
    assert_eq!(error(429, "RESOURCE_EXHAUSTED"), ErrorKind::RateLimited);
    assert_eq!(error(400, "INVALID_ARGUMENT"), ErrorKind::BadRequest);
}

#[test]
fn what_is_no_reply_is_told() {
    for body in [
        "<html>no</html>",
        "data: <html>\n\n",
        "{\"models\": []}",
        "[]",
        "data: {\"choices\": []}\n\n",
        "data: {\"type\": \"message_start\"}\n\n",
        "data: {\"candidates\": {}}\n\n",
    ] {
        assert_eq!(check(body).unwrap_err().kind, ErrorKind::BadReply, "{body}");
    }
}
