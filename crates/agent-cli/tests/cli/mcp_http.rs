//! Servers over HTTP: ours, and our client.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command},
};

use serde_json::json;

use crate::{
    mcp_client::results,
    support::{Ended, Place, call, finish},
};

/// Our server, for as long as this is kept.
struct Lent {
    child: Child,
    url: String,
}

impl Lent {
    fn start(place: &Place, token: &str) -> Self {
        let mut command = place.agent(&["mcp", "serve", "--http", "127.0.0.1:0", "--ephemeral"]);
        let mut child = command.env("AGENT_MCP_TOKEN", token).spawn().expect("it starts");
        let mut url = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdout.read_line(&mut url).expect("an address");
        Self { child, url: url.trim().to_owned() }
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A place whose user has declared the server at `url`.
fn declaring(url: &str, more: &str) -> Place {
    let place = Place::new();
    let declared = format!("[mcp.servers.far]\nurl = {url:?}\n{more}");
    place.write("home/.config/agent/config.toml", &declared);
    place
}

const HEADER: &str = "headers = { Authorization = \"Bearer ${FAR_TOKEN}\" }\n";

fn knowing(place: &Place, token: &str, arguments: &[&str]) -> Ended {
    let output = place.agent(arguments).env("FAR_TOKEN", token).output();
    Ended::of(output.expect("the program runs"))
}

#[test]
fn tools_are_lent_and_called_over_http_in_both_eras() {
    let host = Place::new();
    host.write("work/a.txt", "one\n");
    let lent = Lent::start(&host, "open sesame");
    let read = ["mcp", "call", "far", "read_file", r#"{"target_file": "a.txt"}"#];
    for era in ["", "era = \"modern\"\n", "era = \"legacy\"\n"] {
        let place = declaring(&lent.url, &format!("{HEADER}{era}"));
        for _ in 0..2 {
            let ended = knowing(&place, "open sesame", &read);
            assert_eq!(ended.code, Some(0), "{era}: {ended:?}");
            assert!(ended.json()["content"].to_string().contains("one"), "{ended:?}");
        }
    }
    let place = declaring(&lent.url, HEADER);
    let ended = knowing(&place, "open sesame", &["mcp", "list", "--json"]);
    assert_eq!(ended.json()[0]["headers"], json!(["Authorization"]));
    assert!(!ended.stdout.contains("sesame"), "{ended:?}");
}

#[test]
fn what_keeps_a_server_from_being_reached_is_named() {
    let host = Place::new();
    let mut lent = Lent::start(&host, "open sesame");
    let call = ["mcp", "call", "far", "list_dir", r#"{"relative_workspace_path": "."}"#];
    let refused = |place: &Place, token: &str, words: &str| {
        let ended = knowing(place, token, &call);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
        let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("can't be reached") && said.contains(words), "{words}: {said}");
    };
    refused(&declaring(&lent.url, HEADER), "wrong", "HTTP 401");
    refused(&declaring(&lent.url, ""), "open sesame", "HTTP 401");
    let unset = HEADER.replace("FAR_TOKEN", "NO_SUCH");
    refused(&declaring(&lent.url, &unset), "", "${NO_SUCH}, which is not set");
    let elsewhere = declaring("http://192.0.2.1/mcp", HEADER);
    refused(&elsewhere, "open sesame", "would be sent unencrypted to 192.0.2.1");
    refused(&declaring("nowhere", ""), "", "its address is none");
    let place = declaring(&lent.url, HEADER);
    lent.kill();
    refused(&place, "open sesame", "Connection refused");
}

#[test]
fn a_run_goes_on_when_its_server_is_gone() {
    let host = Place::new();
    let mut lent = Lent::start(&host, "t");
    let place = declaring(&lent.url, HEADER);
    let look = || call("far__list_dir", &json!({ "relative_workspace_path": "." }));
    let model = place.script(&[look(), finish("done")]);
    let run =
        ["run", "-m", &model, "--no-cache", "--approval", "all", "--output-format", "json", "go"];
    let ended = knowing(&place, "t", &run);
    assert_eq!(results(&ended)[0].1["success"], true, "{ended:?}");
    lent.kill();
    // Its tools are known from before.
    let ended = knowing(&place, "t", &run);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let result = &results(&ended)[0].1;
    assert_eq!(result["success"], false);
    let message = result["message"].as_str().expect("a message");
    assert!(message.contains("can't be reached") && message.contains("was not sent"), "{message}");
}

#[test]
fn only_this_machine_is_listened_to_and_no_page_of_another() {
    let place = Place::new();
    let ended = place.run(&["mcp", "serve", "--http", "0.0.0.0:0"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("agent::usage::not_loopback"), "{}", ended.stderr);
    if Command::new("curl").arg("--version").output().is_err() {
        return;
    }
    let lent = Lent::start(&place, "");
    let ask = |header: &str| {
        let code = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST", "-d", "{}", "-H"];
        let output = Command::new("curl").args(code).args([header, &lent.url]).output();
        String::from_utf8(output.expect("an answer").stdout).expect("a status")
    };
    assert_eq!(ask("Origin: https://elsewhere.example"), "403");
    assert_eq!(ask("Host: elsewhere.example"), "403");
    assert_ne!(ask(&format!("Origin: {}", lent.url.trim_end_matches("/mcp"))), "403");
}
