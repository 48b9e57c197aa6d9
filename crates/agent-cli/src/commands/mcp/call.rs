//! `agent mcp call`

use std::process::ExitCode;

use agent_core::{
    Approval, Cancel, Outcome,
    mcp::{Asking, Learning, tool_name},
};
use serde_json::Value;

use crate::{
    args::Target,
    bench::{Bench, Keeping},
    environment::Environment,
    error::{End, Error},
    setup::{self, mcp},
    signals,
    ui::{self, Stdout},
};

use super::Place;

pub(super) async fn run(
    (server, tool, params): (&str, &str, &str),
    target: &Target,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let params: Value = serde_json::from_str(params).map_err(|error| {
        let help = "give one JSON object, such as '{\"path\": \"README.md\"}'";
        Error::usage("bad_json", format!("the parameters are no JSON: {error}"), help)
    })?;
    let cancel = Cancel::new();
    signals::watch(&cancel).map_err(|error| Error::system("listen for signals", &error))?;
    let place = Place::open(target, environment)?;
    let declared = place.server(server)?;
    let known = mcp::known(Learning::Kept, environment);
    if !place.permits(&setup::trusted(environment), declared)? {
        let message = format!("{}: the MCP server `{server}` is not trusted", declared.origin);
        let help = format!(
            "it came with this directory; look at it with `agent mcp get {server}`, trust it with \
             `agent mcp trust {server}`"
        );
        return Err(Error::config("not_trusted", message, help));
    }
    let servers = mcp::servers(vec![declared.clone()], &place.workspace, known, environment);
    let ended = async {
        let (tools, warnings) = tokio::select! {
            biased;
            signal = cancel.cancelled() => return Err(Error::interrupted(signal)),
            tools = servers.tools(Approval::All, Asking::Now) => tools,
        };
        if tools.is_empty() && !warnings.is_empty() {
            let help = format!("see whether it runs by itself: {}", declared.line());
            let end = End::Run(Outcome::Failed);
            return Err(Error::of(end, "agent::mcp::server", &warnings.join("; "), &help));
        }
        for warning in warnings {
            ui::warn(&warning, environment);
        }
        // Whoever calls a tool has decided already: nothing is asked, but rules stand.
        let bench =
            Bench::open(target, Approval::All, Keeping::Record, environment)?.with_more(tools);
        let name = tool_name(server, tool);
        if let Err(unknown) = bench.resolve(&name) {
            let own = |name: &&String| name.starts_with(&tool_name(server, ""));
            let known: Vec<&str> = unknown.known.iter().filter(own).map(String::as_str).collect();
            let message = format!("the MCP server `{server}` has no tool `{tool}`");
            let help = match known.as_slice() {
                [] => format!("`agent mcp get {server}` says what became of it"),
                known => format!("it has {}", known.join(", ")),
            };
            return Err(Error::usage("unknown_tool", message, help));
        }
        let result = bench.call(&name, &params, cancel.clone()).await;
        Stdout.json(&result.result)?;
        Ok(if result.succeeded() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    };
    let ended = ended.await;
    servers.end().await;
    ended
}
