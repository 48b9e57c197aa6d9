//! `grep_search`

use agent_llm::ToolSpec;
use agent_tools::grep::{self, GrepLimits, GrepQuery, GrepReport};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{BadParams, Call, Cx, Effect, Observation, Tool};

const NAME: &str = "grep_search";

/// Searches file contents.
pub(super) struct GrepSearch;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    /// A regular expression, or exact text where it is none.
    query: String,
    /// Default: only if the query has an upper-case letter.
    #[serde(default)]
    case_sensitive: Option<bool>,
    /// A glob of files, such as `*.rs`.
    #[serde(default)]
    include_pattern: Option<String>,
    /// A glob of files to leave out.
    #[serde(default)]
    exclude_pattern: Option<String>,
    #[serde(default)]
    include_ignored: Option<bool>,
}

impl Tool for GrepSearch {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Search the contents of all files; at most 50 matching lines.",
            Explanation::Required,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        Ok(Call::working(vec![Effect::Read(".".to_owned())], move |cx| run(cx, params)))
    }
}

fn run(cx: &Cx, params: Params) -> Observation {
    let given = |pattern: Option<String>| pattern.filter(|pattern| !pattern.trim().is_empty());
    let query = GrepQuery {
        query: params.query,
        case_sensitive: params.case_sensitive,
        include: given(params.include_pattern),
        exclude: given(params.exclude_pattern),
        include_ignored: params.include_ignored.unwrap_or(false),
        path: None,
        limits: GrepLimits { matches: cx.limits.matches, ..GrepLimits::default() },
    };
    match grep::grep(&cx.workspace, &query, &cx.cancel.flag()) {
        Ok(report) => {
            let shown = lines(&report);
            let mut result = json!({
                "success": true,
                "matches": report.matches,
                "query": query.query,
                "truncated": report.truncated,
                "skipped": report.skipped,
            });
            if let Some(note) = &report.note {
                result["note"] = Value::from(note.as_str());
            }
            Observation { shown: Some(shown), ..Observation::of(result) }
        }
        Err(error) => Observation::failure(error.to_string()),
    }
}

/// The matches as `file:line:content`, then what a reader must know to judge them.
fn lines(report: &GrepReport) -> String {
    let mut shown = String::new();
    for found in &report.matches {
        shown.push_str(&format!("{}:{}:{}\n", found.file, found.line, found.content));
    }
    if report.matches.is_empty() {
        shown.push_str("no matches\n");
    }
    if report.truncated {
        shown.push_str(&format!("({} matches shown; there are more)\n", report.matches.len()));
    }
    if !report.skipped.is_empty() {
        shown.push_str(&format!("(not searched: {})\n", report.skipped));
    }
    if let Some(note) = &report.note {
        shown.push_str(&format!("({note})\n"));
    }
    shown
}
