//! Running programs: exit codes, bounded output, time limits, whole groups killed.
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use agent_core::{
    Cancel, Signal,
    command::{self, CommandError, CommandLine, CommandResult},
};

fn sh(script: &str) -> CommandLine {
    CommandLine {
        program: "sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        dir: "/".into(),
        timeout: Duration::from_secs(20),
        max_output: 100,
    }
}

async fn run(command: &CommandLine) -> CommandResult {
    command::run(command, &Cancel::new()).await.expect("the program runs")
}

fn result(exit_code: i32, stdout: &str, stderr: &str) -> CommandResult {
    CommandResult {
        exit_code: Some(exit_code),
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        timed_out: false,
        truncated: false,
    }
}

#[tokio::test]
async fn output_and_exit_code_are_kept() {
    assert_eq!(run(&sh("echo out; echo err >&2; exit 3")).await, result(3, "out\n", "err\n"));
    assert_eq!(run(&sh("pwd")).await, result(0, "/\n", ""));
}

#[tokio::test]
async fn standard_input_is_empty() {
    assert_eq!(run(&sh("cat; echo done")).await, result(0, "done\n", ""));
}

#[tokio::test]
async fn bytes_that_are_no_text_are_shown_all_the_same() {
    assert_eq!(run(&sh(r"printf 'a\377b'")).await, result(0, "a\u{fffd}b", ""));
}

#[tokio::test]
async fn endless_output_is_cut_and_the_program_can_go_on() {
    let done = run(&sh("head -c 10000000 /dev/zero | tr '\\0' x; echo end >&2")).await;
    assert_eq!(done.stdout, "x".repeat(100));
    assert_eq!((done.exit_code, done.stderr.as_str(), done.truncated), (Some(0), "end\n", true));
}

#[tokio::test]
async fn a_program_killed_by_a_signal_has_no_exit_code() {
    let done = run(&sh("kill -KILL $$")).await;
    assert_eq!((done.exit_code, done.timed_out), (None, false));
}

#[tokio::test]
async fn the_time_limit_ends_the_whole_group() {
    let pids = tempfile::NamedTempFile::new().expect("a file");
    let script = format!("sleep 600 & echo $! > {}; sleep 600", pids.path().display());
    let done = run(&CommandLine { timeout: Duration::from_millis(500), ..sh(&script) }).await;
    assert_eq!((done.exit_code, done.timed_out), (None, true));
    assert_gone(&pids).await;
}

#[tokio::test]
async fn a_grandchild_that_keeps_the_pipe_open_is_not_waited_for() {
    let pids = tempfile::NamedTempFile::new().expect("a file");
    let script = format!("sleep 600 & echo $! > {}; echo started", pids.path().display());
    let begun = Instant::now();
    assert_eq!(run(&sh(&script)).await, result(0, "started\n", ""));
    assert!(begun.elapsed() < Duration::from_secs(15), "it waited for the sleeper");
    assert_gone(&pids).await;
}

#[tokio::test]
async fn cancelling_kills_the_program() {
    let cancel = Cancel::new();
    let command = sh("sleep 600");
    let (done, ()) = tokio::join!(command::run(&command, &cancel), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel(Signal::Interrupt);
    });
    assert!(matches!(done, Err(CommandError::Cancelled { .. })), "{done:?}");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let command = CommandLine { program: "no-such-program".to_owned(), ..sh("") };
    let error = command::run(&command, &Cancel::new()).await.expect_err("nothing to run");
    assert!(error.to_string().starts_with("run `no-such-program`: "), "{error}");
}

/// The process whose id stands in the file ends soon, if it has not yet.
async fn assert_gone(pids: &tempfile::NamedTempFile) {
    let pid = std::io::read_to_string(pids).expect("the pid");
    let stat = std::path::PathBuf::from(format!("/proc/{}/stat", pid.trim()));
    for _ in 0..100 {
        // A killed orphan that nobody has reaped yet stays as a zombie.
        let zombie = |stat: &str| {
            stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "asks the system about a process of this test"
        )]
        let state = std::fs::read_to_string(&stat);
        if state.map_or(true, |stat| zombie(&stat)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("process {} is still running", pid.trim());
}
