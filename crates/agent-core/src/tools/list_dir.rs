//! `list_dir`

use agent_llm::ToolSpec;
use agent_tools::tree::{self, TreeQuery};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{BadParams, Call, Cx, Effect, Observation, Tool};

const NAME: &str = "list_dir";

/// Draws a directory as a tree.
pub(super) struct ListDir;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    /// `.` for the whole workspace.
    #[serde(alias = "path", alias = "target_file")]
    relative_workspace_path: String,
    /// A glob of files, such as `*.rs`.
    #[serde(default)]
    glob: Option<String>,
}

impl Tool for ListDir {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Show a directory as a tree, without ignored files.",
            Explanation::Required,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        let effects = vec![Effect::Read(params.relative_workspace_path.clone())];
        Ok(Call::working(effects, move |cx| run(cx, params)))
    }
}

fn run(cx: &Cx, params: Params) -> Observation {
    let path = match super::resolve(cx, &params.relative_workspace_path) {
        Ok(path) => path,
        Err(refusal) => return refusal,
    };
    let glob = params.glob.filter(|glob| !glob.trim().is_empty());
    let query = TreeQuery { glob, ..TreeQuery::default() };
    match tree::list_dir(&cx.workspace, &path, &query, &cx.cancel.flag()) {
        Ok(tree) => {
            let shown = tree.drawing.clone();
            let result = json!({
                "success": true,
                "tree_visualization": tree.drawing,
                "truncated": tree.truncated,
            });
            Observation { shown: Some(shown), ..Observation::of(result) }
        }
        Err(error) => Observation::failure(error.to_string()),
    }
}
