//! The reply of a chat completion, streamed or whole.

use serde::Deserialize;
use serde_json::Value;

use super::calls::{CallPiece, Calls};
use crate::body::{Progress, ReplyDecoder};
use crate::call_ids::CallIds;
use crate::http::classify;
use crate::wire::{self, Calls as WireCalls};
use crate::{Delta, Error, FinishReason, Usage};

/// Understands the chunks of a completion.
pub(crate) struct Decoder {
    provider: String,
    calls: Calls,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    seen: Progress,
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

#[derive(Default, Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

impl ReplyDecoder for Decoder {
    fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if data == "[DONE]" {
            self.seen = Progress::Done;
            return Ok(());
        }
        let chunk = serde_json::from_str(data)
            .map_err(|_| classify::not_a_reply(&self.provider, data.as_bytes()))?;
        self.chunk(chunk, deltas)
    }

    fn object(&mut self, body: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let garbage = || classify::not_a_reply(&self.provider, body);
        let chunk: Chunk = serde_json::from_slice(body).map_err(|_| garbage())?;
        let empty = chunk.choices.as_ref().is_none_or(Vec::is_empty).then(garbage);
        self.chunk(chunk, deltas)?;
        self.seen = Progress::Done;
        empty.map_or(Ok(()), Err)
    }

    fn progress(&self) -> Progress {
        self.seen.until(self.finish.as_ref())
    }

    fn end(&mut self, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        self.calls.end(deltas);
        let calls = WireCalls::of(self.calls.count());
        wire::end(&self.provider, self.finish.take(), calls, self.usage, deltas)
    }
}

impl Decoder {
    /// For a reply whose calls get `ids`.
    pub(super) fn new(provider: &str, ids: CallIds) -> Self {
        Self {
            provider: provider.to_owned(),
            calls: Calls::new(ids),
            finish: None,
            usage: None,
            seen: Progress::Nothing,
        }
    }

    fn chunk(&mut self, chunk: Chunk, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if let Some(error) = chunk.error
            && let Some(error) = classify::classify_inside(&self.provider, &error)
        {
            return Err(error);
        }
        if let Some(usage) = chunk.usage {
            let details = usage.prompt_tokens_details.unwrap_or_default();
            self.usage = Some(Usage {
                input_tokens: usage.prompt_tokens.unwrap_or(0),
                cached_tokens: details.cached_tokens.unwrap_or(0),
                cache_written_tokens: details.cache_write_tokens.unwrap_or(0),
                output_tokens: usage.completion_tokens.unwrap_or(0),
            });
        }
        if chunk.choices.is_some() {
            self.seen = Progress::Begun;
        } else if self.seen == Progress::Nothing {
            self.seen = Progress::Foreign;
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
