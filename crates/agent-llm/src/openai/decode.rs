//! The reply of a chat completion, streamed or whole.

use serde::Deserialize;
use serde_json::Value;

use super::calls::{CallPiece, Calls};
use crate::call_ids::CallIds;
use crate::http::classify;
use crate::lines::{LONGEST, TooLong};
use crate::sse::SseDecoder;
use crate::{Delta, Error, ErrorKind, FinishReason, Request, Usage};

/// How much of a body an error may show.
const HEAD: usize = 2048;

/// Turns the bytes of a body into deltas.
pub(super) struct Decoder {
    provider: String,
    format: Format,
    head: Vec<u8>,
    calls: Calls,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    seen: Seen,
    done: bool,
}

/// What kind of body it is; its first visible byte tells.
enum Format {
    /// Only this white space has come.
    Unknown(Vec<u8>),
    /// An event stream.
    Events(SseDecoder),
    /// One JSON object, from a server that ignores `stream`.
    Object(Vec<u8>),
}

/// What the events so far have been.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Nothing,
    /// Events, but of another wire format.
    OtherEvents,
    Completion,
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    index: Option<u64>,
    /// In a stream.
    delta: Option<Said>,
    /// In a whole reply.
    message: Option<Said>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    content: Option<Value>,
    reasoning_content: Option<Value>,
    reasoning: Option<Value>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

impl Decoder {
    /// For the reply to `request`.
    pub(super) fn new(provider: &str, request: &Request) -> Self {
        Self {
            provider: provider.to_owned(),
            format: Format::Unknown(Vec::new()),
            head: Vec::new(),
            calls: Calls::new(CallIds::new(request)),
            finish: None,
            usage: None,
            seen: Seen::Nothing,
            done: false,
        }
    }

    /// Whether the stream has said that nothing more will come.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Whether the reply has come to its end, though the stream may not have.
    pub(super) fn is_whole(&self) -> bool {
        self.finish.is_some()
    }

    /// Takes the next piece of the body.
    pub(super) fn push(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let room = HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        let Format::Unknown(space) = &mut self.format else { return self.body(bytes, deltas) };
        let start = std::mem::take(space);
        self.format = match bytes.trim_ascii_start().first() {
            None => Format::Unknown([&start, bytes].concat()),
            Some(b'{') => Format::Object(Vec::new()),
            Some(_) => Format::Events(SseDecoder::new()),
        };
        self.body(&start, deltas)?;
        self.body(bytes, deltas)
    }

    fn body(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        match &mut self.format {
            Format::Unknown(_) => Ok(()),
            Format::Object(body) => {
                body.extend_from_slice(bytes);
                if body.len() > LONGEST { Err(self.too_long()) } else { Ok(()) }
            }
            Format::Events(events) => {
                let mut all = Vec::new();
                let pushed = events.push(bytes, &mut all);
                for data in all {
                    self.event(&data, deltas)?;
                }
                pushed.map_err(|TooLong| self.too_long())
            }
        }
    }

    /// Ends the reply.
    pub(super) fn end(mut self, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        match std::mem::replace(&mut self.format, Format::Unknown(Vec::new())) {
            Format::Unknown(_) => return Err(self.cut()),
            Format::Object(body) => self.object(&body, deltas)?,
            Format::Events(mut events) => {
                if let Some(data) = events.take_rest() {
                    // Half an event is what a cut leaves; a whole one only lacked its blank line.
                    match self.event(&data, deltas) {
                        Err(error) if error.kind == ErrorKind::BadReply => {}
                        other => other?,
                    }
                }
            }
        }
        self.calls.end(deltas);
        let finish = match self.finish.take() {
            Some(FinishReason::Stop) if !self.calls.is_empty() => FinishReason::ToolCalls,
            Some(finish) => finish,
            None if !self.done => return Err(self.cut_or_garbage()),
            None if self.calls.is_empty() => FinishReason::Stop,
            None => FinishReason::ToolCalls,
        };
        deltas.extend(self.usage.map(Delta::Usage));
        deltas.push(Delta::Finish(finish));
        Ok(())
    }

    fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let data = data.trim();
        if data == "[DONE]" {
            self.done = true;
        }
        if self.done || data.is_empty() {
            return Ok(());
        }
        let chunk = serde_json::from_str(data)
            .map_err(|_| classify::not_a_reply(&self.provider, data.as_bytes()))?;
        self.chunk(chunk, deltas)
    }

    fn object(&mut self, body: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let chunk: Chunk = serde_json::from_slice(body).map_err(|error| {
            if error.is_eof() { self.cut() } else { classify::not_a_reply(&self.provider, body) }
        })?;
        let empty = chunk.choices.as_ref().is_none_or(Vec::is_empty);
        self.chunk(chunk, deltas)?;
        if empty {
            return Err(classify::not_a_reply(&self.provider, body));
        }
        self.done = true;
        Ok(())
    }

    fn chunk(&mut self, chunk: Chunk, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if let Some(error) = chunk.error
            && let Some(error) = classify::classify_inside(&self.provider, &error)
        {
            return Err(error);
        }
        if let Some(usage) = chunk.usage {
            let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens);
            self.usage = Some(Usage {
                input_tokens: usage.prompt_tokens.unwrap_or(0),
                cached_tokens: cached.unwrap_or(0),
                output_tokens: usage.completion_tokens.unwrap_or(0),
            });
        }
        if chunk.choices.is_some() {
            self.seen = Seen::Completion;
        } else if self.seen == Seen::Nothing {
            self.seen = Seen::OtherEvents;
        }
        // One reply was asked for; a further one would be mixed up with it.
        let mut choices = chunk.choices.unwrap_or_default().into_iter();
        if let Some(choice) = choices.find(|choice| choice.index.unwrap_or(0) == 0) {
            if let Some(said) = choice.delta.or(choice.message) {
                self.said(said, deltas);
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish = Some(finish(reason));
            }
        }
        Ok(())
    }

    fn said(&mut self, said: Said, deltas: &mut Vec<Delta>) {
        // Servers that know both names send the same words under each.
        let reasoning = words(said.reasoning_content).or_else(|| words(said.reasoning));
        deltas.extend(reasoning.map(Delta::Reasoning));
        deltas.extend(words(said.content).map(Delta::Text));
        deltas.extend(said.refusal.filter(|words| !words.is_empty()).map(Delta::Text));
        for piece in said.tool_calls.unwrap_or_default() {
            self.calls.push(piece, deltas);
        }
    }

    fn cut(&self) -> Error {
        let message = "the stream ended before the reply was complete";
        Error::new(ErrorKind::Cut, &self.provider, message)
    }

    /// A body that does not end is cut, unless it never was a chat completion.
    fn cut_or_garbage(&self) -> Error {
        let head = self.head.trim_ascii_start();
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
        let starts = [&b"data:"[..], b"event:", b"id:", b"retry:", b":"];
        let is_stream =
            starts.iter().any(|start| head.starts_with(start) || start.starts_with(head));
        if is_stream && self.seen != Seen::OtherEvents {
            self.cut()
        } else {
            classify::not_a_reply(&self.provider, head)
        }
    }

    fn too_long(&self) -> Error {
        let message = format!("the server sent more than {LONGEST} bytes without a break");
        Error::new(ErrorKind::BadReply, &self.provider, message)
    }
}

/// Text by the book; some servers send a list of parts that have one.
fn words(content: Option<Value>) -> Option<String> {
    let text = match content? {
        Value::String(text) => text,
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn finish(reason: String) -> FinishReason {
    match reason.as_str() {
        "stop" => FinishReason::Stop,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        "length" => FinishReason::Length,
        "content_filter" => FinishReason::Filter,
        _ => FinishReason::Other(reason),
    }
}

#[cfg(test)]
mod tests;
