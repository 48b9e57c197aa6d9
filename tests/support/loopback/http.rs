//! As much of HTTP/1.1 as a model server needs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Reads the next request of a connection; [`None`] where the client has closed it.
    pub(super) fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Self>> {
        let mut first = String::new();
        if stream.read_line(&mut first)? == 0 {
            return Ok(None);
        }
        let mut words = first.split_whitespace().map(str::to_owned);
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(io::Error::other(format!("not a request line: {first:?}")));
        };
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Self { method, path, headers, body: Vec::new() };
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        request.body = vec![0; length.unwrap_or(0)];
        stream.read_exact(&mut request.body)?;
        Ok(Some(request))
    }

    /// The value of a header, by its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Sends a whole response and keeps the connection.
pub(super) fn respond(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &str,
) -> io::Result<()> {
    let mut response = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        response.push_str("Content-Type: application/json; charset=utf-8\r\n");
    }
    for (name, value) in headers {
        response.push_str(&format!("{name}: {value}\r\n"));
    }
    response.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    stream.write_all(response.as_bytes())
}

/// Sizes of the chunks in which a stream is sent, over and over. They agree with no line and no
/// character, as little as those of a real connection do.
const CHUNKS: [usize; 5] = [61, 257, 7, 120, 1024];

/// Sends `body` in chunks: all of it, or without an end after `cut` bytes.
pub(super) fn stream(
    stream: &mut TcpStream,
    content_type: &str,
    body: &[u8],
    cut: Option<usize>,
) -> io::Result<()> {
    let mut response = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nCache-Control: no-cache\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    )
    .into_bytes();
    let mut rest = &body[..cut.unwrap_or(body.len()).min(body.len())];
    for size in CHUNKS.into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        write!(response, "{:x}\r\n", chunk.len())?;
        response.extend_from_slice(chunk);
        response.extend_from_slice(b"\r\n");
        rest = after;
    }
    if cut.is_none() {
        response.extend_from_slice(b"0\r\n\r\n");
    }
    stream.write_all(&response)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Payload Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
