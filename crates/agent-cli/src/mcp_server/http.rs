//! The server over HTTP, for hosts on this machine.
//!
//! Whoever reaches it can use the tools. So it listens to this machine alone, takes no request that
//! a page in a browser has sent from elsewhere, and none without the token where there is one.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::{
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::Server;
use crate::error::Error;

/// Where the server is, as hosts are told.
const PATH: &str = "/mcp";

/// A socket on which hosts of this machine are waited for.
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    /// What lets a host in.
    token: Option<String>,
}

type Tools = StreamableHttpService<Arc<Server>, LocalSessionManager>;

impl Listener {
    /// Listens at an address of this machine; the port 0 stands for any that is free.
    pub(crate) async fn bind(address: SocketAddr, token: Option<String>) -> Result<Self, Error> {
        let help = "name an address of this machine: `--http 127.0.0.1:8080`";
        if !address.ip().is_loopback() {
            let message = format!(
                "{address} is reached from other machines, and whoever reaches it can use the tools"
            );
            return Err(Error::usage("not_loopback", message, help));
        }
        let unusable = |error: std::io::Error| {
            Error::usage("address", format!("can't listen at {address}: {error}"), help)
        };
        let socket = TcpListener::bind(address).await.map_err(unusable)?;
        let address = socket.local_addr().map_err(unusable)?;
        Ok(Self { socket, address, token })
    }

    /// Where hosts find the server.
    pub(crate) fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Whether hosts have to show a token.
    pub(crate) fn wants_token(&self) -> bool {
        self.token.is_some()
    }

    /// Serves every host that comes, until `stop`.
    pub(super) async fn serve(
        self,
        server: Arc<Server>,
        stop: CancellationToken,
    ) -> Result<(), Error> {
        let port = self.address.port();
        let origins =
            ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}"));
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(origins)
            .with_cancellation_token(stop.clone());
        let sessions = Arc::new(LocalSessionManager::default());
        let tools = Tools::new(move || Ok(Arc::clone(&server)), sessions, config);
        let token: Option<Arc<str>> = self.token.map(Into::into);
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(()),
                accepted = self.socket.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let talk = talk(stream, tools.clone(), token.clone());
                    let stop = stop.clone();
                    tokio::spawn(async move {
                        tokio::select! {
                            () = stop.cancelled() => {}
                            () = talk => {}
                        }
                    });
                }
                // Somebody else's connection, or too many open files, which passes.
                Err(error) => {
                    tracing::debug!(%error, "a connection was not taken");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            }
        }
    }
}

/// Answers the requests of one connection.
async fn talk(stream: TcpStream, tools: Tools, token: Option<Arc<str>>) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let (tools, token) = (tools.clone(), token.clone());
        async move {
            let refusal = refusal(request.uri().path(), request.headers(), token.as_deref());
            Ok::<_, Infallible>(match refusal {
                Some(status) => refused(status),
                None => tools.handle(request).await,
            })
        }
    });
    let connection = http1::Builder::new()
        // A connection that never asks for anything is closed, which takes a clock.
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), answer);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection broke");
    }
}

/// Why a request is not even looked at.
fn refusal(path: &str, headers: &HeaderMap, token: Option<&str>) -> Option<StatusCode> {
    if path != PATH {
        return Some(StatusCode::NOT_FOUND);
    }
    let token = token?;
    let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    // Of hashes, how long a comparison takes tells nothing of the token.
    let same = agent_tools::sha256(shown.as_bytes()) == agent_tools::sha256(token.as_bytes());
    (!same).then_some(StatusCode::UNAUTHORIZED)
}

fn refused(status: StatusCode) -> Response<BoxBody<Bytes, Infallible>> {
    let mut response = Response::new(Full::new(Bytes::new()).boxed());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_path_and_the_token_lead_in() {
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().expect("a header"));
            headers
        };
        let none = HeaderMap::new();
        assert_eq!(refusal("/mcp", &none, None), None);
        assert_eq!(refusal("/", &none, None), Some(StatusCode::NOT_FOUND));
        assert_eq!(refusal("/mcp", &none, Some("t")), Some(StatusCode::UNAUTHORIZED));
        assert_eq!(refusal("/mcp", &with("Bearer x"), Some("t")), Some(StatusCode::UNAUTHORIZED));
        assert_eq!(refusal("/mcp", &with("t"), Some("t")), Some(StatusCode::UNAUTHORIZED));
        assert_eq!(refusal("/mcp", &with("Bearer t"), Some("t")), None);
    }

    #[tokio::test]
    async fn it_listens_to_this_machine_alone() {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let listener = Listener::bind(address.parse().expect("an address"), None).await;
            let refused = listener.err().expect("refused");
            assert_eq!(refused.failure.code, "agent::usage::not_loopback");
        }
        let listener = Listener::bind("127.0.0.1:0".parse().expect("an address"), None).await;
        let listener = listener.expect("a free port");
        assert!(listener.url().starts_with("http://127.0.0.1:") && !listener.url().contains(":0/"));
    }
}
