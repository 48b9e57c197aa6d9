//! `delete_file`

use std::io::Read;

use agent_llm::ToolSpec;
use agent_tools::{EntryKind, TextFile, WorkspacePath, diff, sha256, write};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{BadParams, Call, Change, ChangeKind, Cx, Effect, Observation, Tool};

const NAME: &str = "delete_file";

/// Deletes a file.
pub(super) struct DeleteFile;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    #[serde(alias = "path")]
    target_file: String,
}

impl Tool for DeleteFile {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Delete one file. Directories are never deleted.",
            Explanation::Required,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        let effects = vec![Effect::Delete(params.target_file.clone())];
        Ok(Call::working(effects, move |cx| run(cx, &params)))
    }
}

fn run(cx: &Cx, params: &Params) -> Observation {
    let path = match super::resolve(cx, &params.target_file) {
        Ok(path) => path,
        Err(refusal) => return refusal,
    };
    let before = content(cx, &path);
    match write::delete(&cx.workspace, &path) {
        Ok(()) => Observation {
            changes: vec![Change {
                file: path.to_string(),
                kind: ChangeKind::Delete,
                before_sha256: before.as_ref().map(|bytes| sha256(bytes)),
                after_sha256: None,
                diff: before.map(|bytes| deletion(&path, bytes)).unwrap_or_default(),
            }],
            ..Observation::of(json!({
                "success": true,
                "message": format!("deleted {path}"),
                "file_path": cx.workspace.absolute(&path).display().to_string(),
            }))
        },
        Err(error) => super::write_failure(&error),
    }
}

/// What is about to be deleted; nothing for a link, which goes without what it leads to.
fn content(cx: &Cx, path: &WorkspacePath) -> Option<Vec<u8>> {
    if cx.workspace.kind(path).ok()? != EntryKind::File {
        return None;
    }
    let mut bytes = Vec::new();
    cx.workspace.open_file(path).ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The deletion as a diff; empty where the content is no text.
fn deletion(path: &WorkspacePath, bytes: Vec<u8>) -> String {
    let text = TextFile::parse(bytes);
    text.map(|text| diff::unified(&path.to_string(), &*text.text(), None)).unwrap_or_default()
}
