//! Our tools in the hands of other programs: an MCP server on standard input and output, or over
//! HTTP.
//!
//! Both eras of the protocol are spoken, the handshake of 2024-11-05 to 2025-11-25 and the requests
//! of 2026-07-28 that stand for themselves. Standard output carries nothing else.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use agent_core::{Cancel, Observation, Signal, mcp};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
        CompleteRequestParams, CompleteResult, ContentBlock, Implementation,
        ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
        ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
        ListToolsResult, MetaObject, PaginatedRequestParams, ProgressNotificationParam,
        ServerCapabilities, ServerConfig,
    },
    service::{RequestContext, ServerInitializeError},
};
use serde_json::Value;
use tokio::{sync::RwLock, time};
use tokio_util::sync::CancellationToken;

mod http;
mod lent;

pub(crate) use http::Listener;
pub(crate) use lent::Lent;

use crate::{bench::Bench, error::Error};

/// How often a host that asked for it is told that a call still runs.
const STILL_RUNNING: Duration = Duration::from_secs(1);

/// How long calls may take to end after the host has gone.
const PATIENCE: Duration = Duration::from_secs(3);

/// How hosts come to the server.
pub(crate) enum Way {
    /// One host, which has started it.
    Pipe,
    /// Any on this machine.
    Http(Listener),
}

/// Lends tools until the host closes its end, or `cancel` says so.
pub(crate) async fn serve(
    bench: Bench,
    (lent, host): (Lent, Host),
    way: Way,
    cancel: &Cancel,
) -> Result<(), Error> {
    let stop = CancellationToken::new();
    let calls = Arc::new(RwLock::new(()));
    let server = Arc::new(Server { bench, lent, host, calls: Arc::clone(&calls) });
    let served = async {
        match way {
            Way::Pipe => by_pipe(server, stop.clone()).await,
            Way::Http(listener) => listener.serve(server, stop.clone()).await,
        }
    };
    let mut served = std::pin::pin!(served);
    let ended = tokio::select! {
        biased;
        _ = cancel.cancelled() => {
            stop.cancel();
            served.await
        }
        ended = &mut served => ended,
    };
    // A call that still runs was told to stop; what it had started has to end before this process.
    let _ = time::timeout(PATIENCE, calls.write()).await;
    ended
}

/// Serves the host that has started this process.
async fn by_pipe(server: Arc<Server>, stop: CancellationToken) -> Result<(), Error> {
    let running = server.serve_with_ct(rmcp::transport::stdio(), stop).await;
    let ended = match running {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
        Err(error) if is_a_leave(&error) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    ended.map_err(|problem| {
        let help = "see whether the host speaks MCP: the first message is `initialize` or \
                    `server/discover`";
        Error::usage("mcp", format!("the host can't be served: {problem}"), help)
    })
}

/// A host that goes before it has asked for anything is within its rights.
fn is_a_leave(error: &ServerInitializeError) -> bool {
    matches!(error, ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled)
}

/// Who uses the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    /// A program that shows results to a model as they are.
    Other,
    /// An agent of this program, which wants all of an observation, and cleans it itself.
    Ourselves,
}

struct Server {
    bench: Bench,
    lent: Lent,
    host: Host,
    /// Each call holds it for reading while it runs.
    calls: Arc<RwLock<()>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let root = self.bench.root().display();
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("agent", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!(
                "These tools work in {root} and nowhere else; paths are relative to it. A failed \
                 call says what to do instead."
            ))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let message = "there is no such cursor: the list has one page";
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(ListToolsResult::with_all_items(self.lent.tools.clone()))
    }

    // Nothing but tools is lent, and the library would answer these with empty lists.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.lent.has(&request.name) {
            let known: Vec<_> = self.lent.tools.iter().map(|tool| tool.name.as_ref()).collect();
            let message =
                format!("unknown tool `{}`; the tools are {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        }
        let _running = self.calls.read().await;
        let params = Value::Object(request.arguments.unwrap_or_default());
        let observation = self.carry_out(&request.name, &params, &context).await;
        if self.host == Host::Ourselves {
            let told = mcp::told(&observation);
            let mut result = CallToolResult::structured(observation.result);
            result.content = Vec::new();
            result.meta =
                Some(MetaObject([(mcp::OBSERVATION.to_owned(), told)].into_iter().collect()));
            return Ok(result.into());
        }
        let (observation, text) = self.bench.shown(observation);
        let content = vec![ContentBlock::text(text)];
        let mut result = match observation.succeeded() {
            true => CallToolResult::success(content),
            false => CallToolResult::error(content),
        };
        result.structured_content = Some(observation.result);
        Ok(result.into())
    }
}

impl Server {
    /// Runs a call, tells the host from time to time that it still runs, and ends it where the host
    /// asks for that.
    async fn carry_out(
        &self,
        name: &str,
        params: &Value,
        context: &RequestContext<RoleServer>,
    ) -> Observation {
        let cancel = Cancel::new();
        let session = match self.host {
            Host::Other => None,
            Host::Ourselves => context.meta.get(mcp::SESSION).and_then(Value::as_str),
        };
        let mut call = std::pin::pin!(self.bench.call_for(session, name, params, cancel.clone()));
        let started = Instant::now();
        let mut still_running = time::interval(STILL_RUNNING);
        still_running.reset();
        loop {
            tokio::select! {
                biased;
                observation = &mut call => return observation,
                () = context.ct.cancelled(), if cancel.signal().is_none() => {
                    cancel.cancel(Signal::Interrupt);
                }
                _ = still_running.tick() => {
                    let Some(token) = context.meta.get_progress_token() else { continue };
                    let seconds = started.elapsed().as_secs_f64().round();
                    let progress = ProgressNotificationParam::new(token, seconds)
                        .with_message(format!("{name} runs for {seconds} s"));
                    // A host that does not listen any more has its own reasons.
                    let _ = context.peer.notify_progress(progress).await;
                }
            }
        }
    }
}
