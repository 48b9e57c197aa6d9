#![expect(clippy::disallowed_methods, reason = "the corpus is read from the disk")]

use agent_llm::Usage;
use proptest::{prelude::*, test_runner::TestRunner};
use serde::Deserialize;

use super::*;
use crate::{
    Settings,
    decision::{self, Decision},
    policy::Policy,
};

/// A decision as a model wrote it, and what it means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    why: String,
    text: Option<String>,
    tool: Option<String>,
    arguments: Option<String>,
    #[serde(default)]
    means: Vec<(String, Value)>,
    #[serde(default)]
    refused: bool,
    #[serde(default)]
    words: bool,
}

fn corpus() -> Vec<Line> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/decisions/corpus.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// What would be run, or that nothing would.
fn outcome(line: &Line, toolbox: &Toolbox) -> String {
    let part = match (&line.text, &line.tool, &line.arguments) {
        (Some(text), None, None) => Part::Text(text.clone()),
        (None, Some(name), Some(arguments)) => Part::Call(ToolCall {
            id: "1".to_owned(),
            name: name.clone(),
            arguments: arguments.clone(),
        }),
        _ => panic!("{}: give text, or tool and arguments", line.why),
    };
    let mut reply =
        Reply { parts: vec![part], finish: FinishReason::Stop, usage: Usage::default() };
    let understood = understand(&reply, toolbox, Form::Calls);
    if let Some(meant) = understood.meant {
        reply.parts = meant;
    }
    if understood.problem.is_some() {
        return "refused".to_owned();
    }
    let decisions = decision::read(&reply).into_iter().map(|decision| match decision {
        Decision::Act(act) if toolbox.accepts(&act.call.name, &act.params) => {
            format!("{} {}", act.call.name, act.params)
        }
        Decision::Act(_) | Decision::Malformed { .. } => "refused".to_owned(),
        Decision::Finish { call: Some(call), params, .. } => format!("{} {params}", call.name),
        Decision::Finish { call: None, .. } => "words".to_owned(),
    });
    decisions.collect::<Vec<_>>().join("; ")
}

