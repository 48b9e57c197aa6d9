//! Golden files: what a case puts out, less what differs from run to run.
#![expect(clippy::disallowed_methods, reason = "golden files lie in the repository")]

use std::{collections::HashMap, fs, path::Path};

use serde_json::Value;
use similar::TextDiff;

/// Replaces what differs from run to run, and from driver to driver, by placeholders.
#[derive(Default)]
pub(crate) struct Normal {
    /// Texts and what stands for them, the longest first.
    places: Vec<(String, &'static str)>,
    /// Ids of calls in the order in which they came.
    ids: HashMap<String, String>,
}

impl Normal {
    /// `places` are paths and addresses with their placeholders.
    pub(crate) fn new(mut places: Vec<(String, &'static str)>) -> Self {
        places.sort_by_key(|(place, _)| std::cmp::Reverse(place.len()));
        Self { places, ids: HashMap::new() }
    }

    /// The value with placeholders.
    pub(crate) fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                // Only where there is a server is anything sent.
                let fields = fields.iter().filter(|(key, _)| *key != "sent");
                let fields = fields.map(|(key, value)| (key.clone(), self.field(key, value)));
                Value::Object(fields.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::String(text) => Value::from(self.text(text)),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn field(&mut self, key: &str, value: &Value) -> Value {
        match (key, value) {
            ("session_id", Value::String(_)) => Value::from("<session>"),
            ("model", Value::String(_)) => Value::from("<model>"),
            ("timestamp", Value::String(time)) if is_timestamp(time) => Value::from("<time>"),
            ("delay_ms", Value::Number(_)) => Value::from("<milliseconds>"),
            ("id" | "tool_use_id", Value::String(id)) => {
                let next = format!("<call {}>", self.ids.len() + 1);
                Value::from(self.ids.entry(id.clone()).or_insert(next).clone())
            }
            (_, value) => self.value(value),
        }
    }

    /// The text with placeholders.
    pub(crate) fn text(&self, text: &str) -> String {
        let places = self.places.iter();
        places.fold(text.to_owned(), |text, (place, name)| text.replace(place, name))
    }
}

/// Whether it looks like `2026-11-21T09:30:00.000Z`.
fn is_timestamp(text: &str) -> bool {
    let shape = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c });
    shape.eq("0000-00-00T00:00:00.000Z".chars())
}

/// Compares `seen` with the golden file, or rewrites the file where that was asked for.
pub(crate) fn compare(file: &Path, seen: &str, bless: Bless) -> Option<String> {
    let golden = fs::read_to_string(file).unwrap_or_default();
    if golden == seen {
        return None;
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match bless {
        Bless::No => Some(format!("{name}: differs\n{}", diff(&golden, seen))),
        Bless::Yes => fs::write(file, seen).err().map(|error| format!("{name}: {error}")),
    }
}

/// Whether golden files are rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bless {
    /// They are compared.
    No,
    /// They are rewritten.
    Yes,
}

/// A unified diff, expected to seen.
pub(crate) fn diff(expected: &str, seen: &str) -> String {
    let diff = TextDiff::from_lines(expected, seen);
    diff.unified_diff().context_radius(1).header("expected", "seen").to_string()
}
