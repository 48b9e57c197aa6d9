//! Two paths of one workspace: when it was recorded, and now.

use std::borrow::Cow;

use agent_llm::{Message, Request};
use agent_tools::Workspace;
use serde_json::Value;

/// The workspace's path when it was recorded, and now.
#[derive(Debug, Clone)]
pub(super) struct Place {
    recorded: String,
    here: String,
}

impl Place {
    pub(super) fn new(workspace: &Workspace, recorded: &str) -> Self {
        Self { recorded: recorded.to_owned(), here: workspace.root().display().to_string() }
    }

    /// The text as it would have been recorded.
    pub(super) fn to_recorded<'a>(&self, text: &'a str) -> Cow<'a, str> {
        swapped(text, &self.here, &self.recorded)
    }

    /// The value as it would have been recorded.
    pub(super) fn value_to_recorded(&self, value: &Value) -> Value {
        mapped(value, &|text| self.to_recorded(text).into_owned())
    }

    /// The value as it is to be said here.
    pub(super) fn value_to_here(&self, value: &Value) -> Value {
        mapped(value, &|text| swapped(text, &self.recorded, &self.here).into_owned())
    }

    /// The request as it would have been recorded.
    pub(super) fn request_to_recorded(&self, mut request: Request) -> Request {
        for message in &mut request.messages {
            let text = match &**message {
                Message::User(text) => Message::User(self.to_recorded(text).into_owned()),
                Message::Tool(result) => {
                    let mut result = result.clone();
                    result.content = self.to_recorded(&result.content).into_owned();
                    Message::Tool(result)
                }
                Message::System(_) | Message::Assistant(_) => continue,
            };
            if text != **message {
                *message = text.into();
            }
        }
        request
    }
}

fn mapped(value: &Value, map: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::from(map(text)),
        Value::Array(items) => items.iter().map(|item| mapped(item, map)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (key.clone(), mapped(value, map)));
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The text with one path in the place of another, where that is not the beginning of a longer name.
fn swapped<'a>(text: &'a str, from: &str, to: &str) -> Cow<'a, str> {
    // The root's path is in every other.
    if from.len() < 2 || from == to || !text.contains(from) {
        return Cow::Borrowed(text);
    }
    let mut swapped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, behind) = (&rest[..at], &rest[at + from.len()..]);
        let longer = goes_on(behind);
        swapped.push_str(before);
        swapped.push_str(if longer { from } else { to });
        rest = behind;
    }
    swapped.push_str(rest);
    Cow::Owned(swapped)
}

/// Whether a name goes on here. A full stop may also end a sentence.
fn goes_on(text: &str) -> bool {
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    match text.strip_prefix('.') {
        Some(behind) => behind.starts_with(of_name),
        None => text.starts_with(of_name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_swapped_as_a_whole() {
        for (text, expected) in [
            ("in /a/b", "in /x"),
            ("/a/b/c and /a/b.", "/x/c and /x."),
            ("/a/bc /a/b.txt /a/b-c", "/a/bc /a/b.txt /a/b-c"),
            ("none", "none"),
            ("\"/a/b\"", "\"/x\""),
        ] {
            assert_eq!(swapped(text, "/a/b", "/x"), expected);
        }
        assert_eq!(swapped("/a", "/", "/x"), "/a");
    }
}
