//! `insert_file`, `remove_file` and `replace_file`: edits by line number, for direct use.

use agent_llm::ToolSpec;
use agent_tools::{edit::LineEdit, lines};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::params::{self, Explanation};
use crate::{
    BadParams, Call, Effect, Tool,
    line_edits::{self, Method},
};

/// Inserts lines before a line.
pub(super) struct InsertFile;
/// Removes lines.
pub(super) struct RemoveFile;
/// Replaces lines.
pub(super) struct ReplaceFile;

#[derive(Debug, Deserialize, JsonSchema)]
struct InsertParams {
    /// Path of the file, relative to the workspace.
    #[serde(alias = "path")]
    target_file: String,
    /// The lines to insert.
    content: String,
    /// The line before which they go; one more than the last line appends.
    #[serde(deserialize_with = "params::line")]
    line_number: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct RemoveParams {
    /// Path of the file, relative to the workspace.
    #[serde(alias = "path")]
    target_file: String,
    /// First line to remove; the first line of the file without it.
    #[serde(default, deserialize_with = "params::optional_line")]
    start_line: Option<usize>,
    /// Last line to remove, inclusive; the last line of the file without it.
    #[serde(default, deserialize_with = "params::optional_line")]
    end_line: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ReplaceParams {
    /// Path of the file, relative to the workspace.
    #[serde(alias = "path")]
    target_file: String,
    /// First line to replace, from 1.
    #[serde(deserialize_with = "params::line")]
    start_line: usize,
    /// Last line to replace, inclusive.
    #[serde(deserialize_with = "params::line")]
    end_line: usize,
    /// The whole new text of these lines.
    new_content: String,
}

impl Tool for InsertFile {
    fn spec(&self) -> ToolSpec {
        let description = "Insert lines before a line of a file.";
        params::spec::<InsertParams>("insert_file", description, Explanation::Optional)
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: InsertParams = params::parse("insert_file", params)?;
        Ok(edit(params.target_file, move |_| lines::insert(params.line_number, &params.content)))
    }
}

impl Tool for RemoveFile {
    fn spec(&self) -> ToolSpec {
        let description = "Remove lines of a file, or all of them; the file itself stays.";
        params::spec::<RemoveParams>("remove_file", description, Explanation::Optional)
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: RemoveParams = params::parse("remove_file", params)?;
        Ok(edit(params.target_file, move |line_count| {
            lines::remove(params.start_line, params.end_line, line_count)
        }))
    }
}

impl Tool for ReplaceFile {
    fn spec(&self) -> ToolSpec {
        let description = "Replace lines of a file.";
        params::spec::<ReplaceParams>("replace_file", description, Explanation::Optional)
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: ReplaceParams = params::parse("replace_file", params)?;
        Ok(edit(params.target_file, move |_| {
            lines::replace(params.start_line, params.end_line, &params.new_content)
        }))
    }
}

/// A call that makes the one edit that `edit` gives for a file of so many lines.
fn edit(target_file: String, edit: impl FnOnce(usize) -> LineEdit + Send + 'static) -> Call {
    Call::working(vec![Effect::Write(target_file.clone())], move |cx| {
        let opened = match super::resolve(cx, &target_file)
            .and_then(|path| line_edits::open(cx, path, None))
        {
            Ok(opened) => opened,
            Err(refusal) => return refusal,
        };
        let edits = [edit(opened.text.line_count())];
        line_edits::apply(cx, &opened, &edits, Method::Patch)
            .unwrap_or_else(|refused| refused.observation)
    })
}
