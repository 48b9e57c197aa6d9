//! Commands that the user runs. What they print goes to the model with the next request.

use std::time::Duration;

use agent_core::{
    Recorded,
    command::{CommandLine, CommandResult},
};
use agent_tools::limit;

use super::{Chat, obey::Next};
use crate::{
    error::Error,
    ui::{self, Paint, Stdout, Stream},
};

/// How long one may take: whoever waits can press Ctrl-C.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Bytes of the output that are shown.
const SHOWN: usize = 64 * 1024;

/// Bytes of it that the model sees.
const HEARD: usize = 16 * 1024;

/// Names of changed files that are told.
const NAMED: usize = 20;

impl Chat {
    /// Runs a command in the workspace with the user's own rights.
    pub(super) async fn shell(&mut self, command: &str) -> Result<Next, Error> {
        let cancel = self.target.next();
        let root = self.conversation.workspace().root().to_owned();
        let line = CommandLine::shell(command, root, PATIENCE, SHOWN);
        if let Some(live) = &self.front.live {
            live.doing(&format!("$ {command}"));
        }
        let hidden = self.front.hide_typing();
        let ran = self.conversation.run(&line, &cancel).await;
        drop(hidden);
        if let Some(live) = &self.front.live {
            live.rest();
        }
        if let Some(signal) = cancel.signal() {
            self.front.note("stopped");
            return match (signal, self.front.is_interactive) {
                (agent_core::Signal::Interrupt, true) => Ok(Next::Line),
                (signal, _) => Err(super::ended(signal)),
            };
        }
        let help = "the command runs by `sh -c` in this directory";
        let (result, recorded) =
            ran.map_err(|broken| Error::usage("command", broken.message(), help))?;
        let result = result.map_err(|error| Error::usage("command", error, help))?;
        self.show(&result)?;
        if let Some(told) = told(&recorded) {
            self.front.note(&told);
        }
        self.conversation.hear(heard(command, &result, &recorded.changed));
        Ok(Next::Line)
    }

    fn show(&self, result: &CommandResult) -> Result<(), Error> {
        let style = self.environment.style(Stream::Output);
        for text in [&result.stdout, &result.stderr] {
            if !text.is_empty() {
                Stdout.text(&ui::harmless(text))?;
            }
        }
        match result.exit_code {
            Some(0) => Ok(()),
            Some(code) => Stdout.text(&style.paint(Paint::Red, &format!("exit code {code}"))),
            None => Stdout.text(&style.paint(Paint::Red, "it took too long and was ended")),
        }
    }
}

/// What a command changed, and whether it can be taken back, as the user is told; nothing where it
/// changed nothing.
fn told(Recorded { changed, lost, problem, .. }: &Recorded) -> Option<String> {
    let mut told = Vec::new();
    match problem {
        Some(problem) => told.push(format!("what it changed can't be taken back: {problem}")),
        None if changed.is_empty() => {}
        None => told.push(format!("it changed {}; `/undo` takes that back", named(changed))),
    }
    if !lost.is_empty() {
        told.push(format!("it changed for good, too large to be kept: {}", named(lost)));
    }
    (!told.is_empty()).then(|| told.join("\n"))
}

fn named(files: &[String]) -> String {
    let named = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// A command and its output, as the model is told of them.
fn heard(command: &str, result: &CommandResult, changed: &[String]) -> String {
    let output = format!("{}{}", result.stdout, result.stderr);
    let output = limit::head_tail(&output, HEARD);
    let end = match result.exit_code {
        Some(code) => format!("exit code {code}"),
        None => "ended at the time limit".to_owned(),
    };
    let newline = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
    let changed = match changed {
        [] => String::new(),
        changed => format!(", which changed {}", named(changed)),
    };
    format!("I ran `{command}` ({end}){changed}:\n<output>\n{output}{newline}</output>")
}

#[cfg(test)]
mod tests {
    use agent_core::command::sandbox::Confined;

    use super::*;

    #[test]
    fn the_model_is_told_of_a_command_in_a_marked_block() {
        let result = |stdout: &str, stderr: &str, exit_code| CommandResult {
            exit_code,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            stdout_bytes: 0,
            stderr_bytes: 0,
            timed_out: exit_code.is_none(),
            truncated: false,
            confined: Confined::Not,
        };
        for (result, expected) in [
            (result("a\n", "", Some(0)), "I ran `x` (exit code 0):\n<output>\na\n</output>"),
            (result("a\n", "b", Some(2)), "I ran `x` (exit code 2):\n<output>\na\nb\n</output>"),
            (result("", "", None), "I ran `x` (ended at the time limit):\n<output>\n</output>"),
        ] {
            assert_eq!(heard("x", &result, &[]), expected);
        }
        let changed: Vec<String> = (0..22).map(|number| format!("f{number}")).collect();
        let heard = heard("x", &result("", "", Some(0)), &changed);
        assert!(heard.starts_with("I ran `x` (exit code 0), which changed f0, f1, "), "{heard}");
        assert!(heard.contains(", f19 and 2 more:\n<output>"), "{heard}");
    }

    #[test]
    fn the_user_is_told_what_can_be_taken_back() {
        let files = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let recorded = |changed: &[&str], lost: &[&str], problem: Option<&str>| Recorded {
            changed: files(changed),
            lost: files(lost),
            problem: problem.map(str::to_owned),
            ..Recorded::default()
        };
        for (recorded, expected) in [
            (recorded(&[], &[], None), None),
            (recorded(&["a", "b"], &[], None), Some("it changed a, b; `/undo` takes that back")),
            (recorded(&[], &["a"], None), Some("it changed for good, too large to be kept: a")),
            (
                recorded(&["a"], &[], Some("no room")),
                Some("what it changed can't be taken back: no room"),
            ),
        ] {
            assert_eq!(told(&recorded).as_deref(), expected);
        }
    }
}
