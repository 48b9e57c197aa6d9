//! One process of a server, spoken to. The protocol's library is known here and in `content` alone.

use std::{path::Path, sync::Arc, time::Duration};

use rmcp::{
    ClientLifecycleMode, Peer, RoleClient, ServiceError,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
        Implementation, JsonObject, PaginatedRequestParams, ProtocolVersion, RequestMetaObject,
        Tool,
    },
    serve_client_with_lifecycle,
    service::{ClientInitializeError as Problem, RunningService},
    transport::async_rw::AsyncRwTransport,
};

use tokio::task::JoinHandle;

use super::{
    declared::{Declared, Era},
    error::ServerError,
    routed::SESSION,
    watch::{Seen, Watched},
};
use crate::{
    Cancel,
    command::{Pipes, Program, Runner, Running},
};

/// Pages of tools that are asked for, and tools that are taken.
const PAGES: usize = 50;
const TOOLS: usize = 500;

/// How long the process may take to be gone once its output has ended.
const GONE: Duration = Duration::from_secs(1);

/// A server that is spoken to.
pub(super) struct Session {
    server: String,
    service: RunningService<RoleClient, ClientConfig>,
    running: Running,
    seen: Arc<Seen>,
    /// Ends with its standard error.
    listener: JoinHandle<()>,
}

/// The way to a session's server, to be used without holding the session.
#[derive(Clone)]
pub(super) struct Line {
    server: String,
    peer: Peer<RoleClient>,
    seen: Arc<Seen>,
}

impl Session {
    /// Starts the server and greets it.
    pub(super) async fn start(
        declared: &Declared,
        runner: &Runner,
        environment: Vec<(String, String)>,
        dir: &Path,
    ) -> Result<Self, ServerError> {
        let server = declared.name.clone();
        let program = Program {
            program: declared.command.clone(),
            args: declared.args.clone(),
            dir: declared.cwd.as_ref().map_or_else(|| dir.to_owned(), |cwd| dir.join(cwd)),
            environment,
        };
        let started = runner.start_piped(&program).map_err(|error| ServerError::NoStart {
            server: server.clone(),
            command: declared.line(),
            reason: error.to_string(),
        });
        let (mut running, Pipes { stdin, stdout, stderr }) = started?;
        let seen = Arc::new(Seen::default());
        let mut listener = tokio::spawn(Arc::clone(&seen).listen(stderr));
        let stdout = Watched::new(stdout, Arc::clone(&seen));
        let transport = AsyncRwTransport::new_client(stdout, stdin);
        let greeting = serve_client_with_lifecycle(ourselves(), transport, lifecycle(declared.era));
        let greeted = tokio::time::timeout(declared.start_timeout, Box::pin(greeting)).await;
        let problem = match greeted {
            Ok(Ok(service)) => {
                return Self { server, service, running, seen, listener }
                    .of_a_known_version()
                    .await;
            }
            Ok(Err(Problem::LegacyFallbackFailed { fallback, .. })) => Some(*fallback),
            Ok(Err(error)) => Some(error),
            Err(_elapsed) => None,
        };
        // Its standard input is closed by now.
        let exit_code = running.end().await;
        let _ = tokio::time::timeout(GONE, &mut listener).await;
        let words = seen.words();
        Err(match problem {
            None => ServerError::Silent { server, after: declared.start_timeout, words },
            Some(_) if seen.too_large() => ServerError::TooLarge { server },
            Some(Problem::ConnectionClosed(_) | Problem::TransportError { .. }) => {
                ServerError::Ended { server, exit_code, words }
            }
            Some(error) => ServerError::Answered { server, problem: shortened(&error), words },
        })
    }

    /// A server that answers in a version that is not known here is not spoken to any further.
    async fn of_a_known_version(self) -> Result<Self, ServerError> {
        let spoken = self.service.peer().peer_info().map(|info| info.protocol_version.clone());
        match spoken {
            Some(version) if !ProtocolVersion::KNOWN_VERSIONS.contains(&version) => {
                let (server, words) = (self.server.clone(), String::new());
                self.end().await;
                let problem =
                    format!("it speaks {}, which is not known", bounded(version.as_str()));
                Err(ServerError::Answered { server, problem, words })
            }
            Some(_) | None => Ok(self),
        }
    }

    pub(super) fn line(&self) -> Line {
        Line {
            server: self.server.clone(),
            peer: self.service.peer().clone(),
            seen: Arc::clone(&self.seen),
        }
    }

