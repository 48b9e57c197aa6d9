//! `file_search`

use agent_llm::ToolSpec;
use agent_tools::find::{self, FindLimits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{BadParams, Call, Cx, Effect, Observation, Tool};

const NAME: &str = "file_search";

/// Finds files by parts of their path.
pub(super) struct FileSearch;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    /// Letters may be left out.
    query: String,
}

impl Tool for FileSearch {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Find files by a part of their path, best match first; at most 10.",
            Explanation::Required,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        Ok(Call::working(vec![Effect::Read(".".to_owned())], move |cx| run(cx, &params)))
    }
}

fn run(cx: &Cx, params: &Params) -> Observation {
    match find::file_search(&cx.workspace, &params.query, FindLimits::default(), &cx.cancel.flag())
    {
        Ok(found) => Observation::of(json!({
            "success": true,
            "files": found.files,
            "total": found.total,
        })),
        Err(error) => Observation::failure(error.to_string()),
    }
}
