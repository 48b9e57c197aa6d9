use std::time::Instant;

use super::*;
use crate::Signal;

/// Runs a shell line without a supervisor.
async fn run(line: &str, timeout: Duration) -> (CommandResult, Duration) {
    let dir = tempfile::tempdir().expect("a directory");
    let command = CommandLine::shell(line, dir.path().to_owned(), timeout, 1024);
    let started = Instant::now();
    let result = Runner::default().run(&command, &Cancel::new()).await.expect("it runs");
    (result, started.elapsed())
}

const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_command_leaves_its_streams_and_its_code() {
    for (line, code, stdout, stderr) in [
        ("true", 0, "", ""),
        ("echo out; echo err >&2; exit 3", 3, "out\n", "err\n"),
        ("printf 'caf\\351'", 0, "caf\\xe9", ""),
        ("cat", 0, "", ""),
        ("echo $PATH $HOME $SECRET", 0, "/usr/local/bin:/usr/bin:/bin\n", ""),
        ("kill -9 $$", 137, "", ""),
        ("rm -r \"$(pwd)\"; echo gone", 0, "gone\n", ""),
    ] {
        let (result, _) = run(line, LONG).await;
        let expected = (Some(code), stdout.to_owned(), stderr.to_owned());
        assert_eq!((result.exit_code, result.stdout, result.stderr), expected, "{line}");
        assert!(!result.timed_out && !result.truncated, "{line}");
    }
}

#[tokio::test]
async fn a_command_that_does_not_end_is_ended() {
    for line in ["sleep 60", "trap '' TERM; sleep 60 & wait; sleep 60", "yes"] {
        let (result, took) = run(line, Duration::from_millis(300)).await;
        assert_eq!((result.exit_code, result.timed_out), (None, true), "{line}");
        assert!(took < Duration::from_secs(8), "{line}: {took:?}");
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_is_not_waited_for() {
    let (result, took) = run("sleep 60 & echo done", LONG).await;
    assert_eq!((result.exit_code, result.stdout.as_str()), (Some(0), "done\n"));
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[tokio::test]
async fn of_much_output_the_ends_are_kept() {
    let (result, _) = run("seq 1 100000", LONG).await;
    assert!(result.truncated);
    assert_eq!(result.stdout_bytes, 588_895);
    assert!(result.stdout.starts_with("1\n2\n3\n"), "{}", result.stdout);
    assert!(result.stdout.contains(" of 588895 bytes left out …]\n"), "{}", result.stdout);
    assert!(result.stdout.ends_with("\n99999\n100000\n"), "{}", result.stdout);
    assert!(result.stdout.len() < 1100);
}

#[tokio::test]
async fn cancelling_ends_a_command() {
    let cancel = Cancel::new();
    let dir = tempfile::tempdir().expect("a directory");
    let command = CommandLine::shell("sleep 60", dir.path().to_owned(), LONG, 1024);
    let started = Instant::now();
    let runner = Runner::default();
    let (result, ()) = tokio::join!(runner.run(&command, &cancel), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel(Signal::Interrupt);
    });
    assert!(matches!(result, Err(CommandError::Cancelled { .. })), "{result:?}");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn what_cannot_start_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    let nothing = CommandLine {
        program: "no-such-program-anywhere".to_owned(),
        args: Vec::new(),
        dir: dir.path().to_owned(),
        timeout: LONG,
        max_output: 10,
    };
    let error = Runner::default().run(&nothing, &Cancel::new()).await.expect_err("no program");
    assert_eq!(
        error.to_string(),
        "run `no-such-program-anywhere`: No such file or directory (os error 2)"
    );
}

#[tokio::test]
async fn what_is_to_be_confined_and_cannot_be_does_not_run() {
    let dir = tempfile::tempdir().expect("a directory");
    let command = CommandLine::shell("echo hi", dir.path().to_owned(), LONG, 1024);
    let confined = |mode| Runner {
        sandbox: Sandbox::new(mode, sandbox::Policy::default()),
        ..Runner::default()
    };
    let error = confined(sandbox::Mode::Strict).run(&command, &Cancel::new()).await;
    let error = error.expect_err("no sandbox without a supervisor").to_string();
    assert!(error.starts_with("run `sh`: no sandbox can be had: "), "{error}");
    let result = confined(sandbox::Mode::Auto).run(&command, &Cancel::new()).await;
    let result = result.expect("it runs");
    assert_eq!(result.stdout, "hi\n");
    assert!(result.confined.words().starts_with("none: "), "{:?}", result.confined);
}
