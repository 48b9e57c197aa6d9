//! The same violation, again and again, ends a run.

use serde_json::Value;

use crate::failure::Stop;

/// The same violation so often ends the run.
const LIMIT: usize = 3;

/// What was asked for and is not allowed.
#[derive(Debug, Default)]
pub(crate) struct Violations(Vec<(String, Value)>);

impl Violations {
    /// Takes note of a call.
    pub(crate) fn note(&mut self, tool: &str, params: &Value) -> Result<(), Stop> {
        let violation = (tool.to_owned(), without_words(params));
        self.0.push(violation.clone());
        let times = self.0.iter().filter(|earlier| **earlier == violation).count();
        if times == LIMIT { Err(Stop::violation(tool, LIMIT)) } else { Ok(()) }
    }
}

/// The parameters less the words around them, so that the same call for another reason is the same.
fn without_words(params: &Value) -> Value {
    let mut params = params.clone();
    if let Some(fields) = params.as_object_mut() {
        fields.retain(|key, _| !matches!(key.as_str(), "explanation" | "reason" | "confidence"));
    }
    params
}
