//! Secrets are taken out before anything is shown to a model, stored or printed.
//!
//! What the journal keeps of files is exact and exempt. An edit that would write the [`MARK`] into a
//! file is refused, since it stands for something that the model has not seen.

use std::borrow::Cow;

use serde_json::Value;

mod keys;
mod named;
#[cfg(test)]
mod tests;
mod tokens;
mod urls;

/// Stands where a secret was.
pub const MARK: &str = "⟦redacted⟧";

/// A shorter value is too likely to be an ordinary word.
const SHORTEST: usize = 8;

/// The secrets that are known, and how others look.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// The longest first, so that none is cut by another.
    values: Vec<String>,
}

/// Takes out what looks like a secret; nothing where there is none.
type Pass = fn(&str) -> Option<String>;

/// Each looks for secrets of one form.
const PASSES: [Pass; 6] = [
    keys::private_keys,
    keys::loose_lines,
    tokens::tokens,
    urls::passwords,
    named::authorization,
    named::values,
];

impl Redactor {
    /// Knows the values of those variables whose names say that they are secret.
    pub fn of_variables(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let secret = variables.into_iter().filter(|(name, _)| named::is_secret(name));
        Self::of_values(secret.map(|(_, value)| value))
    }

    /// Knows these values.
    pub fn of_values(values: impl IntoIterator<Item = String>) -> Self {
        let long = values.into_iter().filter(|value| value.len() >= SHORTEST);
        let mut values: Vec<String> = long.flat_map(forms).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self { values }
    }

    /// The text without secrets, and with what reverses or hides text made visible.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let text = self.redacted(text);
        match visible(&text) {
            Some(shown) => Cow::Owned(shown),
            None => text,
        }
    }

    /// The text without secrets, and otherwise as it is.
    pub fn redacted<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), MARK));
            }
        }
        for pass in PASSES {
            if let Some(cleaner) = pass(&text) {
                text = Cow::Owned(cleaner);
            }
        }
        text
    }

    /// Whether there is a secret in the text.
    pub fn finds(&self, text: &str) -> bool {
        matches!(self.redacted(text), Cow::Owned(_))
    }

    /// Whether there is one in a file. Of one that is no text, what is known is looked for.
    pub fn finds_in(&self, bytes: &[u8]) -> bool {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.finds(text),
            Err(_) => self
                .values
                .iter()
                .any(|value| bytes.windows(value.len()).any(|window| window == value.as_bytes())),
        }
    }

    /// Whether something in the text might be a secret all the same: long, and as if by chance.
    /// Too much looks like that to be taken out; what need not be kept is not kept then.
    pub fn suspects(&self, text: &str) -> bool {
        tokens::looks_random(text)
    }

    /// Cleans every text in a value.
    pub fn clean_value(&self, value: &mut Value) {
        self.replace(value, &|text| self.clean(text));
    }

    /// Takes the secrets out of every text in a value; true where there was one.
    pub fn redact_value(&self, value: &mut Value) -> bool {
        self.replace(value, &|text| self.redacted(text))
    }

    fn replace(&self, value: &mut Value, with: &impl Fn(&str) -> Cow<'_, str>) -> bool {
        match value {
            Value::String(text) => match with(text) {
                Cow::Owned(other) => {
                    *text = other;
                    true
                }
                Cow::Borrowed(_) => false,
            },
            Value::Array(items) => {
                // None is left out, whatever the others held.
                items.iter_mut().map(|item| self.replace(item, with)).filter(|had| *had).count() > 0
            }
            Value::Object(fields) => self.replace_fields(fields, with),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn replace_fields(
        &self,
        fields: &mut serde_json::Map<String, Value>,
        with: &impl Fn(&str) -> Cow<'_, str>,
    ) -> bool {
        let mut any = false;
        for (name, field) in fields.iter_mut() {
            any |= self.replace(field, with);
            // `{"password": "…"}` says in two texts what a line of a file says in one.
            if let Value::String(text) = field
                && named::is_value_of(name, text)
            {
                MARK.clone_into(text);
                any = true;
            }
        }
        if fields.keys().any(|name| matches!(with(name), Cow::Owned(_))) {
            let taken = std::mem::take(fields);
            fields.extend(taken.into_iter().map(|(name, value)| (with(&name).into_owned(), value)));
            any = true;
        }
        any
    }
}

/// A value as it stands in a text, and within JSON in a text.
fn forms(value: String) -> Vec<String> {
    let quoted = Value::from(value.as_str()).to_string();
    let quoted = quoted.trim_matches('"').to_owned();
    if quoted == value { vec![value] } else { vec![value, quoted] }
}

/// Whether an edit would write a mark that was not there.
pub(crate) fn writes_a_mark(before: &[u8], after: &[u8]) -> bool {
    let mark = memchr::memmem::Finder::new(MARK);
    let count = |content| mark.find_iter(content).count();
    match count(after) {
        0 => false,
        marks => marks > count(before),
    }
}

/// Controls that turn the reading direction, and characters that carry hidden text, as their
/// numbers. Joiners stay: emoji and several scripts are written with them.
fn visible(text: &str) -> Option<String> {
    let hides = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}');
    if !text.contains(hides) {
        return None;
    }
    let shown =
        |c: char| if hides(c) { format!("<U+{:04X}>", u32::from(c)) } else { c.to_string() };
    Some(text.chars().map(shown).collect())
}
