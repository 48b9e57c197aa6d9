//! `merge_patch`: patches in the forms that models write, on a text instead of a file.

use agent_llm::ToolSpec;
use agent_tools::patch::{self, Patch};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::merge_sketch::{applied, declined};
use super::params::{self, Explanation};
use crate::{BadParams, Call, Tool};

const NAME: &str = "merge_patch";

/// Applies a patch to a text.
pub(super) struct MergePatch;

/// The parameters as they are written.
#[derive(Debug, Deserialize, JsonSchema)]
struct Fields {
    /// Name of the file; of a patch for several files it picks this one's part.
    path: String,
    /// The text as it is.
    original: String,
    /// What the patch is: old and new texts, SEARCH/REPLACE blocks, *** Begin Patch, or a diff.
    format: Format,
    /// The patch; for pairs a list of [old, new].
    patch: Value,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Pairs,
    Sr,
    V4a,
    Udiff,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Fields")]
struct Params {
    path: String,
    original: String,
    patch: Written,
}

#[derive(Debug, JsonSchema)]
enum Written {
    Pairs(Vec<(String, String)>),
    Sr(String),
    V4a(String),
    Udiff(String),
}

impl TryFrom<Fields> for Params {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, &'static str> {
        let Fields { path, original, format, patch } = fields;
        let text = |patch| match patch {
            Value::String(text) => Ok(text),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => Err("`patch` is a string in this format"),
        };
        let patch = match format {
            Format::Pairs => {
                let pairs = serde_json::from_value(patch);
                Written::Pairs(pairs.map_err(|_| "for pairs `patch` is a list of [old, new]")?)
            }
            Format::Sr => Written::Sr(text(patch)?),
            Format::V4a => Written::V4a(text(patch)?),
            Format::Udiff => Written::Udiff(text(patch)?),
        };
        Ok(Self { path, original, patch })
    }
}

impl Tool for MergePatch {
    fn spec(&self) -> ToolSpec {
        let description = "Apply a patch to a text, or decline with the reason. Touches no file.";
        params::spec::<Params>(NAME, description, Explanation::Absent)
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let Params { path, original, patch } = params::parse(NAME, params)?;
        Ok(Call::working(Vec::new(), move |_| {
            let patch = match &patch {
                Written::Pairs(pairs) => Patch::Pairs(pairs),
                Written::Sr(text) => Patch::SearchReplace(text),
                Written::V4a(text) => Patch::V4a(text),
                Written::Udiff(text) => Patch::UnifiedDiff(text),
            };
            match patch::merge_patch_text(&path, &original, &patch) {
                Ok(content) => applied(&content),
                Err(error) => declined(&error.to_string()),
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agent_tools::Workspace;
    use serde_json::json;

    use super::*;
    use crate::{
        Approval, Cancel, Cx, Limits, Toolbox,
        policy::{Past, Policy},
    };

    async fn call(format: &str, patch: Value) -> Value {
        let dir = tempfile::tempdir().unwrap();
        let cx = Cx {
            workspace: Arc::new(Workspace::open(dir.path()).unwrap()),
            model: None,
            commands: Arc::default(),
            snapshots: Arc::default(),
            limits: Limits::default(),
            cancel: Cancel::new(),
            journal: None,
            session_id: String::new(),
            redactor: Arc::default(),
            gate: None,
            conversation: Vec::new(),
            tool: String::new(),
        };
        let params = json!({"path": "x", "original": "a\nb\n", "format": format, "patch": patch});
        let policy = Policy::new(Approval::All, []);
        Toolbox::direct(policy).call(NAME, &params, Past::default(), &cx).await.unwrap().result
    }

    #[tokio::test]
    async fn every_format_is_applied() {
        let applied = json!({"success": true, "status": "applied", "content": "a\nc\n"});
        for (format, patch) in [
            ("pairs", json!([["b", "c"]])),
            ("sr", json!("<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n")),
            ("v4a", json!("*** Begin Patch\n*** Update File: x\n@@\n-b\n+c\n*** End Patch")),
            ("udiff", json!("--- a/x\n+++ b/x\n@@ -7 +7 @@\n-b\n+c\n")),
        ] {
            assert_eq!(call(format, patch).await, applied, "{format}");
        }
    }

    #[tokio::test]
    async fn a_refusal_says_what_to_do() {
        let reason = "the old text of pair 1 is not in the file; read the file and copy the lines";
        let declined = json!({
            "success": false,
            "status": "declined",
            "reason": reason,
            "message": format!("declined: {reason}"),
        });
        assert_eq!(call("pairs", json!([["not there", "c"]])).await, declined);
    }

    #[tokio::test]
    async fn parameters_that_do_not_fit_together_are_refused() {
        for (format, patch, problem) in [
            ("pairs", json!("b"), "for pairs `patch` is a list of [old, new]"),
            ("pairs", json!([["b"]]), "for pairs `patch` is a list of [old, new]"),
            ("sr", json!([["b", "c"]]), "`patch` is a string in this format"),
            ("diff", json!("b"), "unknown variant `diff`"),
        ] {
            let result = call(format, patch).await;
            assert_eq!(result["success"], false);
            let message = result["message"].as_str().unwrap();
            assert!(message.contains(problem), "{message}");
        }
    }
}
