//! `create_file`

use agent_llm::ToolSpec;
use agent_tools::{diff, write};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{BadParams, Call, Change, ChangeKind, Cx, Effect, Observation, Tool};

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
            "Create a new file, and its directories. Fails if the file exists.",
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
    match write::create(&cx.workspace, &path, params.content.as_bytes()) {
        Ok(()) => Observation {
            changes: vec![creation(&path.to_string(), &params.content)],
            ..Observation::of(json!({
                "success": true,
                "message": format!("created {path} with {} bytes", params.content.len()),
                "file_path": cx.workspace.absolute(&path).display().to_string(),
            }))
        },
        Err(error) => super::write_failure(&error),
    }
}

/// The change that creating a file is.
pub(crate) fn creation(file: &str, content: &str) -> Change {
    Change {
        file: file.to_owned(),
        kind: ChangeKind::Create,
        before_sha256: None,
        after_sha256: Some(agent_tools::sha256(content.as_bytes())),
        diff: diff::unified(file, None, content),
    }
}
