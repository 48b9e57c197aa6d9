//! What is sent.

use std::sync::Arc;

use agent_llm::{
    Endpoint, Message, Options, Part, Purpose, Reply, Request, ToolCall, ToolResult, Vendor,
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

#[tokio::test]
async fn each_request_begins_with_the_one_before() {
    for (vendor, answer, path) in [
        (Vendor::OpenAi, OK, "POST /v1/chat/completions"),
        (Vendor::Ollama, OLLAMA_OK, "POST /v1/api/chat"),
    ] {
        let server = Server::start((0..4).map(|_| keep_open(answer)).collect());
        let provider = provider(vendor, &format!("{}/v1/", server.url), &once());
        let mut conversation = vec![Arc::new(Message::User("go".to_owned()))];
        for step in 0..4 {
            let request = Request::new(Purpose::Decide, conversation.clone());
            assert_eq!(
                reply(&*provider, request).await.map(|reply| reply.text()),
                Ok("ok".to_owned())
            );
            grow(&mut conversation, step);
        }
        let received = server.received();
        assert_eq!(received.len(), 4);
        for pair in received.windows(2) {
            let shared = pair[0].body.strip_suffix("]}").unwrap();
            assert!(pair[1].body.starts_with(shared), "{} {}", pair[0].body, pair[1].body);
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
