//! `create_file`

use agent_llm::ToolSpec;
use agent_tools::write::Entry;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{
    BadParams, Call, Cx, Effect, Observation, Tool,
    changes::{self, FileChange},
};

const NAME: &str = "create_file";

/// Creates a file.
pub(super) struct CreateFile;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    #[serde(alias = "path")]
    target_file: String,
    content: String,
}

impl Tool for CreateFile {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Create a file that does not exist, and its directories.",
            Explanation::Required,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        let effects = vec![Effect::Write(params.target_file.clone())];
        Ok(Call::working(effects, move |cx| run(cx, &params)))
    }
}

fn run(cx: &Cx, params: &Params) -> Observation {
    let path = match super::resolve(cx, &params.target_file) {
        Ok(path) => path,
        Err(refusal) => return refusal,
    };
    let after = Entry::File { content: params.content.clone().into(), mode: None };
    match changes::make(cx, &[FileChange::new(path.clone(), Entry::Absent, after)]) {
        Ok(made) => Observation {
            changes: made.changes,
            ..Observation::of(json!({
                "success": true,
                "message": format!("created {path} with {} bytes", params.content.len()),
                "file_path": cx.workspace.absolute(&path).display().to_string(),
            }))
        },
        Err(error) => super::change_failure(&error),
    }
}
