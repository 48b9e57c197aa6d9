//! What becomes of a real server's answers.

use std::path::{Path, PathBuf};

use agent_llm::{
    Endpoint, ErrorKind, FinishReason, OpenAiApi, Options, Part, Reply, ToolCall, Usage, Vendor,
    list_models,
};

use super::server::{Answer, Server};
use super::{ask, once, provider, reply};

/// Reply or error of a capture, as far as it does not depend on the port.
type Outcome = Result<Reply, (ErrorKind, Option<u16>, &'static str)>;

fn said(text: &str, finish: FinishReason, usage: [u64; 3]) -> Outcome {
    let parts = if text.is_empty() { vec![] } else { vec![Part::Text(text.to_owned())] };
    Ok(Reply { parts, finish, usage: counted(usage) })
}

fn called(id: &str, arguments: &str, finish: FinishReason, usage: [u64; 3]) -> Outcome {
    let call = ToolCall {
        id: id.to_owned(),
        name: "read_file".to_owned(),
        arguments: arguments.to_owned(),
    };
    Ok(Reply { parts: vec![Part::Call(call)], finish, usage: counted(usage) })
}

/// Input, cached and output tokens. The streams were asked for without usage.
fn counted([input_tokens, cached_tokens, output_tokens]: [u64; 3]) -> Usage {
    Usage { input_tokens, cached_tokens, output_tokens, ..Usage::default() }
}

const NONE: [u64; 3] = [0; 3];

/// What fills the window.
const STORY: &str = "In the heart of the forest, there was a fox named Timmy. Timmy was a curious and \
             adventurous fox who had always been fascinated by nature and the world around him. \
             Timmy had always been fascinated by the way the world around him looked and felt, and \
             he had always been fascinated by the way the animals around him looked and \
             felt.\n\nOne day, Timmy ran into a group of animals around him. They were all curious \
             and adventurous, and they were all looking for something to eat. Timmy ran";

fn outcome(name: &str) -> Outcome {
    use FinishReason::{Length, Stop, ToolCalls};
    let app = r#"{"path": "app.py"}"#;
    let a = "{\n    \"path\": \"a.py\"\n  }";
    match name {
        "05-chat" => said("Hello!", Stop, [36, 24, 3]),
        "06-chat-stream" => said("Hello!", Stop, NONE),
        "07-chat-stream-usage" => said("1, 2, 3, 4, 5", Stop, [41, 24, 14]),
        "08-chat-length" => said("Once upon a time, in a forest", Length, [37, 24, 8]),
        "09-chat-stream-length" => said("Once upon a time, in a forest", Length, NONE),
        "11-chat-utf8-stream" => said("Good morning! 🐈", Stop, NONE),
        "12-tools-auto" => called("MK5yunqmsLiSl5chmWpASza0qbfJ46b6", app, ToolCalls, [302, 5, 22]),
        "13-tools-auto-stream" => called("MSBdLRLzNKlv7vMaJveElHF7IKgIPBzA", app, ToolCalls, NONE),
        "15-tools-required-stream" => {
            called("YmNzPc8PMIMoukSpGqSLtuL6AXFUaa9a", app, ToolCalls, NONE)
        }
        "19-tools-none-stream" => said(
            "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"app.py\"}}\n```",
            Stop,
            NONE,
        ),
        "20-tools-parallel" => {
            called("a474ELH74AzGwWhx8XCtTnnzhjK6ien1", a, ToolCalls, [310, 290, 30])
        }
        "21-tools-parallel-stream" => {
            called("k3N4UhkdDdKHjRQ6Sa9CBZFwzx6AjGDf", a, ToolCalls, NONE)
        }
        "23-tool-result-stream" => called("I9Vei02oebxRZNXBFUIf2Uj3aP49go0r", app, ToolCalls, NONE),
        "24-json-schema" => said(
            "{\n  \"tool\": \"read_file\",\n  \"reason\": \"To display the contents of the app.py \
             file, I need to read the file and display its contents. The file is located in \
             the\",\n  \"params\": {\n    \"path\": \"app.py\"\n  }\n}",
            Stop,
            [32, 14, 64],
        ),
        "25-json-schema-stream" => said(
            "{\n  \"tool\": \"read_file\",\n  \"reason\": \"To display the contents of the app.py \
             file.\",\n  \"params\": {\n    \"path\": \"app.py\"\n  }\n}",
            Stop,
            NONE,
        ),
        "30-context-overflow" | "31-context-overflow-stream" => Err((
            ErrorKind::ContextTooLong,
            Some(400),
            "request (9030 tokens) exceeds the available context size (8192 tokens), try \
             increasing it (HTTP 400)",
        )),
        "33-invalid-json" => Err((
            ErrorKind::BadRequest,
            Some(400),
            "[json.exception.parse_error.101] parse error at line 1, column 29: syntax error while \
             parsing value - unexpected end of input; expected '[', '{', or a literal (HTTP 400)",
        )),
        "41-not-found" | "44-ollama-tags-404" => {
            Err((ErrorKind::NotFound, Some(404), "File Not Found (HTTP 404)"))
        }
        "46-tool-args-not-json" => Err((
            ErrorKind::Overloaded,
            Some(500),
            "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse \
             error at line 1, column 3: syntax error while parsing object key - invalid literal; \
             last read: '{no'; expected string literal (HTTP 500)",
        )),
        "55-responses" => said("Hello!", Stop, [36, 24, 3]),
        "56-responses-stream" => said("Hello!", Stop, [36, 35, 3]),
        "60-messages" => said("Hello!", Stop, [32, 20, 3]),
        "61-messages-stream" => said("Hello!", Stop, [32, 31, 3]),
        "62-messages-tools" => called(
            "YIyrxsbXcgdoTgaTc6U0zuF8AZrWmVSS",
            "{\"path\":\"app.py\"}",
            ToolCalls,
            [302, 292, 22],
        ),
        "63-messages-tools-stream" => {
            called("l6fC80TEcQkPPUgb2ooZpmiqJs1akxsu", app, ToolCalls, [302, 301, 22])
        }
        "64-messages-tools-any" => called(
            "eedOA5ictUVaZ74mWd5D4Z2KSJOPbjYB",
            "{\"path\":\"app.py\"}",
            ToolCalls,
            [302, 301, 22],
        ),
        "66-messages-tool-result" => called(
            "GX5dZKUAXiapNQcla4pdn1nWjx3ci9Dx",
            "{\"path\":\"app.py\"}",
            ToolCalls,
            [346, 323, 22],
        ),
        "67-messages-max-tokens" => said("I'm sorry, but I", Length, [30, 20, 6]),
        "69-messages-overflow" => Err((
            ErrorKind::ContextTooLong,
            Some(400),
            "request (9026 tokens) exceeds the available context size (8192 tokens), try \
             increasing it (HTTP 400)",
        )),
        "70-messages-bad" => {
            Err((ErrorKind::Overloaded, Some(500), "'messages' is required (HTTP 500)"))
        }
        "84-wrong-key-messages" => {
            Err((ErrorKind::Unauthorized, Some(401), "Invalid API Key (HTTP 401)"))
        }
        "88-context-full-messages-stream" => said(STORY, Length, [408, 407, 104]),
        "91-messages-tool-call-cut-stream" => said("", Length, [169, 69, 10]),
        "96-messages-stream-ping" => said("I'm sorry, but I", Length, [2525, 23, 6]),
        "81-chat-loading" => Err((ErrorKind::Overloaded, Some(503), "Loading model (HTTP 503)")),
        "82-no-key" => Err((ErrorKind::Unauthorized, Some(401), "Invalid API Key (HTTP 401)")),
        "87-context-full-mid-reply-stream" => said(STORY, Length, NONE),
        "89-tool-call-cut" => said("```json\n{\n  \"name\": \"read", Length, [178, 5, 10]),
        "90-tool-call-cut-stream" => said("", Length, NONE),
        "92-tool-call-cut-in-arguments" => {
            called("2lTW8UolA3sXSZ5BqJxs0naO2oUhqt3N", "{\n    \"path", Length, [184, 14, 20])
        }
        "93-tool-call-cut-in-arguments-stream" => {
            called("2hYXDvCRrQkwXrMxn5VuMNErKsXrMvoY", "{\n    \"path", Length, NONE)
        }
        "94-stream-ping" | "95-stream-progress" => said("I'm sorry, but I", Length, NONE),
        "official-template-tools-auto-stream" => said(
            "```json\n{\n  \"name\": \"read_file\",\n  \"arguments\": {\n    \"path\": \
             \"app.py\"\n  }\n}\n```",
            Stop,
            NONE,
        ),
        _ => panic!("{name}: no outcome is stated"),
    }
}

const MODELS: &str = "01-models";

/// The names of all captures.
#[expect(clippy::disallowed_methods, reason = "the captures lie beside the sources")]
fn names() -> Vec<String> {
    let files = std::fs::read_dir(directory()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> =
        names.filter_map(|name| Some(name.strip_suffix(".response.http")?.to_owned())).collect();
    names.sort();
    names
}

#[expect(clippy::disallowed_methods, reason = "the captures lie beside the sources")]
fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(directory().join(format!("{name}.response.http"))).unwrap()
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/captures/llama-cpp")
}

/// The wire format that a capture is in.
fn dialect(name: &str) -> (Vendor, OpenAiApi) {
    match name {
        name if name.contains("messages") => (Vendor::Anthropic, OpenAiApi::Chat),
        name if name.contains("responses") => (Vendor::OpenAi, OpenAiApi::Responses),
        _ => (Vendor::OpenAi, OpenAiApi::Chat),
    }
}

async fn check(name: &str, answer: Answer) {
    let server = Server::start(vec![answer]);
    let (vendor, openai_api) = dialect(name);
    let options = Options { openai_api, ..once() };
    let came = reply(&*provider(vendor, &server.url, &options), ask("go")).await;
    match (came, outcome(name)) {
        (Err(error), Err((kind, status, message))) => {
            assert_eq!((error.kind, error.status), (kind, status), "{name}");
            // Of a foreign body only the beginning is stated.
            let starts = kind == ErrorKind::BadReply && error.message.starts_with(message);
            assert!(starts || error.message == message, "{name}: {}", error.message);
            assert_eq!(error.provider, format!("{} ({})", vendor.name(), server.url));
        }
        (came, expected) => {
            assert_eq!(came.ok(), expected.ok(), "{name}");
        }
    }
}

#[tokio::test]
async fn every_capture_has_its_outcome() {
    let names = names();
    assert!(names.len() > 30);
    for name in names.iter().filter(|name| *name != MODELS) {
        check(name, Answer::Whole(bytes(name))).await;
    }
}

#[tokio::test]
async fn packets_of_one_byte_make_no_difference() {
    for name in [
        "05-chat",
        "11-chat-utf8-stream",
        "13-tools-auto-stream",
        "63-messages-tools-stream",
        "56-responses-stream",
        "82-no-key",
    ] {
        check(name, Answer::Trickle(bytes(name))).await;
    }
}

#[tokio::test]
async fn models_are_listed() {
    let server = Server::start(vec![Answer::Whole(bytes(MODELS))]);
    let endpoint = Endpoint::new(server.url.clone() + "/v1");
    let models = list_models(Vendor::OpenAi, &endpoint, once().timeouts).await;
    assert_eq!(models, Ok(vec!["qwen2.5-coder-1.5b".to_owned()]));
    assert!(server.received()[0].head.starts_with("GET /v1/models HTTP/1.1\r\n"));
}
