//! Line edits as a model writes them, and one way for every tool to carry them out.

use std::borrow::Cow;

use agent_tools::{
    TextFile, WorkspacePath, diff,
    edit::{self, LineEdit},
    read::{self, ReadLimits},
    write,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, json};

use crate::{Change, ChangeKind, Cx, Observation, tool::Target, tools};

/// One edit: `{start_line, end_line, replacement, old?}`, or `{line, old, new}` for one line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenEdit(pub(crate) LineEdit);

impl<'de> Deserialize<'de> for WrittenEdit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut written = Value::deserialize(deserializer)?;
        for key in ["start_line", "end_line", "line"] {
            // Models write numbers as text at times.
            if let Some(number) = written
                .get(key)
                .and_then(Value::as_str)
                .and_then(|text| text.trim().parse::<usize>().ok())
            {
                written[key] = Value::from(number);
            }
        }
        serde_json::from_value(written).map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for WrittenEdit {
    fn schema_name() -> Cow<'static, str> {
        "LineEdit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "start_line": { "type": "integer", "description": "First line to replace, from 1." },
                "end_line": {
                    "type": "integer",
                    "description": "Last line, inclusive; start_line - 1 inserts before start_line.",
                },
                "replacement": {
                    "type": "string",
                    "description": "Whole new text of these lines; empty deletes them.",
                },
                "old": {
                    "type": "string",
                    "description": "The lines as they stand now; refused if they differ.",
                },
            },
            "required": ["start_line", "end_line", "replacement"],
        })
    }
}

/// The target of an edit, read and not yet changed.
pub(crate) struct Opened {
    pub(crate) path: WorkspacePath,
    pub(crate) text: TextFile,
}

/// Why nothing was changed.
pub(crate) struct NotApplied {
    pub(crate) observation: Observation,
    /// Whether another plan could do better, as it can't where the file itself is the problem.
    pub(crate) plan_is_wrong: bool,
}

/// Opens the file at `path` for an edit.
pub(crate) fn open(
    cx: &Cx,
    path: WorkspacePath,
    expected_sha256: Option<&str>,
) -> Result<Opened, Observation> {
    let text =
        read::read_text(&cx.workspace, &path, ReadLimits::default().max_file).map_err(|error| {
            Observation { target: Some(Target::Unread), ..tools::read_failure(&error) }
        })?;
    if let Some(expected) =
        expected_sha256.filter(|expected| !expected.eq_ignore_ascii_case(&text.sha256()))
    {
        let message = format!(
            "{path} has changed since it was read: its sha256 is {} and not {expected}. Nothing was \
             changed; read it again and repeat the edit.",
            text.sha256()
        );
        return Err(Observation {
            target: Some(Target::Read(text.text().into_owned())),
            ..Observation::failure(message)
        });
    }
    Ok(Opened { path, text })
}

/// Applies `edits` to the opened file, all or none, and writes it.
pub(crate) fn apply(
    cx: &Cx,
    opened: &Opened,
    edits: &[LineEdit],
    method: &str,
) -> Result<Observation, NotApplied> {
    let Opened { path, text } = opened;
    let target = || Some(Target::Read(text.text().into_owned()));
    let edited = edit::apply(text, edits, &cx.limits.edit).map_err(|error| {
        let result = failed(&error.to_string(), edits, method);
        let observation = Observation { target: target(), ..Observation::of(result) };
        NotApplied { observation, plan_is_wrong: true }
    })?;
    let before = text.sha256();
    write::replace(&cx.workspace, path, &before, edited.text.bytes()).map_err(|error| {
        NotApplied {
            observation: Observation { target: target(), ..tools::write_failure(&error) },
            plan_is_wrong: false,
        }
    })?;
    let diff = diff::unified(&path.to_string(), &*text.text(), &*edited.text.text());
    let change = Change {
        file: path.to_string(),
        kind: ChangeKind::Edit,
        before_sha256: Some(before),
        after_sha256: Some(edited.text.sha256()),
        diff,
    };
    let result = json!({
        "success": true,
        "message": format!("edited {path}"),
        "total_edits": edits.len(),
        "successful_edits": edits.len(),
        "details": details(edits, true, "applied"),
        "diff": change.diff,
        "sha256": change.after_sha256,
        "method": method,
        "syntax": NOT_CHECKED,
    });
    Ok(Observation { changes: vec![change], target: target(), ..Observation::of(result) })
}

/// What an edit's result says of the syntax while nothing checks it.
pub(crate) const NOT_CHECKED: &str = "not checked";

/// The result of edits that were not applied.
pub(crate) fn failed(message: &str, edits: &[LineEdit], method: &str) -> Value {
    json!({
        "success": false,
        "message": message,
        "total_edits": edits.len(),
        "successful_edits": 0,
        "details": details(edits, false, "not applied: the whole plan was refused"),
        "diff": "",
        "method": method,
        "syntax": NOT_CHECKED,
    })
}

fn details(edits: &[LineEdit], success: bool, message: &str) -> Vec<Value> {
    edits
        .iter()
        .map(|edit| json!({ "success": success, "message": message, "edit": edit }))
        .collect()
}
