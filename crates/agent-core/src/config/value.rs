//! What a key may hold.

use std::fmt;

use toml_edit::Item;

/// A value of a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Words.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
}

/// As it is written in a configuration file.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", toml_edit::Value::from(self))
    }
}

impl From<&Value> for toml_edit::Value {
    fn from(value: &Value) -> Self {
        match value {
            Value::Text(text) => text.as_str().into(),
            // Counts are checked against their kind's bounds, which are far below.
            Value::Count(count) => i64::try_from(*count).unwrap_or(i64::MAX).into(),
            Value::Number(number) => (*number).into(),
        }
    }
}

/// Kinds of value, with what they permit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Any text but an empty one.
    Text,
    /// An `http://` or `https://` address.
    Url,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number within bounds.
    Count {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// A number within bounds.
    Number {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
    },
}

/// A value that does not suit its kind: what was seen, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mismatch(pub(super) String);

impl Kind {
    /// Reads a value that is given as text, in a variable or a flag.
    pub(super) fn parse(self, text: &str) -> Result<Value, Mismatch> {
        let value = match self {
            Self::Text | Self::Url | Self::Choice(_) => Some(Value::Text(text.to_owned())),
            Self::Count { .. } => text.parse().ok().map(Value::Count),
            Self::Number { .. } => text.parse().ok().map(Value::Number),
        };
        value.filter(|value| self.permits(value)).ok_or_else(|| Mismatch(format!("{text:?}")))
    }

    /// Reads a value of a file. A number in quotes is text, as everywhere in TOML.
    pub(super) fn read(self, item: &Item) -> Result<Value, Mismatch> {
        let value = match self {
            Self::Text | Self::Url | Self::Choice(_) => {
                item.as_str().map(|text| Value::Text(text.to_owned()))
            }
            Self::Count { .. } => {
                item.as_integer().and_then(|count| u64::try_from(count).ok()).map(Value::Count)
            }
            // A whole number that a float can't hold is far outside of any bounds.
            Self::Number { .. } => item
                .as_float()
                .or_else(|| item.as_integer().map(|number| number as f64))
                .map(Value::Number),
        };
        value.filter(|value| self.permits(value)).ok_or_else(|| Mismatch(shown(item)))
    }

    fn permits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text, Value::Text(text)) => !text.trim().is_empty(),
            (Self::Url, Value::Text(text)) => is_web_address(text),
            (Self::Choice(words), Value::Text(text)) => words.contains(&text.as_str()),
            (Self::Count { min, max }, Value::Count(count)) => (min..=max).contains(count),
            (Self::Number { min, max }, Value::Number(number)) => (min..=max).contains(number),
            (Self::Text | Self::Url | Self::Choice(_), Value::Count(_) | Value::Number(_))
            | (Self::Count { .. }, Value::Text(_) | Value::Number(_))
            | (Self::Number { .. }, Value::Text(_) | Value::Count(_)) => false,
        }
    }
}

/// Reads after "must be".
impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => formatter.write_str("text"),
            Self::Url => formatter.write_str("an address such as \"http://127.0.0.1:8080/v1\""),
            Self::Choice(words) => {
                for (position, word) in words.iter().enumerate() {
                    let before = match position {
                        0 => "",
                        last if last + 1 == words.len() => " or ",
                        _ => ", ",
                    };
                    write!(formatter, "{before}\"{word}\"")?;
                }
                Ok(())
            }
            Self::Count { min, max } => {
                write!(formatter, "a whole number from {min} to {max}")
            }
            Self::Number { min, max } => write!(formatter, "a number from {min} to {max}"),
        }
    }
}

fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    rest.is_some_and(|rest| {
        !rest.starts_with(['/', ':', '?', '#'])
            && !rest.is_empty()
            && !text.contains(char::is_whitespace)
    })
}

/// A value in a message: short, and as it stands in the file.
fn shown(item: &Item) -> String {
    const LONGEST: usize = 60;
    let Some(value) = item.as_value() else {
        return format!("a {}", item.type_name());
    };
    let text = value.clone().decorated("", "").to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
