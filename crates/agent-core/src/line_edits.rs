//! Line edits as a model writes them, and one way for every tool to carry them out.

use std::borrow::Cow;

use agent_tools::{
    Content, TextFile, WorkspacePath,
    edit::{self, EditLimits, LineEdit, PlanError},
    read, sketch,
    write::{Entry, Replaced},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, json};

use crate::{
    Cx, Observation,
    changes::{self, ChangeError, FileChange, Made},
    journal::LARGEST_FILE,
    syntax,
    tool::Target,
    tools,
};

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
                "start_line": { "type": "integer", "description": "From 1." },
                "end_line": {
                    "type": "integer",
                    "description": "Inclusive; start_line - 1 inserts before start_line.",
                },
                "replacement": {
                    "type": "string",
                    "description": "The whole new text; empty deletes the lines.",
                },
                "old": {
                    "type": "string",
                    "description": "The lines as they stand; refused if they differ.",
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
    let text = read::read_text(&cx.workspace, &path, LARGEST_FILE).map_err(|error| {
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
            target: Some(Target::of(&text)),
            ..Observation::failure(message)
        });
    }
    Ok(Opened { path, text })
}

/// How line edits came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// A sketch that had only one reading.
    Merge,
    /// A model's plan for a sketch.
    Plan,
    /// A model or a person listed them.
    Patch,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Plan => "plan",
            Self::Patch => "patch",
        }
    }

    /// The limit is on what is listed by hand, not on what a merge finds.
    fn limits(self, cx: &Cx) -> EditLimits {
        match self {
            Self::Merge => EditLimits::NONE,
            Self::Plan | Self::Patch => cx.limits.edit,
        }
    }
}

/// Applies `edits` to the opened file, all or none: validates them, checks the syntax of what
/// comes out, and writes it.
pub(crate) fn apply(
    cx: &Cx,
    opened: &Opened,
    edits: &[LineEdit],
    method: Method,
) -> Result<Observation, NotApplied> {
    let Opened { path, text } = opened;
    let (file, old) = (path.to_string(), text.text());
    let target = Some(Target::of(text));
    let refused = |result, plan_is_wrong| NotApplied {
        observation: Observation { target: target.clone(), ..result },
        plan_is_wrong,
    };
    let wrong = |message: &str, syntax: &Value| {
        refused(Observation::of(failed(message, edits, method, syntax)), true)
    };
    let new_lines = edits.iter().flat_map(|edit| edit.replacement.lines());
    if let Some(line) = sketch::stray_marker(new_lines, old.lines()) {
        let message = format!(
            "the line {line:?} would be written into the file. Write the code itself, or leave \
             those lines out of the edit."
        );
        return Err(wrong(&message, &Value::Null));
    }
    let edited = edit::apply(text, edits, &method.limits(cx)).map_err(|error| {
        let mut result = failed(&error.to_string(), edits, method, &Value::Null);
        if let PlanError::Refused { problems } = &error {
            for problem in problems {
                result["details"][problem.edit - 1]["message"] = Value::from(problem.to_string());
            }
        }
        refused(Observation::of(result), true)
    })?;
    let edited = edited.text;
    let new = edited.text();
    let syntax =
        syntax::gate(&file, &old, &new).map_err(|broken| wrong(&broken.message, &broken.syntax))?;
    let Made { changes, replaced, .. } = write(cx, opened, edited.content().clone())
        .map_err(|error| refused(tools::change_failure(&error), false))?;
    let diff = changes.iter().map(|change| &*change.diff).collect::<String>();
    let mut result = json!({
        "success": true,
        "message": format!("edited {path}"),
        "total_edits": edits.len(),
        "successful_edits": edits.len(),
        "details": details(edits, true, "applied"),
        "diff": diff,
        "sha256": edited.sha256(),
        "method": method.name(),
        "syntax": syntax,
    });
    match replaced {
        Replaced::Atomically => {}
        Replaced::InPlace => {
            let note = "the file has several names (hard links), so it was written in place";
            result["note"] = Value::from(note);
        }
    }
    Ok(Observation { changes, target, ..Observation::of(result) })
}

/// Writes the new content, into the file that a link leads to.
fn write(cx: &Cx, opened: &Opened, content: Content) -> Result<Made, ChangeError> {
    let path = cx.workspace.real(&opened.path)?;
    let mode = cx.workspace.metadata(&path)?.mode;
    let before = Entry::File { content: opened.text.content().clone(), mode };
    let after = Entry::File { content, mode: None };
    let name = opened.path.to_string();
    changes::make(cx, &[FileChange { name, ..FileChange::new(path, before, after) }])
}

/// The result of edits that were not applied.
pub(crate) fn failed(message: &str, edits: &[LineEdit], method: Method, syntax: &Value) -> Value {
    json!({
        "success": false,
        "message": message,
        "total_edits": edits.len(),
        "successful_edits": 0,
        "details": details(edits, false, "not applied: the whole plan was refused"),
        "diff": "",
        "method": method.name(),
        "syntax": syntax,
    })
}

fn details(edits: &[LineEdit], success: bool, message: &str) -> Vec<Value> {
    edits
        .iter()
        .map(|edit| json!({ "success": success, "message": message, "edit": edit }))
        .collect()
}
