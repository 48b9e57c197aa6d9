//! What a reply means.

use agent_llm::{FinishReason, Part, Reply, ToolCall};
use serde_json::{Map, Value};

use crate::tools;

/// The meaning of one call, or of a reply without any.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Decision {
    /// Run a tool.
    Act(Act),
    /// The request is done.
    Finish {
        /// The call, unless the reply was text alone.
        call: Option<ToolCall>,
        params: Value,
        reason: String,
        /// The final answer, where the decision already carries it.
        response: Option<String>,
    },
    /// It means nothing that can be done.
    Malformed {
        /// The call that is malformed; without one the whole reply is.
        call: Option<ToolCall>,
        /// What the model is told.
        problem: String,
    },
}

/// A call with parameters that are a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Act {
    pub(crate) call: ToolCall,
    /// The tool that is meant: it may stand among the call's arguments.
    pub(crate) tool: String,
    pub(crate) params: Value,
    pub(crate) reason: String,
    pub(crate) confidence: Option<f64>,
}

const WHAT_TO_DO: &str = "Call one of the tools, or `finish` with your answer.";

/// Reads the decisions of a reply, in order. There is always at least one.
pub(crate) fn read(reply: &Reply) -> Vec<Decision> {
    let text = reply.text();
    let calls = reply.calls().count();
    if calls == 0 {
        return vec![read_text(&text, &reply.finish)];
    }
    let mut seen = 0;
    let decisions = reply.parts.iter().filter_map(|part| match part {
        Part::Text(_) | Part::Opaque(_) => None,
        Part::Call(call) => {
            seen += 1;
            let last = seen == calls;
            Some(match (&reply.finish, last) {
                // The limit was met inside this call: even if it parses, it is not what was meant.
                (FinishReason::Length, true) => Decision::Malformed {
                    call: Some(call.clone()),
                    problem: "the reply was cut off inside this call by the output limit, so it \
                              was not run. Send it again, shorter."
                        .to_owned(),
                },
                (_, _) => read_call(call, &text),
            })
        }
    });
    decisions.collect()
}

fn read_text(text: &str, finish: &FinishReason) -> Decision {
    let malformed = |problem: String| Decision::Malformed { call: None, problem };
    if text.trim().is_empty() {
        return malformed(format!("the reply was empty. {WHAT_TO_DO}"));
    }
    if is_line_edits(text) {
        return malformed(
            "a list of line edits is no answer: nothing was changed. To change a file call \
             `apply_patch` with them."
                .to_owned(),
        );
    }
    match finish {
        FinishReason::Length => malformed(format!(
            "the reply was cut off by the output limit before it called a tool. Be brief. {WHAT_TO_DO}"
        )),
        FinishReason::Stop
        | FinishReason::ToolCalls
        | FinishReason::Filter
        | FinishReason::Other(_) => Decision::Finish {
            call: None,
            params: serde_json::json!({ "response": text }),
            reason: String::new(),
            response: Some(text.to_owned()),
        },
    }
}

/// Whether a text is nothing but line edits, as models write them that mistake the moment.
fn is_line_edits(text: &str) -> bool {
    let text = text.trim().trim_start_matches("```json").trim_matches('`');
    let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
    let edits = value.get("edits").unwrap_or(&value).as_array();
    let is_edit = |edit: &Value| edit.get("start_line").is_some() && edit.get("end_line").is_some();
    edits.is_some_and(|edits| !edits.is_empty() && edits.iter().all(is_edit))
}

fn read_call(call: &ToolCall, text: &str) -> Decision {
    let malformed = |problem| Decision::Malformed { call: Some(call.clone()), problem };
    let params = match parse_arguments(&call.arguments) {
        Ok(params) => params,
        Err(problem) => return malformed(problem),
    };
    let confidence = match params.get("confidence") {
        None => None,
        Some(value) => match value.as_f64().filter(|sure| (0.0..=1.0).contains(sure)) {
            Some(sure) => Some(sure),
            None => {
                return malformed(format!(
                    "`confidence` must be a number from 0 to 1, not {value}."
                ));
            }
        },
    };
    let words =
        |key: &str| params.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let reason =
        words("reason").or_else(|| words("explanation")).unwrap_or_else(|| text.trim()).to_owned();
    if tools::canonical(&call.name) == tools::finish::NAME {
        let response = words("response").map(str::to_owned);
        return Decision::Finish {
            call: Some(call.clone()),
            params: Value::Object(params),
            reason,
            response,
        };
    }
    let (call, tool) = (call.clone(), call.name.clone());
    Decision::Act(Act { call, tool, params: Value::Object(params), reason, confidence })
}

