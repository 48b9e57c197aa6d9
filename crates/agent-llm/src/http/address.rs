//! Where a server is, and the header that lets one in.

use std::net::IpAddr;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::{EndpointError, Vendor};

const NO_SCHEME: &str = "it must begin with http:// or https://";

pub(super) fn base_url(text: &str) -> Result<Url, EndpointError> {
    let wrong = |problem: &str| EndpointError::BaseUrl {
        url: text.to_owned(),
        problem: problem.to_owned(),
    };
    let url = Url::parse(text.trim()).map_err(|error| match text.contains("://") {
        true => wrong(&error.to_string()),
        false => wrong(NO_SCHEME),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong(NO_SCHEME));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Not even the error may show a password.
        return Err(EndpointError::BaseUrl {
            url: format!("{}://…@{}", url.scheme(), url.host_str().unwrap_or_default()),
            problem: "it holds a user name or a password".to_owned(),
        });
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("it must not hold ? or #"));
    }
    Ok(url)
}

/// The header that holds the key.
pub(super) fn authorization(
    vendor: Vendor,
    key: &SecretString,
) -> Result<(HeaderName, HeaderValue), EndpointError> {
    let (name, text) = match vendor {
        Vendor::OpenAi | Vendor::Ollama => {
            (AUTHORIZATION, format!("Bearer {}", key.expose_secret()))
        }
        Vendor::Anthropic => (HeaderName::from_static("x-api-key"), key.expose_secret().to_owned()),
        Vendor::Gemini => {
            (HeaderName::from_static("x-goog-api-key"), key.expose_secret().to_owned())
        }
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| EndpointError::ApiKey)?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// A base URL whose version the paths bring along: many write it all the same.
pub(super) fn without_version(vendor: Vendor, mut base: Url) -> Url {
    let version = match vendor {
        Vendor::OpenAi | Vendor::Ollama => return base,
        Vendor::Anthropic => "/v1",
        Vendor::Gemini => "/v1beta",
    };
    if let Some(path) = base.path().trim_end_matches('/').strip_suffix(version) {
        let path = path.to_owned();
        base.set_path(&path);
    }
    base
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Http;
    use crate::{Endpoint, Timeouts};

    fn http(base_url: &str) -> Result<Http, EndpointError> {
        Http::new(Vendor::OpenAi, &Endpoint::new(base_url), Timeouts::default())
    }

    #[test]
    fn base_urls_are_checked_and_joined() {
        for (base, joined) in [
            ("https://h/v1", "https://h/v1/models"),
            (" http://127.0.0.1:8080/v1/ ", "http://127.0.0.1:8080/v1/models"),
            ("http://[::1]:1", "http://[::1]:1/models"),
            ("https://h/a/b//", "https://h/a/b/models"),
        ] {
            assert_eq!(http(base).unwrap().url("/models").as_str(), joined);
        }
        for (base, problem) in [
            ("", "it must begin with http:// or https://"),
            ("h/v1", "it must begin with http:// or https://"),
            ("127.0.0.1:8080/v1", "it must begin with http:// or https://"),
            ("localhost:8080", "it must begin with http:// or https://"),
            ("ftp://h", "it must begin with http:// or https://"),
            ("http://", "empty host"),
            ("https://h/v1?key=1", "it must not hold ? or #"),
        ] {
            assert_eq!(
                http(base).err().map(|error| error.to_string()),
                Some(format!(
                    "{base:?} is no base URL ({problem}); it looks like https://HOST/v1 or http://HOST:PORT"
                ))
            );
        }
        let error = http("https://me:secret@h/v1").err().unwrap();
        assert!(!format!("{error} {error:?}").contains("secret"));
    }

    #[test]
    fn each_vendor_has_its_paths_and_its_header() {
        for (vendor, base, path, joined) in [
            (Vendor::Anthropic, "https://h", "/v1/messages", "https://h/v1/messages"),
            (Vendor::Anthropic, "https://h/a/v1/", "/v1/messages", "https://h/a/v1/messages"),
            (
                Vendor::Gemini,
                "https://h/v1beta",
                "/v1beta/m:x?alt=sse",
                "https://h/v1beta/m:x?alt=sse",
            ),
            (
                Vendor::Gemini,
                "https://h",
                "/v1beta/models/a b/c:x",
                "https://h/v1beta/models/a%20b/c:x",
            ),
        ] {
            let http = Http::new(vendor, &Endpoint::new(base), Timeouts::default()).unwrap();
            assert_eq!(http.url(path).as_str(), joined);
        }
        let header = |vendor| {
            let (name, value) = authorization(vendor, &SecretString::from("k")).unwrap();
            (name.to_string(), value.to_str().map(str::to_owned).unwrap())
        };
        let expected = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(header(Vendor::OpenAi), expected("authorization", "Bearer k"));
        assert_eq!(header(Vendor::Anthropic), expected("x-api-key", "k"));
        assert_eq!(header(Vendor::Gemini), expected("x-goog-api-key", "k"));
    }

    #[test]
    fn a_key_must_fit_into_a_header() {
        let endpoint = Endpoint::new("http://h").with_key("a\nb");
        let error = Http::new(Vendor::OpenAi, &endpoint, Timeouts::default()).err();
        assert_eq!(error, Some(EndpointError::ApiKey));
    }

    #[test]
    fn loopback_is_known_by_address_and_name() {
        let is = |url| is_loopback(&Url::parse(url).unwrap());
        let near =
            ["http://127.0.0.1", "http://127.1.2.3:1", "http://[::1]", "https://localhost/v1"];
        assert!(near.into_iter().all(is));
        assert!(
            !["http://10.0.0.1", "http://example.org", "http://[2001:db8::1]"].into_iter().any(is)
        );
    }
}
