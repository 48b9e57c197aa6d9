//! `delete_file`

use agent_llm::ToolSpec;
use agent_tools::write::Entry;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{
    BadParams, Call, Cx, Effect, Observation, Tool,
    changes::{self, ChangeError, FileChange},
};

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
        params::spec::<Params>(NAME, "Delete one file, never a directory.", Explanation::Required)
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
    // A link goes without what it leads to.
    let made = changes::entry(&cx.workspace, &path).map_err(ChangeError::from).and_then(|before| {
        // Nothing there is told as the path error that it is.
        cx.workspace.kind(&path)?;
        changes::make(cx, &[FileChange::new(path.clone(), before, Entry::Absent)])
    });
    match made {
        Ok(made) => Observation {
            changes: made.changes,
            ..Observation::of(json!({
                "success": true,
                "message": format!("deleted {path}"),
                "file_path": cx.workspace.absolute(&path).display().to_string(),
            }))
        },
        Err(error) => super::change_failure(&error),
    }
}
