//! What standard input and standard output are connected to, and what comes of it.

use std::{
    fs::File,
    io::{Write, pipe},
    process::{Command, Stdio},
    thread,
};

use super::{
    compare,
    ends::{self, Shape},
};
use crate::{
    signals,
    support::{Ended, Place, finish},
};

/// What standard input is.
#[derive(Debug, Clone, Copy)]
enum Input {
    /// Closed.
    Closed,
    /// `/dev/null`.
    Nothing,
    /// A pipe that is closed without a byte.
    Empty,
    /// A pipe with some data, then closed.
    Data,
    /// A pipe with white space alone.
    Blank,
    /// A file with some data.
    File,
    /// A pipe that nobody writes to and nobody closes.
    Silent,
    /// A pipe with some data that nobody closes.
    Open,
}

const INPUTS: [Input; 8] = [
    Input::Closed,
    Input::Nothing,
    Input::Empty,
    Input::Data,
    Input::Blank,
    Input::File,
    Input::Silent,
    Input::Open,
];

#[test]
fn every_kind_of_standard_input() {
    let tasks: [(&str, &[&str]); 3] =
        [("with a TASK", &["do it"]), ("without a TASK", &[]), ("with -", &["-"])];
    let rows: Vec<_> =
        INPUTS.iter().flat_map(|input| tasks.iter().map(move |task| (*input, *task))).collect();
    // Silence is waited out.
    let paragraphs: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> =
            rows.iter().map(|(input, task)| scope.spawn(move || fed(*input, *task))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker")).collect()
    });
    compare("fixtures/outcomes/stdin.txt", &paragraphs.concat());
}

fn fed(input: Input, (name, task): (&str, &[&str])) -> String {
    const DATA: &str = "some data\n";
    let place = Place::new();
    let model = place.script(&[finish("Done.")]);
    let mut arguments = vec!["run", "-m", &model, "--output-format", "json"];
    arguments.extend(task);
    let mut command = place.agent(&arguments);
    let (reader, mut writer) = pipe().expect("a pipe");
    let mut written = match input {
        Input::Data | Input::Open => DATA,
        Input::Blank => " \n",
        Input::Closed | Input::Nothing | Input::Empty | Input::File | Input::Silent => "",
    };
    writer.write_all(written.as_bytes()).expect("a reader");
    let open = match input {
        Input::Silent | Input::Open => Some(writer),
        Input::Closed
        | Input::Nothing
        | Input::Empty
        | Input::Data
        | Input::Blank
        | Input::File => {
            drop(writer);
            None
        }
    };
    match input {
        Input::Closed => command = closing(&command, "<&-"),
        Input::Nothing => drop(command.stdin(Stdio::null())),
        Input::File => {
            written = DATA;
            let file = place.write("data.txt", written);
            command.stdin(File::open(file).expect("the file"));
        }
        Input::Empty | Input::Data | Input::Blank | Input::Silent | Input::Open => {
            command.stdin(reader);
        }
    }
    let child = command.spawn().expect("the program runs");
    // It may wait for as long as something can come; then a signal has to end it.
    let waits = matches!((input, task), (Input::Open, _) | (Input::Silent, [] | ["-"]));
    if waits {
        signals::wait_for_the_watch(&child);
        signals::send("INT", &child);
    }
    let ended = Ended::of(child.wait_with_output().expect("the program ends"));
    drop(open);
    let ending = if waits { ", until SIGINT" } else { "" };
    let title = format!("{input:?}, {name}{ending}");
    ends::paragraph(&title, Shape::Object, &ended, None)
}

/// The same command, started by a shell that does something to a stream first.
fn closing(command: &Command, redirection: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("exec \"$0\" \"$@\" {redirection}"));
    shell.arg(command.get_program()).args(command.get_args());
    shell.current_dir(command.get_current_dir().expect("a directory")).env_clear();
    for (name, value) in command.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

#[test]
fn standard_output_that_nobody_reads() {
    let mut table = String::new();
    for format in ["text", "json", "stream-json"] {
        for kind in ["closed", "a pipe whose reader is gone", "a full disk"] {
            let place = Place::new();
            let model = place.script(&[finish("Done.")]);
            let arguments =
                ["run", "-m", &model, "-q", "-o", "answer.txt", "--output-format", format, "do it"];
            let mut command = place.agent(&arguments);
            match kind {
                "closed" => command = closing(&command, ">&-"),
                "a full disk" => {
                    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
                    command.stdout(full);
                }
                _ => {
                    let (reader, writer) = pipe().expect("a pipe");
                    drop(reader);
                    command.stdout(writer);
                }
            }
            let ended = Ended::of(command.output().expect("the program runs"));
            let answer = std::fs::read_to_string(place.path("work/answer.txt")).ok();
            let title = format!("standard output is {kind}: {format}");
            table += &ends::paragraph(&title, Shape::Text, &ended, answer.as_deref());
        }
    }
    compare("fixtures/outcomes/stdout.txt", &table);
}
