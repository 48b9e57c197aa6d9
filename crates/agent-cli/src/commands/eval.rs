//! `agent eval`

use std::{collections::BTreeMap, process::ExitCode};

use agent_core::{Sessions, evaluator::Kept};
use agent_tools::Workspace;
use serde_json::{Value, json};

use crate::{
    args::{self, Shape},
    environment::Environment,
    error::Error,
    setup::{self, state_error},
    ui::{self, Stdout},
};

/// Answers that are listed with their reasons.
const LAST: usize = 5;

/// The width of a full bar.
const WIDTH: usize = 20;

pub(crate) fn run(arguments: &args::Eval, environment: Environment) -> Result<ExitCode, Error> {
    let sessions = Sessions::at(environment.state_dir());
    let args::Scope { directory, all, output_format } = &arguments.scope;
    let workspace = match all {
        true => None,
        false => Some(setup::workspace(directory.as_deref(), environment)?),
    };
    let kept = match sessions.exists() {
        true => sessions.evaluations(workspace.as_ref().map(Workspace::root)),
        false => Ok(Vec::new()),
    };
    let kept = kept.map_err(|error| state_error(&error))?;
    match output_format {
        Shape::Json => Stdout.json(&object(&kept))?,
        Shape::Text if kept.is_empty() => ui::say("no answer was scored in this directory yet\n"),
        Shape::Text => Stdout.text(&text(&kept))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The group that an answer belongs to.
type Group = fn(&Kept) -> String;

/// What answers are grouped by.
const GROUPS: [(&str, Group); 3] = [
    ("day", |kept| kept.time.to_string().chars().take(10).collect()),
    ("model", |kept| kept.model.clone()),
    ("intent", |kept| kept.evaluation.signals.intent.name().to_owned()),
];

/// How many, and their mean.
fn mean<'a>(kept: impl Iterator<Item = &'a Kept>) -> (usize, f64) {
    let scores: Vec<f64> = kept.map(|kept| f64::from(kept.evaluation.score)).collect();
    (scores.len(), scores.iter().sum::<f64>() / scores.len().max(1) as f64)
}

fn grouped(kept: &[Kept], by: Group) -> BTreeMap<String, (usize, f64)> {
    let mut groups: BTreeMap<String, Vec<&Kept>> = BTreeMap::new();
    for kept in kept {
        groups.entry(by(kept)).or_default().push(kept);
    }
    groups.into_iter().map(|(name, kept)| (name, mean(kept.into_iter()))).collect()
}

fn object(kept: &[Kept]) -> Value {
    let (answers, score) = mean(kept.iter());
    let mut object = json!({ "answers": answers, "mean": score, "evaluations": kept });
    for (name, by) in GROUPS {
        let groups = grouped(kept, by);
        let rows = groups.into_iter().map(
            |(group, (answers, mean))| json!({ name: group, "answers": answers, "mean": mean }),
        );
        object[format!("by_{name}")] = rows.collect();
    }
    object
}

fn text(kept: &[Kept]) -> String {
    let (answers, score) = mean(kept.iter());
    let plural = if answers == 1 { "" } else { "s" };
    let mut text = format!("{answers} answer{plural}, {score:.1} of 5 on average\n");
    for (name, by) in GROUPS {
        text += &format!("\nby {name}\n");
        let groups = grouped(kept, by);
        let width = groups.keys().map(|name| name.chars().count()).max().unwrap_or_default();
        for (group, (answers, mean)) in groups {
            let (group, bar) = (ui::harmless(&group), bar(mean));
            text += &format!("  {group:<width$}  {mean:.1}  {bar:<WIDTH$}  {answers:>4}\n");
        }
    }
    text += "\nlast\n";
    for kept in kept.iter().rev().take(LAST) {
        let (score, reason) = (kept.evaluation.score, &kept.evaluation.reason);
        let judge =
            kept.judge.as_ref().map(|judge| format!("; judge: {}, {}", judge.score, judge.reason));
        let line = format!("{reason}{}", judge.unwrap_or_default());
        text += &format!("  {:.0}  {score}  {}\n", kept.time, ui::harmless(&line));
    }
    text
}

/// Five is a full bar.
fn bar(mean: f64) -> String {
    "█".repeat((mean / 5.0 * WIDTH as f64).round() as usize)
}
