//! The one HTTP client.

mod address;
pub(crate) mod classify;
mod remote;
mod tls;

use std::error::Error as _;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, ClientBuilder, RequestBuilder, Response, Url, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use self::address::{authorization, base_url, is_loopback, without_version};
pub use self::remote::{Headers, RemoteError, remote_client};
use self::tls::Trust;
use crate::pieces::Pieces;
use crate::{Endpoint, EndpointError, Error, ErrorKind, Timeouts, Vendor};

/// How much of an error's body is read, and for how long.
const ERROR_BODY: usize = 64 * 1024;
const ERROR_TIME: Duration = Duration::from_secs(10);

/// How long a connection may take to end after the reply has, to be used again.
const DRAIN_TIME: Duration = Duration::from_millis(50);

/// The version of Anthropic's API whose words are spoken here.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// A server, and the client that talks to it.
///
/// The client is made when the first request is sent: making one reads the system's certificates,
/// which a program that only starts should not wait for.
pub(crate) struct Http {
    /// What errors call it.
    provider: String,
    base: Url,
    vendor: Vendor,
    api_key: Option<SecretString>,
    timeouts: Timeouts,
    client: OnceLock<Client>,
}

impl Http {
    pub(crate) fn new(
        vendor: Vendor,
        endpoint: &Endpoint,
        timeouts: Timeouts,
    ) -> Result<Self, EndpointError> {
        let base = without_version(vendor, base_url(&endpoint.base_url)?);
        let provider = format!("{} ({})", vendor.name(), base.as_str().trim_end_matches('/'));
        let api_key = endpoint.api_key.clone();
        if let Some(key) = &api_key {
            authorization(vendor, key)?;
        }
        Ok(Self { provider, base, vendor, api_key, timeouts, client: OnceLock::new() })
    }

    /// What errors call the server.
    pub(crate) fn provider(&self) -> &str {
        &self.provider
    }

