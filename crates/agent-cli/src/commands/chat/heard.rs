//! Commands that the user runs. What they print goes to the model with the next request.

use std::time::Duration;

use agent_core::command::{CommandLine, CommandResult};
use agent_tools::limit;

use super::{Chat, obey::Next};
use crate::{
    error::Error,
    setup,
    ui::{self, Paint, Stdout, Stream},
};

/// How long one may take: whoever waits can press Ctrl-C.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Bytes of the output that are shown.
const SHOWN: usize = 64 * 1024;

/// Bytes of it that the model sees.
const HEARD: usize = 16 * 1024;

impl Chat {
    /// Runs a command in the workspace with the user's own rights.
    pub(super) async fn shell(&mut self, command: &str) -> Result<Next, Error> {
        let cancel = self.target.next();
        let root = self.conversation.workspace().root().to_owned();
        let line = CommandLine::shell(command, root, PATIENCE, SHOWN);
        let runner = setup::unconfined_runner(self.environment);
        if let Some(live) = &self.front.live {
            live.doing(&format!("$ {command}"));
        }
        let hidden = self.front.hide_typing();
        let result = runner.run(&line, &cancel).await;
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
        let result = result.map_err(|error| {
            Error::usage("command", error, "the command runs by `sh -c` in this directory")
        })?;
        self.show(&result)?;
        self.conversation.hear(heard(command, &result));
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

/// A command and its output, as the model is told of them.
fn heard(command: &str, result: &CommandResult) -> String {
    let output = format!("{}{}", result.stdout, result.stderr);
    let output = limit::head_tail(&output, HEARD);
    let end = match result.exit_code {
        Some(code) => format!("exit code {code}"),
        None => "ended at the time limit".to_owned(),
    };
    let newline = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
    format!("I ran `{command}` ({end}):\n<output>\n{output}{newline}</output>")
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
            assert_eq!(heard("x", &result), expected);
        }
    }
}
