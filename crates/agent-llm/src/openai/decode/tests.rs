use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::body::{Framing, testing};
use crate::{ErrorKind, Part, Reply, ToolCall};

fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Result<Vec<Delta>, Error> {
    let decoder = Decoder::new("p", CallIds::default());
    testing::decode(Framing::Events, decoder, pieces)
}

/// The reply of a body, the same wherever it is split.
fn check(body: &str) -> Result<Reply, Error> {
    testing::check(Framing::Events, || Decoder::new("p", CallIds::default()), body)
}

/// An event stream of these chunks, the last of them `[DONE]`.
fn stream(chunks: &[Value]) -> String {
    let events = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    events.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn said(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finished(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn kind(body: &str) -> ErrorKind {
    check(body).unwrap_err().kind
}

#[test]
fn everything_that_streams() {
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 3}});
    let body = stream(&[
        said(&json!({"role": "assistant", "content": ""})),
        said(&json!({"reasoning_content": "hm", "reasoning": "hm"})),
        said(&json!({"content": "Grü", "reasoning": null})),
        said(&json!({"content": "ße"})),
        said(
            &json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "read", "arguments": "{}"}}]}),
        ),
        finished("stop"),
        json!({"choices": [], "usage": usage}),
    ]);
    let deltas = decode([body.as_bytes()]).unwrap();
    assert_eq!(deltas[0], Delta::Reasoning("hm".to_owned()));
    assert_eq!(deltas[1], Delta::Text("Grü".to_owned()));
    assert_eq!(deltas.last(), Some(&Delta::Finish(FinishReason::ToolCalls)));
    let call = ToolCall { id: "a".to_owned(), name: "read".to_owned(), arguments: "{}".to_owned() };
    let expected = Reply {
        parts: vec![Part::Text("Grüße".to_owned()), Part::Call(call)],
        finish: FinishReason::ToolCalls,
        usage: Usage {
            input_tokens: 9,
            cached_tokens: 5,
            cache_written_tokens: 3,
            output_tokens: 4,
        },
    };
    assert_eq!(check(&body), Ok(expected));
}

#[test]
fn servers_differ() {
    let cases = [
        (
            "a list of parts",
            said(&json!({"content": [{"type": "thinking"}, {"type": "text", "text": "ok"}]})),
        ),
        ("a refusal", said(&json!({"refusal": "ok"}))),
        (
            "two choices",
            json!({"choices": [{"index": 1, "delta": {"content": "no"}}, {"index": 0, "delta": {"content": "ok"}}]}),
        ),
        (
            "no index, no usage",
            json!({"choices": [{"delta": {"content": "ok"}, "finish_reason": ""}], "usage": null, "error": null}),
        ),
        ("`message` for `delta`", json!({"choices": [{"message": {"content": "ok"}}]})),
    ];
    for (what, chunk) in cases {
        assert_eq!(
            check(&stream(&[chunk])).map(|reply| reply.text()),
            Ok("ok".to_owned()),
            "{what}"
        );
    }
    let usage = |tokens: u64| json!({"choices": [{"delta": {"content": "x"}}], "usage": {"prompt_tokens": 3, "completion_tokens": tokens}});
    let reply = check(&stream(&[usage(1), usage(2), finished("stop")])).unwrap();
    assert_eq!(
        reply.usage,
        Usage { input_tokens: 3, cached_tokens: 0, output_tokens: 2, ..Usage::default() }
    );
}

#[test]
fn reasons_are_translated() {
    let finish = |reason: &str| check(&stream(&[finished(reason)])).unwrap().finish;
    assert_eq!(finish("stop"), FinishReason::Stop);
    let call = json!({"tool_calls": [{"function": {"name": "t", "arguments": "{}"}}]});
    for reason in ["stop", "tool_calls", "function_call"] {
        let reply = check(&stream(&[said(&call), finished(reason)])).unwrap();
        assert_eq!(reply.finish, FinishReason::ToolCalls, "{reason}");
    }
    assert_eq!(finish("tool_calls"), FinishReason::Stop, "there is no call");
    assert_eq!(finish("length"), FinishReason::Length);
    assert_eq!(kind(&stream(&[finished("content_filter")])), ErrorKind::Filtered);
    assert_eq!(finish("eos"), FinishReason::Other("eos".to_owned()));
    assert_eq!(check(&stream(&[])).unwrap().finish, FinishReason::Stop);
}

#[test]
fn a_stream_may_end_in_several_ways() {
    let text = |body: &str| check(body).map(|reply| reply.text());
    let whole = stream(&[said(&json!({"content": "x"})), finished("stop")]);
    for end in ["\n", "\n\n", " [DONE]\n\n", "data: [DONE]\n\n"] {
        let body = whole.strip_suffix(end).unwrap();
        assert_eq!(text(body), Ok("x".to_owned()), "without {end:?}");
    }
    let unfinished = stream(&[said(&json!({"content": "x"}))]);
    assert_eq!(text(&unfinished), Ok("x".to_owned()), "[DONE] alone says it");
    for cut in [0, 3, 20, unfinished.find("data: [DONE]").unwrap()] {
        assert_eq!(kind(&unfinished[..cut]), ErrorKind::Cut, "{:?}", &unfinished[..cut]);
    }
    assert_eq!(kind(": ping\n\n: ping\n\n"), ErrorKind::Cut);
    assert_eq!(kind(" \n"), ErrorKind::Cut);
}

