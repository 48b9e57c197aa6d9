//! `check_syntax`

use agent_llm::ToolSpec;
use agent_tools::read;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::params::{self, Explanation};
use crate::{BadParams, Call, Cx, Effect, Observation, Tool, journal::LARGEST_FILE, syntax};

const NAME: &str = "check_syntax";

/// Looks for syntax errors in a file.
pub(super) struct CheckSyntax;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    #[serde(alias = "target_file")]
    path: String,
}

impl Tool for CheckSyntax {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(NAME, "List the syntax errors of a file.", Explanation::Absent)
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        let effects = vec![Effect::Read(params.path.clone())];
        Ok(Call::working(effects, move |cx| run(cx, &params)))
    }
}

fn run(cx: &Cx, params: &Params) -> Observation {
    let path = match super::resolve(cx, &params.path) {
        Ok(path) => path,
        Err(refusal) => return refusal,
    };
    match read::read_text(&cx.workspace, &path, LARGEST_FILE) {
        Ok(text) => {
            let mut result = syntax::check(&path.to_string(), &text.text());
            result["success"] = Value::from(true);
            Observation::of(result)
        }
        Err(error) => super::read_failure(&error),
    }
}
