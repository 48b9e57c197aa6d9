//! Clients and servers of others.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::suite;
use crate::{Failure, process::Program, repository, text};

/// What our servers are asked, in order: part, tool, arguments, and whether that succeeds.
const CALLS: &str = "xtask/conformance/calls.json";

/// What is installed for Python.
const PYTHON: [&str; 2] = ["mcp==2.3.0", "mcp-server-git==2026.10.19"];

/// The Inspector lists and calls every tool of both servers, in both eras, and finds nothing wrong
/// with their schemas.
pub(super) fn inspector(root: &Path, directory: &Path, agent: &Path) -> Result<(), Failure> {
    suite::npm(directory)?;
    let calls: Vec<(String, String, Value, bool)> =
        serde_json::from_str(&repository::read(root, CALLS)?).map_err(text)?;
    for era in ["legacy", "modern"] {
        let place = Place::new(agent)?;
        let mut servers = json!({});
        for part in ["fs", "exec"] {
            let args = json!(["mcp", "serve", part, "-C", place.work()]);
            servers[part] = json!({ "command": agent, "args": args, "env": place.environment() });
        }
        let config = place.file("inspector.json", &json!({ "mcpServers": servers }).to_string())?;
        let ask = |part: &str, more: &[&str]| {
            let mut command = suite::node(directory, "mcp-inspector");
            command.args(["--cli", "--config", &config, "--server", part]);
            command.args(["--protocol-era", era, "--format", "json", "-q"]).args(more);
            ended(command)
        };
        for part in ["fs", "exec"] {
            let listed = ask(part, &["--strict", "--method", "tools/list"])?;
            let own: Vec<_> = calls.iter().filter(|call| call.0 == part).collect();
            for (_, tool, arguments, succeeds) in &own {
                if !listed.contains(&format!("\"{tool}\"")) {
                    return Err(format!("the Inspector ({era}) does not list {tool}: {listed}"));
                }
                let arguments = arguments.to_string();
                let more =
                    ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments];
                let called = ask(part, &more);
                // Each call has a session of its own, which has changed nothing yet.
                let succeeds = *succeeds && tool != "undo";
                if called.is_ok() != succeeds {
                    return Err(format!("the Inspector ({era}) calls {tool}: {called:?}"));
                }
            }
            println!("inspector   {part:5} {era:12} {} calls ok", own.len());
        }
    }
    Ok(())
}

/// The Python SDK does the same.
pub(super) fn python(root: &Path, directory: &Path, agent: &Path) -> Result<(), Failure> {
    let programs = pip(root, directory)?;
    let place = Place::new(agent)?;
    let mut command = Command::new(programs.join("python"));
    command.arg(root.join("xtask/conformance/peer.py"));
    command.args([agent, &place.work(), &root.join(CALLS)]).envs(place.variables());
    print!("{}", ended(command)?);
    Ok(())
}

