//! The reply of `/api/chat`: JSON lines, of which the last one says `done`.

use serde::Deserialize;
use serde_json::Value;

use crate::call_ids::CallIds;
use crate::http::classify;
use crate::lines::{LONGEST, TooLong};
use crate::ndjson::NdjsonDecoder;
use crate::{Delta, Error, ErrorKind, FinishReason, Request, Usage};

/// Turns the bytes of a body into deltas.
pub(super) struct Decoder {
    provider: String,
    lines: NdjsonDecoder,
    ids: CallIds,
    calls: usize,
    end: Option<End>,
}

/// What the last line says.
struct End {
    finish: FinishReason,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Line {
    message: Option<WireMessage>,
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

impl Decoder {
    /// For the reply to `request`.
    pub(super) fn new(provider: &str, request: &Request) -> Self {
        Self {
            provider: provider.to_owned(),
            lines: NdjsonDecoder::new(),
            ids: CallIds::new(request),
            calls: 0,
            end: None,
        }
    }

    /// Whether the last line has come.
    pub(super) fn is_done(&self) -> bool {
        self.end.is_some()
    }

    /// Takes the next piece of the body.
    pub(super) fn push(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let mut lines = Vec::new();
        let pushed = self.lines.push(bytes, &mut lines);
        for line in lines {
            let line = self.parse(&line)?;
            self.line(line, deltas)?;
        }
        pushed.map_err(|TooLong| {
            let message = format!("the server sent more than {LONGEST} bytes without a break");
            Error::new(ErrorKind::BadReply, &self.provider, message)
        })
    }

    /// Ends the reply.
    pub(super) fn end(mut self, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if let Some(rest) = self.lines.take_rest() {
            // A whole object only lacked its line feed; half of one is what a cut leaves.
            match serde_json::from_slice(&rest) {
                Ok(line) => self.line(line, deltas)?,
                Err(error) if error.is_eof() => {}
                Err(_) => return Err(classify::not_a_reply(&self.provider, &rest)),
            }
        }
        let Some(End { finish, usage }) = self.end else {
            let message = "the stream ended before the reply was complete";
            return Err(Error::new(ErrorKind::Cut, &self.provider, message));
        };
        // Ollama says "stop" also where it stopped to have tools run.
        let wants_tools = finish == FinishReason::Stop && self.calls > 0;
        let finish = if wants_tools { FinishReason::ToolCalls } else { finish };
        deltas.extend(usage.map(Delta::Usage));
        deltas.push(Delta::Finish(finish));
        Ok(())
    }

    fn parse(&self, line: &[u8]) -> Result<Line, Error> {
        serde_json::from_slice(line).map_err(|_| classify::not_a_reply(&self.provider, line))
    }

    fn line(&mut self, line: Line, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if let Some(error) = line.error
            && let Some(error) = classify::classify_inside(&self.provider, &error)
        {
            return Err(error);
        }
        if let Some(message) = line.message {
            self.message(message, deltas);
        }
        if line.done {
            let counted = line.prompt_eval_count.is_some() || line.eval_count.is_some();
            let usage = counted.then(|| Usage {
                input_tokens: line.prompt_eval_count.unwrap_or(0),
                cached_tokens: 0,
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
    use crate::{Part, Purpose, Reply, ReplyBuilder, ToolCall};

    fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Result<Reply, Error> {
        let mut decoder = Decoder::new("p", &Request::new(Purpose::Decide, vec![]));
        let mut deltas = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut deltas)?;
        }
        decoder.end(&mut deltas)?;
        let mut builder = ReplyBuilder::default();
        deltas.into_iter().for_each(|delta| builder.push(delta));
        builder.finish()
    }

    /// The reply of a body, however it is split.
    fn reply(body: &str) -> Result<Reply, Error> {
        let whole = decode([body.as_bytes()]);
        for at in 0..body.len() {
            let (first, second) = body.as_bytes().split_at(at);
            assert_eq!(decode([first, second]), whole, "split at {at}");
        }
        whole
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
            usage: Usage { input_tokens: 26, cached_tokens: 0, output_tokens: 9 },
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
}
