//! What one step may decide, and the schema that says so.

use agent_llm::OutputSchema;
use serde_json::{Value, json};

/// Stands for the file as a whole where a definition is named.
pub(crate) const WHOLE_FILE: &str = "whole file";

/// Bytes of a schema. More than one step can say is said by the next.
const MOST_BYTES: usize = 4_000;

/// Bytes of the names that one form lists.
const MOST_NAMES: usize = 700;

/// What is on offer in one step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Files that can be read and are not shown.
    pub(crate) read: Vec<String>,
    /// Files that can be edited, with their definitions.
    pub(crate) edit: Vec<(String, Vec<String>)>,
    /// Definitions that can be removed, by file.
    pub(crate) remove: Vec<(String, Vec<String>)>,
    /// Files that can be deleted.
    pub(crate) delete: Vec<String>,
    /// Further tools, by name.
    pub(crate) tools: Vec<&'static str>,
}

impl Offer {
    /// The schema of a decision.
    pub(crate) fn schema(&self) -> OutputSchema {
        let tools: Vec<Value> = self.tools.iter().filter_map(|tool| plain_form(tool)).collect();
        let mut forms = Forms::with_room_beside(&tools);
        for (path, definitions) in &self.edit {
            let target = ("target_file", json!({ "enum": [path] }));
            forms.listing("edit_file", "definition", definitions, &[target]);
        }
        for (path, definitions) in self.remove.iter().filter(|(_, names)| !names.is_empty()) {
            let target = ("target_file", json!({ "enum": [path] }));
            let remove = ("remove", json!({ "enum": [true] }));
            forms.listing("edit_file", "definition", definitions, &[target, remove]);
        }
        for (tool, paths) in [("delete_file", &self.delete), ("read_file", &self.read)] {
            if !paths.is_empty() {
                forms.listing(tool, "target_file", paths, &[]);
            }
        }
        let forms: Vec<Value> = forms.forms.into_iter().chain(tools).collect();
        let schema = json!({ "type": "object", "anyOf": forms });
        OutputSchema { name: "decision".to_owned(), schema }
    }
}

/// The forms of a schema, as many as there is room for.
struct Forms {
    forms: Vec<Value>,
    left: usize,
}

impl Forms {
    fn with_room_beside(others: &[Value]) -> Self {
        let taken: usize = others.iter().map(|form| form.to_string().len()).sum();
        Self { forms: Vec::new(), left: MOST_BYTES.saturating_sub(taken) }
    }

    /// Adds a form of which one parameter is one of `names`, as far as there is room for them.
    fn listing(&mut self, action: &str, list: &str, names: &[String], others: &[(&str, Value)]) {
        let with = |names: &[String]| {
            let mut params = others.to_vec();
            params.insert(others.len().min(1), (list, json!({ "enum": names })));
            form(action, &params)
        };
        let empty = with(&[]).to_string().len();
        let mut room = self.left.saturating_sub(empty).min(MOST_NAMES);
        let fitting = names.iter().take_while(|name| {
            let bytes = name.len() + 3;
            let fits = bytes <= room;
            room = room.saturating_sub(bytes);
            fits
        });
        let form = match fitting.count() {
            // A form without a choice is none; one choice is always said.
            0 if self.forms.is_empty() => with(&names[..names.len().min(1)]),
            0 => return,
            count => with(&names[..count]),
        };
        self.left = self.left.saturating_sub(form.to_string().len() + 1);
        self.forms.push(form);
    }
}

/// The form of a tool whose parameters are free.
fn plain_form(tool: &str) -> Option<Value> {
    let params: &[(&str, Value)] = match tool {
        "grep_search" => &[("query", text(100))],
        "create_file" => &[("target_file", text(100)), ("content", text(1500))],
        "run_command" => &[("command", text(200))],
        "finish" => &[("response", text(800))],
        _ => return None,
    };
    Some(form(tool, params))
}

fn text(longest: u32) -> Value {
    json!({ "type": "string", "maxLength": longest })
}

/// The reason comes first, so that it is thought of before the action.
fn form(action: &str, params: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = params.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        params.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({
        "type": "object",
        "properties": {
            "reason": text(160),
            "action": { "enum": [action] },
            "params": {
                "type": "object",
                "properties": properties,
                "required": names,
                "additionalProperties": false,
            },
            "confidence": { "enum": [0.3, 0.6, 0.9] },
        },
        "required": ["reason", "action", "params", "confidence"],
        "additionalProperties": false,
    })
}
