//! `apply_patch`

use agent_llm::ToolSpec;
use agent_tools::edit::LineEdit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::params::{self, Explanation};
use crate::{
    BadParams, Call, Cx, Effect, Observation, Tool,
    line_edits::{self, Method, WrittenEdit},
};

const NAME: &str = "apply_patch";

/// Replaces ranges of lines.
pub(super) struct ApplyPatch;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    #[serde(alias = "target_file")]
    path: String,
    /// All line numbers refer to the file as it stands.
    edits: Vec<WrittenEdit>,
    // Said once, of `edit_file`: each description is sent in every request.
    #[serde(default)]
    expected_sha256: Option<String>,
}

impl Tool for ApplyPatch {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Replace, insert or delete exact lines of a file. All edits are applied, or none.",
            Explanation::Optional,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        let effects = vec![Effect::Write(params.path.clone())];
        Ok(Call::working(effects, move |cx| run(cx, params)))
    }
}

fn run(cx: &Cx, params: Params) -> Observation {
    let edits: Vec<LineEdit> = params.edits.into_iter().map(|edit| edit.0).collect();
    let expected = params.expected_sha256.filter(|hash| !hash.trim().is_empty());
    let opened = match super::resolve(cx, &params.path)
        .and_then(|path| line_edits::open(cx, path, expected.as_deref()))
    {
        Ok(opened) => opened,
        Err(refusal) => return refusal,
    };
    match line_edits::apply(cx, &opened, &edits, Method::Patch) {
        Ok(mut done) => {
            done.result["status"] = Value::from("patched");
            done
        }
        Err(refused) => refused.observation,
    }
}
