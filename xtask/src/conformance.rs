//! `cargo xtask conformance`: the built program against the protocol's own test suite and against
//! clients and servers of others, in both eras of the protocol.
//!
//! Everything is fetched from the npm registry and PyPI into `target/conformance`, so that the gate
//! does without it.
#![expect(clippy::disallowed_methods, reason = "chores run programs and write below target/")]

mod client;
mod gaps;
mod peers;
mod suite;

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use lexopt::prelude::*;
use serde_json::Value;

use self::{gaps::Gaps, suite::Suite};
use crate::{Failure, process::Program, repository, text};

/// The revisions of the protocol whose scenarios are run: the last with a handshake, and the one
/// without.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// A check of the program in the repository, with a directory for what it needs.
type Check = fn(root: &Path, directory: &Path, agent: &Path) -> Result<(), Failure>;

/// What can be run alone.
const PARTS: [&str; 5] = ["client", "server", "inspector", "python", "others"];

/// Runs what is asked for, or everything.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let (mut parts, mut agent) = (Vec::new(), None);
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            // The suite starts this program again in the place of a client.
            Value(part) if part == "as-client" => {
                let url = arguments.value().map_err(text)?.string().map_err(text)?;
                return client::act(&url);
            }
            Value(part) => parts.push(part.string().map_err(text)?),
            Long("agent") => agent = Some(PathBuf::from(arguments.value().map_err(text)?)),
            other @ (Short(_) | Long(_)) => return Err(text(other.unexpected())),
        }
    }
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(format!("there is no part `{unknown}`; the parts are {}", PARTS.join(", ")));
    }
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let root = repository::root();
    let agent = match agent {
        Some(agent) => fs::canonicalize(&agent).map_err(|error| format!("{agent:?}: {error}"))?,
        None => built(&root)?,
    };
    let directory = repository::target_directory()?.join("conformance");
    let mut gaps = Gaps::read(&root)?;
    let mut failures = Vec::new();
    if wanted("client") || wanted("server") {
        let suite = Suite::installed(&directory)?;
        if wanted("client") {
            failures.extend(client::check(&suite, &agent, &mut gaps)?);
        }
        if wanted("server") {
            failures.extend(server(&suite, &agent, &mut gaps)?);
        }
        if parts.is_empty() {
            failures.extend(gaps.unused());
        }
    }
    let checks: [(&str, Check); 3] =
        [("inspector", peers::inspector), ("python", peers::python), ("others", peers::others)];
    for (part, check) in checks {
        if wanted(part) {
            failures.extend(check(&root, &directory, &agent).err());
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Every scenario for servers, against our server over HTTP.
fn server(suite: &Suite, agent: &Path, gaps: &mut Gaps) -> Result<Vec<Failure>, Failure> {
    let place = tempfile::tempdir().map_err(text)?;
    let lent = Lent::start(agent, place.path())?;
    let mut failures = Vec::new();
    for revision in REVISIONS {
        for scenario in suite.scenarios("server", revision)? {
            let arguments =
                ["server", "--url", &lent.url, "--scenario", &scenario, "--spec-version", revision];
            let outcome = suite.run(&arguments, &[]);
            failures.extend(gaps.judge("server", revision, &scenario, outcome));
        }
    }
    Ok(failures)
}

/// Our server over HTTP, for as long as this is kept.
struct Lent {
    child: Child,
    url: String,
}

impl Lent {
    fn start(agent: &Path, directory: &Path) -> Result<Self, Failure> {
        let mut child = Command::new(agent)
            .args(["mcp", "serve", "--http", "127.0.0.1:0", "--ephemeral"])
            .env("AGENT_HOME", directory.join("home"))
            .current_dir(directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(text)?;
        let mut url = String::new();
        let stdout = child.stdout.take().ok_or("the server has no output")?;
        BufReader::new(stdout).read_line(&mut url).map_err(text)?;
        Ok(Self { child, url: url.trim().to_owned() })
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // It holds nothing that has to be put away.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, built as the tests build it.
fn built(root: &Path) -> Result<PathBuf, Failure> {
    Program::cargo(&["build", "-p", "agent-cli", "--locked"]).output(root)?;
    Ok(repository::target_directory()?.join("debug").join("agent"))
}

/// What a program printed, which is JSON.
fn json(printed: &str) -> Result<Value, Failure> {
    serde_json::from_str(printed).map_err(|error| format!("no JSON: {error}: {printed}"))
}
