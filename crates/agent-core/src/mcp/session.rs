//! A server that is spoken to. The protocol's library is known here and in the modules beside it
//! alone.

use std::time::Duration;

use super::{
    declared::{Declared, Era},
    error::ServerError,
    http::Connection,
    line::{End, Line},
    process::Process,
    reach::Reach,
    server::Surroundings,
};
use rmcp::{
    ClientLifecycleMode, RoleClient,
    model::{ClientCapabilities, ClientConfig, Implementation, NumberOrString, ProtocolVersion},
    serve_client_with_lifecycle,
    service::{ClientInitializeError as Problem, RunningService},
    transport::Transport,
};

/// How long the session may take to be closed.
const GONE: Duration = Duration::from_secs(1);

/// A server that is spoken to.
pub(super) struct Session {
    server: String,
    service: RunningService<RoleClient, ClientConfig>,
    other: Other,
}

/// Who is at the other end.
enum Other {
    Process(Process),
    Remote(Connection),
}

impl Session {
    /// Starts the server, where it has to be, and greets it.
    pub(super) async fn start(
        declared: &Declared,
        era: Era,
        surroundings: &Surroundings,
    ) -> Result<Self, ServerError> {
        let server = declared.name.clone();
        let session = match &declared.reach {
            Reach::Process(launch) => {
                let launch = (launch, declared.line());
                let (process, transport) = Process::start(&server, launch, surroundings)?;
                match greet((declared, era), transport).await {
                    Ok(service) => Self { server, service, other: Other::Process(process) },
                    // Its standard input is closed by now.
                    Err(problem) => return Err(ungreeted(process, declared, problem).await),
                }
            }
            Reach::Http(remote) => {
                let variables = &surroundings.variables;
                let (connection, transport) = Connection::open(&server, remote, variables)?;
                match greet((declared, era), transport).await {
                    Ok(service) => Self { server, service, other: Other::Remote(connection) },
                    Err(Some(Problem::TransportError { error, .. })) => {
                        return Err(connection.broken(Some(&error)));
                    }
                    Err(Some(Problem::ConnectionClosed(_))) => return Err(connection.broken(None)),
                    Err(problem) => return Err(unspoken(declared, problem, String::new())),
                }
            }
        };
        session.of_a_known_version().await
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

    /// The era that it is spoken to in.
    pub(super) fn era(&self) -> Era {
        let spoken = self.service.peer().peer_info().map(|info| info.protocol_version.clone());
        match spoken {
            Some(version) if version >= ProtocolVersion::V_2026_07_28 => Era::Modern,
            Some(_) => Era::Legacy,
            None => Era::Auto,
        }
    }

    pub(super) fn line(&self) -> Line {
        let end = match &self.other {
            Other::Process(process) => End::Process(process.seen().clone()),
            Other::Remote(connection) => End::Remote(connection.clone()),
        };
        Line::new(self.server.clone(), self.service.peer().clone(), end)
    }

    /// Whether the server still listens.
    pub(super) fn lives(&self) -> bool {
        !self.service.is_closed() && !self.service.peer().is_transport_closed()
    }

    /// Ends the session, and a process with it: closes its standard input, waits, asks it to end,
    /// waits, kills. Why it ended, where it did so by itself.
    pub(super) async fn end(mut self) -> ServerError {
        if self.service.close_with_timeout(GONE).await.is_err() {
            tracing::debug!(server = self.server, "the session broke");
        }
        match self.other {
            Other::Process(process) => process.end(self.server).await,
            Other::Remote(connection) => connection.broken(None),
        }
    }
}

/// Begins a session; none in the place of the problem where nothing came in time.
async fn greet(
    (declared, era): (&Declared, Era),
    transport: impl Transport<RoleClient> + 'static,
) -> Result<RunningService<RoleClient, ClientConfig>, Option<Problem>> {
    let greeting = serve_client_with_lifecycle(ourselves(), transport, lifecycle(era));
    match tokio::time::timeout(declared.start_timeout, Box::pin(greeting)).await {
        Ok(Ok(service)) => Ok(service),
        Ok(Err(Problem::LegacyFallbackFailed { fallback, .. })) => Err(Some(*fallback)),
        Ok(Err(error)) => Err(Some(error)),
        Err(_elapsed) => Err(None),
    }
}

/// Why there is no session with a process that was started.
async fn ungreeted(process: Process, declared: &Declared, problem: Option<Problem>) -> ServerError {
    let seen = process.seen().clone();
    let ended = process.end(declared.name.clone()).await;
    match problem {
        Some(Problem::ConnectionClosed(_) | Problem::TransportError { .. }) => ended,
        Some(_) if seen.too_large() => ended,
        Some(_) | None => unspoken(declared, problem, seen.words()),
    }
}

/// Why there is no session with a server that is there.
fn unspoken(declared: &Declared, problem: Option<Problem>, words: String) -> ServerError {
    let server = declared.name.clone();
    match problem {
        None => ServerError::Silent { server, after: declared.start_timeout, words },
        Some(Problem::ConflictInitResponseId(
            NumberOrString::Number(expected),
            NumberOrString::Number(got),
        )) if got < expected => ServerError::Late { server },
        Some(error) => ServerError::Answered { server, problem: shortened(&error), words },
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
pub(super) fn shortened(error: &dyn std::error::Error) -> String {
    bounded(&error.to_string())
}

pub(super) fn bounded(text: &str) -> String {
    const MOST: usize = 400;
    let mut line: String =
        text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        line.push('…');
    }
    line
}
