//! `merge_sketch`: the merge behind `edit_file`, on a text instead of a file.

use agent_llm::ToolSpec;
use agent_tools::sketch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{BadParams, Call, Observation, Tool};

const NAME: &str = "merge_sketch";

/// Merges a sketch into a text.
pub(super) struct MergeSketch;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    /// Name of the file; it only tells the language.
    path: String,
    /// The text as it is.
    original: String,
    /// The sketch.
    sketch: String,
}

impl Tool for MergeSketch {
    fn spec(&self) -> ToolSpec {
        let description =
            "Merge a sketch into a text, or decline with the reason. Touches no file.";
        params::spec::<Params>(NAME, description, Explanation::Absent)
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let Params { path, original, sketch } = params::parse(NAME, params)?;
        Ok(Call::working(Vec::new(), move |_| {
            let merged = sketch::merge_text(&original, &sketch, &path);
            match merged {
                Ok(content) => applied(&content),
                Err(decline) => declined(&decline.to_string()),
            }
        }))
    }
}

/// The answer where the merge stands.
pub(super) fn applied(content: &str) -> Observation {
    Observation::of(json!({ "success": true, "status": "applied", "content": content }))
}

/// The answer where it does not.
pub(super) fn declined(reason: &str) -> Observation {
    let message = format!("declined: {reason}");
    Observation::of(json!({
        "success": false,
        "status": "declined",
        "reason": reason,
        "message": message,
    }))
}
