//! Calls written as text.

use serde_json::{Map, Value, json};

use super::{Mend, Unclear, lenient, tags};

/// A call that a model wrote instead of making it.
#[derive(Debug, Clone, PartialEq)]
pub struct TextCall {
    /// The tool's name as written.
    pub name: String,
    /// The arguments, an object.
    pub arguments: Value,
}

/// What a text holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    /// Words, and no call.
    Words,
    /// Calls in their order, what was mended, and the words before them.
    Calls {
        /// At least one.
        calls: Vec<TextCall>,
        /// [`Mend::CallAsText`] and whatever else.
        mends: Vec<Mend>,
        /// What the model said before.
        words: String,
    },
    /// Something that is meant as a call and can't be read as one.
    Broken(Unclear),
    /// The description of a tool instead of a call of it.
    Echo,
}

/// Behind a call there may be so many bytes of other text until it counts as an example within an
/// answer.
const MOST_AFTER: usize = 400;

/// Reads the calls in a text. `is_known` tells which names are tools.
pub fn calls(text: &str, is_known: &dyn Fn(&str) -> bool) -> Written {
    match tags::calls(text, is_known) {
        Written::Words => {}
        found @ (Written::Calls { .. } | Written::Broken(_) | Written::Echo) => return found,
    }
    objects(text, is_known)
}

/// Calls as JSON objects, bare or in fences.
fn objects(text: &str, is_known: &dyn Fn(&str) -> bool) -> Written {
    let mut from = 0;
    let mut unclear = None;
    while let Some(start) = text[from..].find(['{', '[']).map(|at| from + at) {
        let (mended, length) = match lenient::prefix(&text[start..]) {
            Ok(read) => read,
            Err(problem) => {
                if looks_like_a_call(&text[start..], is_known) && unclear.is_none() {
                    unclear = Some(problem);
                }
                from = start + 1;
                continue;
            }
        };
        let end = start + length;
        if is_echo(&mended.value) {
            return Written::Echo;
        }
        let found = of_value(&mended.value, is_known);
        if found.is_empty() {
            from = end.max(start + 1);
            continue;
        }
        let words = before(&text[..start]);
        let mut mends = vec![Mend::CallAsText];
        mends.extend(mended.mends);
        let mut calls = found;
        let mut at = end;
        // Further calls count as long as nothing stands between them but brackets and fences.
        while let Some((more, length)) = adjacent(&text[at..], is_known) {
            at += length;
            for call in more {
                if calls.contains(&call) {
                    mends.push(Mend::Repeated);
                } else {
                    calls.push(call);
                }
            }
        }
        let rest = text[at..].trim_matches(|c: char| c.is_whitespace() || "`]};,".contains(c));
        if objects_in(rest, is_known) {
            mends.push(Mend::LaterCallsDropped);
        } else if rest.len() > MOST_AFTER {
            return Written::Words;
        }
        return Written::Calls { calls, mends, words };
    }
    unclear.map_or(Written::Words, Written::Broken)
}

fn objects_in(text: &str, is_known: &dyn Fn(&str) -> bool) -> bool {
    text.find('{').is_some_and(|start| {
        lenient::prefix(&text[start..]).is_ok_and(|(m, _)| !of_value(&m.value, is_known).is_empty())
    })
}

fn adjacent(text: &str, is_known: &dyn Fn(&str) -> bool) -> Option<(Vec<TextCall>, usize)> {
    let start = text.find(['{', '['])?;
    let between = text[..start].replace("json", "");
    if !between.chars().all(|char| char.is_whitespace() || "`,;".contains(char)) {
        return None;
    }
    let (mended, length) = lenient::prefix(&text[start..]).ok()?;
    let calls = of_value(&mended.value, is_known);
    (!calls.is_empty()).then_some((calls, start + length))
}

/// The words before a call, without the fence that opens it.
pub(super) fn before(text: &str) -> String {
    let text = text.trim_end();
    let text = text.strip_suffix("json").unwrap_or(text).trim_end().trim_end_matches('`');
    text.trim().to_owned()
}

/// Whether broken JSON names a known tool where a call would.
fn looks_like_a_call(text: &str, is_known: &dyn Fn(&str) -> bool) -> bool {
    let head = &text[..text.floor_char_boundary(text.len().min(200))];
    let quoted = head.split(['"', '\'']).map(str::trim);
    let words: Vec<&str> = quoted.collect();
    words.windows(3).any(|window| {
        NAMES.contains(&window[0]) && window[1].starts_with(':') && is_known(window[2])
    })
}

const NAMES: [&str; 6] = ["name", "tool", "tool_name", "function", "action", "recipient_name"];
const ARGUMENTS: [&str; 7] =
    ["arguments", "params", "parameters", "args", "input", "action_input", "tool_input"];

/// The calls that a value stands for: an object, or a list of nothing but them.
pub(super) fn of_value(value: &Value, is_known: &dyn Fn(&str) -> bool) -> Vec<TextCall> {
    match value {
        Value::Array(items) => {
            let calls: Vec<TextCall> =
                items.iter().flat_map(|item| of_value(item, is_known)).collect();
            if calls.len() == items.len() { calls } else { Vec::new() }
        }
        Value::Object(object) => match object.get("tool_calls") {
            Some(list @ Value::Array(_)) => of_value(list, is_known),
            Some(_) | None => of_object(object, is_known).into_iter().collect(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn of_object(object: &Map<String, Value>, is_known: &dyn Fn(&str) -> bool) -> Option<TextCall> {
    if let Some(Value::Object(inner)) = object.get("function") {
        return of_object(inner, is_known);
    }
    let named = NAMES.iter().find_map(|key| Some((*key, object.get(*key)?.as_str()?)));
    let Some((key, name)) = named else {
        // `{"read_file": {"target_file": "a"}}`
        let mut members = object.iter();
        let (Some((name, Value::Object(arguments))), None) = (members.next(), members.next())
        else {
            return None;
        };
        let arguments = Value::Object(arguments.clone());
        return is_known(name).then(|| TextCall { name: name.clone(), arguments });
    };
    let name = name.trim().trim_start_matches("functions.");
    if !is_known(name) {
        return None;
    }
    let given = ARGUMENTS.iter().find_map(|key| object.get(*key));
    let mut arguments = match given {
        None => {
            // The arguments beside the name, or none at all.
            let mut rest = object.clone();
            rest.remove(key);
            rest.remove("type");
            rest.remove("id");
            return Some(TextCall { name: name.to_owned(), arguments: Value::Object(rest) });
        }
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(Value::String(text)) => match super::json(text).ok()?.value {
            Value::Object(arguments) => arguments,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => return None,
        },
        Some(Value::Null) => Map::new(),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_)) => return None,
    };
    // `{"action", "params", "confidence", "reason"}`: these belong to the decision.
    for key in ["confidence", "reason"] {
        if let Some(value) = object.get(key)
            && !arguments.contains_key(key)
        {
            arguments.insert(key.to_owned(), value.clone());
        }
    }
    Some(TextCall { name: name.to_owned(), arguments: json!(arguments) })
}

/// A tool's description, as some models send back what they were given.
fn is_echo(value: &Value) -> bool {
    let value = value.as_array().and_then(|items| items.first()).unwrap_or(value);
    let of = value.get("function").unwrap_or(value);
    let schema = of.get("parameters").and_then(|parameters| parameters.get("properties"));
    schema.is_some_and(Value::is_object) && of.get("name").is_some()
}
