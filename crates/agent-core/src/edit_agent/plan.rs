//! The edit plan in a model's reply.

use agent_tools::edit::LineEdit;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::line_edits::WrittenEdit;

/// The schema of a plan, for providers that can hold a model to it.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "start_line": { "type": "integer" },
                        "end_line": { "type": "integer" },
                        "old": { "type": "string" },
                        "replacement": { "type": "string" },
                    },
                    "required": ["start_line", "end_line", "old", "replacement"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["edits"],
        "additionalProperties": false,
    })
}

/// Reads the plan of a reply: JSON alone, in a fence, or with words around it.
pub(super) fn read(reply: &str) -> Result<Vec<LineEdit>, String> {
    let Some(json) = find_json(reply) else {
        return Err("the reply holds no JSON object `{\"edits\": [...]}`.".to_owned());
    };
    let list = json.get("edits").unwrap_or(&json);
    let list = list.as_array().ok_or_else(|| {
        "the JSON is not of the form {\"edits\": [{\"start_line\": 1, \"end_line\": 1, \
         \"replacement\": \"...\"}]}."
            .to_owned()
    })?;
    let edits = list.iter().zip(1..).map(|(edit, number)| {
        let edit = WrittenEdit::deserialize(edit);
        edit.map(|edit| edit.0).map_err(|problem| format!("edit {number}: {problem}."))
    });
    let edits: Vec<LineEdit> = edits.collect::<Result<_, _>>()?;
    if edits.is_empty() {
        return Err("the plan lists no edit.".to_owned());
    }
    Ok(edits)
}

/// The first JSON array or object in the text that is whole.
fn find_json(text: &str) -> Option<Value> {
    let starts = text.char_indices().filter(|(_, char)| matches!(char, '{' | '['));
    starts.map(|(start, _)| &text[start..]).find_map(|rest| {
        let value = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next()?.ok()?;
        let plan = value.get("edits").is_some()
            || value.as_array().is_some_and(|list| list.iter().all(Value::is_object));
        plan.then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start_line: usize, end_line: usize, replacement: &str) -> LineEdit {
        LineEdit { start_line, end_line, replacement: replacement.to_owned(), old: None }
    }

    #[test]
    fn plans_are_found_in_replies_as_models_write_them() {
        let one = r#"{"start_line": 2, "end_line": "3", "replacement": "x\n"}"#;
        for reply in [
            format!(r#"{{"edits": [{one}]}}"#),
            format!("[{one}]"),
            format!("```json\n[{one}]\n```"),
            format!("Here is the plan [as asked]:\n```\n{{\"edits\": [{one}]}}\n```\nDone."),
        ] {
            assert_eq!(read(&reply), Ok(vec![edit(2, 3, "x\n")]), "{reply}");
        }
        for (reply, problem) in [
            ("", "the reply holds no JSON object"),
            ("I can't do that.", "the reply holds no JSON object"),
            (r#"{"edits": [{"start_line": 1"#, "the reply holds no JSON object"),
            (r#"{"edits": []}"#, "the plan lists no edit"),
            (r#"{"edits": [{"start_line": 1}]}"#, "edit 1: an edit is {start_line"),
            (r#"{"edits": "none"}"#, "the JSON is not of the form"),
        ] {
            let refused = read(reply).expect_err(reply);
            assert!(refused.starts_with(problem), "{reply}: {refused}");
        }
    }
}