    /// The server's host name.
    pub(crate) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// Posts JSON; a response with any other status than success is an error.
    pub(crate) async fn post(&self, path: &str, body: Pieces) -> Result<Body<'_>, Error> {
        let request = self.client()?.post(self.url(path));
        tracing::debug!(server = self.provider, path, bytes = body.length(), "sending");
        let body = reqwest::Body::wrap(body);
        self.send(request.header(CONTENT_TYPE, "application/json").body(body)).await
    }

    /// Gets a JSON value.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, Error> {
        self.value(self.send(self.client()?.get(self.url(path))).await?).await
    }

    /// Gets a JSON value from a path of the server, and not of its API.
    pub(crate) async fn get_beside(&self, path: &str) -> Result<Value, Error> {
        let mut url = self.base.clone();
        let root = url.path().trim_end_matches('/').trim_end_matches("/v1").to_owned();
        url.set_path(&format!("{root}{path}"));
        self.value(self.send(self.client()?.get(url)).await?).await
    }

    /// Posts JSON, and gets a JSON value.
    pub(crate) async fn ask(&self, path: &str, body: Bytes) -> Result<Value, Error> {
        self.value(self.post(path, Pieces::from(body)).await?).await
    }

    async fn value(&self, mut body: Body<'_>) -> Result<Value, Error> {
        let mut bytes = Vec::new();
        while let Some(piece) = body.chunk().await? {
            bytes.extend_from_slice(&piece);
            if bytes.len() > crate::lines::LONGEST {
                break;
            }
        }
        serde_json::from_slice(&bytes).map_err(|_| classify::not_a_reply(&self.provider, &bytes))
    }

    async fn send(&self, mut request: RequestBuilder) -> Result<Body<'_>, Error> {
        if let Some(key) = &self.api_key {
            let (name, value) = authorization(self.vendor, key).map_err(|error| {
                Error::new(ErrorKind::Unauthorized, &self.provider, error.to_string())
            })?;
            request = request.header(name, value);
        }
        if self.vendor == Vendor::Anthropic {
            request = request.header("anthropic-version", ANTHROPIC_VERSION);
        }
        let response = request.send().await.map_err(|error| self.broken(&error, Stage::Sending))?;
        tracing::debug!(server = self.provider, status = response.status().as_u16(), "answered");
        if response.status().is_success() {
            Ok(Body { http: self, response })
        } else {
            Err(self.refused(response).await)
        }
    }

    /// The error that a response with another status than success is.
    async fn refused(&self, mut response: Response) -> Error {
        let status = response.status();
        let header = |name: &str| response.headers().get(name)?.to_str().ok();
        let wait = classify::retry_after(header, SystemTime::now());
        let location = header(LOCATION.as_str()).map(str::to_owned);
        let mut body = Vec::new();
        // What was read until something broke, or took too long, says enough.
        let _ = tokio::time::timeout(ERROR_TIME, async {
            while body.len() < ERROR_BODY
                && let Ok(Some(piece)) = response.chunk().await
            {
                body.extend_from_slice(&piece);
            }
        })
        .await;
        body.truncate(ERROR_BODY);
        let mut error = classify::classify(&self.provider, status.as_u16(), wait, &body);
        if let Some(location) = location.filter(|_| status.is_redirection()) {
            // Following it could hand the key to another host.
            let location = classify::shown(&location);
            error.message = format!(
                "the server redirects to {location}, which is not followed (HTTP {}); \
                 set the base URL to where it serves",
                status.as_u16()
            );
        }
        if let Some(key) = &self.api_key
            && !key.expose_secret().is_empty()
        {
            error.message = error.message.replace(key.expose_secret(), "[API key]");
        }
        error
    }

    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        let path = format!("{}{path}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(query);
        url
    }

    fn client(&self) -> Result<&Client, Error> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = self.build().map_err(|cause| {
            let message = format!("no HTTP client can be made: {cause}");
            Error::new(ErrorKind::BadRequest, &self.provider, message)
        })?;
        Ok(self.client.get_or_init(|| client))
    }

    fn build(&self) -> Result<Client, String> {
        let builder = client_for(&self.base)?
            .connect_timeout(self.timeouts.connect)
            .read_timeout(self.timeouts.idle)
            .redirect(redirect::Policy::none());
        builder.build().map_err(|error| root_cause(&error))
    }

    fn broken(&self, error: &reqwest::Error, stage: Stage) -> Error {
        let Timeouts { connect, idle } = self.timeouts;
        let cause = root_cause(error);
        let (kind, message) = if error.is_builder() {
            (ErrorKind::BadRequest, format!("the request can't be built: {cause}"))
        } else if error.is_connect() && error.is_timeout() {
            (ErrorKind::Network, format!("no connection within {} s", connect.as_secs_f32()))
        } else if error.is_timeout() {
            (ErrorKind::Silent, format!("the server was silent for {} s", idle.as_secs_f32()))
        } else if error.is_connect() {
            (ErrorKind::Network, format!("the server can't be reached: {cause}"))
        } else {
            match stage {
                Stage::Sending => {
                    (ErrorKind::Network, format!("the connection broke without an answer: {cause}"))
                }
                Stage::Receiving => {
                    (ErrorKind::Cut, format!("the connection broke during the reply: {cause}"))
                }
            }
        };
        Error::new(kind, &self.provider, message)
    }
}

/// What every client of the server at `url` has in common.
fn client_for(url: &Url) -> Result<ClientBuilder, String> {
    let local = is_loopback(url);
    let trust = match local && url.scheme() == "http" {
        true => Trust::Nobody,
        false => Trust::System,
    };
    let tls = tls::config(trust).map_err(|error| error.to_string())?;
    let builder = Client::builder()
        .user_agent(concat!("agent/", env!("CARGO_PKG_VERSION")))
        .tls_backend_preconfigured(tls);
    Ok(if local { builder.no_proxy() } else { builder })
}

/// How far a call has come.
#[derive(Clone, Copy)]
enum Stage {
    Sending,
    Receiving,
}

/// The body of a successful response, as it comes. Dropping it closes the connection.
pub(crate) struct Body<'h> {
    http: &'h Http,
    response: Response,
}

impl Body<'_> {
    /// The next piece; `None` at the end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let chunk = self.response.chunk().await;
        chunk.map_err(|error| self.http.broken(&error, Stage::Receiving))
    }

    /// Reads what may still come after the reply's end, so that the connection can be used again.
    pub(crate) async fn drain(mut self) {
        // A server that keeps the connection open longer only costs a new one.
        let _ = tokio::time::timeout(DRAIN_TIME, async {
            while let Ok(Some(_)) = self.response.chunk().await {}
        })
        .await;
    }
}

fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(|cause| cause.source()) {
        cause = Some(deeper);
    }
    // Without a source the error's own text would hold the URL.
    let cause = cause.map_or_else(|| "no reason given".to_owned(), ToString::to_string);
    classify::shown(&cause)
}
