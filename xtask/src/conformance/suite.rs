//! The protocol's own test suite, from the npm registry.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Failure, process::Program, text};

/// What is installed. The suite and the Inspector need a newer Node.js than many machines have, so
/// that it comes along.
pub(super) const PACKAGES: [&str; 5] = [
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "node@22.23.3",
];

/// Which packages are there.
const INSTALLED: &str = "installed.txt";

/// The suite, installed.
pub(super) struct Suite {
    directory: PathBuf,
}

impl Suite {
    /// Installs what is not there yet.
    pub(super) fn installed(directory: &Path) -> Result<Self, Failure> {
        npm(directory)?;
        Ok(Self { directory: directory.to_owned() })
    }

    /// Runs the suite. What it printed is the failure where it failed.
    pub(super) fn run(
        &self,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<String, Failure> {
        // Results are written where it is run.
        let output = node(&self.directory, "conformance")
            .args(arguments)
            .envs(environment.iter().copied())
            .current_dir(&self.directory)
            .output()
            .map_err(text)?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.success() {
            true => Ok(printed),
            false => Err(format!("{printed}{}", String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// The scenarios of a revision for a role, without authorization, which is not offered, and
    /// without what is optional by definition.
    pub(super) fn scenarios(&self, role: &str, revision: &str) -> Result<Vec<String>, Failure> {
        let role = format!("--{role}");
        let listed = self.run(&["list", &role, "--spec-version", revision], &[])?;
        let names = listed.lines().filter_map(|line| line.trim().strip_prefix("- "));
        let wanted =
            names.filter(|line| !line.starts_with("auth") && !line.contains("[extension]"));
        let name = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
        let names: Vec<String> = wanted.map(name).collect();
        match names.is_empty() {
            true => Err(format!("the suite lists no scenarios for {revision}: {listed}")),
            false => Ok(names),
        }
    }
}

/// Installs the packages, unless they are there.
pub(super) fn npm(directory: &Path) -> Result<(), Failure> {
    let wanted = PACKAGES.join("\n");
    let mark = directory.join(INSTALLED);
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    fs::create_dir_all(directory).map_err(text)?;
    fs::write(directory.join("package.json"), "{ \"private\": true }\n").map_err(text)?;
    println!("installing {} into {}", PACKAGES.join(" "), directory.display());
    let mut arguments = vec!["install", "--no-audit", "--no-fund", "--loglevel=error"];
    arguments.extend(PACKAGES);
    Program { name: "npm", arguments: &arguments, environment: &[] }.output(directory)?;
    fs::write(mark, wanted).map_err(text)
}

/// A program of the installed packages, run by the installed Node.js.
pub(super) fn node(directory: &Path, program: &str) -> Command {
    let programs = directory.join("node_modules").join(".bin");
    let mut command = Command::new(programs.join("node"));
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", programs.display()));
    command.arg(programs.join(program));
    command
}
