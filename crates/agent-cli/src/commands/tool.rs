//! `agent tool`

use std::{
    io::{self, BufRead, Read},
    process::ExitCode,
};

use agent_core::{Approval, Cancel, Observation, Toolbox, policy::Policy};
use serde_json::{Map, Value, json};

use crate::{
    args,
    bench::{Bench, Keeping},
    environment::Environment,
    error::Error,
    ui::Stdout,
};

pub(crate) async fn run(
    arguments: args::Tool,
    environment: Environment,
) -> Result<ExitCode, Error> {
    if arguments.list {
        let toolbox = Toolbox::direct(Policy::new(Approval::All, []));
        Stdout.pretty_json(&toolbox.specs().as_ref())?;
        return Ok(ExitCode::SUCCESS);
    }
    let keeping = if arguments.ephemeral { Keeping::Nothing } else { Keeping::Record };
    // Whoever calls a tool has decided already: nothing is asked, but rules stand.
    let bench = Bench::open(&arguments.target, Approval::All, keeping, environment)?;
    let Some(name) = &arguments.name else {
        return answer_lines(&bench).await;
    };
    // Before anything is read or run: a wrong name is the user's slip, not a tool's failure.
    let name = match bench.resolve(name) {
        Ok(name) => name.to_owned(),
        Err(unknown) => {
            let message = format!("there is no tool `{}`", unknown.name);
            let help = match unknown.nearest {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("the tools are {}", unknown.known.join(", ")),
            };
            return Err(Error::usage("unknown_tool", message, help));
        }
    };
    let params = params(arguments.params.as_deref())?;
    let result = bench.call(&name, &params, Cancel::new()).await;
    Stdout.json(&result.result)?;
    Ok(if result.succeeded() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn params(argument: Option<&str>) -> Result<Value, Error> {
    let help = "give one JSON object, such as '{\"target_file\": \"README.md\"}', or `-` and the \
                object on standard input";
    let mut piped = String::new();
    let text = match argument {
        None => return Ok(json!({})),
        Some("-") => {
            io::stdin().lock().read_to_string(&mut piped).map_err(|error| {
                Error::usage("stdin", format!("standard input can't be read: {error}"), help)
            })?;
            piped.as_str()
        }
        Some(text) => text,
    };
    serde_json::from_str(text).map_err(|error| {
        Error::usage("bad_json", format!("the parameters are no JSON: {error}"), help)
    })
}

/// Answers the calls on standard input one by one, in order.
async fn answer_lines(bench: &Bench) -> Result<ExitCode, Error> {
    for (index, line) in io::stdin().lock().split(b'\n').enumerate() {
        let line = line.map_err(|error| {
            let message = format!("standard input can't be read: {error}");
            Error::usage("stdin", message, "give one call a line")
        })?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match Line::parse(&line) {
            Ok(Line { id, tool, params }) => {
                json!({ "id": id, "result": bench.call(&tool, &params, Cancel::new()).await.result })
            }
            Err((id, problem)) => {
                let message = format!(
                    "line {}: {problem}; write {{\"id\": 1, \"tool\": \"read_file\", \
                     \"params\": {{}}}}",
                    index + 1
                );
                json!({ "id": id, "result": Observation::failure(message).result })
            }
        };
        Stdout.json(&answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A call as it stands in a line.
#[derive(Debug, PartialEq)]
struct Line {
    id: Value,
    tool: String,
    params: Value,
}

impl Line {
    /// The call, or what is wrong with it beside the id that it gave.
    fn parse(line: &[u8]) -> Result<Self, (Value, String)> {
        let mut fields: Map<String, Value> = serde_json::from_slice(line)
            .map_err(|error| (Value::Null, format!("this is no JSON object: {error}")))?;
        let id = fields.shift_remove("id").unwrap_or_default();
        let tool = fields.shift_remove("tool");
        let params = fields.shift_remove("params").unwrap_or_else(|| json!({}));
        if let Some(unknown) = fields.keys().next() {
            return Err((id, format!("unknown key `{unknown}`")));
        }
        match tool {
            Some(Value::String(tool)) => Ok(Self { id, tool, params }),
            Some(_) => Err((id, "`tool` is no text".to_owned())),
            None => Err((id, "`tool` is missing".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_call_or_says_what_is_wrong_with_it() {
        let call =
            |id: Value, tool: &str, params: Value| Ok(Line { id, tool: tool.into(), params });
        let wrong = |id: Value, problem: &str| Err((id, problem.to_owned()));
        for (line, expected) in [
            (r#"{"id":1,"tool":"a","params":{"x":2}}"#, call(json!(1), "a", json!({"x": 2}))),
            (r#"{"tool":"a","id":"x"}"#, call(json!("x"), "a", json!({}))),
            (r#" {"tool":"a"} "#, call(Value::Null, "a", json!({}))),
            (r#"{"id":2}"#, wrong(json!(2), "`tool` is missing")),
            (r#"{"id":2,"tool":3}"#, wrong(json!(2), "`tool` is no text")),
            (r#"{"id":2,"tool":"a","parms":{}}"#, wrong(json!(2), "unknown key `parms`")),
        ] {
            assert_eq!(Line::parse(line.as_bytes()), expected, "{line}");
        }
        for line in [&b"{"[..], b"[]", b"3", b"\xff\xfe"] {
            let (id, problem) = Line::parse(line).expect_err("no object");
            assert_eq!(id, Value::Null);
            assert!(problem.starts_with("this is no JSON object: "), "{problem}");
        }
    }
}
