//! What the wire formats have in common.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::{Part, ToolCall, ToolSpec};

/// A tool as OpenAI and Ollama want it told.
#[derive(Serialize)]
pub(crate) struct WireTool<'r> {
    r#type: &'static str,
    function: &'r ToolSpec,
}

/// The tools of a request; empty lists are refused by some servers and left out by the caller.
pub(crate) fn tools(specs: &[ToolSpec]) -> Vec<WireTool<'_>> {
    specs.iter().map(|function| WireTool { r#type: "function", function }).collect()
}

/// The words of a reply and its calls, which the wire formats keep apart.
pub(crate) fn words_and_calls(parts: &[Part]) -> (Option<String>, Vec<&ToolCall>) {
    let mut words = None;
    let mut calls = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => words.get_or_insert_with(String::new).push_str(text),
            Part::Call(call) => calls.push(call),
            Part::Opaque(_) => {}
        }
    }
    (words, calls)
}

/// A tool's name as a server accepts it. Models make up names, and a conversation that holds one
/// must still be sent: what no name may hold becomes `_`.
pub(crate) fn legal_name(name: &str) -> Cow<'_, str> {
    if crate::check::is_legal_name(name) {
        return Cow::Borrowed(name);
    }
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(64).map(legal).collect();
    Cow::Owned(if name.is_empty() { "_".to_owned() } else { name })
}

/// Arguments as JSON text. Servers parse them, and some fail with 500 where they are no object;
/// such text is sent inside one, so that the model sees what it wrote.
pub(crate) fn arguments_text(arguments: &str) -> Cow<'_, str> {
    if serde_json::from_str::<HashMap<String, IgnoredAny>>(arguments).is_ok() {
        return Cow::Borrowed(arguments);
    }
    Cow::Owned(Value::Object(arguments_object(arguments)).to_string())
}

/// Arguments as a JSON object, made as [`arguments_text`] makes it.
pub(crate) fn arguments_object(arguments: &str) -> Map<String, Value> {
    if arguments.trim().is_empty() {
        return Map::new();
    }
    serde_json::from_str(arguments)
        .unwrap_or_else(|_| Map::from_iter([("malformed".to_owned(), json!(arguments))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_always_an_object() {
        for kept in ["{}", r#"{ "a" : [1, {"b": null}] }"#, "\n{\"a\": 1e400}"] {
            assert_eq!(arguments_text(kept), kept);
        }
        let cases = [
            ("", "{}"),
            (" \n", "{}"),
            ("{not json", r#"{"malformed":"{not json"}"#),
            ("[1]", r#"{"malformed":"[1]"}"#),
            ("\"text\"", r#"{"malformed":"\"text\""}"#),
            (r#"{"a": 1"#, r#"{"malformed":"{\"a\": 1"}"#),
            ("{} {}", r#"{"malformed":"{} {}"}"#),
            ("null", r#"{"malformed":"null"}"#),
        ];
        for (arguments, sent) in cases {
            assert_eq!(arguments_text(arguments), sent);
        }
    }

    #[test]
    fn names_are_made_legal() {
        assert_eq!(legal_name("read_file-2"), "read_file-2");
        assert_eq!(legal_name("functions.read file"), "functions_read_file");
        assert_eq!(legal_name(""), "_");
        assert_eq!(legal_name("é"), "_");
        assert_eq!(legal_name(&"a".repeat(70)), "a".repeat(64));
    }
}
