//! What is sent.

use std::sync::Arc;

use agent_llm::{
    Endpoint, Message, ModelDescription, OpenAiApi, Options, Part, Purpose, Reply, Request,
    ServedModel, Support, ToolCall, ToolChoice, ToolResult, ToolSpec, Vendor, describe,
    list_models,
};

use super::server::{Answer, Server, chunked, response};
use super::{ask, once, provider, reply};

const OK: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const OLLAMA_OK: &str = "{\"message\":{\"role\":\"assistant\",\"content\":\"ok\"},\"done_reason\":\"stop\",\"done\":true}\n";

fn keep_open(body: &str) -> Answer {
    Answer::KeepOpen(chunked(&[body], "0\r\n\r\n"))
}

/// A conversation that grows by one step at a time.
fn grow(conversation: &mut Vec<Arc<Message>>, step: usize) {
    let call = ToolCall {
        id: format!("call_{step}"),
        name: "read".to_owned(),
        arguments: format!("{{\"path\": \"{step}\"}}"),
    };
    let result = ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: "text \"quoted\"".to_owned(),
    };
    conversation.push(Arc::new(Message::Assistant(vec![Part::Call(call)])));
    conversation.push(Arc::new(Message::Tool(result)));
}

/// What a dialect answers, and where it is asked.
type Spoken = (Vendor, OpenAiApi, &'static str, &'static str);

const DIALECTS: [Spoken; 5] = [
    (Vendor::OpenAi, OpenAiApi::Chat, OK, "POST /chat/completions"),
    (
        Vendor::OpenAi,
        OpenAiApi::Responses,
        "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"ok\"}]}]}}\n\n",
        "POST /responses",
    ),
    (
        Vendor::Anthropic,
        OpenAiApi::Chat,
        "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}],\"stop_reason\":\"end_turn\"}",
        "POST /v1/messages",
    ),
    (
        Vendor::Gemini,
        OpenAiApi::Chat,
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"ok\"}]},\"finishReason\":\"STOP\"}]}\n\n",
        "POST /v1beta/models/m:streamGenerateContent?alt=sse",
    ),
    (Vendor::Ollama, OpenAiApi::Chat, OLLAMA_OK, "POST /api/chat"),
];

/// The bytes that two requests begin with alike.
fn shared(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// A hundred decisions, then the wording of the response: each request begins with at least 99 %
/// of the one before.
#[tokio::test]
async fn each_request_begins_with_the_one_before() {
    const TURNS: usize = 100;
    for (vendor, openai_api, answer, path) in DIALECTS {
        let server = Server::start((0..=TURNS).map(|_| keep_open(answer)).collect());
        let options = Options { openai_api, ..once() };
        let provider = provider(vendor, &format!("{}/", server.url), &options);
        let system = "Use the tools. ".repeat(100);
        let mut conversation =
            vec![Arc::new(Message::System(system)), Arc::new(Message::User("go".to_owned()))];
        let parameters = serde_json::json!({ "type": "object" });
        let (name, description) = ("read".to_owned(), "Reads a file".to_owned());
        let tools: Arc<[ToolSpec]> = Arc::from([ToolSpec { name, description, parameters }]);
        for step in 0..=TURNS {
            let mut request = Request::new(Purpose::Decide, conversation.clone());
            request.tools = Arc::clone(&tools);
            if step == TURNS {
                request.purpose = Purpose::Response;
                request.tool_choice = ToolChoice::None;
            }
            let said = reply(&*provider, request).await.map(|reply| reply.text());
            assert_eq!(said, Ok("ok".to_owned()), "{path}");
            grow(&mut conversation, step);
        }
        let received = server.received();
        assert_eq!(received.len(), TURNS + 1);
        for (number, pair) in received.windows(2).enumerate() {
            let (old, new) = (&pair[0].body, &pair[1].body);
            let kept = shared(old, new);
            assert!(kept * 100 >= old.len() * 99, "{path} {number}: {kept} of {}", old.len());
        }
        assert!(received[0].head.starts_with(path), "{}", received[0].head);
        assert_eq!(received[0].header("content-type"), Some("application/json"));
        assert_eq!(received[0].header("authorization"), None);
    }
}

#[tokio::test]
async fn nothing_is_sent_before_the_stream_is_polled() {
    let server = Server::start(vec![keep_open(OK)]);
    let provider = provider(Vendor::OpenAi, &server.url, &once());
    let stream = provider.send(ask("go"));
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(server.received().len(), 0);
    assert_eq!(Reply::collect(stream).await.unwrap().text(), "ok");
}

#[tokio::test]
async fn ollama_gets_its_window() {
    let server = Server::start(vec![keep_open(OLLAMA_OK)]);
    let options = Options { num_ctx: Some(16_384), ..once() };
    let provider = provider(Vendor::Ollama, &server.url, &options);
    assert_eq!(provider.model(), "ollama/m");
    reply(&*provider, ask("go")).await.unwrap();
    let expected = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}],"options":{"num_ctx":16384}}"#;
    assert_eq!(server.received()[0].body, expected);
}