/// A call without any arguments is one with an empty object: several servers send nothing then.
fn parse_arguments(arguments: &str) -> Result<Map<String, Value>, String> {
    if arguments.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(arguments) {
        Ok(Value::Object(params)) => Ok(params),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(other) => {
            Err(format!("the arguments must be a JSON object, not {other}. Send the call again."))
        }
        Err(error) => Err(format!(
            "the arguments are not valid JSON ({error}), so the call was not run. Send it again \
             with a JSON object; inside strings, newlines are \\n and quotes are \\\"."
        )),
    }
}

#[cfg(test)]
mod tests {
    use agent_llm::Usage;

    use super::*;

    fn call(name: &str, arguments: &str) -> Part {
        Part::Call(ToolCall {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        })
    }

    fn text(text: &str) -> Part {
        Part::Text(text.to_owned())
    }

    fn meaning(parts: Vec<Part>, finish: FinishReason) -> Vec<String> {
        let reply = Reply { parts, finish, usage: Usage::default() };
        let describe = |decision| match decision {
            Decision::Act(act) => {
                format!("act {} {} because {:?}", act.call.name, act.params, act.reason)
            }
            Decision::Finish { response, .. } => format!("finish {response:?}"),
            Decision::Malformed { problem, .. } => {
                format!("malformed: {}", problem.split(['.', ',', '(']).next().unwrap_or_default())
            }
        };
        read(&reply).into_iter().map(describe).collect()
    }

    #[test]
    fn a_reply_means_what_it_says() {
        use FinishReason::{Length, Stop, ToolCalls};
        let table: Vec<(Vec<Part>, FinishReason, &[&str])> = vec![
            (vec![text("Done.")], Stop, &[r#"finish Some("Done.")"#]),
            (vec![text("  \n")], Stop, &["malformed: the reply was empty"]),
            (vec![], Stop, &["malformed: the reply was empty"]),
            (vec![text("[]")], Stop, &[r#"finish Some("[]")"#]),
            (
                vec![text(r#"[{"start_line": 1, "end_line": 1, "replacement": "x"}]"#)],
                Stop,
                &["malformed: a list of line edits is no answer: nothing was changed"],
            ),
            (
                vec![text("```json\n{\"edits\": [{\"start_line\": 1, \"end_line\": 0}]}\n```\n")],
                Stop,
                &["malformed: a list of line edits is no answer: nothing was changed"],
            ),
            (
                vec![text("I will")],
                Length,
                &["malformed: the reply was cut off by the output limit before it called a tool"],
            ),
            (vec![call("list_dir", "")], ToolCalls, &[r#"act list_dir {} because """#]),
            (vec![call("list_dir", "null")], Stop, &[r#"act list_dir {} because """#]),
            (
                vec![text("Look first."), call("list_dir", r#"{"path":"."}"#)],
                ToolCalls,
                &[r#"act list_dir {"path":"."} because "Look first.""#],
            ),
            (
                vec![
                    text("x"),
                    call("a", r#"{"explanation":"why"}"#),
                    call("b", r#"{"reason":"r","explanation":"e"}"#),
                ],
                ToolCalls,
                &[
                    r#"act a {"explanation":"why"} because "why""#,
                    r#"act b {"reason":"r","explanation":"e"} because "r""#,
                ],
            ),
            (
                vec![call("read_file", r#"{"target"#)],
                ToolCalls,
                &["malformed: the arguments are not valid JSON "],
            ),
            (
                vec![call("read_file", "[1]")],
                ToolCalls,
                &["malformed: the arguments must be a JSON object"],
            ),
            (
                vec![call("read_file", r#"{"confidence":1.5}"#)],
                ToolCalls,
                &["malformed: `confidence` must be a number from 0 to 1"],
            ),
            (
                vec![call("a", "{}"), call("b", "{}")],
                Length,
                &[
                    r#"act a {} because """#,
                    "malformed: the reply was cut off inside this call by the output limit",
                ],
            ),
            (vec![call("finish", "{}")], ToolCalls, &["finish None"]),
            (vec![call("stop", r#"{"response":"ok"}"#)], ToolCalls, &[r#"finish Some("ok")"#]),
            (vec![call("finish", r#"{"response":" "}"#)], ToolCalls, &["finish None"]),
        ];
        for (parts, finish, expected) in table {
            assert_eq!(meaning(parts.clone(), finish), expected, "{parts:?}");
        }
    }
}
