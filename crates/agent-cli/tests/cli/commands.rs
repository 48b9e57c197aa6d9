//! Commands: nothing of them is left, and they reach no further than they may.

use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{Place, call, finish, runs};

/// Runs one command directly.
fn command(place: &Place, params: &Value) -> Value {
    place.run(&["tool", "run_command", &params.to_string()]).json()
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_that_a_command_started_is_left() {
    let place = Place::new();
    for (line, seconds) in [
        ("sleep 871.01 & echo started", 30),
        ("setsid sh -c 'trap \"\" TERM; sleep 871.02; sleep 871.02' & echo started", 30),
        ("trap '' TERM; echo started; sleep 871.03 & wait; sleep 871.03", 1),
        ("f() { sleep 0.01; f & }; echo started; f; sleep 871.04", 1),
        ("(setsid sleep 871.05 &) ; echo started; kill -KILL $$", 30),
        // Gone by the time that anybody has looked for it.
        (
            "perl -e '$| = 1; print qq(started\\n); while () { exit if fork; setpgrp; \"871.06\" }' || echo started",
            30,
        ),
    ] {
        for mode in ["auto", "off"] {
            let begun = Instant::now();
            let params = json!({"command": line, "timeout_seconds": seconds});
            let mut agent = place.agent(&["tool", "run_command", &params.to_string()]);
            let output = agent.env("AGENT_SANDBOX_MODE", mode).output().expect("it runs");
            let result: Value = serde_json::from_slice(&output.stdout).expect("a result");
            assert_eq!(result["stdout"], "started\n", "{line}");
            assert_eq!(result["timed_out"], seconds == 1, "{line}: {result}");
            assert!(begun.elapsed().as_secs() < 20, "{line}: {:?}", begun.elapsed());
            assert!(!runs("871.0"), "{line}");
        }
    }
}

/// Whatever confines it, it is asked before it is made to.
#[test]
#[cfg(target_os = "linux")]
fn a_command_that_takes_too_long_can_say_its_last_word() {
    let place = Place::new();
    let line =
        "trap 'echo last' TERM; (trap 'echo a child; exit' TERM; sleep 874.01 & wait) & wait; wait";
    for mode in ["auto", "off"] {
        let params = json!({"command": line, "timeout_seconds": 1});
        let mut agent = place.agent(&["tool", "run_command", &params.to_string()]);
        let output = agent.env("AGENT_SANDBOX_MODE", mode).output().expect("it runs");
        let result: Value = serde_json::from_slice(&output.stdout).expect("a result");
        let mut said: Vec<&str> = result["stdout"].as_str().expect("text").lines().collect();
        said.sort_unstable();
        assert_eq!(said, ["a child", "last"], "{mode}: {result}");
        assert_eq!(result["timed_out"], true, "{mode}: {result}");
        assert!(!runs("874.01"), "{mode}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_goes_with_the_program_however_that_ends() {
    let place = Place::new();
    let params = json!({"command": "setsid sleep 872.01 & sleep 872.02"});
    let mut agent = place.agent(&["tool", "run_command", &params.to_string()]);
    let mut child = agent.spawn().expect("it runs");
    while !(runs("872.01") && runs("sleep\0872.02")) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().expect("a signal");
    child.wait().expect("the end");
    let begun = Instant::now();
    while runs("sleep\0872.0") {
        assert!(begun.elapsed().as_secs() < 20, "it is left");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_confined_command_reaches_no_further_than_it_may() {
    let place = Place::new();
    let secret = place.write("home/.local/state/agent/secret", "secret");
    place.write("work/.git/hooks/pre-commit", "original\n");
    let probe = |line: &str| command(&place, &json!({ "command": line }));
    let first = probe("echo x > inside && cat inside && echo y > $TMPDIR/t && cat $TMPDIR/t");
    let sandbox = first["sandbox"].as_str().unwrap_or_default();
    if !(sandbox.starts_with("bubblewrap") || sandbox.starts_with("landlock")) {
        eprintln!("skipped: no sandbox can be had here: {sandbox}");
        return;
    }
    assert_eq!(first["stdout"], "x\ny\n", "{first}");
    let me = std::process::id();
    for line in [
        "touch /usr/agent-probe".to_owned(),
        "touch /etc/agent-probe".to_owned(),
        "mkdir /agent-probe".to_owned(),
        format!("cat {}", secret.display()),
        format!("kill -0 {me}"),
        format!("cat /proc/{me}/environ"),
        format!("cat /proc/{me}/mem"),
        "mknod device b 8 0".to_owned(),
        "mount -t tmpfs none /mnt".to_owned(),
        "unshare -U true".to_owned(),
    ] {
        let result = probe(&line);
        assert_eq!(result["success"], false, "{line}: {result}");
    }
    let denied = probe("touch /usr/agent-probe");
    let message = denied["message"].as_str().expect("a message");
    assert!(message.contains("denied, as it seems: touch: "), "{message}");
    assert!(message.contains("/usr/agent-probe"), "{message}");
    for (what, line) in [
        ("TCP", "s = socket.socket(); s.settimeout(2); s.connect(('192.0.2.1', 80))"),
        ("UDP", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))"),
        ("a socket by path", "socket.socket(socket.AF_UNIX).bind('s')"),
    ] {
        let line = format!("import socket; {line}");
        let result = command(&place, &json!({ "command": ["python3", "-c", line] }));
        if result["exit_code"] == 127 {
            eprintln!("skipped: there is no python3 to try {what} with");
            continue;
        }
        let stderr = result["stderr"].as_str().unwrap_or_default();
        assert!(stderr.contains("Error: [Errno "), "{what}: {result}");
    }
}

#[test]
fn what_others_execute_later_is_as_it_was_after_a_command() {
    let place = Place::new();
    place.write("work/.git/hooks/pre-commit", "original\n");
    place.write("work/.git/config", "[core]\n");
    let attempts = [
        ("echo evil > .git/hooks/pre-commit", &[".git/hooks/pre-commit"][..]),
        ("echo evil > .git/hooks/post-merge", &[".git/hooks/post-merge"]),
        ("printf '[core]\\nfsmonitor = evil\\n' > .git/config", &[".git/config"]),
        (
            "mkdir -p .agent && echo 'sandbox.mode = \"off\"' > .agent/config.toml",
            &[".agent/config.toml"],
        ),
        ("echo '{\"mcpServers\": {}}' > .mcp.json", &[".mcp.json"]),
        ("mkdir -p .vscode && echo '{}' > .vscode/tasks.json", &[".vscode/tasks.json"]),
        ("echo evil > .envrc", &[".envrc"]),
        (
            "mkdir evil && mv .git evil/git && ln -s evil/git .git && echo evil > .git/hooks/post-merge",
            &[".git", ".git/config", ".git/hooks/pre-commit"],
        ),
    ];
    for (line, names) in attempts {
        let result = command(&place, &json!({ "command": line }));
        assert_eq!(place.read("work/.git/hooks/pre-commit"), "original\n", "{line}");
        assert_eq!(place.read("work/.git/config"), "[core]\n", "{line}");
        for name in [
            ".git/hooks/post-merge",
            ".agent/config.toml",
            ".mcp.json",
            ".vscode/tasks.json",
            ".envrc",
        ] {
            assert!(!place.path("work").join(name).exists(), "{line}: {name}");
        }
        // Bubblewrap refuses what is there already; the rest is put back, and told.
        if result["success"] == true {
            assert_eq!(result["put_back"], json!(names), "{line}: {result}");
            let message = result["message"].as_str().unwrap_or_default();
            assert!(message.starts_with("put back as it was: "), "{line}: {message}");
        }
        let changed = result["changed"].to_string();
        assert!(!names.iter().any(|name| changed.contains(name)), "{line}: {changed}");
    }
    // Whoever does without the sandbox does without this.
    let mut agent = place.agent(&["tool", "run_command", r#"{"command": "echo x > .envrc"}"#]);
    assert!(agent.env("AGENT_SANDBOX_MODE", "off").status().expect("it runs").success());
    assert_eq!(place.read("work/.envrc"), "x\n");
}

#[test]
fn what_is_not_confined_says_so_or_does_not_run() {
    let place = Place::new();
    let replies =
        [call("run_command", &json!({"command": "echo hi", "explanation": "x"})), finish("Done.")];
    let ended = place.play(&replies, &["--sandbox", "off", "--approval", "all", "--json", "hello"]);
    let result = ended.lines().into_iter().find(|line| line["type"] == "user").expect("a result");
    assert!(!result.to_string().contains("sandbox"), "{result}");
    let strict = place.play(&replies, &["--sandbox", "strict", "--approval", "all", "hello"]);
    assert!(matches!(strict.code, Some(0 | 17)), "{strict:?}");
    if strict.code == Some(17) {
        assert!(strict.stderr.contains("agent::sandbox::unavailable"), "{strict:?}");
    }
}
