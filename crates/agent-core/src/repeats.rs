//! A model that goes in circles is told so, and in the end stopped.
//!
//! What counts is the same call with the same result. A result that was never seen before is
//! progress: whatever was repeated until then begins anew.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::failure::Stop;

/// The same call with the same result so often is worth a word to the model.
const NOTE: usize = 3;
/// So often, and the run ends.
const LIMIT: usize = 5;
/// The same violation so often ends the run.
const VIOLATIONS: usize = 3;
/// A repetition so many actions later is no circle: what was seen may have left the model's window.
const NEAR: usize = 8;
/// An edit that failed so often is not tried again.
const TRIES: usize = 2;

/// What was asked for again and again.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// Calls with their results, and how often each was repeated.
    counts: HashMap<(Call, String), Count>,
    /// The action that was the last one with something new.
    new: usize,
    /// Actions so far.
    actions: usize,
    /// Edits that failed since something was changed.
    failed: HashMap<Call, Failed>,
    violations: Vec<Call>,
}

/// A call, less what makes no difference.
type Call = (String, String);

#[derive(Debug, Clone, Copy)]
struct Count {
    times: usize,
    /// The action that was the last of them.
    last: usize,
}

#[derive(Debug)]
struct Failed {
    times: usize,
    result: Value,
}

/// What there is to say about an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// The model is told.
    Note {
        /// In words.
        note: String,
        /// Whether it was told before.
        told: bool,
    },
    /// The run ends.
    Circle {
        /// How often the same was done.
        times: usize,
    },
}

/// How a note on a result begins.
const SAME: &str = "This call gave the same result";

/// What the model is shown of a result, with a note on it.
pub(crate) fn with_note(shown: &str, note: &str) -> String {
    format!("{shown}\n\n{note}")
}

/// The same without one.
pub(crate) fn without_note(shown: &str) -> &str {
    match shown.rsplit_once("\n\n") {
        Some((before, note)) if note.starts_with(SAME) => before,
        Some(_) | None => shown,
    }
}

impl Repeats {
    /// Takes note of an action.
    pub(crate) fn note(&mut self, tool: &str, params: &Value, result: &Value) -> Found {
        let key = (call(tool, params), outcome(result));
        self.actions += 1;
        let last = self.actions;
        let Some(count) = self.counts.get_mut(&key) else {
            self.counts.insert(key, Count { times: 1, last });
            self.new = last;
            return Found::Nothing;
        };
        // What was repeated until something new came counts as done once.
        let times = if count.last <= self.new { 1 } else { count.times };
        let near = last - count.last <= NEAR;
        *count = Count { times: if near { times + 1 } else { 1 }, last };
        match count.times {
            times @ LIMIT.. => Found::Circle { times },
            times @ NOTE.. => Found::Note {
                note: format!(
                    "{SAME} {times} times, and will give it again. Do something else, or finish \
                     with what you know."
                ),
                told: times > NOTE,
            },
            _ => Found::Nothing,
        }
    }

    /// Takes note of an edit that failed.
    pub(crate) fn failed(&mut self, tool: &str, params: &Value, result: &Value) {
        let failed = self.failed.entry(call(tool, params));
        let failed = failed.or_insert_with(|| Failed { times: 0, result: result.clone() });
        failed.times += 1;
        failed.result.clone_from(result);
    }

    /// Something was changed, so that what failed before may work now.
    pub(crate) fn changed(&mut self) {
        self.failed.clear();
    }

    /// The result of an edit that failed so often that it is not tried again.
    pub(crate) fn hopeless(&self, tool: &str, params: &Value) -> Option<&Value> {
        let failed = self.failed.get(&call(tool, params))?;
        (failed.times >= TRIES).then_some(&failed.result)
    }

    /// Takes note of a call that asked for what is not allowed.
    pub(crate) fn violation(&mut self, tool: &str, params: &Value) -> Result<(), Stop> {
        let violation = call(tool, params);
        self.violations.push(violation.clone());
        let times = self.violations.iter().filter(|earlier| **earlier == violation).count();
        if times == VIOLATIONS { Err(Stop::violation(tool, times)) } else { Ok(()) }
    }
}

