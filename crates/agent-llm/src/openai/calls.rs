//! Tool calls as they come in a stream, from servers that follow the format more or less.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::Delta;
use crate::call_ids::CallIds;

/// An element of `tool_calls`: the beginning of a call, a later piece, or all of it.
#[derive(Debug, Deserialize)]
pub(super) struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Debug, Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    /// Text by the book; some servers send the object itself.
    arguments: Option<Value>,
}

/// The calls of one reply, in the order in which they began.
///
/// By the book a piece belongs to the call with its `index`, and only the first piece has an id
/// and a name. Servers exist that leave the index out or send 0 for every call, that repeat the
/// name with every piece or make up another id for each, and that send whole calls at once.
pub(super) struct Calls {
    open: Vec<OpenCall>,
    ids: CallIds,
}

struct OpenCall {
    wire_index: Option<u64>,
    wire_id: Option<String>,
    /// Empty until it comes; what comes of the arguments before is held back.
    name: String,
    arguments: String,
}

impl OpenCall {
    fn is_complete(&self) -> bool {
        // The cheap look first: servers that repeat the name have this asked with every piece.
        self.arguments.trim_end().ends_with('}')
            && serde_json::from_str::<HashMap<String, IgnoredAny>>(&self.arguments).is_ok()
    }
}

impl Calls {
    pub(super) fn new(ids: CallIds) -> Self {
        Self { open: Vec::new(), ids }
    }

    pub(super) fn count(&self) -> usize {
        self.open.len()
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, piece: CallPiece, deltas: &mut Vec<Delta>) {
        let (name, arguments) = match piece.function {
            Some(function) => (function.name.unwrap_or_default(), text(function.arguments)),
            None => (String::new(), String::new()),
        };
        let id = piece.id.filter(|id| !id.is_empty());
        let known = self.find(piece.index, id.as_deref());
        let index = match known {
            Some(index) if !begins_another(&self.open[index], id.as_deref(), &name, &arguments) => {
                index
            }
            Some(_) | None => {
                self.open.push(OpenCall {
                    wire_index: piece.index,
                    wire_id: id,
                    name: String::new(),
                    arguments: String::new(),
                });
                self.open.len() - 1
            }
        };
        let call = &mut self.open[index];
        if call.is_complete() && arguments == call.arguments {
            return; // The whole call once more.
        }
        call.arguments.push_str(&arguments);
        if !call.name.is_empty() {
            if !arguments.is_empty() {
                deltas.push(Delta::CallArguments { index, fragment: arguments });
            }
        } else if !name.is_empty() {
            call.name = name;
            self.start(index, deltas);
        }
    }

    /// Ends the reply: a call whose name never came is passed on without one, so that the model
    /// can be told.
    pub(super) fn end(&mut self, deltas: &mut Vec<Delta>) {
        for index in 0..self.open.len() {
            if self.open[index].name.is_empty() {
                self.start(index, deltas);
            }
        }
    }

    fn start(&mut self, index: usize, deltas: &mut Vec<Delta>) {
        let call = &self.open[index];
        let id = self.ids.assign(call.wire_id.as_deref());
        deltas.push(Delta::CallStart { index, id: Some(id), name: call.name.clone() });
        if !call.arguments.is_empty() {
            deltas.push(Delta::CallArguments { index, fragment: call.arguments.clone() });
        }
    }

    /// The open call that a piece seems to belong to.
    fn find(&self, wire_index: Option<u64>, id: Option<&str>) -> Option<usize> {
        let same_id = |call: &OpenCall| id.is_some() && call.wire_id.as_deref() == id;
        match wire_index {
            Some(_) => {
                let same_index = |call: &OpenCall| call.wire_index == wire_index;
                let both = self.open.iter().rposition(|call| same_index(call) && same_id(call));
                both.or_else(|| self.open.iter().rposition(same_index))
            }
            None => {
                let last = self.open.len().checked_sub(1);
                self.open.iter().rposition(same_id).or(last)
            }
        }
    }
}

/// Whether a piece begins another call though its index, or the lack of one, says that it goes on
/// with `call`.
fn begins_another(call: &OpenCall, id: Option<&str>, name: &str, arguments: &str) -> bool {
    if name.is_empty() || call.name.is_empty() {
        return false;
    }
    let same_id = id.is_some() && call.wire_id.as_deref() == id;
    if same_id {
        return false;
    }
    let complete = call.is_complete();
    if name != call.name {
        return complete || call.arguments.is_empty();
    }
    // The name is repeated: another call of the same tool only once this one has all it needs.
    complete && (id.is_some() || !arguments.trim().is_empty())
}

