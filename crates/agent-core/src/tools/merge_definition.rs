//! `merge_definition`: a whole definition, or a whole small file, put in place in a text.

use agent_llm::ToolSpec;
use agent_tools::definition::{self, Consent};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::merge_sketch::{applied, declined};
use super::params::{self, Explanation};
use crate::{BadParams, Call, Tool};

const NAME: &str = "merge_definition";

/// Merges a definition into a text.
pub(super) struct MergeDefinition;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    /// Name of the file; it only tells the language.
    path: String,
    /// The text as it is.
    original: String,
    /// The definition that is replaced, such as `Shop.total`; without it the text as a whole is.
    #[serde(default)]
    name: Option<String>,
    /// The new code, perhaps in a fence.
    code: String,
    /// Names of definitions that may be gone afterwards.
    #[serde(default)]
    may_go: Vec<String>,
    /// Whether the text may become much shorter.
    #[serde(default)]
    may_shrink: bool,
}

impl Tool for MergeDefinition {
    fn spec(&self) -> ToolSpec {
        let description = "Put a whole definition in the place of the one of that name in a text, \
                           or decline with the reason. Touches no file.";
        params::spec::<Params>(NAME, description, Explanation::Absent)
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let Params { path, original, name, code, may_go, may_shrink } =
            params::parse(NAME, params)?;
        let consent = Consent { may_go, may_shrink };
        Ok(Call::working(Vec::new(), move |_| {
            let edits = match &name {
                Some(name) => definition::merge(&path, &original, name, &code, &consent),
                None => definition::merge_file(&path, &original, &code, &consent),
            };
            match edits.and_then(|edits| definition::applied(&original, &edits)) {
                Ok(content) => applied(&content),
                Err(decline) => declined(&decline.to_string()),
            }
        }))
    }
}
