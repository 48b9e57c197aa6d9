//! Calls in tags and other marks that models were trained on.

use serde_json::{Map, Value};

use super::text_calls::{before, of_value};
use super::{Mend, TextCall, Written, lenient};

/// Openers of blocks that hold calls as JSON, with what closes them.
const BLOCKS: [(&str, &str); 7] = [
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function_call>", "</function_call>"),
    ("<function_calls>", "</function_calls>"),
    ("<tool_use>", "</tool_use>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("[TOOL_CALLS]", "[/TOOL_CALLS]"),
];

/// The calls in the tags of a text.
pub(super) fn calls(text: &str, is_known: &dyn Fn(&str) -> bool) -> Written {
    let mut found: Vec<TextCall> = Vec::new();
    let mut mends = vec![Mend::CallAsText];
    let mut first = text.len();
    for (open, close) in BLOCKS {
        let mut from = 0;
        while let Some(start) = text[from..].find(open).map(|at| from + at) {
            let inner = &text[start + open.len()..];
            let end = inner.find(close).or_else(|| inner.find(open));
            let inner = &inner[..end.unwrap_or(inner.len())];
            from = start + open.len() + inner.len();
            // Tags within tags are read below.
            if inner.trim_start().starts_with('<') {
                continue;
            }
            let Some(json) = inner.find(['{', '[']) else { continue };
            match lenient::prefix(&inner[json..]) {
                Ok((mended, _)) => {
                    let calls = of_value(&mended.value, is_known);
                    if !calls.is_empty() {
                        first = first.min(start);
                        mends.extend(mended.mends);
                        add(&mut found, calls, &mut mends);
                    }
                }
                Err(problem) => return Written::Broken(problem),
            }
        }
    }
    if found.is_empty() {
        for (start, call) in named(text, is_known) {
            first = first.min(start);
            add(&mut found, vec![call], &mut mends);
        }
    }
    if found.is_empty() {
        return Written::Words;
    }
    Written::Calls { calls: found, mends, words: before(&text[..first]) }
}

fn add(found: &mut Vec<TextCall>, calls: Vec<TextCall>, mends: &mut Vec<Mend>) {
    for call in calls {
        if found.contains(&call) {
            mends.push(Mend::Repeated);
        } else {
            found.push(call);
        }
    }
}

/// `<function=NAME>…</function>`, `<invoke name="NAME">…</invoke>`, `<NAME>…</NAME>` with a tag
/// for each argument, and `Action: NAME` with `Action Input: {…}`.
fn named(text: &str, is_known: &dyn Fn(&str) -> bool) -> Vec<(usize, TextCall)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find('<').map(|at| from + at) {
        from = start + 1;
        let Some(end) = text[start..].find('>').map(|at| start + at) else { break };
        let tag = &text[start + 1..end];
        let (name, close) = if let Some(name) = tag.strip_prefix("function=") {
            (name.trim_matches('"'), "</function>".to_owned())
        } else if let Some(name) = tag.strip_prefix("invoke name=") {
            (name.trim_matches(['"', '\'']), "</invoke>".to_owned())
        } else {
            (tag, format!("</{tag}>"))
        };
        if !is_known(name) {
            continue;
        }
        // Without its end the call may have been cut.
        let Some(length) = text[end + 1..].find(&close) else { continue };
        let inner = &text[end + 1..end + 1 + length];
        from = end + 1 + length;
        if let Some(arguments) = arguments(inner) {
            found.push((start, TextCall { name: name.to_owned(), arguments }));
        }
    }
    if found.is_empty() {
        found.extend(react(text, is_known));
    }
    found
}

/// The arguments within a call's tags: JSON, or a tag for each.
fn arguments(inner: &str) -> Option<Value> {
    let trimmed = inner.trim();
    if trimmed.is_empty() {
        return Some(Value::Object(Map::new()));
    }
    if trimmed.starts_with('{') {
        let value = super::json(trimmed).ok()?.value;
        return value.is_object().then_some(value);
    }
    let mut arguments = Map::new();
    let mut rest = trimmed;
    while let Some(after) = rest.trim_start().strip_prefix('<') {
        let (tag, after) = after.split_once('>')?;
        let (key, close) = if let Some(key) = tag.strip_prefix("parameter=") {
            (key, "</parameter>".to_owned())
        } else if let Some(key) = tag.strip_prefix("parameter name=") {
            (key, "</parameter>".to_owned())
        } else {
            (tag, format!("</{tag}>"))
        };
        let end = after.find(&close)?;
        let text = &after[..end];
        // A line of its own for either tag is no part of the text.
        let text = text.strip_prefix('\n').unwrap_or(text);
        let text = text.strip_suffix('\n').unwrap_or(text);
        let key = key.trim_matches(['"', '\'', ' ']);
        arguments.insert(key.to_owned(), scalar(text));
        rest = &after[end + close.len()..];
    }
    (rest.trim().is_empty() && !arguments.is_empty()).then_some(Value::Object(arguments))
}

/// Tags hold text; what is a number or a truth value there is one.
fn scalar(text: &str) -> Value {
    match text.trim() {
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        trimmed => match trimmed.parse::<u64>() {
            Ok(number) if !trimmed.starts_with('+') => Value::from(number),
            Ok(_) | Err(_) => Value::from(text),
        },
    }
}

/// `Action: NAME` and, on the next line, `Action Input: {…}`.
fn react(text: &str, is_known: &dyn Fn(&str) -> bool) -> Option<(usize, TextCall)> {
    let start = text.find("Action:")?;
    let (name, rest) = text[start + "Action:".len()..].split_once('\n')?;
    let name = name.trim().trim_matches('`');
    let input = rest.trim_start().strip_prefix("Action Input:")?.trim_start();
    if !is_known(name) || !input.starts_with('{') {
        return None;
    }
    let (mended, _) = lenient::prefix(input).ok()?;
    Some((start, TextCall { name: name.to_owned(), arguments: mended.value }))
}
