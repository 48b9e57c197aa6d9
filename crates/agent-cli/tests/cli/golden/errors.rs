//! What a user is told of each error that a server answers with, and of a server that does not
//! answer.

use std::{fs, net::TcpListener, thread, time::Duration};

use serde_json::Value;

use super::{compare, file};
use crate::support::{Place, server};

/// Who is asked, and with which errors: the files of `fixtures/errors`.
const VENDORS: [(&str, &str); 5] = [
    ("openai", "openai"),
    ("openai", "compatible"),
    ("anthropic", "anthropic"),
    ("gemini", "gemini"),
    ("ollama", "ollama"),
];

/// A run that asks the server at `url`: what it says of its end.
fn told(vendor: &str, url: &str) -> String {
    let place = Place::new();
    let model = format!("{vendor}/m");
    let (base, variable) = match vendor {
        "openai" => (format!("{url}/v1"), "OPENAI_BASE_URL"),
        "anthropic" => (url.to_owned(), "ANTHROPIC_BASE_URL"),
        "gemini" => (url.to_owned(), "GEMINI_BASE_URL"),
        _ => (url.to_owned(), "OLLAMA_HOST"),
    };
    let mut command = place.agent(&["run", "-m", &model, "--output-format", "json", "do"]);
    command.env(variable, &base).env("AGENT_RETRY_MAX_ATTEMPTS", "1");
    command.env("AGENT_HTTP_IDLE_TIMEOUT_SECONDS", "1");
    let report = crate::support::Ended::of(command.output().expect("the program runs")).json();
    let words = |name: &str| report["error"][name].as_str().unwrap_or_default().to_owned();
    let message = words("message").replace(url, "<url>");
    format!(
        "  exit {} {}\n  {message}\n  help: {}\n",
        report["exit_code"],
        words("code"),
        words("help")
    )
}

/// A port at which nobody listens.
fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

/// A server that takes a request and never answers.
fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let _open: Vec<_> = listener.incoming().collect();
        thread::sleep(Duration::from_secs(60));
    });
    format!("http://{address}")
}

#[test]
fn every_error_of_a_server_says_what_it_is_and_what_to_do() {
    let mut seen = String::new();
    for (vendor, name) in VENDORS {
        let errors = fs::read_to_string(file(&format!("fixtures/errors/{name}.jsonl")));
        for line in errors.expect("the errors").lines() {
            let error: Value = serde_json::from_str(line).expect("JSON");
            let (about, status) = (error["about"].as_str().unwrap_or_default(), &error["status"]);
            let url = server(&format!("{status} X"), &error["body"].to_string());
            seen += &format!("# {vendor}: {about} (HTTP {status})\n{}\n", told(vendor, &url));
        }
    }
    for vendor in ["openai", "anthropic", "gemini", "ollama"] {
        let page = server("200 OK", "<h1>It works!</h1>");
        let cut = server("200 OK", "");
        for (about, url) in [
            ("nobody listens", closed()),
            ("no answer", silent()),
            ("a page", page),
            ("an empty answer", cut),
        ] {
            seen += &format!("# {vendor}: {about}\n{}\n", told(vendor, &url));
        }
    }
    compare("fixtures/outcomes/errors.txt", &seen);
}
