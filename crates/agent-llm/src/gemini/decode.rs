//! The reply of `streamGenerateContent`: responses, each with what is new.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::body::{Progress, ReplyDecoder};
use crate::call_ids::CallIds;
use crate::http::classify;
use crate::wire::{self, Calls};
use crate::{Delta, Dialect, Error, ErrorKind, FinishReason, Opaque, Usage};

/// Understands the pieces of a response.
pub(crate) struct Decoder {
    provider: String,
    model: String,
    ids: CallIds,
    calls: usize,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    seen: Progress,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    index: Option<u64>,
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    parts: Option<Vec<Map<String, Value>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireUsage {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
}

impl ReplyDecoder for Decoder {
    fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let chunk: Chunk = serde_json::from_str(data)
            .map_err(|_| classify::not_a_reply(&self.provider, data.as_bytes()))?;
        self.chunk(chunk, deltas)
    }

    fn object(&mut self, body: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let garbage = || classify::not_a_reply(&self.provider, body);
        let chunk: Chunk = serde_json::from_slice(body).map_err(|_| garbage())?;
        let empty = chunk.candidates.as_ref().is_none_or(Vec::is_empty).then(garbage);
        self.chunk(chunk, deltas)?;
        self.seen = Progress::Done;
        empty.map_or(Ok(()), Err)
    }

    fn progress(&self) -> Progress {
        self.seen.until(self.finish.as_ref())
    }

    fn end(&mut self, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let calls = Calls::of(self.calls);
        wire::end(&self.provider, self.finish.take(), calls, self.usage, deltas)
    }
}

impl Decoder {
    /// For a reply of `model` whose calls get `ids`.
    pub(super) fn new(provider: &str, model: &str, ids: CallIds) -> Self {
        Self {
            provider: provider.to_owned(),
            model: model.to_owned(),
            ids,
            calls: 0,
            usage: None,
            finish: None,
            seen: Progress::Nothing,
        }
    }

    fn chunk(&mut self, chunk: Chunk, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if let Some(error) = chunk.error
            && let Some(error) = classify::classify_inside(&self.provider, &error)
        {
            return Err(error);
        }
        if let Some(reason) = chunk.prompt_feedback.and_then(|feedback| feedback.block_reason) {
            let message = format!("the prompt was blocked: {}", classify::shown(&reason));
            return Err(Error::new(ErrorKind::Filtered, &self.provider, message));
        }
        let known = chunk.candidates.is_some() || chunk.usage_metadata.is_some();
        self.seen = self.seen.max(if known { Progress::Begun } else { Progress::Foreign });
        if let Some(usage) = chunk.usage_metadata {
            self.usage = Some(usage.told());
        }
        // One reply was asked for; a further one would be mixed up with it.
        let mut candidates = chunk.candidates.unwrap_or_default().into_iter();
        let first = candidates.find(|candidate| candidate.index.unwrap_or(0) == 0);
        let Some(candidate) = first else { return Ok(()) };
        let parts = candidate.content.and_then(|content| content.parts);
        for part in parts.unwrap_or_default() {
            self.part(&part, deltas);
        }
        if let Some(reason) = candidate.finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish = Some(finish(reason));
        }
        Ok(())
    }

    fn part(&mut self, part: &Map<String, Value>, deltas: &mut Vec<Delta>) {
        let text = part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        let call = part.get("functionCall").filter(|call| call.is_object());
        let signature = part.get("thoughtSignature").filter(|signature| signature.is_string());
        let is_thought = part.get("thought") == Some(&Value::Bool(true));
        if is_thought && !text.is_empty() {
            deltas.push(Delta::Reasoning(text.clone()));
        }
        if let Some(signature) = signature {
            let belongs_to_next = call.is_some() || !(is_thought || text.is_empty());
            // What is neither words nor a call goes back as a part of its own.
            let value = match belongs_to_next {
                true => json!({ "thoughtSignature": signature }),
                false => Value::Object(part.clone()),
            };
            deltas.push(Delta::Opaque(Opaque {
                dialect: Dialect::Gemini,
                model: self.model.clone(),
                value,
            }));
        }
        if let Some(call) = call {
            let text = |key: &str| call.get(key).and_then(Value::as_str);
            let id = Some(self.ids.assign(text("id")));
            let index = self.calls;
            self.calls += 1;
            let name = text("name").unwrap_or_default().to_owned();
            deltas.push(Delta::CallStart { index, id, name });
            let fragment = match call.get("args") {
                None | Some(Value::Null) => "{}".to_owned(),
                Some(args) => args.to_string(),
            };
            deltas.push(Delta::CallArguments { index, fragment });
        } else if !is_thought && !text.is_empty() {
            deltas.push(Delta::Text(text));
        }
    }
}

impl WireUsage {
    fn told(&self) -> Usage {
        let tools = self.tool_use_prompt_token_count.unwrap_or(0);
        let thoughts = self.thoughts_token_count.unwrap_or(0);
        Usage {
            input_tokens: self.prompt_token_count.unwrap_or(0) + tools,
            cached_tokens: self.cached_content_token_count.unwrap_or(0),
            cache_written_tokens: 0,
            output_tokens: self.candidates_token_count.unwrap_or(0) + thoughts,
        }
    }
}

fn finish(reason: String) -> FinishReason {
    match reason.as_str() {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => FinishReason::Filter,
        _ => FinishReason::Other(reason),
    }
}

#[cfg(test)]
mod tests;
