//! Every scenario for clients, against our client: the suite starts this program again, which has
//! the agent list and call the tools of the server that it is given.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{REVISIONS, gaps::Gaps, suite::Suite};
use crate::{Failure, process::Program, text};

/// Names the program that is tested to the one that the suite starts.
const AGENT: &str = "CONFORMANCE_AGENT";

/// The revision with which handshakes ended.
const LAST: &str = REVISIONS[1];

/// What the server is called in the configuration.
const NAME: &str = "tested";

pub(super) fn check(suite: &Suite, agent: &Path, gaps: &mut Gaps) -> Result<Vec<Failure>, Failure> {
    let ourselves = env::current_exe().map_err(text)?;
    let command = format!("{} conformance as-client", ourselves.display());
    let agent = agent.display().to_string();
    let mut failures = Vec::new();
    for revision in REVISIONS {
        for scenario in suite.scenarios("client", revision)? {
            let arguments = [
                "client",
                "--command",
                &command,
                "--scenario",
                &scenario,
                "--spec-version",
                revision,
            ];
            let outcome = suite.run(&arguments, &[(AGENT, &agent)]);
            failures.extend(gaps.judge("client", revision, &scenario, outcome));
        }
    }
    Ok(failures)
}

/// Lists the tools of the server at `url` and calls each, as the suite wants it or as their schemas
/// say.
pub(super) fn act(url: &str) -> Result<(), Failure> {
    let agent = env::var(AGENT).map_err(|_| format!("{AGENT} is not set"))?;
    let place = tempfile::tempdir().map_err(text)?;
    let config = place.path().join("agent");
    fs::create_dir_all(&config).map_err(text)?;
    // Each revision is spoken as itself; which era a server is of is found out elsewhere.
    let era = match env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").as_deref() {
        Ok(revision) if revision < LAST => "legacy",
        Ok(_) | Err(_) => "auto",
    };
    let declared = format!("[mcp.servers.{NAME}]\nurl = {}\nera = {era:?}\n", json!(url));
    fs::write(config.join("config.toml"), declared).map_err(text)?;
    let client = Client { agent: agent.into(), place: place.path().to_owned() };
    let shown = super::json(&client.run(&["get", NAME, "--json"])?)?;
    let tools = shown["tools"].as_array().cloned().unwrap_or_default();
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let calls: Vec<(String, Value)> = match context["toolCalls"].as_array() {
        Some(calls) => calls.iter().map(|call| (name(call), call["arguments"].clone())).collect(),
        None => {
            let first = tools.first().map(|tool| tool["schema"].clone()).unwrap_or_default();
            let arguments = |tool: &Value| (name(tool), arguments(&tool["schema"], &first));
            tools.iter().map(arguments).collect()
        }
    };
    for (tool, arguments) in calls {
        // What becomes of a call, the suite sees for itself.
        let called = client.run(&["call", NAME, &tool, &arguments.to_string()]);
        println!("{tool}: {called:?}");
    }
    Ok(())
}

/// The agent, in a place of its own.
struct Client {
    agent: PathBuf,
    place: PathBuf,
}

impl Client {
    fn run(&self, arguments: &[&str]) -> Result<String, Failure> {
        let place = self.place.display().to_string();
        let name = self.agent.display().to_string();
        let all: Vec<&str> = ["mcp"].into_iter().chain(arguments.iter().copied()).collect();
        let environment = [("XDG_CONFIG_HOME", place.as_str()), ("AGENT_HOME", place.as_str())];
        Program { name: &name, arguments: &all, environment: &environment }.output(&self.place)
    }
}

fn name(object: &Value) -> String {
    object["name"].as_str().unwrap_or_default().to_owned()
}

/// Something for every parameter that a tool can't do without. Where it takes an object, it gets
/// what the server said of its first tool, which shows whether that arrived whole.
fn arguments(schema: &Value, first: &Value) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => first.clone(),
        Some(_) | None => json!("text"),
    };
    required.map(|name| (name.to_owned(), value(name))).collect::<Map<_, _>>().into()
}
