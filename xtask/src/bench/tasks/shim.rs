//! A server that speaks Ollama's format and asks an OpenAI-compatible one: what it takes to run
//! the Ollama client against a real model where there is no Ollama.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use serde_json::{Value, json};

use crate::{Failure, text};

/// Starts it on a port of its own, for as long as the program runs.
pub(super) fn start(base_url: &str) -> Result<String, Failure> {
    let upstream = base_url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").map_err(text)?;
    let address = listener.local_addr().map_err(text)?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let upstream = upstream.clone();
            thread::spawn(move || drop(serve(stream, &upstream)));
        }
    });
    Ok(format!("http://{address}"))
}

/// Answers the requests of one connection.
fn serve(stream: TcpStream, upstream: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    while let Some((line, body)) = message(&mut reader)? {
        let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        let asked: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let (status, answer) = match answer(&path, &asked, upstream) {
            Ok(answer) => ("200 OK", answer),
            Err(problem) => ("500 Internal Server Error", json!({ "error": problem }).to_string()),
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n{answer}",
            answer.len()
        )?;
        stream.flush()?;
    }
    Ok(())
}

/// The first line and the body of a message; nothing where the connection has ended.
fn message(reader: &mut impl BufRead) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((first, body)))
}

fn answer(path: &str, asked: &Value, upstream: &str) -> Result<String, String> {
    match path {
        "/api/chat" => {
            let messages = asked.get("messages").cloned().unwrap_or_default();
            let (words, usage) = complete(asked, &messages, upstream)?;
            let message = json!({ "role": "assistant", "content": words });
            Ok(lines(&json!({ "message": message, "done": false }), &usage))
        }
        "/api/generate" => {
            let text = |key: &str| asked.get(key).and_then(Value::as_str).unwrap_or_default();
            let mut messages = vec![json!({ "role": "user", "content": text("prompt") })];
            if !text("system").is_empty() {
                messages.insert(0, json!({ "role": "system", "content": text("system") }));
            }
            let (words, usage) = complete(asked, &json!(messages), upstream)?;
            Ok(lines(&json!({ "response": words, "done": false }), &usage))
        }
        "/api/show" => Ok(json!({
            "details": { "family": "qwen2", "parameter_size": "1.5B" },
            "model_info": { "qwen2.context_length": 32768 },
            "capabilities": ["completion"],
        })
        .to_string()),
        "/api/tags" => Ok(json!({ "models": [{ "name": "local" }] }).to_string()),
        "/api/version" => Ok(json!({ "version": "0.0.0" }).to_string()),
        other => Err(format!("{other} is not spoken here")),
    }
}

fn lines(words: &Value, usage: &Value) -> String {
    let count = |key: &str| usage.get(key).cloned().unwrap_or(Value::from(0));
    let mut last = words.clone();
    for key in ["message", "response"] {
        if let Some(value) = last.get_mut(key) {
            *value = if key == "message" {
                json!({ "role": "assistant", "content": "" })
            } else {
                json!("")
            };
        }
    }
    last["done"] = json!(true);
    last["done_reason"] = json!("stop");
    last["prompt_eval_count"] = count("prompt_tokens");
    last["eval_count"] = count("completion_tokens");
    format!("{words}\n{last}\n")
}

/// Asks the other server: the words of its reply, and what it cost.
fn complete(asked: &Value, messages: &Value, upstream: &str) -> Result<(String, Value), String> {
    let (host, base) = upstream.split_once('/').unwrap_or((upstream, ""));
    let options = asked.get("options").cloned().unwrap_or_default();
    let mut body = json!({ "model": "local", "messages": messages, "stream": false });
    for (ours, theirs) in [("temperature", "temperature"), ("num_predict", "max_tokens")] {
        if let Some(value) = options.get(ours) {
            body[theirs] = value.clone();
        }
    }
    if let Some(schema) = asked.get("format").filter(|format| format.is_object()) {
        body["response_format"] =
            json!({ "type": "json_schema", "json_schema": { "name": "format", "schema": schema } });
    }
    let body = body.to_string();
    let mut stream = TcpStream::connect(host).map_err(|error| error.to_string())?;
    write!(
        stream,
        "POST /{base}/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .map_err(|error| error.to_string())?;
    let read = message(&mut BufReader::new(stream)).map_err(|error| error.to_string())?;
    let (_, reply) = read.ok_or("the server closed the connection")?;
    let reply: Value = serde_json::from_slice(&reply).map_err(|error| error.to_string())?;
    let words = reply.pointer("/choices/0/message/content").and_then(Value::as_str);
    let words = words.ok_or_else(|| reply.to_string())?.to_owned();
    Ok((words, reply.get("usage").cloned().unwrap_or_default()))
}
