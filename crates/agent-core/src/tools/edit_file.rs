//! `edit_file`

use agent_llm::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::params::{self, Explanation};
use crate::{
    BadParams, Call, Effect, Tool,
    edit_agent::{self, Job},
};

const NAME: &str = "edit_file";

/// Changes a file by a sketch.
pub(super) struct EditFile;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    #[serde(alias = "path")]
    target_file: String,
    /// What to change, in one sentence.
    #[serde(default)]
    #[schemars(required, with = "String")]
    instructions: String,
    /// Changed lines, a few unchanged ones around them, and a comment `... existing code ...` for
    /// what is left out.
    #[serde(default)]
    #[schemars(required, with = "String")]
    code_edit: Option<String>,
    /// Instead of a sketch: the definition that the model is asked to write anew.
    #[serde(default)]
    #[schemars(skip)]
    definition: Option<String>,
    /// The definition is removed.
    #[serde(default)]
    #[schemars(skip)]
    remove: bool,
    /// As read; refused if the file has changed since.
    #[serde(default)]
    expected_sha256: Option<String>,
}

impl Tool for EditFile {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Change a file, or create it, by a sketch of the change.",
            Explanation::Required,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let Params { target_file, instructions, code_edit, definition, remove, expected_sha256 } =
            params::parse(NAME, params)?;
        let code_edit = match (code_edit, &definition) {
            (Some(sketch), _) => sketch,
            (None, Some(_)) => String::new(),
            (None, None) => return Err(params::missing::<Params>(NAME, "code_edit")),
        };
        let effects = vec![Effect::Write(target_file.clone())];
        let expected_sha256 = expected_sha256.filter(|hash| !hash.trim().is_empty());
        let job = Job { target_file, instructions, code_edit, definition, remove, expected_sha256 };
        Ok(Call::waiting(effects, async move |cx| edit_agent::edit(&cx, job).await))
    }
}
