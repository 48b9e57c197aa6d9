//! Programs that chores run.
#![expect(clippy::disallowed_methods, reason = "chores run cargo and git")]

use std::{
    path::Path,
    process::{Command, ExitStatus},
};

use crate::Failure;

/// A program with its arguments and additions to its environment, run in the repository's root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a [&'a str],
    pub(crate) environment: &'a [(&'a str, &'a str)],
}

impl<'a> Program<'a> {
    /// `cargo` with `arguments`.
    pub(crate) fn cargo(arguments: &'a [&'a str]) -> Self {
        Self { name: "cargo", arguments, environment: &[] }
    }

    /// What the program writes to standard output; its error output when it fails.
    pub(crate) fn output(self, root: &Path) -> Result<String, Failure> {
        let output = self.command(root).output().map_err(|error| self.unstartable(&error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(format!(
            "{}{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
            self.ended(output.status)
        ))
    }

    /// Runs the program with this terminal as its own.
    pub(crate) fn attached(self, root: &Path) -> Result<(), Failure> {
        let status = self.command(root).status().map_err(|error| self.unstartable(&error))?;
        if status.success() { Ok(()) } else { Err(self.ended(status)) }
    }

    fn command(self, root: &Path) -> Command {
        let mut command = Command::new(self.name);
        command.current_dir(root).args(self.arguments).envs(self.environment.iter().copied());
        command
    }

    fn unstartable(self, error: &std::io::Error) -> Failure {
        format!("failed to start `{self}`: {error}")
    }

    fn ended(self, status: ExitStatus) -> Failure {
        format!("`{self}` ended with {status}")
    }
}

impl std::fmt::Display for Program<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}", self.name, self.arguments.join(" "))
    }
}
