use agent_core::{
    config::{Config, Layer, Trust, set},
    mcp::Declared,
};

use crate::{cut, flipped};

const FILE: &str = r#"# What I like.
model = "openai/gpt-5-mini" # for now
max_turns = 30
temperature = 0.5
approval = "edits"

[limits]
read_bytes = 200_000

[test]
command = "cargo test -q"
retries = 2

[price]
input = 1.25
cached_input = 0.125
cache_write = 1.5
output = 10.0

[[policy.rules]]
effect = "write"
path = "src/**"
verdict = "allow"

[[policy.rules]]
effect = "execute"
command = "git push"
verdict = "refuse"
reason = "nobody pushes from here"

[mcp.servers.docs]
command = "docs-server"
args = ["--stdio", "ünïcödé"]

[mcp.servers.docs.env]
TOKEN = "x"
"#;

const SERVERS: &str = r#"{
  "mcpServers": {
    "docs": { "command": "docs-server", "args": ["--stdio", "ünïcödé"], "env": { "TOKEN": "x" } },
    "web": { "command": "web-server" }
  }
}
"#;

/// Whether it is read; what is told says which file it is.
fn read(text: &str, what: &str) -> bool {
    let mut good = [false; 2];
    for (trust, good) in [Trust::Full, Trust::Workspace].into_iter().zip(&mut good) {
        match Layer::file("c.toml", text, trust) {
            Ok(layer) => {
                drop(Config::layered([layer]));
                *good = true;
            }
            Err(error) => {
                assert!(error.to_string().contains("c.toml"), "{what}: {error}");
                assert!(!error.help().is_empty(), "{what}: {error}");
            }
        }
    }
    // Nothing is built on a file that is not read.
    match set("c.toml", text, "max_turns", "7") {
        Ok(changed) => {
            assert!(good[0], "{what}");
            let changed = Layer::file("c.toml", &changed, Trust::Full);
            assert!(changed.is_ok(), "{what}: {:?}", changed.err());
        }
        Err(_) => assert!(!good[0], "{what}"),
    }
    good[0]
}

#[test]
fn a_damaged_configuration_is_told_or_read() {
    assert!(read(FILE, "whole"));
    let (mut told, mut no_text) = (0, 0);
    for (what, damaged) in cut(FILE.as_bytes()).chain(flipped(FILE.as_bytes())) {
        // What is no UTF-8 is refused before it gets here.
        match String::from_utf8(damaged) {
            Ok(text) => told += usize::from(!read(&text, &what)),
            Err(_) => no_text += 1,
        }
    }
    assert!(told > 200 && no_text > 20, "{told} told, {no_text} no text");
}

#[test]
fn damaged_servers_of_a_workspace_are_told_or_read() {
    let (servers, problems) = Declared::of_json(".mcp.json", SERVERS);
    assert_eq!((servers.len(), problems.len()), (2, 0));
    let mut told = 0;
    for (what, damaged) in cut(SERVERS.as_bytes()).chain(flipped(SERVERS.as_bytes())) {
        let Ok(text) = String::from_utf8(damaged) else { continue };
        let (_, problems) = Declared::of_json(".mcp.json", &text);
        assert!(
            problems.iter().all(|problem| problem.contains(".mcp.json")),
            "{what}: {problems:?}"
        );
        told += usize::from(!problems.is_empty());
    }
    assert!(told > 300, "{told}");
}
