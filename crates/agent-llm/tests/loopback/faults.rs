//! What goes wrong between a client and a server, and what comes of it.

use std::time::{Duration, Instant};

use agent_llm::{
    Delta, Endpoint, Error, ErrorKind, Options, RetryPolicy, ServedModel, Vendor, connect,
    list_models,
};
use futures_util::StreamExt;

use super::server::{Answer, Server, chunked, response, stream};
use super::{ask, once, provider, reply};

const OK: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";

fn whole(bytes: Vec<u8>) -> Answer {
    Answer::Whole(bytes)
}

/// Options that retry without losing time.
fn quick() -> Options {
    let base_delay = Duration::from_millis(1);
    Options { retry: RetryPolicy { base_delay, ..RetryPolicy::default() }, ..once() }
}

/// The attempts that failed, by kind, and what came of the last one.
async fn outcome(server: &Server) -> (Vec<ErrorKind>, Result<String, Error>) {
    let provider = provider(Vendor::OpenAi, &server.url, &quick());
    let mut deltas = provider.send(ask("go"));
    let (mut failed, mut text) = (Vec::new(), String::new());
    while let Some(delta) = deltas.next().await {
        match delta {
            Ok(Delta::Text(words)) => text.push_str(&words),
            Ok(Delta::Retry(retry)) => {
                text.clear();
                failed.push(retry.error.kind);
            }
            Ok(_) => {}
            Err(error) => return (failed, Err(error)),
        }
    }
    (failed, Ok(text))
}

#[tokio::test]
async fn a_rate_limit_passes() {
    let limited = response("429 Too Many Requests", "retry-after: 1\r\n", "{\"error\":\"slow\"}");
    let server = Server::start(vec![whole(limited), whole(stream(OK))]);
    let before = Instant::now();
    assert_eq!(outcome(&server).await, (vec![ErrorKind::RateLimited], Ok("ok".to_owned())));
    assert!(before.elapsed() >= Duration::from_secs(1));
    let received = server.received();
    assert_eq!(received[0].body, received[1].body);
}

#[tokio::test]
async fn three_breakdowns_are_survived_and_four_are_not() {
    let broken = || whole(response("500 Internal Server Error", "", "no"));
    let server = Server::start(vec![broken(), broken(), broken(), whole(stream(OK))]);
    assert_eq!(outcome(&server).await, (vec![ErrorKind::Overloaded; 3], Ok("ok".to_owned())));

    let server = Server::start(vec![broken(), broken(), broken(), broken()]);
    let (failed, last) = outcome(&server).await;
    assert_eq!(failed, [ErrorKind::Overloaded; 3]);
    assert_eq!(last.unwrap_err().message, "no (HTTP 500); gave up after 4 attempts");
}

