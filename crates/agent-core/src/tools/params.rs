//! Parameters: parsed once into a tool's own struct, from which its schema comes too.

use agent_llm::ToolSpec;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use crate::BadParams;

/// Whether a tool's schema asks for an `explanation`. A call without one never fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Explanation {
    Required,
    Optional,
    Absent,
}

/// The spec of a tool whose parameters are `P`.
pub(crate) fn spec<P: JsonSchema>(
    name: &str,
    description: &str,
    explanation: Explanation,
) -> ToolSpec {
    let mut parameters = schema::<P>();
    if explanation != Explanation::Absent
        && let Some(properties) = parameters.get_mut("properties").and_then(Value::as_object_mut)
    {
        // What it is for stands in the instructions, once for all tools.
        properties.insert("explanation".to_owned(), json!({ "type": "string" }));
    }
    if explanation == Explanation::Required
        && let Some(required) = parameters.get_mut("required").and_then(Value::as_array_mut)
    {
        required.push(Value::from("explanation"));
    }
    if parameters.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        parameters.remove("required");
    }
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: Value::Object(parameters),
    }
}

/// The schema of `P` with nothing in it that a model has no use for.
pub(crate) fn schema<P: JsonSchema>() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft07();
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<P>();
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    tidy(&mut schema);
    schema.entry("properties").or_insert_with(|| json!({}));
    schema.entry("required").or_insert_with(|| json!([]));
    schema
}

fn tidy(schema: &mut Map<String, Value>) {
    for noise in ["$schema", "title", "format", "minimum", "default"] {
        schema.remove(noise);
    }
    // An optional parameter is left out; nobody has to write null.
    if let Some(Value::Array(types)) = schema.get("type")
        && let [first, Value::String(null)] = types.as_slice()
        && null == "null"
    {
        let first = first.clone();
        schema.insert("type".to_owned(), first);
    }
    for (key, value) in schema.iter_mut() {
        match value {
            // Names of properties are not keywords.
            Value::Object(properties) if key == "properties" => {
                properties.values_mut().filter_map(Value::as_object_mut).for_each(tidy);
            }
            Value::Object(inner) => tidy(inner),
            Value::Array(items) => items.iter_mut().filter_map(Value::as_object_mut).for_each(tidy),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Parses what the model sent.
pub(crate) fn parse<P: DeserializeOwned + JsonSchema>(
    tool: &str,
    params: &Value,
) -> Result<P, BadParams> {
    serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner().to_string();
        let problem = if path == "." { problem } else { format!("`{path}`: {problem}") };
        BadParams { tool: tool.to_owned(), problem, takes: takes::<P>() }
    })
}

/// Parameters that are of the right types and still don't fit.
pub(crate) fn refuse<P: JsonSchema>(tool: &str, problem: &str) -> BadParams {
    BadParams { tool: tool.to_owned(), problem: problem.to_owned(), takes: takes::<P>() }
}

/// A parameter that only some calls can do without.
pub(crate) fn missing<P: JsonSchema>(tool: &str, field: &str) -> BadParams {
    let problem = format!("missing field `{field}`");
    BadParams { tool: tool.to_owned(), problem, takes: takes::<P>() }
}

/// The parameters in words: `target_file (string), start_line (integer, optional)`.
fn takes<P: JsonSchema>() -> String {
    let schema = schema::<P>();
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return "no parameters".to_owned();
    };
    let words = properties.iter().map(|(name, property)| {
        let kind = property.get("type").and_then(Value::as_str).unwrap_or("any");
        let optional = if is_required(name) { "" } else { ", optional" };
        format!("`{name}` ({kind}{optional})")
    });
    words.collect::<Vec<_>>().join(", ")
}

/// A line number, also as models write it at times: `12`, `"12"` or `12.0`.
pub(crate) fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Whole(u64),
        Float(f64),
        Text(String),
    }
    let wrong = |seen: &dyn std::fmt::Display| {
        serde::de::Error::custom(format!("{seen} is no line number; give a whole number"))
    };
    let number = match Written::deserialize(deserializer) {
        Ok(Written::Whole(number)) => number,
        Ok(Written::Float(number)) => format!("{number}").parse().map_err(|_| wrong(&number))?,
        Ok(Written::Text(text)) => text.trim().parse().map_err(|_| wrong(&format!("{text:?}")))?,
        Err(_) => return Err(wrong(&"this")),
    };
    usize::try_from(number).map_err(|_| wrong(&number))
}

/// An optional [`line`]; null and the empty string count as left out.
pub(crate) fn optional_line<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    line(value).map(Some).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Example {
        /// The file.
        #[serde(alias = "path")]
        target_file: String,
        /// The line.
        #[serde(default, deserialize_with = "optional_line")]
        start_line: Option<usize>,
    }

    #[test]
    fn a_schema_says_what_a_model_needs() {
        let spec = spec::<Example>("x", "y", Explanation::Required);
        assert_eq!(
            spec.parameters,
            json!({
                "type": "object",
                "properties": {
                    "target_file": { "description": "The file.", "type": "string" },
                    "start_line": { "description": "The line.", "type": "integer" },
                    "explanation": { "type": "string" },
                },
                "required": ["target_file", "explanation"],
            })
        );
    }

    #[test]
    fn params_are_parsed_leniently_or_refused_by_name() {
        let parsed =
            |params: Value| parse::<Example>("x", &params).map_err(|error| error.to_string());
        let ok = |start_line| Ok(Example { target_file: "a".to_owned(), start_line });
        let takes = "It takes `target_file` (string), `start_line` (integer, optional).";
        for (params, expected) in [
            (json!({"target_file": "a"}), ok(None)),
            (json!({"path": "a", "start_line": 3, "explanation": "why"}), ok(Some(3))),
            (json!({"path": "a", "start_line": "3"}), ok(Some(3))),
            (json!({"path": "a", "start_line": 3.0}), ok(Some(3))),
            (json!({"path": "a", "start_line": null}), ok(None)),
            (json!({"path": "a", "start_line": ""}), ok(None)),
            (json!({}), Err(format!("bad parameters for x: missing field `target_file`. {takes}"))),
            (
                json!({"path": "a", "start_line": "three"}),
                Err(format!(
                    "bad parameters for x: `start_line`: \"three\" is no line number; give a whole number. {takes}"
                )),
            ),
            (
                json!({"path": "a", "start_line": -1}),
                Err(format!(
                    "bad parameters for x: `start_line`: -1 is no line number; give a whole number. {takes}"
                )),
            ),
            (
                json!({"target_file": 5}),
                Err(format!(
                    "bad parameters for x: `target_file`: invalid type: integer `5`, expected a string. {takes}"
                )),
            ),
        ] {
            assert_eq!(parsed(params.clone()), expected, "{params}");
        }
    }
}
