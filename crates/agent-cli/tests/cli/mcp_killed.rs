//! Servers of our own that are killed at any moment.
#![cfg(target_os = "linux")]

use std::{
    fs,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    mcp_client::{left_behind, results},
    support::{Ended, Place, call, finish},
};

/// Runs that are disturbed.
const TRIALS: u64 = 8;

const FILES: usize = 4;

/// A model that looks at what came of each change, and makes it once more where it can't know.
fn replies() -> Vec<Value> {
    let mut replies = Vec::new();
    for number in 0..FILES {
        let file = format!("f{number}.txt");
        let change = json!([{ "line": 1, "old": "one", "new": "1" }]);
        for time in ["first", "second", "third"] {
            let params = json!({ "target_file": file, "content": "one\n", "explanation": time });
            replies.push(call("create_file", &params));
        }
        for time in ["first", "second", "third"] {
            let params = json!({ "path": file, "edits": change, "explanation": time });
            replies.push(call("apply_patch", &params));
            let command = format!("cat {file}; echo {time}");
            replies.push(call("run_command", &json!({ "command": command })));
        }
        replies.push(call("read_file", &json!({ "target_file": file })));
    }
    replies.push(finish("done"));
    replies
}

/// Kills servers of the place, one after another, at moments that depend on `seed`, until told.
fn kill_at_random(place: &Place, mut seed: u64, done: &AtomicBool) -> usize {
    let mark = place.path("").display().to_string();
    let mark = mark.trim_end_matches('/');
    let mut killed = 0;
    while !done.load(Ordering::Relaxed) {
        // A linear congruence is random enough to hit all kinds of moments.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_millis(seed >> 33 & 0xff));
        for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let of = |name: &str| {
                let bytes = fs::read(process.path().join(name)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).replace('\0', " ")
            };
            if of("cmdline").contains("mcp serve") && of("environ").contains(mark) {
                let id = process.file_name();
                let ended = Command::new("kill").arg("-9").arg(id).status();
                killed += usize::from(ended.is_ok_and(|status| status.success()));
                if seed >> 41 & 1 == 0 {
                    break;
                }
            }
        }
    }
    killed
}

#[test]
fn with_servers_killed_at_any_moment_the_outcome_is_the_same() {
    let killed: usize = thread::scope(|scope| {
        let trial = |seed| {
            scope.spawn(move || {
                let place = Place::new();
                place.write(
                    "home/.config/agent/config.toml",
                    "[mcp]\nroute = \"mcp\"\n[sandbox]\nmode = \"off\"\n",
                );
                let model = place.script(&replies());
                let mut run = place.agent(&[
                    "run",
                    "-m",
                    &model,
                    "--approval",
                    "all",
                    "--max-turns",
                    "100",
                    "--output-format",
                    "json",
                    "go",
                ]);
                let done = AtomicBool::new(false);
                let (ended, killed) = thread::scope(|scope| {
                    let killer = scope.spawn(|| kill_at_random(&place, seed, &done));
                    let ended = Ended::of(run.output().expect("the program runs"));
                    done.store(true, Ordering::Relaxed);
                    (ended, killer.join().expect("a count"))
                });
                assert_eq!(ended.code, Some(0), "{seed}: {ended:?}");
                let results = results(&ended);
                for number in 0..FILES {
                    assert!(place.path(&format!("work/f{number}.txt")).exists(), "{results:#?}");
                    assert_eq!(place.read(&format!("work/f{number}.txt")), "1\n", "{results:?}");
                }
                let read = results.iter().filter(|(tool, _)| tool == "read_file");
                for (_, result) in read {
                    assert_eq!(result["content"], "1\n", "{seed}: {results:?}");
                }
                assert_eq!(left_behind(&place), Vec::<String>::new(), "{seed}");
                // All of it is in the record, whoever made it.
                let changes = place.run(&["undo", &(2 * FILES).to_string()]);
                assert_eq!(changes.code, Some(0), "{seed}: {changes:?}");
                assert!(!place.path("work/f0.txt").exists(), "{seed}");
                killed
            })
        };
        let trials: Vec<_> = (0..TRIALS).map(trial).collect();
        trials.into_iter().map(|trial| trial.join().expect("a trial")).sum()
    });
    assert!(killed > 0, "nothing was killed");
}
