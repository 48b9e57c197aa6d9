//! `agent mcp serve`

use std::process::ExitCode;

use agent_core::{Approval, Cancel};

use crate::{
    args,
    bench::{Bench, Keeping},
    environment::Environment,
    error::Error,
    mcp_server::{self, Host, Lent, Listener, Way},
    signals,
    ui::{self, Stdout},
};

/// What a host over HTTP has to know, where it is set.
const TOKEN: &str = "AGENT_MCP_TOKEN";

pub(crate) async fn run(
    arguments: args::Serve,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let cancel = Cancel::new();
    signals::watch(&cancel).map_err(|error| Error::system("listen for signals", &error))?;
    // Whoever lends the tools leaves it to the host to ask; rules stand.
    let approval = if arguments.read_only { Approval::Plan } else { Approval::All };
    let keeping =
        if arguments.ephemeral || arguments.read_only { Keeping::Nothing } else { Keeping::Record };
    let lent = Lent::of(arguments.part, approval)?;
    let bench = Bench::open(&arguments.target, approval, keeping, environment)?
        .redacting(environment.redactor());
    if lent.runs_commands() {
        bench.confined().await?;
    }
    let host = if arguments.for_agent { Host::Ourselves } else { Host::Other };
    let way = match arguments.http {
        None => Way::Pipe,
        Some(address) => {
            let listener = Listener::bind(address, environment.variable(TOKEN)).await?;
            if !listener.wants_token() {
                let warning = format!(
                    "every program on this machine can use the tools while this runs; {TOKEN} \
                     names a token that they have to know"
                );
                ui::warn(&warning, environment);
            }
            // Whoever started this learns the port from it.
            Stdout.text(&listener.url())?;
            Way::Http(listener)
        }
    };
    mcp_server::serve(bench, (lent, host), way, &cancel).await?;
    match cancel.signal() {
        Some(signal) => Err(Error::interrupted(signal)),
        None => Ok(ExitCode::SUCCESS),
    }
}
