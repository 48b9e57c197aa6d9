//! `OLLAMA_HOST`, read as Ollama's own client reads it.

use std::net::{IpAddr, Ipv6Addr};

use crate::EndpointError;

const PORT: &str = "11434";

/// The base URL that a value of `OLLAMA_HOST` means: `HOST`, `HOST:PORT`, `:PORT` or a URL.
///
/// The rules are those of Ollama's client: without a scheme the port is 11434 by default, with
/// one it is the scheme's; quotes and spaces around the value are taken off; what is no port
/// becomes the default one. Since the variable also tells the server where to listen, an
/// unspecified address (`0.0.0.0`, `[::]`, none) stands for loopback.
///
/// # Errors
///
/// [`EndpointError::OllamaHost`] where that makes no URL.
pub fn ollama_base_url(host: &str) -> Result<String, EndpointError> {
    let invalid = || EndpointError::OllamaHost(host.to_owned());
    let text = host.trim().trim_matches(['"', '\'']).trim();
    let (scheme, rest, default_port) = match text.split_once("://") {
        None => ("http", text, PORT),
        Some(("http", "ollama.com")) => ("https", "ollama.com", "443"),
        Some(("http", rest)) => ("http", rest, "80"),
        Some(("https", rest)) => ("https", rest, "443"),
        Some(_) => return Err(invalid()),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (name, port) = split_port(authority).unwrap_or((authority, default_port));
    let port = match port.parse::<u16>() {
        Ok(_) => port,
        Err(_) => {
            tracing::warn!(port, default = default_port, "OLLAMA_HOST has no valid port");
            default_port
        }
    };
    let base = format!("{scheme}://{}:{port}/{path}", connectable(name));
    let base = base.trim_end_matches('/');
    let host = reqwest::Url::parse(base).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.map(|_| base.to_owned()).ok_or_else(invalid)
}

/// Splits `HOST:PORT`; `None` where there is no port, as in an IPv6 address without brackets.
fn split_port(authority: &str) -> Option<(&str, &str)> {
    let (name, port) = authority.rsplit_once(':')?;
    let bare_ipv6 = name.contains(':') && !name.ends_with(']');
    let inside_brackets = port.contains(']');
    (!bare_ipv6 && !inside_brackets).then_some((name, port))
}

/// An address that can be connected to, as a URL writes it.
fn connectable(name: &str) -> String {
    if name.is_empty() {
        return "127.0.0.1".to_owned();
    }
    match name.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => "127.0.0.1".to_owned(),
        Ok(IpAddr::V4(address)) => address.to_string(),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        Err(_) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_makes_a_base_url() {
        let cases = [
            ("", "http://127.0.0.1:11434"),
            ("  ", "http://127.0.0.1:11434"),
            ("localhost", "http://localhost:11434"),
            ("example.com:1234", "http://example.com:1234"),
            ("1.2.3.4", "http://1.2.3.4:11434"),
            (":11434", "http://127.0.0.1:11434"),
            (":80", "http://127.0.0.1:80"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:1234", "http://127.0.0.1:1234"),
            ("::", "http://[::1]:11434"),
            ("[::]:1234", "http://[::1]:1234"),
            ("::1", "http://[::1]:11434"),
            ("[::1]", "http://[::1]:11434"),
            ("[::1]:1337", "http://[::1]:1337"),
            ("\"127.0.0.1:1\"", "http://127.0.0.1:1"),
            (" 'h:1' ", "http://h:1"),
            ("http://h", "http://h:80"),
            ("https://h", "https://h:443"),
            ("https://h:1234/", "https://h:1234"),
            ("https://h/some/path/", "https://h:443/some/path"),
            ("h:1/path", "http://h:1/path"),
            ("http://ollama.com", "https://ollama.com:443"),
            ("h:99999", "http://h:11434"),
            ("https://h:-1", "https://h:443"),
            ("h:x", "http://h:11434"),
        ];
        for (host, base) in cases {
            assert_eq!(ollama_base_url(host).as_deref(), Ok(base), "{host:?}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for host in ["ftp://h", "a b", "http://[x", "a:b:c"] {
            assert_eq!(
                ollama_base_url(host).map_err(|error| error.to_string()),
                Err(format!(
                    "{host:?} is neither HOST, HOST:PORT nor a URL; it looks like 127.0.0.1:11434"
                ))
            );
        }
    }
}
