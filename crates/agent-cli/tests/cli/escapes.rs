//! What a confined command tries, to get out.

use std::{
    collections::BTreeSet,
    fs,
    net::{TcpListener, UdpSocket},
    os::{linux::net::SocketAddrExt, unix::net as local},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;
use tempfile::TempDir;

use crate::support::Place;

/// What Landlock does not see; each result of a command says so.
const OPEN_TO_LANDLOCK: [&str; 9] = [
    "chmod",
    "fchmod",
    "fchmodat2",
    "chown",
    "set times",
    "set an attribute",
    "list the state",
    "the priority of a process",
    "the processors of a process",
];

/// A directory where commands may not write, as they may in those for temporary files.
fn outside() -> Option<TempDir> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    [PathBuf::from(env!("CARGO_TARGET_TMPDIR")), repository].into_iter().find_map(|place| {
        fs::create_dir_all(&place).ok()?;
        let place = place.canonicalize().ok()?;
        let temporary = ["/tmp", "/var/tmp"].iter().any(|shared| place.starts_with(shared));
        (!temporary).then(|| tempfile::tempdir_in(place).ok()).flatten()
    })
}

#[test]
fn no_attempt_gets_out_but_those_that_are_named() {
    let Some(outside) = outside() else {
        eprintln!("skipped: everything here is a place for temporary files");
        return;
    };
    let place = Place::new();
    let secret = place.write("home/.local/state/agent/secret", "secret");
    place.write("work/.git/hooks/pre-commit", "original\n");
    place.write("work/.git/config", "[core]\n");
    fs::write(outside.path().join("f"), "outside").expect("a file");
    let _by_path = local::UnixListener::bind(outside.path().join("sock")).expect("a socket");
    let name = format!("agent-probe-{}", std::process::id());
    let address = local::SocketAddr::from_abstract_name(&name).expect("a name");
    let _by_name = local::UnixListener::bind_addr(&address).expect("a socket");
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
    udp.set_nonblocking(true).expect("a socket");
    let mut victim = Command::new("sleep")
        .args(["876"])
        .env("PROBE_API_KEY", "secret")
        .current_dir(outside.path())
        .spawn()
        .expect("a process");

    let attempts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/sandbox/attempts.py");
    let line = json!([
        "python3",
        attempts,
        outside.path(),
        victim.id().to_string(),
        secret.parent().expect("a directory"),
        tcp.local_addr().expect("an address").port().to_string(),
        udp.local_addr().expect("an address").port().to_string(),
        name
    ]);
    let params = json!({ "command": line }).to_string();
    let mut agent = place.agent(&["tool", "run_command", &params]);
    let output = agent.env("PROBE_API_KEY", "secret").output().expect("it runs");
    let lives = victim.try_wait().expect("its state").is_none();
    victim.kill().expect("a signal");
    victim.wait().expect("the end");

    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a result");
    let sandbox = result["sandbox"].as_str().unwrap_or_default();
    if !(sandbox.starts_with("bubblewrap") || sandbox.starts_with("landlock")) {
        eprintln!("skipped: no sandbox can be had here: {sandbox}");
        return;
    }
    if result["exit_code"] == 127 {
        eprintln!("skipped: there is no python3 to try with");
        return;
    }
    let tried = result["stdout"].as_str().expect("text").lines();
    let tried: Vec<Vec<&str>> = tried.map(|line| line.split('\t').collect()).collect();
    assert!(tried.len() >= 100, "{}: {result}", tried.len());
    let open: BTreeSet<&str> = match sandbox.starts_with("landlock") {
        true => OPEN_TO_LANDLOCK.into_iter().collect(),
        false => BTreeSet::new(),
    };
    for attempt in &tried {
        assert!(attempt[1] == "in" || open.contains(attempt[0]), "{sandbox}: {attempt:?}");
    }

    assert!(lives, "{result}");
    assert_eq!(fs::read_to_string(outside.path().join("f")).expect("a file"), "outside");
    let left = fs::read_dir(outside.path()).expect("a directory").count();
    assert_eq!(left, 2, "{result}");
    assert!(udp.recv(&mut [0; 8]).is_err(), "a packet has arrived");
    assert_eq!(fs::read_to_string(&secret).expect("a file"), "secret");
    assert_eq!(place.read("work/.git/hooks/pre-commit"), "original\n");
    assert_eq!(place.read("work/.git/config"), "[core]\n");
    for name in [".git/hooks/new", ".mcp.json", ".envrc", ".git2"] {
        assert!(!place.path("work").join(name).exists(), "{name}: {result}");
    }
}
