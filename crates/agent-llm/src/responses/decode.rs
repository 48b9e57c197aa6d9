//! The reply of `/responses`, streamed or whole.

use serde::Deserialize;
use serde_json::Value;

use crate::body::{Progress, ReplyDecoder};
use crate::call_ids::CallIds;
use crate::http::classify;
use crate::wire::{self, Calls};
use crate::{Delta, Dialect, Error, FinishReason, Opaque, Usage};

/// Understands the events of a response.
pub(crate) struct Decoder {
    provider: String,
    model: String,
    ids: CallIds,
    items: Vec<Item>,
    calls: usize,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    seen: Progress,
}

/// An item of the output that has begun.
struct Item {
    /// Its id and place: not every server sends both.
    id: Option<String>,
    place: Option<u64>,
    /// The number of the call, where it is one.
    call: Option<usize>,
    /// Whether something of it has been passed on.
    told: bool,
    done: bool,
}

#[derive(Deserialize)]
struct Event {
    r#type: Option<String>,
    response: Option<Response>,
    item: Option<Value>,
    item_id: Option<String>,
    output_index: Option<u64>,
    delta: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Response {
    status: Option<String>,
    output: Option<Vec<Value>>,
    usage: Option<WireUsage>,
    incomplete_details: Option<Incomplete>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<InputDetails>,
}

#[derive(Default, Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

impl ReplyDecoder for Decoder {
    fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if data == "[DONE]" {
            return Ok(()); // Some compatible servers end every stream with it.
        }
        let garbage = || classify::not_a_reply(&self.provider, data.as_bytes());
        let event: Event = serde_json::from_str(data).map_err(|_| garbage())?;
        if let Some(error) = &event.error
            && let Some(error) = classify::classify_inside(&self.provider, error)
        {
            return Err(error);
        }
        let kind = event.r#type.as_deref().unwrap_or_default();
        if kind == "error" {
            // The error lies in the event itself.
            let error = serde_json::from_str(data).map_err(|_| garbage())?;
            return classify::classify_inside(&self.provider, &error).map_or(Ok(()), Err);
        }
        let known = kind.starts_with("response.");
        self.seen = self.seen.max(if known { Progress::Begun } else { Progress::Foreign });
        match kind {
            "response.output_item.added" => self.begin(&event, deltas),
            "response.output_item.done" => self.complete(&event, deltas),
            "response.output_text.delta" | "response.refusal.delta" => {
                self.more(&event, Delta::Text, deltas);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                deltas.extend(visible(event.delta).map(Delta::Reasoning));
            }
            "response.function_call_arguments.delta" => self.arguments(&event, deltas),
            "response.completed" | "response.incomplete" | "response.failed" => {
                let response = event.response.ok_or_else(garbage)?;
                self.close(response, deltas)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn object(&mut self, body: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Error> {
        let garbage = || classify::not_a_reply(&self.provider, body);
        let response: Response = serde_json::from_slice(body).map_err(|_| garbage())?;
        let empty = response.output.is_none().then(garbage);
        self.close(response, deltas)?;
        empty.map_or(Ok(()), Err)
    }

    fn progress(&self) -> Progress {
        self.seen
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
            items: Vec::new(),
            calls: 0,
            usage: None,
            finish: None,
            seen: Progress::Nothing,
        }
    }

    /// The item that an event is about; one that was never announced is added.
    fn item(&mut self, event: &Event) -> &mut Item {
        let inner = event.item.as_ref().and_then(|item| text(item, "id"));
        let id = event.item_id.clone().or(inner);
        let same = |item: &Item| match (&id, &item.id) {
            (Some(id), Some(known)) => id == known,
            (_, _) => event.output_index.is_some() && item.place == event.output_index,
        };
        let at = self.items.iter().rposition(same).unwrap_or_else(|| {
            let place = event.output_index;
            self.items.push(Item { id, place, call: None, told: false, done: false });
            self.items.len() - 1
        });
        &mut self.items[at]
    }

    fn begin(&mut self, event: &Event, deltas: &mut Vec<Delta>) {
        self.item(event);
        let Some(item) = &event.item else { return };
        if text(item, "type").as_deref() != Some("function_call") {
            return;
        }
        let id = self.ids.assign(text(item, "call_id").as_deref());
        let index = self.calls;
        self.calls += 1;
        self.item(event).call = Some(index);
        let name = text(item, "name").unwrap_or_default();
        deltas.push(Delta::CallStart { index, id: Some(id), name });
    }

    fn more(&mut self, event: &Event, delta: fn(String) -> Delta, deltas: &mut Vec<Delta>) {
        if let Some(words) = visible(event.delta.clone()) {
            self.item(event).told = true;
            deltas.push(delta(words));
        }
    }

    fn arguments(&mut self, event: &Event, deltas: &mut Vec<Delta>) {
        let Some(fragment) = visible(event.delta.clone()) else { return };
        let item = self.item(event);
        if let Some(index) = item.call {
            item.told = true;
            deltas.push(Delta::CallArguments { index, fragment });
        }
    }

    /// Takes a finished item, of which deltas may have told everything already.
    fn complete(&mut self, event: &Event, deltas: &mut Vec<Delta>) {
        let Some(item) = &event.item else { return };
        if self.item(event).done {
            return;
        }
        match text(item, "type").as_deref() {
            Some("function_call") => {
                if self.item(event).call.is_none() {
                    self.begin(event, deltas);
                }
                let known = self.item(event);
                if let (Some(index), false) = (known.call, known.told) {
                    let fragment = text(item, "arguments").unwrap_or_default();
                    deltas.push(Delta::CallArguments { index, fragment });
                }
            }
            Some("message") if !self.item(event).told => {
                let content = item.get("content").and_then(Value::as_array);
                let words = content
                    .into_iter()
                    .flatten()
                    .filter_map(|part| text(part, "text").or_else(|| text(part, "refusal")));
                deltas.extend(visible(Some(words.collect())).map(Delta::Text));
            }
            Some("reasoning") => deltas.push(Delta::Opaque(Opaque {
                dialect: Dialect::OpenAiResponses,
                model: self.model.clone(),
                value: item.clone(),
            })),
            // A message that was told, and tools of the server's own, which were not asked for.
            Some(_) | None => {}
        }
        self.item(event).done = true;
    }

    fn close(&mut self, response: Response, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if let Some(error) = response.error
            && let Some(error) = classify::classify_inside(&self.provider, &error)
        {
            return Err(error);
        }
        let status = response.status.unwrap_or_default();
        let reason = response.incomplete_details.and_then(|details| details.reason);
        self.finish = Some(match (status.as_str(), reason) {
            ("failed", _) => {
                let error = Value::String("the response failed".to_owned());
                return classify::classify_inside(&self.provider, &error).map_or(Ok(()), Err);
            }
            ("incomplete", Some(reason)) => finish(reason),
            ("incomplete", None) => FinishReason::Length,
            ("completed" | "", _) => FinishReason::Stop,
            (_, _) => FinishReason::Other(status),
        });
        // What no event was about, be it all of the reply.
        for (place, item) in (0..).zip(response.output.unwrap_or_default()) {
            let event = Event {
                r#type: None,
                response: None,
                item: Some(item),
                item_id: None,
                output_index: Some(place),
                delta: None,
                error: None,
            };
            self.complete(&event, deltas);
        }
        if let Some(usage) = response.usage {
            let details = usage.input_tokens_details.unwrap_or_default();
            self.usage = Some(Usage {
                input_tokens: usage.input_tokens.unwrap_or(0),
                cached_tokens: details.cached_tokens.unwrap_or(0),
                cache_written_tokens: details.cache_write_tokens.unwrap_or(0),
                output_tokens: usage.output_tokens.unwrap_or(0),
            });
        }
        self.seen = Progress::Done;
        Ok(())
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn visible(words: Option<String>) -> Option<String> {
    words.filter(|words| !words.is_empty())
}

fn finish(reason: String) -> FinishReason {
    match reason.as_str() {
        "max_output_tokens" => FinishReason::Length,
        "content_filter" => FinishReason::Filter,
        _ => FinishReason::Other(reason),
    }
}

#[cfg(test)]
mod tests;
