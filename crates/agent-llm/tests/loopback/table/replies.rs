//! Replies as each dialect streams them.

use serde_json::{Value, json};

use super::dialects::{End, Said};

fn words(text: &str) -> (&str, &str) {
    text.split_at(text.len() / 2)
}

fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

pub(super) fn chat(said: &Said) -> String {
    let delta =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let (first, second) = words(said.text);
    let mut all = vec![
        delta(json!({"role": "assistant", "content": first})),
        delta(json!({"content": second})),
    ];
    if let Some((name, arguments)) = said.call {
        let (first, second) = words(arguments);
        all.push(delta(json!({"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": name, "arguments": first}}]})));
        all.push(delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": second}}]})));
    }
    let reason = match said.end {
        End::Stop => "stop",
        End::Calls => "tool_calls",
        End::Length => "length",
        End::Filter => "content_filter",
        End::Odd => "odd",
        End::Never => return events(&all),
    };
    all.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
    events(&all) + "data: [DONE]\n\n"
}

pub(super) fn responses(said: &Said) -> String {
    let mut all = vec![json!({"type": "response.created", "response": {"status": "in_progress"}})];
    let (first, second) = words(said.text);
    all.push(json!({"type": "response.output_item.added", "output_index": 0, "item": {"id": "m", "type": "message"}}));
    all.push(json!({"type": "response.output_text.delta", "output_index": 0, "item_id": "m", "delta": first}));
    all.push(json!({"type": "response.output_text.delta", "output_index": 0, "item_id": "m", "delta": second}));
    if let Some((name, arguments)) = said.call {
        let (first, second) = words(arguments);
        all.push(json!({"type": "response.output_item.added", "output_index": 1, "item": {"id": "f", "type": "function_call", "call_id": "a", "name": name}}));
        all.push(json!({"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "f", "delta": first}));
        all.push(json!({"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "f", "delta": second}));
    }
    let (status, reason) = match said.end {
        // There is no word for calls: they are simply there.
        End::Stop | End::Calls => ("completed", Value::Null),
        End::Length => ("incomplete", json!({"reason": "max_output_tokens"})),
        End::Filter => ("incomplete", json!({"reason": "content_filter"})),
        End::Odd => ("incomplete", json!({"reason": "odd"})),
        End::Never => return events(&all),
    };
    all.push(json!({"type": format!("response.{status}"), "response": {"status": status, "incomplete_details": reason, "output": []}}));
    events(&all)
}

pub(super) fn anthropic(said: &Said) -> String {
    let delta = |index: u8, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let start = |index: u8, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let stop = |index: u8| json!({"type": "content_block_stop", "index": index});
    let (first, second) = words(said.text);
    let mut all = vec![
        json!({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 1}}}),
        start(0, json!({"type": "text", "text": ""})),
        delta(0, json!({"type": "text_delta", "text": first})),
        delta(0, json!({"type": "text_delta", "text": second})),
        stop(0),
    ];
    if let Some((name, arguments)) = said.call {
        let (first, second) = words(arguments);
        all.push(start(1, json!({"type": "tool_use", "id": "a", "name": name, "input": {}})));
        all.push(delta(1, json!({"type": "input_json_delta", "partial_json": first})));
        all.push(delta(1, json!({"type": "input_json_delta", "partial_json": second})));
        all.push(stop(1));
    }
    let reason = match said.end {
        End::Stop => "end_turn",
        End::Calls => "tool_use",
        End::Length => "max_tokens",
        End::Filter => "refusal",
        End::Odd => "odd",
        End::Never => return events(&all),
    };
    all.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}}));
    all.push(json!({"type": "message_stop"}));
    events(&all)
}

pub(super) fn gemini(said: &Said) -> String {
    let part = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]});
    let (first, second) = words(said.text);
    let mut all = vec![part(json!({"text": first})), part(json!({"text": second}))];
    if let Some((name, arguments)) = said.call {
        let args = serde_json::from_str(arguments).unwrap_or(json!(arguments));
        all.push(part(json!({"functionCall": {"id": "a", "name": name, "args": args}})));
    }
    let reason = match said.end {
        End::Stop | End::Calls => "STOP",
        End::Length => "MAX_TOKENS",
        End::Filter => "SAFETY",
        End::Odd => "ODD",
        End::Never => return events(&all),
    };
    all.push(json!({"candidates": [{"finishReason": reason, "index": 0}]}));
    events(&all)
}

type Line = fn(&str, Option<(&str, &str)>) -> Value;

pub(super) fn ollama(said: &Said, line: Line) -> String {
    let (first, second) = words(said.text);
    let mut all = vec![line(first, None), line(second, None)];
    all.extend(said.call.map(|call| line("", Some(call))));
    let reason = match said.end {
        End::Stop | End::Calls | End::Filter => "stop",
        End::Length => "length",
        End::Odd => "odd",
        End::Never => "",
    };
    if said.end != End::Never {
        let mut last = line("", None);
        last["done"] = json!(true);
        last["done_reason"] = json!(reason);
        all.push(last);
    }
    all.iter().map(|line| format!("{line}\n")).collect()
}
