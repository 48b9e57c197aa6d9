#![expect(clippy::disallowed_methods, reason = "the corpus is read from the disk")]

use agent_llm::Usage;
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