#[test]
fn every_decision_of_the_corpus_is_mended_or_refused_as_labelled() {
    let settings = Settings::default();
    let toolbox = Toolbox::offered(Policy::new(settings.approval, settings.rules));
    let lines = corpus();
    assert!(lines.len() >= 100, "{} lines", lines.len());
    let mut wrong = Vec::new();
    for line in &lines {
        let expected = match (line.refused, line.words) {
            (true, _) => "refused".to_owned(),
            (_, true) => "words".to_owned(),
            (false, false) => {
                let calls = line.means.iter().map(|(name, params)| format!("{name} {params}"));
                calls.collect::<Vec<_>>().join("; ")
            }
        };
        let is = outcome(line, &toolbox);
        if is != expected {
            wrong.push(format!("{}\n  is       {is}\n  expected {expected}", line.why));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn whatever_is_cut_off_is_never_run_with_less() {
    for line in corpus() {
        let Some(arguments) = &line.arguments else { continue };
        let [(_, Value::Object(whole))] = line.means.as_slice() else { continue };
        for cut in (0..arguments.len()).filter(|at| arguments.is_char_boundary(*at)) {
            let Ok(mended) = repair::json(&arguments[..cut]) else { continue };
            let Value::Object(part) = &mended.value else { continue };
            for (key, value) in part {
                assert_eq!(Some(value), whole.get(key), "{}: {}", line.why, &arguments[..cut]);
            }
        }
    }
}

/// Pieces of which replies are made.
const PIECES: [&str; 28] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    ":",
    ",",
    "\\",
    "\n",
    "```json\n",
    "```",
    "<tool_call>",
    "</tool_call>",
    "<read_file>",
    "</read_file>",
    "<function=read_file>",
    "</function>",
    "<parameter=target_file>",
    "</parameter>",
    "Action: read_file\nAction Input: ",
    "\"name\"",
    "\"arguments\"",
    "\"target_file\"",
    "read_file",
    "rm_rf",
    "True",
    "é“",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ]
}

/// A reply of the corpus with something cut out and something put in.
fn damaged() -> impl Strategy<Value = (usize, usize, usize, String)> {
    (0..10_000_usize, 0..10_000_usize, 0..12_usize, prop_oneof![Just(String::new()), piece()])
}

/// What was read of `text`, as a reply and as the arguments of a call, with the calls that follow.
fn readings(text: &str, toolbox: &Toolbox) -> Vec<ToolCall> {
    let call = |name: &str| {
        let (id, name) = ("1".to_owned(), name.to_owned());
        Part::Call(ToolCall { id, name, arguments: text.to_owned() })
    };
    let mut meant = Vec::new();
    for part in [Part::Text(text.to_owned()), call("read_file"), call("create_file"), call("rm_rf")]
    {
        for form in [Form::Calls, Form::Json] {
            let finish = FinishReason::Stop;
            let mut reply = Reply { parts: vec![part.clone()], finish, usage: Usage::default() };
            let understood = understand(&reply, toolbox, form);
            let Some(parts) = understood.meant else { continue };
            assert!(understood.problem.is_none(), "{text}");
            if matches!(part, Part::Call(_)) {
                let fits = |call: &ToolCall| {
                    let params = serde_json::from_str(&call.arguments).unwrap();
                    toolbox.accepts(&call.name, &params)
                };
                reply.parts.clone_from(&parts);
                assert!(reply.calls().all(fits), "mended, and not valid: {text}");
            }
            reply.parts = parts;
            meant.extend(reply.calls().cloned());
            decision::read(&reply);
        }
    }
    meant
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| strings(value).into_iter().chain([key.as_str()]))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Whatever is read is a call of a tool that there is, and says nothing that the model did not.
fn check(text: &str, toolbox: &Toolbox) {
    for call in readings(text, toolbox) {
        assert!(toolbox.resolve(&call.name).is_ok(), "{}: {text}", call.name);
        let arguments: Value = serde_json::from_str(&call.arguments).expect("JSON");
        assert!(arguments.is_object(), "{text}");
        if !text.contains('\\') {
            for string in strings(&arguments) {
                assert!(text.contains(string), "{string:?} was never said: {text}");
            }
        }
    }
}

fn offered() -> Toolbox {
    let settings = Settings::default();
    Toolbox::offered(Policy::new(settings.approval, settings.rules))
}

#[test]
fn replies_made_of_pieces_call_nothing_unknown() {
    let toolbox = offered();
    let mut runner = TestRunner::deterministic();
    let texts = prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat());
    let run = runner.run(&texts, |text| {
        check(&text, &toolbox);
        Ok(())
    });
    run.unwrap();
}

#[test]
fn damaged_replies_call_nothing_unknown() {
    let toolbox = offered();
    let lines = corpus();
    let mut runner = TestRunner::deterministic();
    let run = runner.run(&(damaged(), damaged()), |damages| {
        let line = &lines[damages.0.0 % lines.len()];
        let mut text = line.text.clone().or_else(|| line.arguments.clone()).unwrap_or_default();
        for (_, at, length, put) in [damages.0, damages.1] {
            let from = text.floor_char_boundary(at % (text.len() + 1));
            let to = text.floor_char_boundary((from + length).min(text.len())).max(from);
            text.replace_range(from..to, &put);
        }
        check(&text, &toolbox);
        Ok(())
    });
    run.unwrap();
}

#[test]
fn deep_and_long_replies_are_read_in_the_end() {
    let toolbox = offered();
    for unit in
        ["{", "[", "{\"a\":", "[{", "<tool_call>{", "{//", "```", "\"", "{'a':[", "<read_file>"]
    {
        check(&unit.repeat(4_000), &toolbox);
    }
}
