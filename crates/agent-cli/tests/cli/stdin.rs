use std::process::Stdio;

use crate::support::{Ended, Place, feed, finish};

/// What the model is asked, by what was typed and what a pipe holds.
fn asked(arguments: &[&str], piped: &str) -> (Ended, String) {
    let place = Place::new();
    let model = place.script(&[finish("Done.")]);
    let mut all = vec!["run", "-m", &model, "--output-format", "json"];
    all.extend(arguments);
    let child = place.agent(&all).stdin(Stdio::piped()).spawn().expect("the program runs");
    let ended = feed(child, piped);
    let asked = ended.json()["user_query"].as_str().unwrap_or_default().to_owned();
    (ended, asked)
}

#[test]
fn the_task_comes_from_the_argument_the_pipe_or_both() {
    for (arguments, piped, expected) in [
        (&["do it"][..], "", "do it"),
        (&[], "do it\n", "do it\n"),
        (&["-"], "do it\n", "do it\n"),
        (&["why?"], "a log\n", "why?\n\n<stdin>\na log\n</stdin>"),
        (&["why?"], " \n", "why?"),
    ] {
        let (ended, asked) = asked(arguments, piped);
        assert_eq!((ended.code, asked.as_str()), (Some(0), expected), "{arguments:?} {piped:?}");
        assert_eq!(ended.stderr, "", "{arguments:?}");
    }
}

#[test]
fn no_task_is_a_usage_error() {
    for (arguments, piped) in [(&[][..], ""), (&["-"], " \n"), (&[""], "data")] {
        let (ended, _) = asked(arguments, piped);
        assert_eq!(ended.code, Some(2), "{arguments:?} {ended:?}");
        assert!(ended.stderr.contains("the task is empty"), "{ended:?}");
    }
}

#[test]
fn a_file_as_standard_input_counts_like_a_pipe() {
    let place = Place::new();
    let model = place.script(&[finish("Done.")]);
    let log = place.write("log.txt", "a log\n");
    let mut command = place.agent(&["run", "-m", &model, "--output-format", "json", "why?"]);
    command.stdin(std::fs::File::open(log).expect("the log"));
    let ended = Ended::of(command.output().expect("the program runs"));
    assert_eq!(ended.json()["user_query"], "why?\n\n<stdin>\na log\n</stdin>");
}

#[test]
fn an_open_pipe_that_stays_silent_is_left_behind_with_a_warning() {
    let place = Place::new();
    let model = place.script(&[finish("Done.")]);
    let mut command = place.agent(&["run", "-m", &model, "do it"]);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
    let open = child.stdin.take();
    let ended = Ended::of(child.wait_with_output().expect("the program ends"));
    drop(open);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Done.\n"), "{ended:?}");
    let warning = "warning: standard input is open and nothing came for 3 s";
    assert!(ended.stderr.contains(warning), "{ended:?}");
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_told_of() {
    let place = Place::new();
    let model = place.script(&[finish("Done.")]);
    let path = place.path("bytes");
    std::fs::write(&path, b"a\xff\n").expect("a file");
    let mut command = place.agent(&["run", "-m", &model, "--output-format", "json", "why?"]);
    command.stdin(std::fs::File::open(path).expect("the file"));
    let ended = Ended::of(command.output().expect("the program runs"));
    assert_eq!(ended.json()["user_query"], "why?\n\n<stdin>\na\u{fffd}\n</stdin>");
    assert!(ended.stderr.contains("warning: standard input is not all UTF-8"), "{ended:?}");
}

#[test]
fn more_than_a_model_could_read_is_refused() {
    let (ended, _) = asked(&["why?"], &"x".repeat(1024 * 1024 + 1));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("agent::usage::stdin_too_large"), "{ended:?}");
}
