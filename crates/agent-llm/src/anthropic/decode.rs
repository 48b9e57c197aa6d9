//! The reply of `/v1/messages`, streamed or whole.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::body::{Progress, ReplyDecoder};
use crate::call_ids::CallIds;
use crate::http::classify;
use crate::wire::{self, Calls};
use crate::{Delta, Dialect, Error, FinishReason, Opaque, Usage};

/// Understands the events of a message.
pub(crate) struct Decoder {
    provider: String,
    model: String,
    ids: CallIds,
    /// Blocks that have begun and not stopped, by their index.
    open: BTreeMap<u64, Block>,
    calls: usize,
    usage: WireUsage,
    counted: bool,
    finish: Option<FinishReason>,
    seen: Progress,
}

enum Block {
    Text,
    Call {
        index: usize,
        /// The arguments that came with its beginning, until others do.
        whole: Option<String>,
    },
    /// Thinking, as it will go back.
    Opaque(Map<String, Value>),
    /// Of a kind that was not asked for.
    Other,
}

/// Known events are told by their `type`; others may come at any time and say nothing to us.
#[derive(Deserialize)]
struct Event {
    r#type: Option<String>,
    message: Option<Started>,
    index: Option<u64>,
    content_block: Option<Map<String, Value>>,
    delta: Option<WireDelta>,
    usage: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Started {
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct WireDelta {
    r#type: Option<String>,
    text: Option<String>,
    partial_json: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    stop_reason: Option<String>,
}

/// A reply that did not come as a stream.
#[derive(Deserialize)]
struct Whole {
    content: Option<Vec<Map<String, Value>>>,
    stop_reason: Option<String>,
    usage: Option<WireUsage>,
    error: Option<Value>,
}

/// What is counted comes in pieces, and what a later event leaves out stands.
#[derive(Deserialize, Default)]
struct WireUsage {
    input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl ReplyDecoder for Decoder {
    fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let event: Event = serde_json::from_str(data)
            .map_err(|_| classify::not_a_reply(&self.provider, data.as_bytes()))?;
        if let Some(error) = event.error
            && let Some(error) = classify::classify_inside(&self.provider, &error)
        {
            return Err(error);
        }
        match event.r#type.as_deref() {
            Some("message_start") => {
                self.count(event.message.and_then(|message| message.usage));
                self.seen = Progress::Begun;
            }
            Some("content_block_start") => {
                let index = event.index.unwrap_or(0);
                self.start(index, event.content_block.unwrap_or_default(), deltas);
            }
            Some("content_block_delta") => {
                if let Some(delta) = event.delta {
                    self.go_on(event.index.unwrap_or(0), delta, deltas);
                }
            }
            Some("content_block_stop") => self.stop(event.index.unwrap_or(0), deltas),
            Some("message_delta") => {
                let reason = event.delta.and_then(|delta| delta.stop_reason);
                self.finish = reason.map(finish).or(self.finish.take());
                self.count(event.usage);
            }
            Some("message_stop") if self.seen >= Progress::Begun => self.seen = Progress::Done,
            Some("ping") => self.seen = self.seen.max(Progress::Begun),
            Some(_) | None => self.seen = self.seen.max(Progress::Foreign),
        }
        Ok(())
    }

    fn object(&mut self, body: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let garbage = || classify::not_a_reply(&self.provider, body);
        let whole: Whole = serde_json::from_slice(body).map_err(|_| garbage())?;
        if let Some(error) = whole.error
            && let Some(error) = classify::classify_inside(&self.provider, &error)
        {
            return Err(error);
        }
        let Some(content) = whole.content else { return Err(garbage()) };
        for (index, block) in (0..).zip(content) {
            self.start(index, block, deltas);
            self.stop(index, deltas);
        }
        self.finish = whole.stop_reason.map(finish);
        self.count(whole.usage);
        self.seen = Progress::Done;
        Ok(())
    }

    fn progress(&self) -> Progress {
        self.seen.until(self.finish.as_ref())
    }

    fn end(&mut self, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        // A block that never stopped is passed on as far as it came.
        while let Some(index) = self.open.keys().next().copied() {
            self.stop(index, deltas);
        }
        let usage = self.counted.then(|| self.usage.told());
        wire::end(&self.provider, self.finish.take(), Calls::of(self.calls), usage, deltas)
    }
}

impl Decoder {
    /// For a reply of `model` whose calls get `ids`.
    pub(super) fn new(provider: &str, model: &str, ids: CallIds) -> Self {
        Self {
            provider: provider.to_owned(),
            model: model.to_owned(),
            ids,
            open: BTreeMap::new(),
            calls: 0,
            usage: WireUsage::default(),
            counted: false,
            finish: None,
            seen: Progress::Nothing,
        }
    }