/// The call less the words around it, so that the same for another reason is the same.
fn call(tool: &str, params: &Value) -> Call {
    let Some(fields) = params.as_object() else {
        return (tool.to_owned(), params.to_string());
    };
    let told = |name: &str| matches!(name, "explanation" | "reason" | "confidence");
    let mut fields: Vec<(&str, Value)> = fields
        .iter()
        .filter(|(name, value)| !told(name) && !value.is_null())
        .map(|(name, value)| (canonical(name), plain(value)))
        .collect();
    fields.sort_by_key(|(name, _)| *name);
    let fields: Map<String, Value> =
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    (tool.to_owned(), Value::Object(fields).to_string())
}

/// The names under which tools take a path are one.
fn canonical(name: &str) -> &str {
    match name {
        "path" | "relative_workspace_path" => "target_file",
        other => other,
    }
}

/// `./a` is `a`.
fn plain(value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let shorter = text.strip_prefix("./").filter(|rest| !rest.is_empty());
    Value::from(shorter.unwrap_or(text))
}

/// The result less what is another one each time.
fn outcome(result: &Value) -> String {
    let mut result = result.clone();
    if let Some(fields) = result.as_object_mut() {
        fields.retain(|name, _| !matches!(name.as_str(), "change" | "elapsed" | "duration_ms"));
    }
    result.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `a1` is the call a with the result 1.
    fn found(actions: &str) -> String {
        let mut repeats = Repeats::default();
        let found = actions.split_whitespace().map(|action| {
            let (tool, result) = action.split_at(1);
            match repeats.note(tool, &json!({"x": tool}), &json!({"change": 1, "r": result})) {
                Found::Nothing => '.',
                Found::Note { note, told: _ } => {
                    let digit = note.chars().find(char::is_ascii_digit);
                    digit.expect("how often")
                }
                Found::Circle { .. } => 'S',
            }
        });
        found.collect()
    }

    #[test]
    fn circles_are_told_from_progress_as_the_table_says() {
        let table = include_str!("../../../fixtures/loops/table.txt");
        let rows: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(rows.len() >= 24, "{}", rows.len());
        let mut wrong = Vec::new();
        for row in rows {
            let (actions, expected) = row.split_once('|').expect("two columns");
            if found(actions) != expected.trim() {
                wrong.push(format!("{actions:<30} | {}", found(actions)));
            }
        }
        assert!(wrong.is_empty(), "these rows are different:\n{}", wrong.join("\n"));
    }

    #[test]
    fn words_aliases_and_order_make_no_other_call() {
        let params = json!({"target_file": "a", "query": "x"});
        for (other, same) in [
            (json!({"query": "x", "path": "./a"}), true),
            (
                json!({"target_file": "a", "query": "x", "explanation": "why", "confidence": 1}),
                true,
            ),
            (json!({"target_file": "a", "query": "x", "start_line": null}), true),
            (json!({"target_file": "a", "query": "X"}), false),
            (json!({"target_file": "b", "query": "x"}), false),
            (json!({"target_file": "a", "query": "x", "start_line": 1}), false),
            (json!([]), false),
        ] {
            assert_eq!(call("t", &params) == call("t", &other), same, "{other}");
            assert_ne!(call("t", &params), call("u", &other));
        }
    }

    #[test]
    fn an_edit_that_failed_twice_is_hopeless_until_something_changes() {
        let mut repeats = Repeats::default();
        let (edit, result) = (json!({"path": "a"}), json!({"message": "no"}));
        repeats.failed("apply_patch", &edit, &result);
        assert_eq!(repeats.hopeless("apply_patch", &edit), None);
        repeats.failed("apply_patch", &edit, &result);
        assert_eq!(repeats.hopeless("apply_patch", &edit), Some(&result));
        assert_eq!(repeats.hopeless("edit_file", &edit), None);
        repeats.changed();
        assert_eq!(repeats.hopeless("apply_patch", &edit), None);
    }

    #[test]
    fn the_same_violation_three_times_ends_the_run() {
        let mut repeats = Repeats::default();
        let away = |reason: &str| json!({"path": "../x", "reason": reason});
        assert!(repeats.violation("read_file", &away("1")).is_ok());
        assert!(repeats.violation("read_file", &json!({"path": "../y"})).is_ok());
        assert!(repeats.violation("read_file", &away("2")).is_ok());
        assert!(repeats.violation("read_file", &away("3")).is_err());
    }
}
