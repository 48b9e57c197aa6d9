//! The reply of `/api/chat` and `/api/generate`: JSON lines, of which the last one says `done`.

use serde::Deserialize;
use serde_json::Value;

use crate::body::{Progress, ReplyDecoder};
use crate::call_ids::CallIds;
use crate::http::classify;
use crate::wire::{self, Calls};
use crate::{Delta, Error, FinishReason, Usage};

/// Understands the lines of a reply.
pub(crate) struct Decoder {
    provider: String,
    ids: CallIds,
    calls: usize,
    seen: Progress,
    end: Option<End>,
}

/// What the last line says.
struct End {
    finish: FinishReason,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Line {
    /// Of a chat.
    message: Option<WireMessage>,
    /// The words of a completion, and its thoughts.
    response: Option<String>,
    thinking: Option<String>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct WireMessage {
    content: Option<String>,
    thinking: Option<String>,
    tool_calls: Option<Vec<WireCall>>,
}

#[derive(Deserialize)]
struct WireCall {
    id: Option<String>,
    function: WireFunction,
}

#[derive(Deserialize)]
struct WireFunction {
    #[serde(default)]
    name: String,
    arguments: Option<Value>,
}

impl ReplyDecoder for Decoder {
    fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let line = serde_json::from_str(data)
            .map_err(|_| classify::not_a_reply(&self.provider, data.as_bytes()))?;
        self.line(line, deltas)
    }

    fn object(&mut self, body: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        self.event(&String::from_utf8_lossy(body), deltas)
    }

    fn progress(&self) -> Progress {
        if self.end.is_some() { Progress::Done } else { self.seen }
    }

    fn end(&mut self, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let Some(End { finish, usage }) = self.end.take() else { return Ok(()) };
        wire::end(&self.provider, Some(finish), Calls::of(self.calls), usage, deltas)
    }
}

impl Decoder {
    /// For a reply whose calls get `ids`.
    pub(super) fn new(provider: &str, ids: CallIds) -> Self {
        Self { provider: provider.to_owned(), ids, calls: 0, seen: Progress::Nothing, end: None }
    }

    fn line(&mut self, line: Line, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if let Some(error) = line.error
            && let Some(error) = classify::classify_inside(&self.provider, &error)
        {
            return Err(error);
        }
        if line.message.is_none() && line.response.is_none() && !line.done {
            // Another kind of line, or another kind of server.
            self.seen = self.seen.max(Progress::Foreign);
            return Ok(());
        }
        self.seen = Progress::Begun;
        if let Some(message) = line.message {
            self.message(message, deltas);
        }
        let visible = |words: Option<String>| words.filter(|words| !words.is_empty());
        deltas.extend(visible(line.thinking).map(Delta::Reasoning));
        deltas.extend(visible(line.response).map(Delta::Text));
        if line.done {
            let counted = line.prompt_eval_count.is_some() || line.eval_count.is_some();
            let usage = counted.then(|| Usage {
                input_tokens: line.prompt_eval_count.unwrap_or(0),
                cached_tokens: 0,
                cache_written_tokens: 0,
                output_tokens: line.eval_count.unwrap_or(0),
            });
            let finish = match line.done_reason {
                None => FinishReason::Stop,
                Some(reason) => match reason.as_str() {
                    "stop" | "" => FinishReason::Stop,
                    "length" => FinishReason::Length,
                    _ => FinishReason::Other(reason),
                },
            };
            self.end = Some(End { finish, usage });
        }
        Ok(())
    }

