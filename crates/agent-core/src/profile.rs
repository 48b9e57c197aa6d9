//! What the agent says of itself.

use std::path::Path;

use agent_llm::ToolSpec;

use crate::{Approval, Settings, session::Summary};

/// What there is to say.
pub(crate) struct Facts<'a> {
    pub(crate) model: &'a str,
    pub(crate) workspace: &'a Path,
    pub(crate) tools: &'a [ToolSpec],
    pub(crate) settings: &'a Settings,
    /// Earlier sessions in this workspace.
    pub(crate) sessions: usize,
    /// The latest of them.
    pub(crate) recent: &'a [Summary],
}

const EXAMPLES: &str = "\
- agent run \"where is the port set?\"            answers; files stay as they are
- agent run \"rename total to sum_of everywhere\"  edits, and shows each change as a diff
- agent run --test \"cargo test\" \"fix the parser\" edits until the tests pass
- agent run \"undo the last change\"               takes it back, without a model
- agent run --read-only \"plan the migration\"     changes nothing, whatever the model wants
";

/// The profile.
pub(crate) fn text(facts: &Facts<'_>) -> String {
    let Facts { model, workspace, tools, settings, sessions, recent } = facts;
    let mut text = format!(
        "A coding agent: give it a task in words, and it reads, searches and edits the files of one \
         directory until the task is done.\n\nModel: {model}\nDirectory: {}\n\nTools:\n",
        workspace.display()
    );
    for tool in *tools {
        let first = tool.description.split_inclusive(". ").next().unwrap_or_default().trim_end();
        text += &format!("- {}: {first}\n", tool.name);
    }
    text += &format!("\nLimits:\n{}", limits(settings));
    text += &format!("\nExamples:\n{EXAMPLES}");
    text += "\nIn this directory before:\n";
    if recent.is_empty() {
        text += "- nothing yet\n";
    }
    for session in *recent {
        let task: String =
            session.task.lines().next().unwrap_or_default().chars().take(70).collect();
        let outcome = session.outcome.as_deref().unwrap_or("unfinished");
        text += &format!("- {:.0}  {outcome}: {task}\n", session.changed);
    }
    if *sessions > recent.len() {
        text += &format!("- and {} more: `agent sessions`\n", sessions - recent.len());
    }
    text.trim_end().to_owned()
}

fn limits(settings: &Settings) -> String {
    let approval = match settings.approval {
        Approval::Ask => "asks before every change and every command",
        Approval::Edits => "edits without asking, and runs only the commands that a rule permits",
        Approval::All => "does without asking what the policy allows",
        Approval::Plan => "changes nothing",
    };
    let mut lines = vec![
        approval.to_owned(),
        "reaches nothing outside the directory; every change can be undone".to_owned(),
        format!("at most {} decisions of the model for one request", settings.max_turns),
    ];
    let budget = &settings.budget;
    lines.extend(budget.tool_calls.map(|calls| format!("at most {calls} tool calls")));
    lines.extend(budget.tokens.map(|tokens| format!("at most {tokens} tokens")));
    lines.extend(budget.cost.map(|cost| format!("at most ${cost}")));
    lines.extend(budget.time.map(|time| format!("at most {} seconds", time.as_secs())));
    lines.push(match settings.window {
        Some(window) => format!("the model sees {window} tokens at once"),
        None => "how much the model sees at once is not known".to_owned(),
    });
    lines.iter().map(|line| format!("- {line}\n")).collect()
}
