//! A client that does nothing but send: the conversation as text that grows, over one connection.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
};

use crate::{Failure, text};

const HEAD: &str = concat!(
    r#"{"model":"scripted","stream":true,"stream_options":{"include_usage":true},"#,
    r#""tools":[{"type":"function","function":{"name":"read_file","description":"Read.","#,
    r#""parameters":{"type":"object"}}}],"messages":[{"role":"user","content":"Read on."}"#,
);

/// Talks to the server at `url` until every turn is over.
pub(super) fn drive(url: &str) -> Result<(), Failure> {
    let address = url.trim_start_matches("http://").trim_end_matches("/v1");
    let mut stream = TcpStream::connect(address).map_err(text)?;
    stream.set_nodelay(true).map_err(text)?;
    let mut reader = BufReader::new(stream.try_clone().map_err(text)?);
    let mut body = HEAD.to_owned();
    for turn in 1..=super::TURNS + 1 {
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}]}}",
            body.len() + 2
        );
        stream.write_all(request.as_bytes()).map_err(text)?;
        skip_response(&mut reader).map_err(text)?;
        body.push_str(&format!(
            r#",{{"role":"assistant","tool_calls":[{{"id":"call_{turn}","type":"function","function":{{"name":"read_file","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"call_{turn}","content":"a.txt: 20 lines\n    1\ta line of text\n"}}"#
        ));
    }
    Ok(())
}

/// Reads a chunked response to its end.
fn skip_response(reader: &mut impl BufRead) -> std::io::Result<()> {
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim_end(), 16).map_err(std::io::Error::other)?;
        reader.read_exact(&mut vec![0; size + 2])?;
        if size == 0 {
            return Ok(());
        }
    }
}
