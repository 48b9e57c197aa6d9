#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{Ended, Place, call, finish, runs};

/// Sends the signal; a process that has ended hears none.
pub(crate) fn send(signal: &str, child: &Child) {
    let mut kill = Command::new("kill");
    kill.args(["-s", signal, &child.id().to_string()]).stderr(std::process::Stdio::null());
    kill.status().expect("`kill` runs");
}

#[test]
fn a_signal_ends_a_run_with_a_result() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 143)] {
        let place = Place::new();
        let slow = json!({ "purpose": "decide", "text": "x", "fault": { "stall_ms": 600_000 } });
        let model = place.script(&[slow]);
        let mut child = place.agent(&["run", "-m", &model, "--json", "do"]).spawn().expect("runs");
        let mut events = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let first = events.next().expect("an event").expect("a line");
        assert!(first.contains("\"init\""), "{first}");
        send(signal, &child);
        let last = events.last().expect("an event").expect("a line");
        let last: Value = serde_json::from_str(&last).expect("JSON");
        assert_eq!((&last["type"], &last["outcome"]), (&json!("result"), &json!("interrupted")));
        assert_eq!(last["exit_code"], code);
        let ended = Ended::of(child.wait_with_output().expect("the program ends"));
        assert_eq!(ended.code, Some(code), "{signal} {ended:?}");
        assert!(ended.stderr.contains("agent::interrupted"), "{signal} {ended:?}");
    }
}

#[test]
fn a_signal_while_the_task_is_awaited_ends_the_wait() {
    let place = Place::new();
    let mut command = place.agent(&["run", "--output-format", "json"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("runs");
    let open = child.stdin.take();
    wait_for_the_watch(&child);
    send("INT", &child);
    let ended = Ended::of(child.wait_with_output().expect("the program ends"));
    drop(open);
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert_eq!(ended.json()["outcome"], "interrupted");
}

#[test]
fn a_signal_is_heard_while_a_silent_server_is_asked_for_its_models() {
    let place = Place::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", silent.local_addr().expect("an address"));
    let mut command = place.agent(&["run", "do"]);
    let child = command.env("OPENAI_BASE_URL", url).spawn().expect("the program runs");
    let _connection = silent.accept().expect("a connection");
    send("INT", &child);
    let ended = Ended::of(child.wait_with_output().expect("the program ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
}

/// Opening a FIFO waits for a reader and hears no signal: the kind of thing that the second Ctrl-C
/// is for.
#[test]
fn the_second_interrupt_ends_the_process_at_once() {
    let place = Place::new();
    let fifo = place.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("`mkfifo` runs").success());
    let fifo = fifo.display().to_string();
    let mut child = place.agent(&["run", "-o", &fifo, "do"]).spawn().expect("the program runs");
    wait_for_the_watch(&child);
    send("INT", &child);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().expect("its state"), None, "the first one is not heard there");
    // More than one more: two that come at the same time count as one.
    while child.try_wait().expect("its state").is_none() {
        send("INT", &child);
        thread::sleep(Duration::from_millis(50));
    }
    let ended = Ended::of(child.wait_with_output().expect("the program ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
}

/// Neither of its commands, nor of its files, nor of its lock; what was done can be taken back.
#[test]
fn nothing_is_left_of_a_run_that_is_ended_in_a_command() {
    let cases = [(1, &["INT"][..], 130), (2, &["INT", "INT"], 130), (3, &["TERM"], 143)];
    for (number, signals, code) in cases.into_iter().chain([(4, &["HUP"][..], 143)]) {
        let place = Place::new();
        place.write("work/a.txt", "one\n");
        let edit = json!({ "path": "a.txt", "edits": [{ "line": 1, "old": "one", "new": "two" }] });
        let word = format!("873.0{number}");
        let line =
            format!("echo b > b.txt; trap '' INT TERM HUP; setsid sleep {word} & sleep {word}");
        let command = json!({ "command": line, "explanation": "wait" });
        let model = place.script(&[call("apply_patch", &edit), call("run_command", &command)]);
        let mut run = place.agent(&["run", "-q", "-m", &model, "--approval", "all", "do"]);
        let child = run.spawn().expect("the program runs");
        while !runs(&format!("sleep\0{word}")) {
            thread::sleep(Duration::from_millis(10));
        }
        for signal in signals {
            send(signal, &child);
            thread::sleep(Duration::from_millis(20));
        }
        let ended = Ended::of(child.wait_with_output().expect("the program ends"));
        assert_eq!(ended.code, Some(code), "{signals:?} {ended:?}");
        for _ in 0..500 {
            if !runs(&word) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        assert!(!runs(&word), "{signals:?}: a process is left");
        assert_eq!(place.names("work"), ["a.txt", "b.txt"], "{signals:?}");
        assert_eq!(place.names("."), ["home", "script.jsonl", "work"], "{signals:?}");
        // The lock is free, and the record whole.
        let answer = finish("Done.").to_string();
        let model = format!("replay/{}", place.write("last.jsonl", &answer).display());
        let resumed = place.run(&["resume", "-q", "-m", &model]);
        assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(0), "Done.\n"), "{resumed:?}");
        let undone = place.run(&["undo", "10"]);
        assert_eq!((undone.code, place.read("work/a.txt")), (Some(0), "one\n".to_owned()));
        // Twice is at once: what the command did by then nobody has looked at.
        let looked = signals.len() == 1;
        assert_eq!(place.path("work/b.txt").exists(), !looked, "{signals:?} {undone:?}");
    }
}

/// Waits until the program catches SIGINT, as the kernel tells.
pub(crate) fn wait_for_the_watch(child: &Child) {
    const INTERRUPT: u64 = 1 << (2 - 1);
    for _ in 0..600 {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a state");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.expect("a mask").trim(), 16).expect("a mask");
        if caught & INTERRUPT != 0 {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("the program does not listen for signals");
}