    fn message(&mut self, message: WireMessage, deltas: &mut Vec<Delta>) {
        let visible = |words: Option<String>| words.filter(|words| !words.is_empty());
        deltas.extend(visible(message.thinking).map(Delta::Reasoning));
        deltas.extend(visible(message.content).map(Delta::Text));
        for WireCall { id, function } in message.tool_calls.unwrap_or_default() {
            let index = self.calls;
            self.calls += 1;
            let id = Some(self.ids.assign(id.as_deref()));
            let fragment = match function.arguments {
                None | Some(Value::Null) => "{}".to_owned(),
                Some(Value::String(text)) => text,
                Some(arguments) => arguments.to_string(),
            };
            deltas.push(Delta::CallStart { index, id, name: function.name });
            deltas.push(Delta::CallArguments { index, fragment });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Framing, testing};
    use crate::{ErrorKind, Part, Reply, ToolCall};

    fn reply(body: &str) -> Result<Reply, Error> {
        testing::check(Framing::Lines, || Decoder::new("p", CallIds::default()), body)
    }

    const STREAM: &str = r#"{"model":"qwen3","created_at":"2025-10-26T17:21:21.196249Z","message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}
{"model":"qwen3","message":{"role":"assistant","content":"Grüße"},"done":false}
{"model":"qwen3","message":{"role":"assistant","content":" an alle"},"done":false}
{"model":"qwen3","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"a"}}},{"id":"x","function":{"index":1,"name":"list","arguments":{}}}]},"done":false}
{"model":"qwen3","message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"total_duration":1,"prompt_eval_count":26,"eval_count":9}
"#;

    #[test]
    fn a_stream_becomes_a_reply() {
        let call = |id: &str, name: &str, arguments: &str| {
            Part::Call(ToolCall {
                id: id.to_owned(),
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            })
        };
        let expected = Reply {
            parts: vec![
                Part::Text("Grüße an alle".to_owned()),
                call("call_1", "read", r#"{"path":"a"}"#),
                call("x", "list", "{}"),
            ],
            finish: FinishReason::ToolCalls,
            usage: Usage {
                input_tokens: 26,
                cached_tokens: 0,
                output_tokens: 9,
                ..Usage::default()
            },
        };
        assert_eq!(reply(STREAM).unwrap(), expected);
        assert_eq!(reply(STREAM.trim_end()).unwrap(), expected, "without the last line feed");
    }

    #[test]
    fn reasons_are_translated() {
        let finish = |reason: &str| {
            let body = format!(r#"{{"message":{{"content":"x"}},"done":true{reason}}}"#);
            reply(&body).unwrap().finish
        };
        assert_eq!(finish(""), FinishReason::Stop);
        assert_eq!(finish(r#","done_reason":"length""#), FinishReason::Length);
        assert_eq!(finish(r#","done_reason":"load""#), FinishReason::Other("load".to_owned()));
    }

    #[test]
    fn broken_streams_are_told_apart() {
        let cases = [
            ("", ErrorKind::Cut),
            ("{\"message\":{\"content\":\"x\"},\"done\":false}\n", ErrorKind::Cut),
            (&STREAM[..STREAM.len() - 10], ErrorKind::Cut),
            ("<html>\n", ErrorKind::BadReply),
            ("<html>", ErrorKind::BadReply),
            (
                "{\"error\":\"an error was encountered while running the model\"}\n",
                ErrorKind::Overloaded,
            ),
            (
                "{\"message\":{\"content\":\"x\"}}\n{\"error\":\"exceeded max context length\"}",
                ErrorKind::ContextTooLong,
            ),
        ];
        for (body, kind) in cases {
            assert_eq!(reply(body).unwrap_err().kind, kind, "{body}");
        }
    }

    #[test]
    fn a_completion_is_a_reply() {
        let body = concat!(
            r#"{"model":"q","response":"","thinking":"Hm","done":false}"#,
            "\n",
            r#"{"model":"q","response":"[]","done":false}"#,
            "\n",
            r#"{"model":"q","response":"","done":true,"done_reason":"stop","context":[1,2],"prompt_eval_count":5,"eval_count":1}"#,
            "\n",
        );
        let expected = Reply {
            parts: vec![Part::Text("[]".to_owned())],
            finish: FinishReason::Stop,
            usage: Usage {
                input_tokens: 5,
                cached_tokens: 0,
                output_tokens: 1,
                ..Usage::default()
            },
        };
        assert_eq!(reply(body), Ok(expected));
    }
}