    /// Whether the server still listens.
    pub(super) fn lives(&self) -> bool {
        !self.service.is_closed() && !self.service.peer().is_transport_closed()
    }

    /// Ends the server: closes its standard input, waits, asks it to end, waits, kills. Why it
    /// ended, where it did so by itself.
    pub(super) async fn end(mut self) -> ServerError {
        if self.service.close_with_timeout(GONE).await.is_err() {
            tracing::debug!(server = self.server, "the session broke");
        }
        let exit_code = self.running.end().await;
        let _ = tokio::time::timeout(GONE, &mut self.listener).await;
        match self.seen.too_large() {
            true => ServerError::TooLarge { server: self.server },
            false => {
                ServerError::Ended { words: self.seen.words(), server: self.server, exit_code }
            }
        }
    }
}

/// What became of a request.
pub(super) enum Answer<T> {
    Given(T),
    /// Nothing came, or an error.
    Failed(ServerError),
    /// The server is gone.
    Gone,
}

impl Line {
    /// Every tool of the server.
    pub(super) async fn tools(&self, limit: Duration) -> Answer<Vec<Tool>> {
        let listed = async {
            let (mut tools, mut cursor) = (Vec::new(), None);
            for _ in 0..PAGES {
                let mut page = PaginatedRequestParams::default();
                page.cursor = cursor;
                let listed = self.peer.list_tools(Some(page)).await?;
                tools.extend(listed.tools);
                cursor = listed.next_cursor;
                if cursor.is_none() || tools.len() > TOOLS {
                    break;
                }
            }
            tools.truncate(TOOLS);
            Ok(tools)
        };
        self.answer(tokio::time::timeout(limit, listed).await.ok(), limit)
    }

    /// Calls a tool. A call that is given up is taken back.
    pub(super) async fn call(
        &self,
        (tool, arguments): (&str, JsonObject),
        session: Option<&str>,
        limit: Duration,
        cancel: &Cancel,
    ) -> Answer<CallToolResult> {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        if let Some(session) = session {
            let mut meta = RequestMetaObject::new();
            meta.insert(SESSION.to_owned(), session.into());
            params.meta = Some(meta);
        }
        let called = tokio::select! {
            biased;
            _ = cancel.cancelled() => {
                return Answer::Failed(ServerError::Interrupted { server: self.server.clone() });
            }
            called = tokio::time::timeout(limit, self.peer.call_tool_once(params)) => called.ok(),
        };
        let wants = |what: &str| {
            Answer::Failed(ServerError::Answered {
                server: self.server.clone(),
                problem: format!("it wants {what}, which nobody gives it here"),
                words: String::new(),
            })
        };
        match self.answer(called, limit) {
            Answer::Given(CallToolResponse::Complete(result)) => Answer::Given(result),
            Answer::Given(CallToolResponse::InputRequired(_)) => wants("to be told more"),
            // A task, or what a later revision may have in its place.
            Answer::Given(_) => wants("to be asked again later"),
            Answer::Failed(error) => Answer::Failed(error),
            Answer::Gone => Answer::Gone,
        }
    }

    fn answer<T>(&self, came: Option<Result<T, ServiceError>>, limit: Duration) -> Answer<T> {
        let server = self.server.clone();
        let words = || self.seen.words();
        match came {
            Some(Ok(answer)) => Answer::Given(answer),
            None => Answer::Failed(ServerError::Silent { server, after: limit, words: words() }),
            Some(Err(ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
                Answer::Gone
            }
            Some(Err(ServiceError::McpError(error))) => Answer::Failed(ServerError::Answered {
                server,
                problem: format!("{} ({})", bounded(&error.message), error.code.0),
                words: String::new(),
            }),
            Some(Err(error)) => Answer::Failed(ServerError::Answered {
                server,
                problem: shortened(&error),
                words: words(),
            }),
        }
    }
}

/// What servers are told of this program. It offers them nothing.
fn ourselves() -> ClientConfig {
    let name = Implementation::new("agent", env!("CARGO_PKG_VERSION"));
    let mut config = ClientConfig::new(ClientCapabilities::default(), name);
    config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
    config
}

fn lifecycle(era: Era) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        Era::Auto => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions },
        Era::Legacy => ClientLifecycleMode::Initialize,
    }
}

/// An error of the library in one line of bounded length: it may quote what the server sent.
fn shortened(error: &dyn std::error::Error) -> String {
    bounded(&error.to_string())
}

fn bounded(text: &str) -> String {
    const MOST: usize = 400;
    let mut line: String =
        text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        line.push('…');
    }
    line
}
