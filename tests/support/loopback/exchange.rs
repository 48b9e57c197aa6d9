//! One connection: requests in, answers out.

use std::{
    io::{self, BufReader},
    net::{Shutdown, TcpStream},
    thread,
    time::Instant,
};

use serde_json::{Value, json};

use super::{
    Answer, Asked, Care, Dialect, Exchange, Said, State, anthropic, gemini, http, ollama, openai,
    responses,
};

/// The content type of server-sent events.
const EVENTS: &str = "text/event-stream; charset=utf-8";

/// Serves a connection until the client closes it, or an answer does.
pub(super) fn serve(mut stream: TcpStream, state: &State) -> io::Result<()> {
    // An answer is one write; waiting to join it with the next would only delay it.
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = http::Request::read(&mut reader)? {
        let asked = Instant::now();
        if request.method == "GET" {
            list_models(&mut stream, state, &request.path)?;
            continue;
        }
        if state.dialect == Dialect::Ollama && request.path == "/api/show" {
            http::respond(&mut stream, 200, &[], &ollama::shown().to_string())?;
            continue;
        }
        if state.care == Care::Lenient && !is_chat(state.dialect, &request) {
            http::respond(&mut stream, 404, &[], "{}")?;
            continue;
        }
        let answer = answer(state, &request);
        let cut = matches!(answer, Answer::Cut(..));
        // Both times have to stand before the client can send its next request.
        let number = {
            let mut course = state.course();
            let pairs = course.last.iter().zip(&request.body);
            let shared = pairs.take_while(|(before, now)| before == now).count();
            let bytes = request.body.len();
            course.exchanges.push(Exchange { asked, answered: asked, bytes, shared });
            course.last = request.body;
            course.exchanges.len() - 1
        };
        write(&mut stream, state.dialect, &request.path, answer)?;
        // The server may have stopped meanwhile, and its record been taken.
        if let Some(exchange) = state.course().exchanges.get_mut(number) {
            exchange.answered = Instant::now();
        }
        if cut {
            return stream.shutdown(Shutdown::Both);
        }
    }
    Ok(())
}

fn list_models(stream: &mut TcpStream, state: &State, path: &str) -> io::Result<()> {
    let body = match (state.dialect, path) {
        (Dialect::OpenAi | Dialect::Responses, "/v1/models") => openai::models(),
        (Dialect::Anthropic, "/v1/models?limit=1000") => anthropic::models(),
        (Dialect::Gemini, "/v1beta/models?pageSize=1000") => gemini::models(),
        (Dialect::Ollama, "/api/tags") => ollama::models(),
        (_, _) => {
            state.course().problems.push(format!("GET {path}: no such path"));
            return http::respond(stream, 404, &[], "{}");
        }
    };
    http::respond(stream, 200, &[], &body.to_string())
}

/// Looks at a chat request and asks the model.
fn answer(state: &State, request: &http::Request) -> Answer {
    let mut course = state.course();
    let number = course.exchanges.len() + 1;
    let parsed = match state.care {
        Care::Strict => parse(state.dialect, request),
        Care::Lenient => {
            return (course.model)(&glance(request)).unwrap_or_else(|problem| refusal(&problem));
        }
    };
    let result = parsed.and_then(|asked| {
        let problems = course.conversation.take(&asked);
        let problems = problems.into_iter().map(|problem| format!("request {number}: {problem}"));
        course.problems.extend(problems);
        (course.model)(&asked)
    });
    result.unwrap_or_else(|problem| {
        course.problems.push(format!("request {number}: {problem}"));
        refusal(&problem)
    })
}

fn refusal(problem: &str) -> Answer {
    let body = json!({ "error": { "message": problem, "type": "invalid_request_error" } });
    Answer::Other { status: 400, headers: Vec::new(), body: body.to_string() }
}

/// What a request says of its tools, if it says anything.
fn glance(request: &http::Request) -> Asked {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    Asked { purpose: None, messages: Vec::new(), tools: body["tools"].clone() }
}

/// Where a chat request goes.
fn chat_path(dialect: Dialect, request: &http::Request) -> &'static str {
    match dialect {
        Dialect::OpenAi => "/v1/chat/completions",
        Dialect::Responses => "/v1/responses",
        Dialect::Anthropic => "/v1/messages",
        Dialect::Gemini => "/v1beta/models/scripted:streamGenerateContent?alt=sse",
        Dialect::Ollama if request.path == ollama::GENERATE => ollama::GENERATE,
        Dialect::Ollama => "/api/chat",
    }
}

fn is_chat(dialect: Dialect, request: &http::Request) -> bool {
    let path = request.path.split('?').next();
    request.method == "POST" && path == chat_path(dialect, request).split('?').next()
}

fn parse(dialect: Dialect, request: &http::Request) -> Result<Asked, String> {
    let path = chat_path(dialect, request);
    if (request.method.as_str(), request.path.as_str()) != ("POST", path) {
        return Err(format!("{} {} instead of POST {path}", request.method, request.path));
    }
    let content_type = request.header("content-type").unwrap_or_default();
    if content_type.split(';').next() != Some("application/json") {
        return Err(format!("the content type is {content_type:?}"));
    }
    let body: Value = serde_json::from_slice(&request.body)
        .map_err(|error| format!("the body is no JSON: {error}"))?;
    match dialect {
        Dialect::OpenAi => openai::parse(&body),
        Dialect::Responses => responses::parse(&body),
        Dialect::Anthropic => anthropic::parse(request, &body),
        Dialect::Gemini => gemini::parse(request, &body),
        Dialect::Ollama if path == ollama::GENERATE => ollama::parse_completion(&body),
        Dialect::Ollama => ollama::parse(&body),
    }
}

fn write(stream: &mut TcpStream, dialect: Dialect, path: &str, answer: Answer) -> io::Result<()> {
    let (said, cut) = match answer {
        Answer::Whole(said) => (said, None),
        Answer::Late(said, silence) => {
            thread::sleep(silence);
            (said, None)
        }
        Answer::Cut(said, bytes) => (said, Some(bytes)),
        Answer::Other { status, headers, body } => {
            return http::respond(stream, status, &headers, &body);
        }
    };
    let (content_type, body) = spoken(dialect, path, &said);
    http::stream(stream, content_type, body.as_bytes(), cut)
}

fn spoken(dialect: Dialect, path: &str, said: &Said) -> (&'static str, String) {
    match dialect {
        Dialect::OpenAi => (EVENTS, openai::reply(said)),
        Dialect::Responses => (EVENTS, responses::reply(said)),
        Dialect::Anthropic => (EVENTS, anthropic::reply(said)),
        Dialect::Gemini => (EVENTS, gemini::reply(said)),
        Dialect::Ollama if path == ollama::GENERATE => {
            ("application/x-ndjson", ollama::completion(said))
        }
        Dialect::Ollama => ("application/x-ndjson", ollama::reply(said)),
    }
}
