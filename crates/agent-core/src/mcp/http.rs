//! A server that runs somewhere else, spoken to over HTTP.

use std::{collections::HashMap, error::Error, sync::Arc};

use agent_llm::{Headers, remote_client};
use http::{HeaderName, HeaderValue};
use rmcp::{
    RoleClient,
    transport::{
        DynamicTransportError, StreamableHttpClientTransport, Transport,
        streamable_http_client::{
            StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
        },
    },
};

use super::{
    error::ServerError,
    reach::{Remote, expanded, without_query},
    watch::LARGEST,
};

/// A server with what is needed to say what went wrong with it.
#[derive(Clone)]
pub(super) struct Connection {
    server: String,
    /// Its address, as people may see it.
    url: Arc<str>,
    /// What lies behind an error of the transport, which hides its client's own.
    cause: fn(&DynamicTransportError) -> String,
}

impl Connection {
    /// The way to the server. Nothing is sent yet.
    pub(super) fn open(
        server: &str,
        remote: &Remote,
        variables: &[(String, String)],
    ) -> Result<(Self, impl Transport<RoleClient> + 'static), ServerError> {
        let refused = |reason: String| ServerError::NoConnection {
            server: server.to_owned(),
            url: without_query(&remote.url).to_owned(),
            reason,
        };
        let filled_in = |text: &str| {
            let unset =
                |variable| refused(format!("it is to be told ${{{variable}}}, which is not set"));
            expanded(text, variables).map_err(unset)
        };
        let url = filled_in(&remote.url)?;
        let mut headers = HashMap::new();
        for (name, value) in &remote.headers {
            let wrong = |_| refused(format!("`{name}` can't be sent as a header"));
            let mut sent = HeaderValue::try_from(filled_in(value)?).map_err(|_| wrong(()))?;
            sent.set_sensitive(true);
            headers.insert(HeaderName::try_from(name).map_err(|_| wrong(()))?, sent);
        }
        let private = !headers.is_empty() || url != remote.url;
        let sent = if private { Headers::Private } else { Headers::None };
        let client = remote_client(&url, sent).map_err(|error| refused(error.to_string()))?;
        let connection = Self {
            server: server.to_owned(),
            url: without_query(&remote.url).into(),
            cause: cause_with(&client),
        };
        let config = StreamableHttpClientTransportConfig::with_uri(url)
            .custom_headers(headers)
            .max_sse_event_size(LARGEST);
        Ok((connection, StreamableHttpClientTransport::with_client(client, config)))
    }

    /// What became of the server where its transport gave up.
    pub(super) fn broken(&self, error: Option<&DynamicTransportError>) -> ServerError {
        ServerError::NoConnection {
            server: self.server.clone(),
            url: self.url.to_string(),
            reason: error.map_or_else(|| "the connection ended".to_owned(), self.cause),
        }
    }
}

/// How to find the cause of an error that a transport with this client gave.
fn cause_with<C: StreamableHttpClient>(_: &C) -> fn(&DynamicTransportError) -> String {
    cause::<C>
}

fn cause<C: StreamableHttpClient>(error: &DynamicTransportError) -> String {
    let known = error.error.downcast_ref::<StreamableHttpError<C::Error>>();
    match known {
        // The client's own text would repeat the address, with what is secret in it.
        Some(StreamableHttpError::Client(error)) => {
            let deepest = std::iter::successors(error.source(), |&error| error.source()).last();
            deepest.map_or_else(|| "no reason given".to_owned(), ToString::to_string)
        }
        Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)) => {
            "it asks for authorization: declare a header for it, such as \
             `Authorization = \"Bearer ${TOKEN}\"`"
                .to_owned()
        }
        Some(other) => super::session::bounded(&other.to_string()),
        None => super::session::bounded(&error.error.to_string()),
    }
}
