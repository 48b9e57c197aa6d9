//! `read_file`

use agent_llm::ToolSpec;
use agent_tools::{
    Encoding, EntryKind,
    read::{self, LineRange, ReadLimits},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{BadParams, Call, Cx, Effect, Observation, Tool};

const NAME: &str = "read_file";

/// Bytes of a file that are read and numbered in less time than it takes to wake another thread
/// and to be woken by it.
const SMALL: u64 = 64 * 1024;

/// Reads a file, or a range of its lines.
pub(super) struct ReadFile;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    #[serde(alias = "path")]
    target_file: String,
    /// From 1.
    #[serde(default, deserialize_with = "params::optional_line")]
    start_line: Option<usize>,
    /// Inclusive.
    #[serde(default, deserialize_with = "params::optional_line")]
    end_line: Option<usize>,
}

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Read a text file, or a range of its lines, with line numbers.",
            Explanation::Required,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        let effects = vec![Effect::Read(params.target_file.clone())];
        let target = params.target_file.clone();
        Ok(Call::working_soon(effects, move |cx| is_small(cx, &target), move |cx| run(cx, &params)))
    }
}

fn is_small(cx: &Cx, target: &str) -> bool {
    let found = cx.workspace.resolve(target).ok().filter(|path| !cx.workspace.lacks(path));
    let metadata = found.and_then(|path| cx.workspace.metadata(&path).ok());
    metadata.is_some_and(|file| file.kind == EntryKind::File && file.len <= SMALL)
}

fn run(cx: &Cx, params: &Params) -> Observation {
    let path = match super::resolve(cx, &params.target_file) {
        Ok(path) => path,
        Err(refusal) => return unreadable(refusal),
    };
    let range = LineRange { start: params.start_line, end: params.end_line };
    let limits = ReadLimits { max_text: cx.limits.read_bytes };
    match read::read_file(&cx.workspace, &path, range, limits) {
        Ok(excerpt) => {
            let file_path = cx.workspace.absolute(&path).display().to_string();
            let shown = numbered(&path.to_string(), &excerpt);
            let mut result = json!({
                "success": true,
                "content": excerpt.content,
                "file_path": file_path,
                "sha256": excerpt.sha256,
                "lines": excerpt.lines,
                "start_line": excerpt.start_line,
                "end_line": excerpt.end_line,
            });
            if excerpt.encoding != Encoding::Utf8 {
                result["encoding"] = Value::from(excerpt.encoding.name());
            }
            Observation { shown: Some(shown), ..Observation::of(result) }
        }
        Err(error) => unreadable(super::read_failure(&error)),
    }
}

/// A failure, whose message stands in `content` too: that is where a model looks for the text.
fn unreadable(mut observation: Observation) -> Observation {
    observation.result["content"] = observation.result["message"].clone();
    observation
}

/// The text as the model sees it: a head line, then each line behind its number.
fn numbered(path: &str, excerpt: &read::Excerpt) -> String {
    let lines = if excerpt.lines == 1 { "line" } else { "lines" };
    let mut shown = format!("{path}: {} {lines}, sha256 {}", excerpt.lines, excerpt.sha256);
    if excerpt.encoding != Encoding::Utf8 {
        shown.push_str(&format!(", {}", excerpt.encoding));
    }
    shown.push('\n');
    shown.push_str(&super::with_line_numbers(&excerpt.content, excerpt.start_line));
    shown
}
