//! One edit as a model writes it.

use serde::{Deserialize, Serialize};

/// Whole lines `start_line` to `end_line`, and what takes their place.
///
/// An insertion before line n has `start_line` n and `end_line` n - 1; appending is an insertion
/// before the line after the last. An empty replacement deletes the lines.
///
/// It is read from `{start_line, end_line, replacement, old?}` or from `{line, old, new}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Fields")]
pub struct LineEdit {
    /// The first line that is replaced, counted from 1.
    pub start_line: usize,
    /// The last line that is replaced.
    pub end_line: usize,
    /// The new lines. A missing final newline is supplied, one that is there adds no line.
    pub replacement: String,
    /// What the lines are believed to hold; the plan is refused if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
}

impl LineEdit {
    /// Replaces one line, whose text is checked.
    pub fn one_line(line: usize, old: String, new: String) -> Self {
        Self { start_line: line, end_line: line, replacement: new, old: Some(old) }
    }

    /// Whether lines are added without any being replaced.
    pub(crate) fn is_insertion(&self) -> bool {
        self.end_line < self.start_line
    }
}

/// The fields of both forms; an untagged enum could not say which field is wrong.
#[derive(Deserialize)]
struct Fields {
    start_line: Option<usize>,
    end_line: Option<usize>,
    replacement: Option<String>,
    old: Option<String>,
    line: Option<usize>,
    new: Option<String>,
}

impl TryFrom<Fields> for LineEdit {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        const FORMS: &str = "an edit is {start_line, end_line, replacement} with an optional old, \
                             or {line, old, new}";
        let Fields { start_line, end_line, replacement, old, line, new } = fields;
        match (start_line, end_line, replacement, line, old, new) {
            (Some(start_line), Some(end_line), Some(replacement), None, old, None) => {
                Ok(Self { start_line, end_line, replacement, old })
            }
            (None, None, None, Some(line), Some(old), Some(new)) => {
                Ok(Self::one_line(line, old, new))
            }
            (start_line, end_line, replacement, None, _, None) => {
                let fields = [
                    ("start_line", start_line.is_some()),
                    ("end_line", end_line.is_some()),
                    ("replacement", replacement.is_some()),
                ];
                Err(format!("{FORMS}; missing: {}", absent(&fields)))
            }
            (None, None, None, line, old, new) => {
                let fields =
                    [("line", line.is_some()), ("old", old.is_some()), ("new", new.is_some())];
                Err(format!("{FORMS}; missing: {}", absent(&fields)))
            }
            _ => Err(format!("{FORMS}; this one mixes the two")),
        }
    }
}

fn absent(fields: &[(&str, bool)]) -> String {
    let absent: Vec<_> = fields.iter().filter(|(_, given)| !given).map(|(name, _)| *name).collect();
    absent.join(", ")
}
