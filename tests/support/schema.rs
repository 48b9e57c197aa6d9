//! Output held against the published schema, `docs/events.schema.json`.
//!
//! The schema leaves room for fields of later versions; this check does not: a field that the
//! schema does not name is a problem, since what is not published is not promised. A keyword that
//! is not understood here is one, too.
#![expect(clippy::disallowed_methods, reason = "the schema lies in the repository")]

use std::{collections::BTreeSet, fs, path::Path, slice, sync::OnceLock};

use serde_json::Value;

/// What is wrong with a line of `stream-json`.
pub(crate) fn event_problems(event: &Value) -> Vec<String> {
    Published::get().problems("Event", event)
}

/// What is wrong with the object of `json`.
pub(crate) fn report_problems(report: &Value) -> Vec<String> {
    Published::get().problems("Report", report)
}

struct Published(Value);

/// Keywords that demand nothing.
const NOTES: [&str; 5] = ["$defs", "$schema", "default", "description", "title"];

/// The names of the fields that a schema speaks of.
type Named = BTreeSet<String>;

impl Published {
    fn get() -> &'static Self {
        static SCHEMA: OnceLock<Published> = OnceLock::new();
        SCHEMA.get_or_init(|| {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/events.schema.json");
            let text = fs::read_to_string(file).unwrap_or_default();
            Self(serde_json::from_str(&text).unwrap_or_default())
        })
    }

    fn problems(&self, definition: &str, value: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        match self.0.pointer(&format!("/$defs/{definition}")) {
            Some(schema) => self.whole(schema, value, definition, &mut problems),
            None => problems.push(format!("the published schema has no {definition}")),
        }
        problems
    }

    /// Checks a value of which every field has to be named.
    fn whole(&self, schema: &Value, value: &Value, place: &str, problems: &mut Vec<String>) {
        let named = self.check(schema, value, place, problems);
        for field in value.as_object().into_iter().flat_map(|fields| fields.keys()) {
            if !named.contains(field) {
                problems.push(format!("{place}.{field}: is not in the schema"));
            }
        }
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, problems: &mut Vec<String>) -> Named {
        let mut named = Named::new();
        let all = || value.as_object().into_iter().flat_map(|fields| fields.keys().cloned());
        let keywords = match schema {
            // Where nothing is said of a value, anything may be there.
            Value::Object(keywords) if keywords.keys().all(|key| NOTES.contains(&&**key)) => {
                return all().collect();
            }
            Value::Object(keywords) => keywords,
            Value::Bool(true) => return all().collect(),
            Value::Bool(false)
            | Value::Null
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => {
                problems.push(format!("{at}: nothing may be there"));
                return named;
            }
        };
        for (keyword, argument) in keywords {
            let holds = match keyword.as_str() {
                "$ref" => {
                    let place = argument.as_str().unwrap_or_default().trim_start_matches('#');
                    let schema = self.0.pointer(place).unwrap_or(&Value::Null);
                    named.extend(self.check(schema, value, at, problems));
                    true
                }
                "type" => {
                    let types =
                        argument.as_array().map_or(slice::from_ref(argument), Vec::as_slice);
                    types.iter().any(|name| is(name, value))
                }
                "enum" => argument.as_array().is_some_and(|all| all.contains(value)),
                "const" => argument == value,
                "minimum" => value.as_f64().is_none_or(|number| Some(number) >= argument.as_f64()),
                "maximum" => value.as_f64().is_none_or(|number| Some(number) <= argument.as_f64()),
                "minItems" => items(value).is_none_or(|count| Some(count) >= argument.as_u64()),
                "maxItems" => items(value).is_none_or(|count| Some(count) <= argument.as_u64()),
                "required" => {
                    let names = argument.as_array().into_iter().flatten();
                    let mut names = names.filter_map(Value::as_str);
                    value
                        .as_object()
                        .is_none_or(|fields| names.all(|name| fields.contains_key(name)))
                }
                "properties" => {
                    for (name, schema) in argument.as_object().into_iter().flatten() {
                        if let Some(value) = value.get(name) {
                            self.whole(schema, value, &format!("{at}.{name}"), problems);
                        }
                        named.insert(name.clone());
                    }
                    true
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.whole(argument, item, &format!("{at}[{index}]"), problems);
                    }
                    true
                }
                "additionalProperties" => {
                    if argument == &Value::Bool(true) {
                        named.extend(all());
                    }
                    true
                }
                "allOf" => {
                    for schema in argument.as_array().into_iter().flatten() {
                        named.extend(self.check(schema, value, at, problems));
                    }
                    true
                }
                "anyOf" | "oneOf" => {
                    named.extend(self.one_of(argument, value, at, problems));
                    true
                }
                "format" => argument != "date-time" || is_time(value),
                note if NOTES.contains(&note) => true,
                _ => {
                    problems.push(format!("{at}: `{keyword}` is not understood by this check"));
                    true
                }
            };
            if !holds {
                problems.push(format!("{at}: {value} is not {keyword} {argument}"));
            }
        }
        named
    }

    /// The alternative that fits; the problems of the one that fits best where none does.
    fn one_of(&self, all: &Value, value: &Value, at: &str, problems: &mut Vec<String>) -> Named {
        let tries = all.as_array().into_iter().flatten().map(|schema| {
            let mut problems = Vec::new();
            let named = self.check(schema, value, at, &mut problems);
            (problems, named)
        });
        match tries.min_by_key(|(problems, _)| problems.len()) {
            Some((found, named)) => {
                problems.extend(found);
                named
            }
            None => Named::new(),
        }
    }
}

fn is(name: &Value, value: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(_) | None => false,
    }
}

fn items(value: &Value) -> Option<u64> {
    value.as_array().and_then(|items| u64::try_from(items.len()).ok())
}

/// Whether it looks like `2026-11-21T09:30:00.000Z`.
fn is_time(value: &Value) -> bool {
    let shape = |text: &str| {
        text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>()
    };
    value.as_str().is_none_or(|text| shape(text) == "0000-00-00T00:00:00.000Z")
}
