//! What programs that read the output may rely on: a JSON Schema of every event and of the result
//! object, from the types that are written.

use agent_llm::Purpose;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Value, json};

use super::line::Line;
use crate::{Report, approval::Answer, history::SCHEMA_VERSION};

/// The schema. Its root is a line of `stream-json` or the object of `json`; each part has a
/// definition of its own. Fields that are not named in it may come in later versions, and so may
/// types of events.
pub fn published() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let event = generator.subschema_for::<Line<'_>>();
    let report = generator.subschema_for::<Report>();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Output of `agent run`",
        "description": format!(
            "Version {SCHEMA_VERSION}. With `--output-format stream-json` each line is an Event; \
             with `--output-format json` the output is one Report. A later version may add fields \
             and types of events; it takes none away."
        ),
        "anyOf": [event, report],
        "$defs": generator.take_definitions(true),
    })
}

/// Tokens, as [`agent_llm::Usage`] is written.
pub(crate) fn usage(_: &mut SchemaGenerator) -> Schema {
    let count = |what: &str| json!({ "description": what, "type": "integer", "minimum": 0 });
    json_schema!({
        "type": "object",
        "properties": {
            "input_tokens": count("Tokens of the prompts, the cached ones among them."),
            "cached_tokens": count("Tokens of the prompts that a cache held."),
            "cache_written_tokens": count(
                "Tokens of the prompts that went into a cache, where the provider counts them.",
            ),
            "output_tokens": count("Tokens of the replies."),
        },
        "required": ["input_tokens", "cached_tokens", "output_tokens"],
    })
}

/// Line edits, as [`agent_tools::edit::LineEdit`] is written.
pub(crate) fn line_edits(_: &mut SchemaGenerator) -> Schema {
    let line = json!({ "type": "integer", "minimum": 0 });
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "start_line": line,
                "end_line": line,
                "replacement": { "type": "string" },
                "old": { "type": "string" },
            },
            "required": ["start_line", "end_line", "replacement"],
        },
    })
}

/// A moment in UTC.
pub(crate) fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time" })
}

/// What a model call is for.
pub(super) fn purpose(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Purpose::ALL })
}

/// An answer to a question, and nothing before there is one.
pub(super) fn answer(_: &mut SchemaGenerator) -> Schema {
    let all = [
        Answer::Once,
        Answer::Each,
        Answer::Always(0),
        Answer::Reject(String::new()),
        Answer::Cancel,
    ];
    let names: Vec<Option<&str>> =
        all.iter().map(|answer| Some(answer.name())).chain([None]).collect();
    json_schema!({ "type": ["string", "null"], "enum": names })
}

#[cfg(test)]
mod tests {
    use agent_llm::Usage;
    use agent_tools::edit::LineEdit;

    use super::*;

    /// The types of other crates are written down by hand.
    #[test]
    fn what_is_described_by_hand_is_what_is_written() {
        let mut generator = SchemaGenerator::default();
        let names = |value: &Value| {
            let mut names: Vec<String> =
                value.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
            names.sort();
            names
        };
        let all =
            Usage { input_tokens: 1, cached_tokens: 1, cache_written_tokens: 1, output_tokens: 1 };
        let described = usage(&mut generator);
        assert_eq!(names(&json!(all)), names(&described.as_value()["properties"]));
        let edit = LineEdit::one_line(1, "a".into(), "b".into());
        let described = line_edits(&mut generator);
        assert_eq!(names(&json!(edit)), names(&described.as_value()["items"]["properties"]));
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(fields) => {
                    found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                    fields.values().for_each(|value| references(value, found));
                }
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        let schema = published();
        let mut found = Vec::new();
        references(&schema, &mut found);
        assert!(found.len() > 10, "{found:?}");
        for reference in found {
            let place = reference.strip_prefix('#').unwrap();
            assert!(schema.pointer(place).is_some(), "{reference}");
        }
    }
}
