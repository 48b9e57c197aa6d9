//! The client for servers that speak another protocol than a model's.

use reqwest::{Client, StatusCode, Url, redirect};

use super::{address, client_for, root_cause};

/// Redirects that are followed in a row.
const REDIRECTS: usize = 5;

/// Why a server can't be spoken to. It reads after "can't be reached: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// No address.
    #[error("its address is none ({0}); it looks like https://HOST/mcp")]
    Address(String),
    /// Somebody else could read what is sent.
    #[error("its headers would be sent unencrypted to {0}; use https, or a server on this machine")]
    Unencrypted(String),
    /// The system's certificates are missing.
    #[error("no HTTP client can be made: {0}")]
    NoClient(String),
}

/// What is sent along with every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headers {
    /// Nothing of the user's.
    None,
    /// Something that may let somebody in.
    Private,
}

/// A client for the server at `url` alone. It waits for as long as its user does.
///
/// # Errors
///
/// [`RemoteError`]
pub fn remote_client(url: &str, headers: Headers) -> Result<Client, RemoteError> {
    let url = Url::parse(url).map_err(|error| RemoteError::Address(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(RemoteError::Address("it begins with neither http:// nor https://".to_owned()));
    }
    if headers == Headers::Private && url.scheme() == "http" && !address::is_loopback(&url) {
        return Err(RemoteError::Unencrypted(url.host_str().unwrap_or_default().to_owned()));
    }
    let builder = client_for(&url)
        .map_err(RemoteError::NoClient)?
        // An idle connection whose last reply was not read to its end would stall the next request.
        .pool_max_idle_per_host(0)
        .redirect(redirect::Policy::custom(follow));
    builder.build().map_err(|error| RemoteError::NoClient(root_cause(&error)))
}

/// Follows what keeps the message and stays at the same server: another one would be handed the
/// headers.
fn follow(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let keeps_message =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let first = attempt.previous().first();
    let stays = first.is_some_and(|first| first.origin() == attempt.url().origin());
    if keeps_message && stays && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lets_somebody_in_is_not_sent_for_all_to_read() {
        for (url, headers, problem) in [
            ("http://127.0.0.1:1/mcp", Headers::Private, ""),
            ("http://localhost/mcp", Headers::Private, ""),
            ("http://h/mcp", Headers::None, ""),
            ("http://h/mcp?key=1", Headers::Private, "would be sent unencrypted to h"),
            ("http://10.0.0.1/mcp", Headers::Private, "would be sent unencrypted to 10.0.0.1"),
            ("h/mcp", Headers::None, "its address is none (relative URL"),
            ("file:///etc/passwd", Headers::None, "neither http:// nor https://"),
            ("", Headers::None, "its address is none"),
        ] {
            let made = remote_client(url, headers);
            let said = made.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(said.is_empty(), problem.is_empty(), "{url}: {said}");
            assert!(said.contains(problem), "{url}: {said}");
        }
    }
}
