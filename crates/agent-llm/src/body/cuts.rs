//! A stream that is cut never gives half a reply, wherever it is cut, in any dialect.

use crate::body::testing;
use crate::call_ids::CallIds;
use crate::client::Format;
use crate::{Delta, Error, ErrorKind, FinishReason};

const CHAT: &str = r#"data: {"choices":[{"index":0,"delta":{"content":"Gr\u00fc\u00dfe é"}}]}

: ping

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#;

const RESPONSES: &str = r#"event: response.created
data: {"type":"response.created","response":{"status":"in_progress"}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"id":"rs","type":"reasoning","encrypted_content":"g=="}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","output_index":1,"item_id":"m","delta":"Grüße é"}

data: {"type":"response.output_item.added","output_index":2,"item":{"id":"f","type":"function_call","call_id":"a","name":"read"}}

data: {"type":"response.function_call_arguments.delta","output_index":2,"item_id":"f","delta":"{\"p\":1}"}

event: response.completed
data: {"type":"response.completed","response":{"status":"completed","output":[]}}

"#;

const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"s=="}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Grüße é"}}

data: {"type":"content_block_stop","index":1}

event: ping
data: {"type":"ping"}

data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"read","input":{}}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"p\":1}"}}

data: {"type":"content_block_stop","index":2}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

"#;

const GEMINI: &str = r#"data: {"candidates":[{"content":{"parts":[{"text":"Grüße é"}]}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"p":1}},"thoughtSignature":"s=="}]}}]}

data: {"candidates":[{"finishReason":"STOP","index":0}]}

"#;

const OLLAMA: &str = r#"{"message":{"role":"assistant","content":"Grüße é"},"done":false}
{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{"p":1}}}]},"done":false}
{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}
"#;

/// Cuts the stream everywhere; `end` stands in the part of it that says that the reply is whole.
fn check<F: Format>(format: &F, stream: &str, end: &str) {
    let decode = |bytes: &[u8]| -> Result<Vec<Delta>, Error> {
        testing::decode(F::FRAMING, format.decoder("p", CallIds::default()), [bytes])
    };
    let whole = decode(stream.as_bytes()).unwrap();
    assert_eq!(whole.last(), Some(&Delta::Finish(FinishReason::ToolCalls)));
    let said = stream.find(end).unwrap();
    for at in 0..stream.len() {
        match decode(&stream.as_bytes()[..at]) {
            Err(error) => assert_eq!(error.kind, ErrorKind::Cut, "cut at {at}"),
            Ok(deltas) => {
                assert!(at > said, "half a reply passes at {at}: {deltas:?}");
                assert_eq!(deltas, whole, "cut at {at}");
            }
        }
    }
    // However it is split, and whatever its line ends are, it is the same reply.
    let crlf = stream.replace('\n', "\r\n");
    for stream in [stream, &crlf] {
        let decoder = || format.decoder("p", CallIds::default());
        let reply = testing::check(F::FRAMING, decoder, stream).unwrap();
        assert_eq!((reply.text().as_str(), reply.calls().count()), ("Grüße é", 1));
    }
}

#[test]
fn half_a_stream_is_no_reply() {
    check(&crate::openai::OpenAiChat::new("h", "m".into()), CHAT, "finish_reason");
    check(&crate::responses::OpenAiResponses::new("m".into()), RESPONSES, "response.completed");
    check(&crate::anthropic::Anthropic::new("m".into()), ANTHROPIC, "stop_reason");
    check(&crate::gemini::Gemini::new("m".into()), GEMINI, "finishReason");
    check(&crate::ollama::Ollama::new("m".into(), crate::Options::default()), OLLAMA, "true");
}