/// Our client lists and calls tools of servers that others have written.
pub(super) fn others(root: &Path, directory: &Path, agent: &Path) -> Result<(), Failure> {
    suite::npm(directory)?;
    let programs = pip(root, directory)?;
    let place = Place::new(agent)?;
    let work = place.work();
    Program { name: "git", arguments: &["init", "-q", "."], environment: &[] }.output(&work)?;
    fs::write(work.join("a.txt"), "one\n").map_err(text)?;
    let bin = directory.join("node_modules/.bin");
    let node = |program: &str, args: Value| {
        let mut all = vec![json!(bin.join(program))];
        all.extend(args.as_array().cloned().unwrap_or_default());
        json!({ "command": bin.join("node"), "args": all })
    };
    let git = json!({ "command": programs.join("mcp-server-git"), "args": ["-r", work] });
    let servers = json!({ "mcpServers": {
        "everything": node("mcp-server-everything", json!([])),
        "files": node("mcp-server-filesystem", json!([work])),
        "git": git,
    } });
    fs::write(work.join(".mcp.json"), servers.to_string()).map_err(text)?;
    let here = work.display().to_string();
    let file = work.join("a.txt").display().to_string();
    for (server, tools, calls) in [
        (
            "everything",
            10,
            vec![
                ("echo", json!({ "message": "hello" }), "Echo: hello"),
                ("get-sum", json!({ "a": 2, "b": 3 }), "5"),
                ("get-tiny-image", json!({}), "[an image, image/png, "),
                ("get-resource-links", json!({ "count": 1 }), "[a resource: "),
            ],
        ),
        (
            "files",
            10,
            vec![
                ("read_text_file", json!({ "path": file }), "one"),
                ("list_directory", json!({ "path": here }), "[FILE] a.txt"),
                ("write_file", json!({ "path": file, "content": "two\n" }), "Successfully wrote"),
            ],
        ),
        (
            "git",
            10,
            vec![
                ("git_status", json!({ "repo_path": here }), "a.txt"),
                ("git_add", json!({ "repo_path": here, "files": ["a.txt"] }), "staged"),
                ("git_diff_staged", json!({ "repo_path": here }), "+two"),
            ],
        ),
    ] {
        place.agent(&["trust", server])?;
        let listed = super::json(&place.agent(&["get", server, "--json"])?)?;
        let count = listed["tools"].as_array().map_or(0, Vec::len);
        if count < tools {
            return Err(format!("`{server}` offers {count} tools: {listed}"));
        }
        for (tool, arguments, expected) in &calls {
            let called = place.agent(&["call", server, tool, &arguments.to_string()])?;
            let content = super::json(&called)?["content"].to_string();
            if !content.contains(expected) {
                return Err(format!("`{tool}` of `{server}` gave {content}, not {expected:?}"));
            }
        }
        println!("our client  {server:18} {count} tools, {} calls ok", calls.len());
    }
    Ok(())
}

/// Installs the Python packages, unless they are there. Where their programs are.
fn pip(root: &Path, directory: &Path) -> Result<PathBuf, Failure> {
    let python = directory.join("python");
    let (programs, mark) = (python.join("bin"), python.join("installed.txt"));
    let wanted = PYTHON.join("\n");
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(programs);
    }
    let place = python.display().to_string();
    println!("installing {} into {place}", PYTHON.join(" "));
    let made = ["-m", "venv", &place];
    Program { name: "python3", arguments: &made, environment: &[] }.output(root)?;
    let name = programs.join("pip").display().to_string();
    let arguments: Vec<&str> = ["install", "-q"].into_iter().chain(PYTHON).collect();
    Program { name: &name, arguments: &arguments, environment: &[] }.output(root)?;
    fs::write(mark, wanted).map_err(text)?;
    Ok(programs)
}

/// A directory to work in, with a configuration and a record of its own.
struct Place {
    directory: tempfile::TempDir,
    agent: PathBuf,
}

impl Place {
    fn new(agent: &Path) -> Result<Self, Failure> {
        let place = Self { directory: tempfile::tempdir().map_err(text)?, agent: agent.to_owned() };
        fs::create_dir(place.work()).map_err(text)?;
        Ok(place)
    }

    fn work(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    fn variables(&self) -> [(&'static str, String); 2] {
        let of = |name: &str| self.directory.path().join(name).display().to_string();
        [("AGENT_HOME", of("home")), ("XDG_CONFIG_HOME", of("config"))]
    }

    fn environment(&self) -> Value {
        self.variables()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Value::from(value)))
            .collect()
    }

    fn file(&self, name: &str, content: &str) -> Result<String, Failure> {
        let path = self.directory.path().join(name);
        fs::write(&path, content).map_err(text)?;
        Ok(path.display().to_string())
    }

    /// What `agent mcp` prints.
    fn agent(&self, arguments: &[&str]) -> Result<String, Failure> {
        let mut command = Command::new(&self.agent);
        command.arg("mcp").args(arguments).current_dir(self.work()).envs(self.variables());
        ended(command)
    }
}

/// What a program prints; everything that it said where it failed.
fn ended(mut command: Command) -> Result<String, Failure> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(printed),
        false => Err(format!(
            "{command:?} ended with {}\n{printed}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
