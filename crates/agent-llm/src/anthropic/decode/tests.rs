use serde_json::json;

use super::*;
use crate::body::{Framing, testing};
use crate::{ErrorKind, Part, Reply, ToolCall};

/// The reply of a body, the same wherever it is split.
fn check(body: &str) -> Result<Reply, Error> {
    testing::check(Framing::Events, || Decoder::new("p", "m", CallIds::default()), body)
}

fn stream(events: &[Value]) -> String {
    let name = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event))).collect()
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "usage": {"input_tokens": 7, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 1}}})
}

fn block(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 42}}),
        json!({"type": "message_stop"}),
    ]
}

fn text(words: &str) -> Vec<Value> {
    vec![
        start(),
        block(0, &json!({"type": "text", "text": ""})),
        json!({"type": "ping"}),
        delta(0, &json!({"type": "text_delta", "text": words})),
        stop(0),
    ]
}

#[test]
fn everything_that_streams() {
    let events = [
        vec![
            start(),
            json!({"type": "ping"}),
            block(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, &json!({"type": "thinking_delta", "thinking": "Let me "})),
            delta(0, &json!({"type": "thinking_delta", "thinking": "see"})),
            delta(0, &json!({"type": "signature_delta", "signature": "EqQB=="})),
            stop(0),
            block(1, &json!({"type": "redacted_thinking", "data": "EmwK"})),
            stop(1),
            block(2, &json!({"type": "text", "text": ""})),
            delta(2, &json!({"type": "text_delta", "text": "I look."})),
            delta(2, &json!({"type": "citations_delta", "citation": {}})),
            stop(2),
            json!({"type": "event_of_next_year", "index": 2, "payload": [1]}),
            block(3, &json!({"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}})),
            delta(3, &json!({"type": "input_json_delta", "partial_json": ""})),
            delta(3, &json!({"type": "input_json_delta", "partial_json": "{\"p\": "})),
            delta(3, &json!({"type": "input_json_delta", "partial_json": "1}"})),
            stop(3),
            block(4, &json!({"type": "tool_use", "id": "toolu_2", "name": "list", "input": {}})),
            stop(4),
        ],
        end("tool_use").to_vec(),
    ]
    .concat();
    let opaque =
        |value| Part::Opaque(Opaque { dialect: Dialect::Anthropic, model: "m".into(), value });
    let call = |id: &str, name: &str, arguments: &str| {
        Part::Call(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() })
    };
    let expected = Reply {
        parts: vec![
            opaque(json!({"type": "thinking", "thinking": "Let me see", "signature": "EqQB=="})),
            opaque(json!({"type": "redacted_thinking", "data": "EmwK"})),
            Part::Text("I look.".to_owned()),
            call("toolu_1", "read", "{\"p\": 1}"),
            call("toolu_2", "list", "{}"),
        ],
        finish: FinishReason::ToolCalls,
        usage: Usage {
            input_tokens: 327,
            cached_tokens: 300,
            cache_written_tokens: 20,
            output_tokens: 42,
        },
    };
    assert_eq!(check(&stream(&events)), Ok(expected));
    let crlf = stream(&events).replace('\n', "\r\n");
    assert_eq!(check(&crlf), check(&stream(&events)));
}

#[test]
fn whole_replies_are_understood() {
    let body = json!({"id": "m", "type": "message", "role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "text", "text": "ok"},
        {"type": "tool_use", "id": "a", "name": "read", "input": {"p": 1}},
    ], "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 2}});
    let reply = check(&body.to_string()).unwrap();
    assert_eq!(reply.text(), "ok");
    assert_eq!(reply.calls().map(|call| &*call.arguments).collect::<Vec<_>>(), [r#"{"p":1}"#]);
    assert_eq!(
        reply.usage,
        Usage { input_tokens: 1, cached_tokens: 0, output_tokens: 2, ..Usage::default() }
    );
    assert_eq!(reply.parts.len(), 3);
}

#[test]
fn reasons_are_translated() {
    let finish =
        |reason| check(&stream(&[text("x"), end(reason).to_vec()].concat())).map(|it| it.finish);
    assert_eq!(finish("end_turn"), Ok(FinishReason::Stop));
    assert_eq!(finish("stop_sequence"), Ok(FinishReason::Stop));
    assert_eq!(finish("tool_use"), Ok(FinishReason::Stop), "there is no call");
    assert_eq!(finish("max_tokens"), Ok(FinishReason::Length));
    assert_eq!(finish("model_context_window_exceeded"), Ok(FinishReason::Length));
    assert_eq!(finish("pause_turn"), Ok(FinishReason::Other("pause_turn".to_owned())));
    assert_eq!(finish("refusal").unwrap_err().kind, ErrorKind::Filtered);
}

#[test]
fn a_stream_may_end_in_several_ways() {
    let whole = stream(&[text("x"), end("end_turn").to_vec()].concat());
    let (without_stop, _) = whole.split_once("event: message_stop").unwrap();
    assert_eq!(check(without_stop).map(|reply| reply.text()), Ok("x".to_owned()));
    assert_eq!(check(whole.trim_end()).map(|reply| reply.text()), Ok("x".to_owned()));
    let (unfinished, _) = whole.split_once("event: message_delta").unwrap();
    for cut in [0, 5, 30, unfinished.len() - 3, unfinished.len()] {
        let error = check(&unfinished[..cut]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Cut, "{cut}");
    }
}

#[test]
fn errors_inside_a_stream_are_errors() {
    let error = |kind: &str, message: &str| {
        let error = json!({"type": "error", "error": {"type": kind, "message": message}});
        check(&stream(&[text("x"), vec![error]].concat())).unwrap_err().kind
    };
    assert_eq!(error("overloaded_error", "Overloaded"), ErrorKind::Overloaded);
    assert_eq!(error("api_error", "Internal server error"), ErrorKind::Overloaded);
    assert_eq!(error("rate_limit_error", "slow down"), ErrorKind::RateLimited);
    assert_eq!(error("authentication_error", "no"), ErrorKind::Unauthorized);
    assert_eq!(error("permission_error", "no"), ErrorKind::Unauthorized);
    assert_eq!(error("not_found_error", "model: x"), ErrorKind::NotFound);
    assert_eq!(error("invalid_request_error", "bad"), ErrorKind::BadRequest);
    assert_eq!(error("billing_error", "pay"), ErrorKind::QuotaExceeded);
    assert_eq!(error("request_too_large", "big"), ErrorKind::ContextTooLong);
    assert_eq!(
        error("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
        ErrorKind::ContextTooLong
    );
}

#[test]
fn what_is_no_reply_is_told() {
    for body in [
        "<html>no</html>",
        "data: <html>\n\n",
        "{\"models\": []}",
        "[]",
        "data: {\"choices\": []}\n\n",
        "event: response.created\ndata: {\"type\": \"response.created\"}\n\n",
        "data: {\"type\": 7}\n\n",
    ] {
        assert_eq!(check(body).unwrap_err().kind, ErrorKind::BadReply, "{body}");
    }
}
