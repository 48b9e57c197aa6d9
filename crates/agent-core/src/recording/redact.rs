//! Taking secrets out of what leaves the machine.

use serde_json::Value;

/// What stands in the place of a secret.
const MARK: &str = "[redacted]";

/// Shorter values are words that occur anywhere.
const SHORTEST: usize = 8;

/// Known secrets.
#[derive(Debug, Clone, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn new(values: &[String]) -> Self {
        let long = values.iter().filter(|value| value.len() >= SHORTEST);
        Self(long.cloned().collect())
    }

    /// Takes every secret out; true where there was one.
    pub(super) fn redact(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => self.redact_text(text),
            Value::Array(items) => self.redact_all(items.iter_mut()),
            Value::Object(fields) => {
                let keyed =
                    fields.keys().any(|key| self.0.iter().any(|secret| key.contains(secret)));
                if keyed {
                    let taken = std::mem::take(fields);
                    fields.extend(taken.into_iter().map(|(mut key, value)| {
                        self.redact_text(&mut key);
                        (key, value)
                    }));
                }
                self.redact_all(fields.values_mut()) || keyed
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// None is left out, whatever the others held.
    fn redact_all<'a>(&self, values: impl Iterator<Item = &'a mut Value>) -> bool {
        values.map(|value| self.redact(value)).filter(|had| *had).count() > 0
    }

    fn redact_text(&self, text: &mut String) -> bool {
        let mut any = false;
        for secret in self.0.iter().filter(|secret| !secret.is_empty()) {
            // Within arguments and results a text stands as JSON in a text.
            let quoted = Value::from(secret.as_str()).to_string();
            let quoted = quoted.trim_matches('"');
            for form in [secret.as_str(), quoted] {
                if text.contains(form) {
                    *text = text.replace(form, MARK);
                    any = true;
                }
            }
        }
        any
    }

    /// Whether the bytes hold a secret.
    pub(super) fn are_in(&self, bytes: &[u8]) -> bool {
        let holds =
            |secret: &String| bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
        self.0.iter().any(holds)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_go_wherever_they_stand() {
        let secrets = Secrets::new(&["sk-very\"secret".to_owned(), "short".to_owned()]);
        let mut value = json!({
            "a": ["x sk-very\"secret y", 1, null],
            "sk-very\"secret": { "arguments": "{\"key\": \"sk-very\\\"secret\"}" },
            "b": "short",
        });
        assert!(secrets.redact(&mut value));
        let expected = json!({
            "a": ["x [redacted] y", 1, null],
            "[redacted]": { "arguments": "{\"key\": \"[redacted]\"}" },
            "b": "short",
        });
        assert_eq!(value, expected);
        assert!(!secrets.redact(&mut value));
        assert!(secrets.are_in(b"..sk-very\"secret") && !secrets.are_in(b"short"));
    }
}
