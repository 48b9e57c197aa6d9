//! All servers of a run.

use std::{collections::HashSet, sync::Arc};

use agent_llm::ToolSpec;
use agent_tools::sha256;
use futures_util::future::join_all;
use rmcp::model;
use serde_json::Value;

use super::{
    declared::Declared,
    error::ServerError,
    server::{Server, Surroundings},
    session::bounded,
    tool::ThirdParty,
};
use crate::{Approval, Tool, window};

/// The servers that are declared, each started when it is first needed.
pub struct Servers {
    servers: Vec<Arc<Server>>,
}

/// What one server has to offer.
pub struct Offer {
    /// The server's name.
    pub server: String,
    /// Its tools, in the order of their names; or why there are none.
    pub tools: Result<Vec<Offered>, ServerError>,
    /// Tokens that their descriptions and schemas take in every request, about.
    pub tokens: u64,
    /// What can't be offered, and why.
    pub left_out: Vec<String>,
}

/// How servers are asked for their tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// Each is started, and asked.
    Now,
    /// One that was asked not long ago is not started before a tool of it is called.
    OnceADay,
}

/// A tool of a server.
pub struct Offered {
    /// Its name at the server.
    pub name: String,
    /// The schema of its parameters, as the server gives it.
    pub schema: Value,
    /// As a model sees it.
    pub spec: ToolSpec,
}

impl Servers {
    /// The servers, in the order of their names.
    pub fn new(mut declared: Vec<Declared>, surroundings: &Arc<Surroundings>) -> Self {
        declared.sort_by(|a, b| a.name.cmp(&b.name));
        let server = |declared| Arc::new(Server::new(declared, Arc::clone(surroundings)));
        Self { servers: declared.into_iter().map(server).collect() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Asks all of them at once, and gives their tools with what there is to be warned of. The
    /// order is always the same. A read-only run gets only what is known to change nothing.
    pub async fn tools(
        &self,
        approval: Approval,
        asking: Asking,
    ) -> (Vec<Arc<dyn Tool>>, Vec<String>) {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        let mut warnings = Vec::new();
        for listed in join_all(self.servers.iter().map(|server| list(server, asking))).await {
            match listed {
                Ok((offered, left_out)) => {
                    warnings.extend(left_out);
                    let may = |tool: &ThirdParty| approval != Approval::Plan || tool.only_reads();
                    for tool in offered.into_iter().filter(may) {
                        tools.push(Arc::new(tool));
                    }
                }
                Err(error) => warnings.push(format!("{error}; its tools are missing")),
            }
        }
        (tools, warnings)
    }

    /// Starts all of them at once, to say what each offers and costs.
    pub async fn offers(&self) -> Vec<Offer> {
        let offer = async |server: &Arc<Server>| {
            let listed = list(server, Asking::Now).await;
            let (tools, left_out) = match listed {
                Ok((tools, left_out)) => {
                    (Ok(tools.iter().map(ThirdParty::offered).collect::<Vec<_>>()), left_out)
                }
                Err(error) => (Err(error), Vec::new()),
            };
            let tokens = tools.as_ref().map_or(0, |tools| {
                let specs: Vec<ToolSpec> = tools.iter().map(|tool| tool.spec.clone()).collect();
                window::tokens_of_tools(&specs)
            });
            Offer { server: server.declared().name.clone(), tools, tokens, left_out }
        };
        join_all(self.servers.iter().map(offer)).await
    }

    /// Ends all that were started, at once.
    pub async fn end(&self) {
        join_all(self.servers.iter().map(|server| server.end())).await;
    }
}

/// A server's tools in the order of their names, and what is left out of them.
async fn list(
    server: &Arc<Server>,
    asking: Asking,
) -> Result<(Vec<ThirdParty>, Vec<String>), ServerError> {
    let mut listed = server.tools(asking).await?;
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    let seen = listed.iter().map(|tool| (tool.name.to_string(), fingerprint(tool)));
    let changed = server.changed(&seen.collect())?;
    let (mut tools, mut left_out, mut names) = (Vec::new(), Vec::new(), HashSet::new());
    for tool in &listed {
        match ThirdParty::new(server, tool) {
            Ok(offered) if changed.iter().any(|name| *name == tool.name) => {
                let name = &server.declared().name;
                let says = tool.description.as_deref().unwrap_or("nothing");
                left_out.push(format!(
                    "`{}` is left out: it is not what it was when you trusted `{name}`. It says: \
                     {}. To take it as it is now: `agent mcp trust {name}`",
                    offered.name(),
                    bounded(says)
                ));
            }
            Ok(tool) if names.insert(tool.name().to_owned()) => tools.push(tool),
            Ok(tool) => {
                left_out.push(format!("`{}` is left out: there are two of it", tool.name()));
            }
            Err(problem) => left_out.push(problem),
        }
    }
    Ok((tools, left_out))
}

/// Stands for everything that a server says of a tool.
fn fingerprint(tool: &model::Tool) -> String {
    let said = serde_json::to_string(tool).unwrap_or_default();
    sha256(said.as_bytes())
}
