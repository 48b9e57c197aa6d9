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

fn event(kind: &str, mut rest: Value) -> Value {
    rest["type"] = json!(format!("response.{kind}"));
    rest
}

fn ended(kind: &str, mut response: Value) -> Value {
    response["status"] = json!(kind);
    event(kind, json!({ "response": response }))
}

fn reasoning() -> Value {
    json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA=="})
}

fn call_item(arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "read", "arguments": arguments})
}

fn expected() -> Reply {
    let opaque =
        Opaque { dialect: Dialect::OpenAiResponses, model: "m".into(), value: reasoning() };
    let call = ToolCall { id: "call_a".into(), name: "read".into(), arguments: "{\"p\":1}".into() };
    Reply {
        parts: vec![Part::Opaque(opaque), Part::Text("I look.".to_owned()), Part::Call(call)],
        finish: FinishReason::ToolCalls,
        usage: Usage {
            input_tokens: 9,
            cached_tokens: 5,
            cache_written_tokens: 3,
            output_tokens: 4,
        },
    }
}

fn usage() -> Value {
    json!({"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 3}})
}

fn message() -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]})
}

#[test]
fn everything_that_streams() {
    let events = [
        event("created", json!({"response": {"status": "in_progress", "error": null}})),
        event("in_progress", json!({"response": {"status": "in_progress"}})),
        event(
            "output_item.added",
            json!({"output_index": 0, "item": {"id": "rs_1", "type": "reasoning", "summary": []}}),
        ),
        event(
            "reasoning_summary_text.delta",
            json!({"item_id": "rs_1", "output_index": 0, "delta": "hm"}),
        ),
        event("output_item.done", json!({"output_index": 0, "item": reasoning()})),
        event(
            "output_item.added",
            json!({"output_index": 1, "item": {"id": "msg_1", "type": "message", "content": []}}),
        ),
        event("output_text.delta", json!({"item_id": "msg_1", "output_index": 1, "delta": "I "})),
        event(
            "output_text.delta",
            json!({"item_id": "msg_1", "output_index": 1, "delta": "look."}),
        ),
        event(
            "output_text.done",
            json!({"item_id": "msg_1", "output_index": 1, "text": "I look."}),
        ),
        event("output_item.done", json!({"output_index": 1, "item": message()})),
        event("output_item.added", json!({"output_index": 2, "item": call_item("")})),
        event(
            "function_call_arguments.delta",
            json!({"item_id": "fc_1", "output_index": 2, "delta": "{\"p\""}),
        ),
        event(
            "function_call_arguments.delta",
            json!({"item_id": "fc_1", "output_index": 2, "delta": ":1}"}),
        ),
        event(
            "function_call_arguments.done",
            json!({"item_id": "fc_1", "output_index": 2, "arguments": "{\"p\":1}"}),
        ),
        event("output_item.done", json!({"output_index": 2, "item": call_item("{\"p\":1}")})),
        ended(
            "completed",
            json!({"output": [reasoning(), message(), call_item("{\"p\":1}")], "usage": usage()}),
        ),
    ];
    assert_eq!(check(&stream(&events)), Ok(expected()));
    let finished = |skip: &[usize]| {
        let kept = events.iter().enumerate().filter(|(at, _)| !skip.contains(at));
        check(&stream(&kept.map(|(_, event)| event.clone()).collect::<Vec<_>>()))
    };
    assert_eq!(finished(&[6, 7, 11, 12]), Ok(expected()), "no deltas");
    assert_eq!(finished(&[2, 5, 10]), Ok(expected()), "nothing is announced");
    assert_eq!(finished(&(0..15).collect::<Vec<_>>()), Ok(expected()), "only the end");
}

#[test]
fn whole_replies_are_understood() {
    let body = json!({"object": "response", "status": "completed", "error": null, "incomplete_details": null,
        "output": [reasoning(), message(), call_item("{\"p\":1}")], "usage": usage()});
    assert_eq!(check(&body.to_string()), Ok(expected()));
    let cut = body.to_string();
    assert_eq!(check(&cut[..cut.len() - 9]).unwrap_err().kind, ErrorKind::Cut);
}

#[test]
fn reasons_are_translated() {
    let incomplete = |reason: &str| {
        let response = json!({"incomplete_details": {"reason": reason}, "output": [message()]});
        check(&stream(&[ended("incomplete", response)])).map(|reply| reply.finish)
    };
    assert_eq!(incomplete("max_output_tokens"), Ok(FinishReason::Length));
    assert_eq!(incomplete("content_filter").unwrap_err().kind, ErrorKind::Filtered);
    assert_eq!(incomplete("tired"), Ok(FinishReason::Other("tired".to_owned())));
    let refused = json!({"type": "message", "id": "m", "content": [{"type": "refusal", "refusal": "I can't."}]});
    let reply = check(&stream(&[ended("completed", json!({"output": [refused]}))])).unwrap();
    assert_eq!(reply.text(), "I can't.");
}

#[test]
fn a_cut_stream_is_no_reply() {
    let events = [
        event("created", json!({"response": {}})),
        event("output_text.delta", json!({"item_id": "m", "delta": "x"})),
    ];
    let body = stream(&events);
    for cut in [0, 9, 40, body.len() - 2, body.len()] {
        assert_eq!(check(&body[..cut]).unwrap_err().kind, ErrorKind::Cut, "{cut}");
    }
}

#[test]
fn errors_inside_a_stream_are_errors() {
    let failed = |error: Value| {
        check(&stream(&[ended("failed", json!({ "error": error }))])).unwrap_err().kind
    };
    assert_eq!(failed(json!({"code": "server_error", "message": "x"})), ErrorKind::Overloaded);
    assert_eq!(
        failed(json!({"code": "rate_limit_exceeded", "message": "x"})),
        ErrorKind::RateLimited
    );
    assert_eq!(
        failed(json!({"code": "context_length_exceeded", "message": "x"})),
        ErrorKind::ContextTooLong
    );
    assert_eq!(
        failed(json!({"code": "insufficient_quota", "message": "x"})),
        ErrorKind::QuotaExceeded
    );
    assert_eq!(failed(json!({"code": "invalid_prompt", "message": "x"})), ErrorKind::Filtered);
    assert_eq!(failed(Value::Null), ErrorKind::Overloaded);
    let alone =
        json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow", "param": null});
    let error = check(&stream(&[alone])).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::RateLimited, "slow"));
    let nested =
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}});
    assert_eq!(check(&stream(&[nested])).unwrap_err().kind, ErrorKind::BadRequest);
}

#[test]
fn what_is_no_reply_is_told() {
    for body in [
        "<html>no</html>",
        "data: <html>\n\n",
        "{\"models\": []}",
        "[]",
        "data: {\"choices\": []}\n\n",
        "event: message_start\ndata: {\"type\": \"message_start\"}\n\n",
        "data: {\"type\": \"response.completed\"}\n\n",
        "data: {\"type\": \"response.output_text.delta\", \"delta\": 7}\n\n",
    ] {
        assert_eq!(check(body).unwrap_err().kind, ErrorKind::BadReply, "{body}");
    }
}