fn text(arguments: Option<Value>) -> String {
    match arguments {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(value @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => {
            value.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{FinishReason, ReplyBuilder};

    /// The calls that come of some pieces: id, name, arguments.
    fn calls(pieces: &Value) -> Vec<(String, String, String)> {
        let mut calls = Calls::new(CallIds::default());
        let mut deltas = Vec::new();
        for piece in pieces.as_array().unwrap() {
            calls.push(serde_json::from_value(piece.clone()).unwrap(), &mut deltas);
        }
        calls.end(&mut deltas);
        let mut builder = ReplyBuilder::default();
        deltas.into_iter().for_each(|delta| builder.push(delta));
        builder.push(Delta::Finish(FinishReason::Stop));
        let reply = builder.finish().unwrap();
        let triple =
            |call: &crate::ToolCall| (call.id.clone(), call.name.clone(), call.arguments.clone());
        reply.calls().map(triple).collect()
    }

    fn check(what: &str, pieces: &Value, expected: &[(&str, &str, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|&(id, name, arguments)| (id.into(), name.into(), arguments.into()))
            .collect();
        assert_eq!(calls(pieces), expected, "{what}");
    }

    #[test]
    fn by_the_book() {
        check(
            "pieces of two calls, interleaved",
            &json!([
                {"index": 0, "id": "a", "type": "function", "function": {"name": "read", "arguments": ""}},
                {"index": 0, "function": {"arguments": "{\"p\":"}},
                {"index": 1, "id": "b", "type": "function", "function": {"name": "read", "arguments": "{"}},
                {"index": 0, "function": {"arguments": "1}"}},
                {"index": 1, "function": {"arguments": "}"}},
            ]),
            &[("a", "read", "{\"p\":1}"), ("b", "read", "{}")],
        );
        check("nothing", &json!([]), &[]);
    }

    #[test]
    fn whole_calls_at_once() {
        check(
            "index and id",
            &json!([
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p\":1}"}},
                {"index": 1, "id": "b", "function": {"name": "read", "arguments": "{\"p\":1}"}},
            ]),
            &[("a", "read", "{\"p\":1}"), ("b", "read", "{\"p\":1}")],
        );
        check(
            "index 0 for all, ids differ",
            &json!([
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p\":1}"}},
                {"index": 0, "id": "b", "function": {"name": "read", "arguments": "{\"p\":1}"}},
                {"index": 0, "id": "c", "function": {"name": "list", "arguments": "{}"}},
            ]),
            &[("a", "read", "{\"p\":1}"), ("b", "read", "{\"p\":1}"), ("c", "list", "{}")],
        );
        check(
            "neither index nor id",
            &json!([
                {"function": {"name": "read", "arguments": "{\"p\":1}"}},
                {"function": {"name": "read", "arguments": "{\"p\":2}"}},
                {"function": {"name": "list", "arguments": ""}},
                {"function": {"name": "tree", "arguments": null}},
            ]),
            &[
                ("call_1", "read", "{\"p\":1}"),
                ("call_2", "read", "{\"p\":2}"),
                ("call_3", "list", ""),
                ("call_4", "tree", ""),
            ],
        );
        check(
            "the object instead of text",
            &json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": {"p": [1]}}}]),
            &[("a", "read", "{\"p\":[1]}")],
        );
        check(
            "the same id for different indices",
            &json!([
                {"index": 0, "id": "x", "function": {"name": "read", "arguments": "{}"}},
                {"index": 1, "id": "x", "function": {"name": "read", "arguments": "{}"}},
            ]),
            &[("x", "read", "{}"), ("call_2", "read", "{}")],
        );
        check(
            "sent twice",
            &json!([
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p\":1}"}},
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p\":1}"}},
            ]),
            &[("a", "read", "{\"p\":1}")],
        );
    }

    #[test]
    fn pieces_with_too_much_or_too_little() {
        check(
            "id and name with every piece",
            &json!([
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p\""}},
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": ":1}"}},
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": ""}},
                {"index": 1, "id": "b", "function": {"name": "read", "arguments": "{"}},
                {"index": 1, "id": "b", "function": {"name": "read", "arguments": "}"}},
            ]),
            &[("a", "read", "{\"p\":1}"), ("b", "read", "{}")],
        );
        check(
            "another id with every piece",
            &json!([
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p\""}},
                {"index": 0, "id": "b", "function": {"arguments": ":"}},
                {"index": 0, "id": "c", "function": {"name": "read", "arguments": "1}"}},
                {"index": 0, "id": "d", "function": {"name": null, "arguments": " "}},
            ]),
            &[("a", "read", "{\"p\":1} ")],
        );
        check(
            "no index, ids by the book",
            &json!([
                {"id": "a", "function": {"name": "read", "arguments": ""}},
                {"function": {"arguments": "{\"p\":1}"}},
                {"id": "b", "function": {"name": "list", "arguments": ""}},
                {"function": {"arguments": "{}"}},
                {"id": "a", "function": {"arguments": "\n"}},
            ]),
            &[("a", "read", "{\"p\":1}\n"), ("b", "list", "{}")],
        );
        check(
            "the name comes late, or never",
            &json!([
                {"index": 0, "id": "a"},
                {"index": 0, "function": {"arguments": "{\"p\""}},
                {"index": 0, "function": {"name": "read"}},
                {"index": 0, "function": {"arguments": ":1}"}},
                {"index": 1, "id": "b", "function": {"arguments": "{}"}},
            ]),
            &[("a", "read", "{\"p\":1}"), ("b", "", "{}")],
        );
        check(
            "empty ids",
            &json!([
                {"index": 0, "id": "", "function": {"name": "read", "arguments": "{"}},
                {"index": 0, "id": "", "function": {"name": "", "arguments": "}"}},
            ]),
            &[("call_1", "read", "{}")],
        );
        check(
            "cut inside the arguments",
            &json!([
                {"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p"}},
            ]),
            &[("a", "read", "{\"p")],
        );
    }
}