#[test]
fn whole_replies_are_understood() {
    let body = json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "read", "arguments": {"p": 1}}},
        ]}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    });
    let reply = check(&format!("\n {body}")).unwrap();
    assert_eq!(
        reply.calls().map(|call| call.arguments.as_str()).collect::<Vec<_>>(),
        [r#"{"p":1}"#]
    );
    assert_eq!(reply.finish, FinishReason::ToolCalls);
    let cut = body.to_string();
    assert_eq!(kind(&cut[..cut.len() - 5]), ErrorKind::Cut);
}

#[test]
fn what_is_no_reply_is_told() {
    for body in [
        "<html>no</html>",
        "data: <html>\n\n",
        "{\"models\": []}",
        "{\"choices\": []}",
        "{nonsense}",
        "[]",
        "event: x\ndata: {\"type\": \"message_stop\"}\n\n",
    ] {
        assert_eq!(kind(body), ErrorKind::BadReply, "{body}");
    }
    let error = check("<html>\nno").unwrap_err();
    assert_eq!(
        error.message,
        "the body is not what the wire format promises; it begins with: <html> no"
    );
}

#[test]
fn errors_inside_a_reply_are_errors() {
    let limit = json!({"error": {"message": "slow down", "code": 429}});
    let overflow = json!({"error": {"message": "m", "type": "exceed_context_size_error"}});
    let text = json!({"error": "the runner stopped"});
    assert_eq!(kind(&limit.to_string()), ErrorKind::RateLimited);
    let cases = [
        (limit, ErrorKind::RateLimited),
        (overflow, ErrorKind::ContextTooLong),
        (text, ErrorKind::Overloaded),
    ];
    for (error, expected) in cases {
        assert_eq!(kind(&stream(&[said(&json!({"content": "x"})), error])), expected);
    }
}

proptest! {
    /// Whatever comes, and however it is split, it is the same reply or the same error.
    #[test]
    fn splitting_anywhere_changes_nothing(pieces in prop::collection::vec(prop::sample::select(vec![
        "data: ", "data:[DONE]", "\n", "\n\n", "\r\n\r\n", " ", ":", "{", "}", "é", "\u{feff}", "null",
        r#"{"choices":[{"delta":{"content":"x"}}]}"#,
        r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"t","arguments":"{}"}}]}}]}"#,
        r#"{"error":"e"}"#,
    ]), 0..12)) {
        let body = pieces.concat();
        prop_assert_eq!(decode(body.as_bytes().chunks(1)), decode([body.as_bytes()]));
    }
}

/// The body of a captured response, without its chunk framing.
fn captured(response: &[u8]) -> Vec<u8> {
    let start = response.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    let (mut left, mut body) = (&response[start..], Vec::new());
    loop {
        let end = left.windows(2).position(|window| window == b"\r\n").unwrap();
        let size = std::str::from_utf8(&left[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&left[end + 2..][..size]);
        left = &left[end + 2 + size + 2..];
    }
}

macro_rules! captured {
    ($($name:literal)*) => {
        [$(($name, &include_bytes!(concat!(
            "../../../../../fixtures/captures/llama-cpp/", $name, ".response.http"
        ))[..])),*]
    };
}

/// What a real server sent, split at every byte; the replies themselves are stated in the tests
/// over HTTP.
#[test]
fn captured_streams_may_be_split_anywhere() {
    let captures = captured![
        "06-chat-stream" "07-chat-stream-usage" "09-chat-stream-length" "11-chat-utf8-stream"
        "13-tools-auto-stream" "15-tools-required-stream" "19-tools-none-stream"
        "21-tools-parallel-stream" "23-tool-result-stream" "25-json-schema-stream"
        "90-tool-call-cut-stream"
        "93-tool-call-cut-in-arguments-stream" "94-stream-ping" "95-stream-progress"
        "87-context-full-mid-reply-stream" "official-template-tools-auto-stream"
    ];
    for (name, response) in captures {
        let body = captured(response);
        let whole = decode([body.as_slice()]).unwrap();
        for size in [1, 2, 3, 7, 1000] {
            assert_eq!(decode(body.chunks(size)), Ok(whole.clone()), "{name}, every {size} bytes");
        }
        // The time for one cut at each place grows with the square of the size.
        let places = if body.len() < 2000 { body.len() } else { 0 };
        for at in 0..places {
            let (first, second) = body.split_at(at);
            assert_eq!(decode([first, second]), Ok(whole.clone()), "{name}, split at {at}");
        }
    }
}