#[tokio::test]
async fn what_cannot_pass_is_sent_once() {
    for (status, kind) in [
        ("400 Bad Request", ErrorKind::BadRequest),
        ("401 Unauthorized", ErrorKind::Unauthorized),
        ("403 Forbidden", ErrorKind::Unauthorized),
        ("404 Not Found", ErrorKind::NotFound),
    ] {
        let server = Server::start(vec![whole(response(status, "", "")), whole(stream(OK))]);
        let (failed, last) = outcome(&server).await;
        assert_eq!((failed, last.unwrap_err().kind), (vec![], kind));
        assert_eq!(server.received().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_cut_reply_is_asked_for_again() {
    let cuts = [
        ("the connection ends the body", stream(HALF)),
        ("inside a chunk", chunked(&[HALF], "5\r\nda")),
        ("without the last chunk", chunked(&[HALF], "")),
        ("inside an event", stream(&HALF[..30])),
        ("no body at all", stream("")),
    ];
    for (what, cut) in cuts {
        let server = Server::start(vec![whole(cut), whole(stream(OK))]);
        let came = outcome(&server).await;
        assert_eq!(came, (vec![ErrorKind::Cut], Ok("ok".to_owned())), "{what}");
    }
}

#[tokio::test]
async fn a_break_after_the_end_is_no_failure() {
    let (finished, _) = OK.split_once("data: [DONE]").unwrap();
    let server = Server::start(vec![whole(chunked(&[finished], "5\r\nda"))]);
    assert_eq!(outcome(&server).await, (vec![], Ok("ok".to_owned())));
}

#[tokio::test]
async fn garbage_is_shown_and_not_asked_for_again() {
    let server = Server::start(vec![whole(stream("<h1>It works!</h1>"))]);
    let (failed, last) = outcome(&server).await;
    assert_eq!(failed, []);
    let error = last.unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (
            ErrorKind::BadReply,
            "the body is not what the wire format promises; it begins with: <h1>It works!</h1>"
        )
    );
}

#[tokio::test]
async fn silence_is_given_up() {
    for sent in [String::new(), String::from_utf8(stream(HALF)).unwrap()] {
        let server = Server::start(vec![Answer::Stall(sent.into_bytes())]);
        let provider = provider(Vendor::OpenAi, &server.url, &once());
        let error = reply(&*provider, ask("go")).await.unwrap_err();
        assert_eq!(
            (error.kind, error.message.as_str()),
            (ErrorKind::Silent, "the server was silent for 0.5 s")
        );
        server.wait_for_close().await;
    }
}

#[tokio::test]
async fn a_closed_port_is_named() {
    let provider = provider(Vendor::Ollama, "http://127.0.0.1:1", &once());
    let error = reply(&*provider, ask("go")).await.unwrap_err();
    let expected = "ollama (http://127.0.0.1:1): the server can't be reached: Connection refused";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert_eq!(error.kind, ErrorKind::Network);
}

#[tokio::test]
async fn a_server_that_hangs_up_without_an_answer() {
    let server = Server::start(vec![whole(Vec::new()), whole(stream(OK))]);
    assert_eq!(outcome(&server).await, (vec![ErrorKind::Network], Ok("ok".to_owned())));
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let server = Server::start(vec![Answer::Stall(stream(HALF))]);
    let provider = provider(Vendor::OpenAi, &server.url, &Options::default());
    let mut deltas = provider.send(ask("go"));
    assert!(matches!(deltas.next().await, Some(Ok(Delta::Sent(_)))));
    assert_eq!(deltas.next().await, Some(Ok(Delta::Text("half".to_owned()))));
    drop(deltas);
    server.wait_for_close().await;
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let thief = Server::start(vec![whole(stream(OK))]);
    let location = format!("location: {}/v1\r\n", thief.url);
    let server = Server::start(vec![whole(response("307 Temporary Redirect", &location, ""))]);
    let model = ServedModel { vendor: Vendor::OpenAi, model: "m".to_owned() };
    let endpoint = Endpoint::new(server.url.clone()).with_key("sk-secret");
    let error = reply(&*connect(&model, &endpoint, &once()).unwrap(), ask("go")).await.unwrap_err();
    assert_eq!(
        error.message,
        format!(
            "the server redirects to {}/v1, which is not followed (HTTP 307); set the base URL to where it serves",
            thief.url
        )
    );
    assert_eq!(thief.received().len(), 0);
}

#[tokio::test]
async fn the_key_is_sent_in_its_header_and_shown_nowhere() {
    let body = "{\"error\":{\"message\":\"Incorrect API key provided: sk-secret.\"}}";
    let server = Server::start(vec![whole(response("401 Unauthorized", "", body))]);
    let endpoint = Endpoint::new(server.url.clone()).with_key("sk-secret");
    let error = list_models(Vendor::OpenAi, &endpoint, once().timeouts).await.unwrap_err();
    let received = &server.received()[0];
    assert_eq!(received.header("authorization"), Some("Bearer sk-secret"));
    assert_eq!(received.header("user-agent"), Some(concat!("agent/", env!("CARGO_PKG_VERSION"))));
    assert_eq!(error.message, "Incorrect API key provided: [API key]. (HTTP 401)");
}

#[tokio::test]
async fn an_endless_error_is_cut_off() {
    let head = b"HTTP/1.1 500 Internal Server Error\r\nconnection: close\r\n\r\n".to_vec();
    let bytes = [head, vec![b'x'; 200_000]].concat();
    let server = Server::start(vec![Answer::Stall(bytes)]);
    let error = reply(&*provider(Vendor::OpenAi, &server.url, &once()), ask("go")).await;
    assert_eq!(error.unwrap_err().message, format!("{}… (HTTP 500)", "x".repeat(500)));
}
