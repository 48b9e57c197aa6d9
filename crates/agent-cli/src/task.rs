//! The task: from the argument, from standard input, or from both.

use std::{
    io::{self, Read},
    thread,
    time::Duration,
};

use agent_core::Cancel;
use tokio::{sync::mpsc, time};

use crate::{environment::Input, error::Error};

/// How long an open pipe beside a task may stay silent. Programs that start others often leave
/// one open for ever.
const FIRST_BYTE: Duration = Duration::from_secs(3);

/// The most that is taken from standard input. More fits no model's window.
const MOST: usize = 1024 * 1024;

const HOW: &str = "write `agent run \"TASK\"`, or give the task on standard input";

/// A task in words, with what is to be told about how it came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

/// Puts the task together from what was typed and what standard input gives.
///
/// # Errors
///
/// A usage error where there is no task or too much of it, and the signal that came meanwhile.
pub(crate) async fn read(
    argument: Option<&str>,
    input: Input,
    cancel: &Cancel,
) -> Result<Task, Error> {
    let mut warnings = Vec::new();
    let text = match argument.filter(|task| *task != "-") {
        Some(task) => with_block(task, &beside(input, cancel, &mut warnings).await?),
        // `agent run` alone at a terminal is a slip; `-` asks for it.
        None if input == Input::Nothing || (input == Input::Terminal && argument.is_none()) => {
            return Err(Error::usage("no_task", "there is no task", HOW));
        }
        None => Pieces::open()?.rest(cancel, &mut warnings).await?,
    };
    if text.trim().is_empty() {
        return Err(Error::usage("empty_task", "the task is empty", HOW));
    }
    Ok(Task { text, warnings })
}

/// What a pipe or a file holds besides the task.
async fn beside(
    input: Input,
    cancel: &Cancel,
    warnings: &mut Vec<String>,
) -> Result<String, Error> {
    match input {
        Input::Terminal | Input::Nothing => Ok(String::new()),
        Input::File => Pieces::open()?.rest(cancel, warnings).await,
        Input::Pipe => {
            let mut pieces = Pieces::open()?;
            if pieces.first_within(FIRST_BYTE, cancel).await?.is_none() {
                warnings.push(format!(
                    "standard input is open and nothing came for {} s; going on without it \
                     (`</dev/null` spares the wait)",
                    FIRST_BYTE.as_secs()
                ));
                return Ok(String::new());
            }
            pieces.rest(cancel, warnings).await
        }
    }
}

/// The task with the block that marks where its data begin and end.
fn with_block(task: &str, piped: &str) -> String {
    if task.trim().is_empty() || piped.trim().is_empty() {
        return task.to_owned();
    }
    let newline = if piped.ends_with('\n') { "" } else { "\n" };
    format!("{task}\n\n<stdin>\n{piped}{newline}</stdin>")
}

/// Standard input, piece by piece. A thread reads it: one that waits for a silent pipe does not
/// keep the process from ending.
struct Pieces {
    next: mpsc::Receiver<io::Result<Vec<u8>>>,
    read: Vec<u8>,
}

/// Something came, be it the end.
struct First;

impl Pieces {
    fn open() -> Result<Self, Error> {
        let (sender, next) = mpsc::channel(4);
        let pump = move || {
            let mut stdin = io::stdin().lock();
            loop {
                let mut piece = vec![0; 64 * 1024];
                let read = match stdin.read(&mut piece) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let last = !matches!(read, Ok(1..));
                let piece = read.map(|length| {
                    piece.truncate(length);
                    piece
                });
                // Whoever has stopped listening does not need the rest.
                if sender.blocking_send(piece).is_err() || last {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("stdin".to_owned()).spawn(pump);
        thread.map(|_| Self { next, read: Vec::new() }).map_err(|error| unreadable(&error))
    }

    /// Waits for the first piece, but no longer than `limit`.
    async fn first_within(
        &mut self,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Option<First>, Error> {
        match time::timeout(limit, self.more(cancel)).await {
            Err(_elapsed) => Ok(None),
            Ok(Err(error)) => Err(error),
            Ok(Ok(_)) => Ok(Some(First)),
        }
    }

    /// Everything up to the end, as text.
    async fn rest(mut self, cancel: &Cancel, warnings: &mut Vec<String>) -> Result<String, Error> {
        while self.more(cancel).await? {
            if self.read.len() > MOST {
                return Err(Error::usage(
                    "stdin_too_large",
                    format!("standard input holds more than {MOST} bytes"),
                    "put it into a file in the workspace and name the file in the task",
                ));
            }
        }
        String::from_utf8(self.read).or_else(|error| {
            warnings
                .push("standard input is not all UTF-8; what is not reads as \u{fffd}".to_owned());
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        })
    }

    /// Takes the next piece in; false at the end.
    async fn more(&mut self, cancel: &Cancel) -> Result<bool, Error> {
        let piece = tokio::select! {
            biased;
            signal = cancel.cancelled() => return Err(Error::interrupted(signal)),
            piece = self.next.recv() => piece,
        };
        let piece = piece.transpose().map_err(|error| unreadable(&error))?.unwrap_or_default();
        self.read.extend_from_slice(&piece);
        Ok(!piece.is_empty())
    }
}

fn unreadable(error: &io::Error) -> Error {
    Error::usage("stdin", format!("standard input can't be read: {error}"), HOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piped_data_stand_in_a_marked_block() {
        for (task, piped, expected) in [
            ("fix", "", "fix"),
            ("fix", " \n", "fix"),
            ("fix", "log", "fix\n\n<stdin>\nlog\n</stdin>"),
            ("fix", "log\n", "fix\n\n<stdin>\nlog\n</stdin>"),
            (" ", "log", " "),
        ] {
            assert_eq!(with_block(task, piped), expected);
        }
    }
}
