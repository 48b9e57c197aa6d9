//! Several agents at the same time in one workspace.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    thread,
};

use serde_json::{Value, json};

use crate::support::{Place, call, finish};

/// A process that carries out calls.
struct Agent {
    child: Child,
    calls: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Agent {
    fn start(place: &Place) -> Self {
        let mut command = place.agent(&["tool", "--jsonl"]);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
        let calls = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, calls, answers }
    }

    fn call(&mut self, tool: &str, params: &Value) -> Value {
        writeln!(self.calls, "{}", json!({ "tool": tool, "params": params })).expect("written");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        answer["result"].clone()
    }

    fn end(mut self) {
        drop(self.calls);
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

/// Replaces the first line, if the file is the one that was read.
fn edit(path: &str, new: &str, read: &Value) -> Value {
    json!({
        "path": path,
        "edits": [{ "start_line": 1, "end_line": 1, "replacement": new }],
        "expected_sha256": read["sha256"],
    })
}

#[test]
fn eight_agents_with_files_of_their_own_lose_nothing() {
    const AGENTS: usize = 8;
    const EDITS: usize = 10;
    let place = Place::new();
    let name = |agent: usize, edit: usize| format!("{agent}-{}.txt", edit % 3);
    for agent in 0..AGENTS {
        for file in 0..3 {
            place.write(&format!("work/{}", name(agent, file)), "start\nrest\n");
        }
    }
    thread::scope(|scope| {
        for number in 0..AGENTS {
            let place = &place;
            scope.spawn(move || {
                let mut agent = Agent::start(place);
                for turn in 0..EDITS {
                    let path = name(number, turn);
                    let read = agent.call("read_file", &json!({ "target_file": path }));
                    let edited = agent.call("apply_patch", &edit(&path, &format!("{turn}"), &read));
                    assert_eq!(edited["success"], true, "{edited}");
                }
                agent.end();
            });
        }
    });
    for agent in 0..AGENTS {
        for (file, last) in [(0, 9), (1, 7), (2, 8)] {
            assert_eq!(
                place.read(&format!("work/{}", name(agent, file))),
                format!("{last}\nrest\n")
            );
        }
    }
    let changes = place.run(&["changes", "--output-format", "json"]).json();
    let changes = changes["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), AGENTS * EDITS);
    assert!(changes.iter().all(|change| change["state"] == "done"), "{changes:?}");
    let ended = place.run(&["undo", "1000"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for agent in 0..AGENTS {
        for file in 0..3 {
            assert_eq!(place.read(&format!("work/{}", name(agent, file))), "start\nrest\n");
        }
    }
}

#[test]
fn eight_runs_at_once_are_eight_sessions() {
    let place = Place::new();
    let models: Vec<String> = (0..8)
        .map(|run| {
            let create = json!({ "target_file": format!("{run}.txt"), "content": "x\n" });
            let lines =
                [call("create_file", &create), finish("Made.")].map(|line| line.to_string());
            let path = place.write(&format!("{run}.jsonl"), &lines.join("\n"));
            format!("replay/{}", path.display())
        })
        .collect();
    let start = |model: &String| place.agent(&["run", "-q", "-m", model, "go"]).spawn();
    let runs: Vec<Child> = models.iter().map(|model| start(model).expect("it runs")).collect();
    for run in runs {
        let ended = run.wait_with_output().expect("it ends");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let listed = place.run(&["sessions", "--output-format", "json"]).json();
    let listed = listed["sessions"].as_array().expect("sessions");
    assert_eq!(listed.len(), 8);
    assert!(listed.iter().all(|one| one["outcome"] == "finished" && one["actions"] == 2));
    assert!((0..8).all(|run| place.read(&format!("work/{run}.txt")) == "x\n"));
}

#[test]
fn of_two_agents_that_edit_one_file_the_later_one_is_told() {
    let place = Place::new();
    place.write("work/a.txt", "start\n");
    let (mut one, mut other) = (Agent::start(&place), Agent::start(&place));
    let read = one.call("read_file", &json!({ "target_file": "a.txt" }));
    let same = other.call("read_file", &json!({ "target_file": "a.txt" }));
    assert_eq!(one.call("apply_patch", &edit("a.txt", "one", &read))["success"], true);
    let refused = other.call("apply_patch", &edit("a.txt", "other", &same));
    let message = refused["message"].as_str().unwrap_or_default();
    assert_eq!(refused["success"], false);
    assert!(message.contains("a.txt has changed since it was read"), "{refused}");
    assert_eq!(place.read("work/a.txt"), "one\n");
    one.end();
    other.end();
}

/// Each counts on from what it has read, so that an update that is lost would show in the end.
#[test]
fn two_agents_that_count_in_one_file_lose_no_update() {
    const EACH: usize = 20;
    let place = Place::new();
    place.write("work/count", "0\n");
    let refused: Vec<usize> = thread::scope(|scope| {
        let agents: Vec<_> = (0..2)
            .map(|_| {
                let place = &place;
                scope.spawn(move || {
                    let mut agent = Agent::start(place);
                    let (mut done, mut refused) = (0, 0);
                    while done < EACH {
                        let read = agent.call("read_file", &json!({ "target_file": "count" }));
                        let text = read["content"].as_str().expect("text").trim().to_owned();
                        let count: usize = text.parse().expect("a number");
                        let next = edit("count", &(count + 1).to_string(), &read);
                        let edited = agent.call("apply_patch", &next);
                        if edited["success"] == true {
                            done += 1;
                            continue;
                        }
                        let message = edited["message"].as_str().unwrap_or_default();
                        assert!(message.contains("has changed since it was read"), "{edited}");
                        refused += 1;
                    }
                    agent.end();
                    refused
                })
            })
            .collect();
        agents.into_iter().map(|agent| agent.join().expect("no panic")).collect()
    });
    assert_eq!(place.read("work/count"), format!("{}\n", 2 * EACH), "{refused:?} were refused");
    let ended = place.run(&["undo", "1000"]);
    assert_eq!((ended.code, place.read("work/count")), (Some(0), "0\n".to_owned()), "{ended:?}");
}