#[tokio::test]
async fn ollama_lists_its_models() {
    let tags =
        r#"{"models":[{"name":"qwen3:8b","model":"qwen3:8b","size":1},{"name":"b:latest"}]}"#;
    let server = Server::start(vec![
        Answer::KeepOpen(response("200 OK", "", tags)),
        Answer::Whole(response("200 OK", "connection: close\r\n", r#"{"data":[]}"#)),
    ]);
    let endpoint = Endpoint::new(server.url.clone());
    let list = || list_models(Vendor::Ollama, &endpoint, once().timeouts);
    assert_eq!(list().await, Ok(vec!["qwen3:8b".to_owned(), "b:latest".to_owned()]));
    assert!(server.received()[0].head.starts_with("GET /api/tags HTTP/1.1\r\n"));
}

/// What a server says of a model: its answer, what was asked, and what comes of it.
type Said = (Vendor, &'static str, &'static str, ModelDescription);

#[tokio::test]
async fn servers_describe_their_models() {
    let told = |window, output, tools| ModelDescription {
        context_window: window,
        max_output_tokens: output,
        tools,
    };
    let cases: [Said; 6] = [
        (
            Vendor::Ollama,
            r#"{"capabilities":["completion","tools"],"model_info":{"general.architecture":"qwen2","qwen2.context_length":32768}}"#,
            "POST /api/show",
            told(Some(32_768), None, Support::Yes),
        ),
        (
            Vendor::Ollama,
            r#"{"capabilities":["completion"],"model_info":{}}"#,
            "POST /api/show",
            told(None, None, Support::No),
        ),
        (
            Vendor::OpenAi,
            r#"{"data":[{"id":"n"},{"id":"m","meta":{"n_ctx":8192,"n_ctx_train":32768}}]}"#,
            "GET /models",
            told(Some(8192), None, Support::Unknown),
        ),
        (
            Vendor::OpenAi,
            r#"{"data":[{"id":"m","max_model_len":4096}]}"#,
            "GET /models",
            told(Some(4096), None, Support::Unknown),
        ),
        (
            Vendor::Anthropic,
            r#"{"id":"m","type":"model","max_input_tokens":1000000,"max_tokens":128000}"#,
            "GET /v1/models/m",
            told(Some(1_000_000), Some(128_000), Support::Unknown),
        ),
        (
            Vendor::Gemini,
            r#"{"name":"models/m","inputTokenLimit":1048576,"outputTokenLimit":65536}"#,
            "GET /v1beta/models/m",
            told(Some(1_048_576), Some(65_536), Support::Unknown),
        ),
    ];
    for (vendor, answer, asked, expected) in cases {
        let server = Server::start(vec![Answer::Whole(response("200 OK", "", answer))]);
        let model = ServedModel { vendor, model: "m".to_owned() };
        let endpoint = Endpoint::new(server.url.clone());
        let described = describe(&model, &endpoint, once().timeouts).await;
        assert_eq!(described, Ok(expected), "{asked}");
        let head = &server.received()[0].head;
        assert!(head.starts_with(&format!("{asked} HTTP/1.1")), "{head}");
    }
}

#[tokio::test]
async fn a_llama_cpp_tells_what_it_serves() {
    let list = r#"{"data":[{"id":"big.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":32768}}]}"#;
    let props = r#"{"default_generation_settings":{"n_ctx":8192},"chat_template_caps":{"supports_tools":false}}"#;
    for (props, window, tools) in [
        (props, 8192, Support::No),
        ("{}", 32_768, Support::Unknown),
        ("no JSON", 32_768, Support::Unknown),
    ] {
        let answers = [list, props].map(|body| Answer::Whole(response("200 OK", "", body)));
        let server = Server::start(answers.into());
        let model = ServedModel { vendor: Vendor::OpenAi, model: "any".to_owned() };
        let endpoint = Endpoint::new(format!("{}/v1", server.url));
        let described = describe(&model, &endpoint, once().timeouts).await;
        let expected =
            ModelDescription { context_window: Some(window), max_output_tokens: None, tools };
        assert_eq!(described, Ok(expected), "{props}");
        let asked = server.received();
        assert!(asked[0].head.starts_with("GET /v1/models HTTP/1.1"), "{}", asked[0].head);
        assert!(asked[1].head.starts_with("GET /props HTTP/1.1"), "{}", asked[1].head);
    }
}