    fn start(&mut self, index: u64, content: Map<String, Value>, deltas: &mut Vec<Delta>) {
        let text = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default();
        let block = match text("type") {
            "text" => {
                say(text("text"), Delta::Text, deltas);
                Block::Text
            }
            "tool_use" => {
                let id = Some(self.ids.assign(Some(text("id"))));
                let index = self.calls;
                self.calls += 1;
                deltas.push(Delta::CallStart { index, id, name: text("name").to_owned() });
                let input = content.get("input").filter(|input| !input.is_null());
                Block::Call { index, whole: input.map(ToString::to_string) }
            }
            "thinking" | "redacted_thinking" => {
                say(text("thinking"), Delta::Reasoning, deltas);
                Block::Opaque(content)
            }
            _ => Block::Other,
        };
        self.open.insert(index, block);
    }

    fn go_on(&mut self, index: u64, delta: WireDelta, deltas: &mut Vec<Delta>) {
        match (self.open.get_mut(&index), delta.r#type.as_deref()) {
            (Some(Block::Text), Some("text_delta")) => {
                say(&delta.text.unwrap_or_default(), Delta::Text, deltas);
            }
            (Some(Block::Call { index, whole }), Some("input_json_delta")) => {
                let fragment = delta.partial_json.unwrap_or_default();
                if !fragment.is_empty() {
                    *whole = None;
                    deltas.push(Delta::CallArguments { index: *index, fragment });
                }
            }
            (Some(Block::Opaque(block)), Some("thinking_delta")) => {
                let words = delta.thinking.unwrap_or_default();
                append(block, "thinking", &words);
                say(&words, Delta::Reasoning, deltas);
            }
            (Some(Block::Opaque(block)), Some("signature_delta")) => {
                append(block, "signature", &delta.signature.unwrap_or_default());
            }
            // Citations, and whatever else was not asked for.
            (_, _) => {}
        }
    }

    fn stop(&mut self, index: u64, deltas: &mut Vec<Delta>) {
        match self.open.remove(&index) {
            Some(Block::Call { index, whole: Some(fragment) }) => {
                deltas.push(Delta::CallArguments { index, fragment });
            }
            Some(Block::Opaque(block)) => deltas.push(Delta::Opaque(Opaque {
                dialect: Dialect::Anthropic,
                model: self.model.clone(),
                value: Value::Object(block),
            })),
            Some(Block::Text | Block::Call { whole: None, .. } | Block::Other) | None => {}
        }
    }

    fn count(&mut self, usage: Option<WireUsage>) {
        let Some(usage) = usage else { return };
        let WireUsage {
            input_tokens,
            cache_read_input_tokens,
            cache_creation_input_tokens,
            output_tokens,
        } = &mut self.usage;
        *input_tokens = usage.input_tokens.or(*input_tokens);
        *cache_read_input_tokens = usage.cache_read_input_tokens.or(*cache_read_input_tokens);
        *cache_creation_input_tokens =
            usage.cache_creation_input_tokens.or(*cache_creation_input_tokens);
        *output_tokens = usage.output_tokens.or(*output_tokens);
        self.counted = true;
    }
}

impl WireUsage {
    /// In this dialect `input_tokens` are only those that neither came from the cache nor went
    /// into it.
    fn told(&self) -> Usage {
        let cached = self.cache_read_input_tokens.unwrap_or(0);
        let written = self.cache_creation_input_tokens.unwrap_or(0);
        Usage {
            input_tokens: self.input_tokens.unwrap_or(0) + written + cached,
            cached_tokens: cached,
            cache_written_tokens: written,
            output_tokens: self.output_tokens.unwrap_or(0),
        }
    }
}

fn say(words: &str, delta: fn(String) -> Delta, deltas: &mut Vec<Delta>) {
    if !words.is_empty() {
        deltas.push(delta(words.to_owned()));
    }
}

fn append(block: &mut Map<String, Value>, key: &str, more: &str) {
    match block.get_mut(key) {
        Some(Value::String(text)) => text.push_str(more),
        Some(_) | None => {
            block.insert(key.to_owned(), Value::String(more.to_owned()));
        }
    }
}

fn finish(reason: String) -> FinishReason {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "tool_use" => FinishReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => FinishReason::Filter,
        _ => FinishReason::Other(reason),
    }
}

#[cfg(test)]
mod tests;
