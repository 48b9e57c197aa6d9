//! What one step may decide, and the schema that says so.

use agent_llm::OutputSchema;
use serde_json::{Value, json};

/// Stands for the file as a whole where a definition is named.
pub(crate) const WHOLE_FILE: &str = "whole file";

/// Names that one step lists at most, of each kind.
const MOST: usize = 40;

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
        let mut forms = Vec::new();
        for (path, definitions) in &self.edit {
            let names = names(definitions);
            forms.push(form(
                "edit_file",
                &[
                    ("target_file", json!({ "enum": [path] })),
                    ("definition", json!({ "enum": names })),
                ],
            ));
        }
        for (path, definitions) in self.remove.iter().filter(|(_, names)| !names.is_empty()) {
            let names = names(definitions);
            forms.push(form(
                "edit_file",
                &[
                    ("target_file", json!({ "enum": [path] })),
                    ("definition", json!({ "enum": names })),
                    ("remove", json!({ "enum": [true] })),
                ],
            ));
        }
        if !self.read.is_empty() {
            let target = json!({ "enum": names(&self.read) });
            forms.push(form("read_file", &[("target_file", target)]));
        }
        if !self.delete.is_empty() {
            let target = json!({ "enum": names(&self.delete) });
            forms.push(form("delete_file", &[("target_file", target)]));
        }
        forms.extend(self.tools.iter().filter_map(|tool| {
            let params: &[(&str, Value)] = match *tool {
                "grep_search" => &[("query", text(100))],
                "create_file" => &[("target_file", text(100)), ("content", text(1500))],
                "run_command" => &[("command", text(200))],
                "finish" => &[("response", text(800))],
                _ => return None,
            };
            Some(form(tool, params))
        }));
        let schema = json!({ "type": "object", "anyOf": forms });
        OutputSchema { name: "decision".to_owned(), schema }
    }
}

fn names(all: &[String]) -> &[String] {
    &all[..all.len().min(MOST)]
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
